"""A kiln takes pots out of a queue until there are no more.

Racy: a pot that breaks is written down, and nobody who asks for it learns of that.
"""

import enum
import logging
import queue
import threading

log = logging.getLogger(__name__)


class State(enum.Enum):
    WET = enum.auto()
    FIRED = enum.auto()
    BROKEN = enum.auto()


class Kiln:
    def __init__(self, fire):
        self.fire = fire
        self.lock = threading.Lock()
        self.pots = queue.Queue()
        self.states = {}
        threading.Thread(target=self._burn, daemon=True).start()

    def put_in(self, pot, clay):
        with self.lock:
            self.states[pot] = State.WET
        self.pots.put((pot, clay))

    def _burn(self):
        for pot, clay in iter(self.pots.get, None):
            try:
                self.fire.burn(clay)
                self._move(pot, State.FIRED)
            except Exception:  # want "states|_burn"
                log.exception("pot %r", pot)

    def _move(self, pot, state):
        with self.lock:
            if self.states.get(pot) is State.WET:
                self.states[pot] = state

    def state(self, pot):
        with self.lock:
            return self.states.get(pot, State.BROKEN)

    def take_out(self, pot):
        with self.lock:
            self.states.pop(pot, None)
