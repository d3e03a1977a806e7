"""A writer thread asks its owner for the layer of a job.

Wrong: the owner raises for a layer that is not registered, and the first such job ends the thread.
"""

import queue
import threading
import weakref


class Owner:
    def __init__(self):
        self.layers = {}

    def register(self, name, layer):
        self.layers[name] = layer

    def forget(self, name):
        self.layers.pop(name, None)

    def layer(self, name):
        layer = self.layers.get(name)
        if layer is None:
            raise RuntimeError("no such layer")  # want "an item can lead to this RuntimeError"
        return layer


class Writer:
    def __init__(self, owner: Owner):
        self._owner = weakref.ref(owner)
        self.jobs = queue.Queue()
        threading.Thread(target=self.work, daemon=True).start()

    def write(self, job):
        self.jobs.put(job)

    def work(self):
        while True:
            job = self.jobs.get()
            self._owner().layer(job.layer).store(job)
