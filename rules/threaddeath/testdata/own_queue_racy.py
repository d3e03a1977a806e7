"""A mill grinds what it is given; whoever closes it waits until all is done.

Racy: a sack that is taken back ends the mill. One that goes on has to count it as done.
"""

import logging
import queue
import threading

log = logging.getLogger(__name__)


class Mill:
    def __init__(self, stone):
        self.stone = stone
        self.lock = threading.Lock()
        self.sacks = {}
        self.turns = queue.Queue()
        threading.Thread(target=self._grind, daemon=True).start()

    def bring(self, name, sack):
        with self.lock:
            self.sacks[name] = sack
        self.turns.put(name)

    def take_back(self, name):
        with self.lock:
            return self.sacks.pop(name, None)

    def close(self):
        self.turns.join()

    def _grind(self):
        while True:
            name = self.turns.get()
            with self.lock:
                sack = self.sacks.pop(name)  # want "an item can make this fail|KeyError|sacks"
            self.stone.grind(sack)
            self.turns.task_done()
