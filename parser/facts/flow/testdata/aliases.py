import threading
from threading import Condition

LOCK = threading.Lock()
CHANGED = threading.Condition(LOCK)
TABLE = {}


class Depot:
    """The object that keeps everything."""

    def __init__(self):
        self.lock = threading.RLock()
        self.changed = Condition(self.lock)
        self.named = threading.Condition(lock=self.lock)
        inner = threading.Lock()
        self.inner = inner
        self.ready = threading.Condition(inner)
        self.alone = threading.Condition()
        self.rows = {}
        self.marks = set()
        self.view = View(self.rows, self.lock)
        self.first = Pair(self.rows)
        self.second = Pair(self.marks)
        threading.Thread(target=self.clean).start()

    def clean(self):
        with self.changed:
            self.rows.clear()
        with self.named:
            self.rows.clear()
        with self.ready:
            self.marks.clear()
        with self.alone:
            self.marks.clear()

    def notify(self):
        with self.inner:
            self.marks.add(1)


class View:
    """Is handed the container and the lock."""

    def __init__(self, rows, lock):
        self.mine = rows
        self.guard = lock

    def take(self, key):
        with self.guard:
            return self.mine.pop(key)


class Pair:
    """Is handed different containers, so it has one of its own."""

    def __init__(self, some: dict):
        self.some = some

    def drop(self, key):
        self.some.pop(key)


class Handle:
    """Keeps references to what the depot keeps."""

    def __init__(self, depot: Depot, key):
        self.depot = depot
        self.key = key
        self.rows = depot.rows
        self.guard = self.depot.lock
        self.table = TABLE

    def poll(self):
        with self.guard:
            return self.rows.get(self.key)

    def close(self):
        with CHANGED:
            self.table.pop(self.key, None)

    def open(self):
        with LOCK:
            self.table[self.key] = 1


class Replaced:
    """Stops sharing what it was given."""

    def __init__(self, depot: Depot):
        self.rows = depot.rows

    def reset(self):
        self.rows = {}

    def take(self, key):
        return self.rows.pop(key)
