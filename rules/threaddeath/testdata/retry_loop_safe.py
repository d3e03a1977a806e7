"""A thread mounts a volume for each rack; a decorator tries again, for a while.

Right: the decorator goes round only when the call has failed, and what it tries again it
handles itself, whatever classes it is given. It serves nobody.
"""

import functools
import threading
import time


class BusyError(Exception):
    pass


REPEATED = (BusyError, OSError)


def patiently(limit=300, repeated=(BusyError,)):
    def decorate(call):
        @functools.wraps(call)
        def again(*args, **kwargs):
            begun = time.time()
            while True:
                try:
                    return call(*args, **kwargs)
                except repeated as e:
                    if time.time() - begun >= limit:
                        raise TimeoutError(call.__name__) from e
                    time.sleep(1)

        return again

    return decorate


class Racks:
    def __init__(self, disks, inbox):
        self.disks = disks
        self.inbox = inbox
        self.mounted = {}
        self.lock = threading.Lock()
        for rack in disks.racks():
            threading.Thread(target=self._serve, args=(rack,), daemon=True).start()
        threading.Thread(target=self._answer, daemon=True).start()

    @patiently()
    def mount(self, rack, path):
        if self.disks.mount(rack, path) != 0:
            raise BusyError(path)
        with self.lock:
            self.mounted[path] = rack

    def _serve(self, rack):
        self.mount(rack, "/" + rack)

    def _answer(self):
        while True:
            path = self.inbox.get()
            try:
                if path not in self.mounted:
                    raise BusyError(path)
            except REPEATED:
                continue
            with self.lock:
                self.mounted.pop(path, None)

    def where(self, path):
        with self.lock:
            return self.mounted.get(path)
