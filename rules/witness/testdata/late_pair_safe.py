import threading


class Stats:
    def __init__(self):
        self.seen = {}
        self.lock = threading.Lock()
        threading.Thread(target=self.listen).start()

    def listen(self):
        while True:
            key, word = self.sock.recv()
            early, late = self.weigh(key, word)
            if early:
                if late:
                    self.seen[key] = 1

    def weigh(self, key, word):
        if self.seen.get(key) == word:
            return True, False
        return False, True


class Handle:
    def __init__(self, stats: Stats, key):
        self.stats = stats
        self.key = key
        self.stats.seen[key] = 0

    def clear(self):
        self.stats.seen.pop(self.key, None)
