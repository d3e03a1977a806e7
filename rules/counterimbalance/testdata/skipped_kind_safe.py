"""Jobs of a request are counted when they are queued, and counted down by a worker.

Right: a job of a kind that the worker does not know is counted down like the others.
"""

import collections
import queue
import threading


class Jobs:
    def __init__(self, store):
        self.store = store
        self.todo = queue.SimpleQueue()
        self.pending = collections.defaultdict(int)
        self.lock = threading.Lock()
        threading.Thread(target=self.run, daemon=True).start()

    def add(self, number, kind, pages):
        with self.lock:
            self.pending[number] += 1
        self.todo.put((number, kind, pages))

    def done(self, number):
        with self.lock:
            self.pending[number] -= 1

    def run(self):
        while True:
            number, kind, pages = self.todo.get()
            if kind == "save":
                self.store.save(pages)
            elif kind == "load":
                self.store.load(pages)
            self.done(number)

    def busy(self, number):
        with self.lock:
            return self.pending[number] > 0
