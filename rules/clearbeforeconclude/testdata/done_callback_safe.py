"""A done callback stores what came out of the job and takes its slot away.

Right: the result is there before the slot goes, and a poll that meets no slot answers the
result.
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
        self.result = GOOD if future.exception() is None else BAD
        self.owner.slots.pop(self.number, None)

    def poll(self):
        if self.result is None:
            state = self.owner.slots.get(self.number)
            if state is not None:
                return state
        return self.result
