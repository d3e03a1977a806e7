"""Pages are copied into a shelf by the threads of a pool, and back by the hook of a step.

Racy: they are known by their names, and two orders can name one page.
"""

from concurrent.futures import ThreadPoolExecutor


class Shelf:
    def __init__(self):
        self.pages_of = {}

    def put(self, name, page):
        if name in self.pages_of:
            old = self.pages_of.pop(name)  # want "pages_of.name. is .*, then removed"
            old.close()
        self.pages_of[name] = page

    def look(self, name):
        if name in self.pages_of:
            return self.pages_of[name]  # want "pages_of.name. is tested, then read"
        return None


class Mover:
    def __init__(self):
        self.shelf = Shelf()
        self.pool = ThreadPoolExecutor(max_workers=4)

    def save(self, orders):
        for order in orders:
            self.pool.submit(self._store, order.names, order.copy())

    def load(self, orders):
        for order in orders:
            for name in order.names:
                order.write(name, self.shelf.look(name))

    def _store(self, names, pages):
        for i in range(len(pages)):
            self.shelf.put(names[i], pages[i])
