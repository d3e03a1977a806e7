class Ledger:
    def __init__(self):
        self.rows = {}
        self.done = set()

    def member(self, key):
        if key not in self.rows:
            return
        if key in self.done and not self.rows:
            del self.rows[key]

    def none(self, key):
        if (row := self.rows.get(key)) is None:
            return 0
        return row

    def handler(self, key):
        try:
            return self.rows.pop(key)
        except KeyError:
            self.done.discard(key)

    def matched(self, key, word):
        match word:
            case "add":
                self.rows[key] = 1
            case "drop":
                self.rows.pop(key, None)
