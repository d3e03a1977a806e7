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
            if key in self.held:
                self.free.append(key)
                self.held.pop(key, None)

    def finish(self, key):
        if key in self.held:
            self.free.append(key)
            self.held.pop(key, None)
