"""A worker copies the pages of a request to the targets that a peer has announced.

Leaks: the worker forgets the targets when it has copied the last page. After a cancel there is no
last page, and clear() forgets only the state.
"""

import queue
import threading


class State:
    WAITING = 1
    DONE = 2
    FAILED = 3


class Copier:
    def __init__(self, link):
        self.link = link
        self.lock = threading.Lock()
        self.pages = queue.Queue()
        self.states = {}
        self.targets = {}
        threading.Thread(target=self._announced, daemon=True).start()
        threading.Thread(target=self._copy, daemon=True).start()

    def _announced(self):
        while True:
            note = self.link.receive()
            with self.lock:
                if note.rid in self.states:
                    self.targets[note.rid] = note.target

    def _end(self, rid, state):
        with self.lock:
            if rid in self.states:
                self.states[rid] = state

    def _copy(self):
        while True:
            page = self.pages.get()
            if self.states.get(page.rid) != State.WAITING:
                continue
            target = self.targets.get(page.rid)
            if target is None:
                self._end(page.rid, State.FAILED)
                continue
            self.link.write(target, page.data)
            if page.last:
                self.targets.pop(page.rid, None)
                self._end(page.rid, State.DONE)


class Job:
    def __init__(self, copier: Copier, rid):
        self.copier = copier
        self.rid = rid
        copier.states[rid] = State.WAITING

    def poll(self):
        return self.copier.states[self.rid]

    def cancel(self):
        self.copier._end(self.rid, State.FAILED)

    def clear(self):
        with self.copier.lock:
            if self.rid in self.copier.states:
                self.copier.states.pop(self.rid)  # want "targets stays .* only Copier._copy removes it"
