import threading

from fleet import Mode


class Stats:
    def __init__(self, mode):
        self.seen = {}
        self.mode = mode
        self.lock = threading.Lock()
        if self.mode == Mode.SEND:
            threading.Thread(target=self.listen).start()

    def listen(self):
        while True:
            key = self.sock.recv()
            if self.mode == Mode.SEND:
                self.seen[key] = 1


class Handle:
    def __init__(self, stats: Stats, key):
        self.stats = stats
        self.key = key
        self.stats.seen[key] = 0

    def clear(self):
        self.stats.seen.pop(self.key, None)
