"""A thread answers where a volume is mounted.

Racy: a path that is not known is handled as an error of the system, which it is not.
"""

import threading


class UnknownError(Exception):
    pass


HANDLED = (OSError, TimeoutError)


class Racks:
    def __init__(self, disks, inbox):
        self.disks = disks
        self.inbox = inbox
        self.mounted = {}
        self.lock = threading.Lock()
        threading.Thread(target=self._answer, daemon=True).start()

    def mount(self, rack, path):
        with self.lock:
            self.mounted[path] = rack

    def _answer(self):
        while True:
            path = self.inbox.get()
            try:
                if path not in self.mounted:
                    raise UnknownError(path)  # want "an item can lead to this UnknownError"
            except HANDLED:
                continue
            with self.lock:
                self.mounted.pop(path, None)

    def where(self, path):
        with self.lock:
            return self.mounted.get(path)
