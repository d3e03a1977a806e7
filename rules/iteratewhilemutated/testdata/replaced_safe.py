"""Who changes the set stores a new one: the loop keeps walking over the old one."""

import threading


class Config:
    def __init__(self):
        self.hosts = frozenset()
        self.names = {}
        threading.Thread(target=self._scan, daemon=True).start()

    def _scan(self):
        while True:
            for name in self.names:
                print(name)

    def reload(self, names):
        self.names = {n: True for n in names}
