import threading


class Stats:
    def __init__(self):
        self.seen = {}
        self.lock = threading.Lock()
        threading.Thread(target=self.listen).start()

    def listen(self):
        while True:
            key, word = self.sock.recv()
            kind = int(word)
            if kind == 1:
                self.note(key, kind)

    def note(self, key, kind):
        if key not in self.seen:
            if kind == 1:
                return
            self.seen[key] = kind


class Handle:
    def __init__(self, stats: Stats, key):
        self.stats = stats
        self.key = key
        self.stats.seen[key] = 0

    def clear(self):
        self.stats.seen.pop(self.key, None)
