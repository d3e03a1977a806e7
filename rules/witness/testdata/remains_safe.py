import threading


class Cache:
    def __init__(self):
        self.pages = {}
        self.owners = {}
        threading.Thread(target=self.expire).start()

    def expire(self):
        while True:
            key = self.inbox.recv()
            self.owners.pop(key, None)

    def load(self, key):
        self.pages[key] = 1
        self.owners[key] = 1

    def clear(self, key):
        self.pages.pop(key, None)
        self.owners.pop(key, None)
