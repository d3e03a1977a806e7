"""A stoker takes the coals of furnaces out of a queue until it is told to stop.

Wrong: a furnace that is put out while its coal waits is gone, and the stoker dies of it.
"""

import queue
import threading


class Boiler:
    def __init__(self):
        self.coal = queue.Queue()
        self.furnaces = {}
        threading.Thread(target=self._stoke, daemon=True).start()

    def light(self, name, furnace):
        self.furnaces[name] = furnace
        self.coal.put(name)

    def put_out(self, name):
        self.furnaces.pop(name, None)

    def stop(self):
        self.coal.put(None)

    def _stoke(self):
        for name in iter(self.coal.get, None):
            self.furnaces[name].feed()  # want "furnaces.name."
