import threading


class Stats:
    def __init__(self):
        self.seen = {}
        self.lock = threading.Lock()
        threading.Thread(target=self.listen).start()

    def listen(self):
        while True:
            key, size = self.sock.recv()
            if size <= 9:
                if size < 8:
                    if size >= 1:
                        if (size
                                > 2):
                            if size != 4:
                                self.seen[key] = 1


class Handle:
    def __init__(self, stats: Stats, key):
        self.stats = stats
        self.key = key
        self.stats.seen[key] = 0

    def clear(self):
        self.stats.seen.pop(self.key, None)
