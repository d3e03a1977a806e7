"""A dataclass starts its thread when its fields are set; the removal takes what is there."""

import threading
from dataclasses import dataclass, field


@dataclass
class Hives:
    scale: object
    hives: dict = field(default_factory=dict)

    def __post_init__(self):
        threading.Thread(target=self._weigh, daemon=True).start()

    def set_up(self, hive, bees):
        self.hives[hive] = bees

    def swarm(self, hive):
        self.hives.pop(hive, None)

    def _weigh(self):
        while True:
            hive = self.scale.next_empty()
            if hive in self.hives:
                self.hives.pop(hive, None)
