"""A strict access inside the try of its item: the handler turns the KeyError into a verdict."""

import queue
import threading


class State:
    OPEN = 0
    GOOD = 1
    BAD = 2


class Worker:
    def __init__(self):
        self.items = queue.Queue()
        self.states = {}
        self.targets = {}
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self):
        while True:
            item = self.items.get()
            try:
                assert item.rid in self.targets
                self._send(self.targets[item.rid], item)
                self.states[item.rid] = State.GOOD
            except Exception:
                self.states[item.rid] = State.BAD

    def _send(self, target, item):
        target.send(item)

    def poll(self, rid):
        return self.states.get(rid, State.OPEN)

    def clear(self, rid):
        self.states.pop(rid, None)
        self.targets.pop(rid, None)
