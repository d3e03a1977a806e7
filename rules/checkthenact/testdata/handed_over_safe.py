"""The entry travels through the queue itself: the worker asks no table for it."""

import queue
import threading


class Handover:
    def __init__(self):
        self.items = queue.Queue()
        self.open = {}
        threading.Thread(target=self._work, daemon=True).start()

    def _work(self):
        while True:
            entry = self.items.get()
            entry.run()

    def add(self, rid, entry):
        self.open[rid] = entry

    def submit(self, rid):
        entry = self.open.pop(rid, None)
        if entry is not None:
            self.items.put(entry)

    def drop(self, rid):
        if rid in self.open:
            del self.open[rid]
