from collections import Counter, OrderedDict, defaultdict, deque


class Shelf:
    def __init__(self):
        self.rows = {}
        self.lists = defaultdict(list)
        self.marks = set()
        self.order = OrderedDict()
        self.line = deque()
        self.votes = Counter()

    def insert(self, key, value):
        self.rows[key] = value
        self.rows.setdefault(key, value)
        self.rows.update({key: value})
        self.lists[key].append(value)
        self.marks.add(key)
        self.marks |= {key}
        self.line.append(key)
        self.votes[key] += 1

    def read(self, key):
        self.rows[key]
        self.rows.get(key, 0)
        key in self.rows
        len(self.rows)
        for k in self.rows:
            self.marks.add(k)
        for k in list(self.rows):
            self.marks.add(k)
        for k, v in self.order.items():
            self.marks.add(v)

    def remove(self, key):
        del self.rows[key]
        self.rows.pop(key)
        self.rows.pop(key, None)
        self.marks.discard(key)
        self.marks.remove(key)
        self.marks -= {key}
        self.order.popitem()
        self.line.popleft()
        self.votes.clear()

    def drain(self):
        rows, self.rows = self.rows, {}
        self.line = deque(x for x in self.line if x)
        self.marks = set()
        return rows
