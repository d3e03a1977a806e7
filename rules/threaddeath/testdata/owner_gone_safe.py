"""A writer thread works for an object that it refers to weakly, so that it does not keep it alive.

Right: when the object is gone, so is everybody who waits. The thread ends.
"""

import queue
import threading
import weakref


class Writer:
    def __init__(self, owner):
        self._owner = weakref.ref(owner)
        self.jobs = queue.Queue()
        threading.Thread(target=self.work, daemon=True).start()

    @property
    def owner(self):
        owner = self._owner()
        if owner is None:
            raise RuntimeError("the owner is gone")
        return owner

    def write(self, job):
        self.jobs.put(job)

    def work(self):
        while True:
            job = self.jobs.get()
            self.owner.store(job)
