import threading


class Slots:
    def __init__(self):
        self.held = {}
        self.free = []
        threading.Thread(target=self.reap).start()

    def take(self, key):
        self.held[key] = 1

    def reap(self):
        while True:
            key = self.inbox.recv()
            if self.held.pop(key, None) is not None:
                self.free.append(key)

    def finish(self, key):
        if self.held.pop(key, None) is not None:
            self.free.append(key)
