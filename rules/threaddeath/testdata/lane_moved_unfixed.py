"""A switcher holds the lane of a train, which may be another one within the same section.

Racy: a broken train ends the switcher. Which lane it holds then is not certain: there is no patch.
"""

import logging
import threading

log = logging.getLogger(__name__)


class Switcher:
    def __init__(self, yard):
        self.yard = yard
        self.seen = set()
        threading.Thread(target=self._switch, daemon=True).start()

    def _switch(self):
        while True:
            train = self.yard.recv()
            lane = self.yard.lane(train)
            with self.yard.section(train):
                lane.acquire()
                if train.late:
                    lane.release()
                    continue
                lane = self.yard.next(lane)
                if train.broken:
                    raise ValueError(train)  # want "an item can lead to this ValueError"
                self.seen.add(train.name)
                lane.release()

    def count(self):
        return len(self.seen)
