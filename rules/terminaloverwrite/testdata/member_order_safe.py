"""The values of the members are in an order, and what is final comes last."""

import enum
import queue
import threading


class Climb(enum.IntEnum):
    CAMP = 0
    WALL = 1
    DONE = 2
    FAILED = 3


class Ropes:
    def __init__(self):
        self.anchor = threading.Lock()
        self.orders = queue.Queue()
        self.climbs = {}
        threading.Thread(target=self._lead, daemon=True).start()

    def tie(self, climber):
        with self.anchor:
            self.climbs[climber] = Climb.CAMP

    def look(self, climber):
        with self.anchor:
            return self.climbs[climber]

    def call_off(self, climber):
        with self.anchor:
            self.climbs[climber] = Climb.FAILED

    def _lead(self):
        while True:
            climber = self.orders.get()
            with self.anchor:
                if self.climbs[climber].value < Climb.DONE.value:
                    self.climbs[climber] = Climb.WALL
            self._climb(climber)
            with self.anchor:
                now = self.climbs[climber]
                if now < Climb.DONE:
                    self.climbs[climber] = Climb.WALL
            self._climb(climber)
            with self.anchor:
                if int(self.climbs[climber]) <= 1:
                    self.climbs[climber] = Climb.WALL
            self._climb(climber)
            with self.anchor:
                if not Climb.WALL < self.climbs[climber]:
                    self.climbs[climber] = Climb.DONE

    def _climb(self, climber):
        print("climbs", climber)
