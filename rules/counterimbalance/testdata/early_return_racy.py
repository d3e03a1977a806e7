"""A hook counts how often a reader is in use.

Wrong: when there is nothing to read, the reader stays in use.
"""


class Readers:
    def __init__(self, store):
        self.store = store
        self.in_use = {}

    def open(self, name):
        self.in_use.setdefault(name, 0)

    def read(self, name, keys):
        self.in_use[name] += 1
        try:
            pages = self.store.read(keys)
        except Exception:
            pages = None
        if pages is None:  # want "in_use.name. is not counted down on one side"
            return None
        self.in_use[name] -= 1
        return pages

    def close(self, name):
        if self.in_use.get(name) == 0:
            del self.in_use[name]
            return True
        return False
