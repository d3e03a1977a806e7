"""A stoker takes the coals of furnaces out of a queue until it is told to stop.

Right: a furnace that is gone is passed over.
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
            furnace = self.furnaces.get(name)
            if furnace is not None:
                furnace.feed()
