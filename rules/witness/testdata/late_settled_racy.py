import os
import threading


class Base:
    def __init__(self):
        self.fast = False


class Stats(Base):
    def __init__(self):
        super().__init__()
        self.fast = os.environ.get("FAST")
        self.seen = {}
        self.lock = threading.Lock()
        threading.Thread(target=self.listen).start()

    def listen(self):
        while True:
            key = self.sock.recv()
            if self.fast:
                continue
            if key in self.seen:
                continue
            if self.fast:
                self.seen[key] = 1

    def hurry(self):
        self.fast = True


class Handle:
    def __init__(self, stats: Stats, key):
        self.stats = stats
        self.key = key
        self.stats.seen[key] = 0

    def clear(self):
        self.stats.seen.pop(self.key, None)
