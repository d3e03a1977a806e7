"""A done callback takes the slot of the job away and stores what came out of it.

Racy: it runs on a thread of the pool. A poll between the two statements finds no result yet and
no slot any more.
"""

from concurrent.futures import ThreadPoolExecutor

BUSY, GOOD, BAD = 0, 1, 2


class Slots:
    def __init__(self, engine):
        self.engine = engine
        self.slots = {}
        self.pool = ThreadPoolExecutor(4)


class Job:
    def __init__(self, owner: Slots, number):
        self.owner = owner
        self.number = number
        self.result = None
        owner.slots[number] = BUSY

    def start(self, pages):
        future = self.owner.pool.submit(self.owner.engine.copy, pages, timeout=30)
        future.add_done_callback(self._ended)

    def _ended(self, future):
        self.owner.slots.pop(self.number, None)  # want "slots"
        self.result = GOOD if future.exception() is None else BAD

    def poll(self):
        if self.result is None:
            state = self.owner.slots[self.number]
            if state is not None:
                return state
        return self.result
