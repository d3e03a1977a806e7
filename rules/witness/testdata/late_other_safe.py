import threading


class Stats:
    def __init__(self):
        self.seen = {}
        self.lock = threading.Lock()
        threading.Thread(target=self.listen).start()
        threading.Thread(target=self.tick).start()

    def listen(self):
        while True:
            key = self.sock.recv()
            self.seen[key] = 1
            self.seen.pop(key, None)

    def tick(self):
        while True:
            key = self.clock.recv()
            self.seen[key] = 2


class Handle:
    def __init__(self, stats: Stats, key):
        self.stats = stats
        self.key = key
        self.stats.seen[key] = 0

    def clear(self):
        self.stats.seen.pop(self.key, None)
