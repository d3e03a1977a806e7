"""A base whose poll() is empty, and the one concrete class.

Right: nothing is ever polled through the empty body; the concrete class overrides it and
answers the verdict.
"""

import time


class Handle:
    def __init__(self, rid):
        self.rid = rid
        self.verdict = None
        self.expires = time.monotonic() + 30

    def poll(self):
        pass

    def abort(self):
        if self.verdict is None:
            self.verdict = "failed"


class FileHandle(Handle):
    def __init__(self, rid, path):
        super().__init__(rid)
        self.path = path

    def poll(self):
        if self.verdict is None:
            if self.path.exists():
                self.verdict = "done"
            elif time.monotonic() > self.expires:
                self.verdict = "failed"
            else:
                return "waiting"
        return self.verdict


def make_handle(rid, path):
    return FileHandle(rid, path)
