"""A backup thread looks the parts of an operation up under the lock of its store.

Racy: a part without a source raises out of the loop, which handles an empty queue alone.
"""

import queue
import threading
from functools import wraps


def locked(func):
    @wraps(func)
    def wrapper(self, *args):
        with self.lock:
            return func(self, *args)

    return wrapper


class Backup:
    def __init__(self, disk):
        self.disk = disk
        self.lock = threading.RLock()
        self.sizes = {}
        self.operations = queue.Queue()
        threading.Thread(target=self._run, daemon=True).start()

    @locked
    def note(self, name, size):
        self.sizes[name] = size

    @locked
    def drop(self, name):
        self.sizes.pop(name, None)

    def submit(self, operation):
        self.note(operation.name, len(operation.parts))
        self.operations.put(operation)

    def cancel(self, operation):
        self.drop(operation.name)

    def _wanted(self, part):
        return part.size > 0

    def _run(self):
        while True:
            try:
                operation = self.operations.get(timeout=1)
                todo = [part for part in operation.parts if self._wanted(part)]
                if todo:
                    self._resolve(operation)
                self.note(operation.name, 0)
                self.disk.write(todo)
            except queue.Empty:
                continue

    def _resolve(self, operation):
        for part in operation.parts:
            if part.source is None:
                raise AssertionError("no source")  # want "AssertionError"
            part.pages = part.source.pages
