"""A sweep gives up what is too old.

Racy: it lists the requests, lets go of the lock, and marks them later. An event for a request that
is unknown is taken for one about a request that has begun.
"""

import enum
import threading
import time


class Stage(enum.IntEnum):
    BEGUN = 0
    UNDER_WAY = 1
    ARRIVED = 2
    LOST = 3


class Parcels:
    def __init__(self, scanner):
        self.scanner = scanner
        self.desk = threading.Lock()
        self.since = {}
        self.stage = {}
        threading.Thread(target=self._sweep, daemon=True).start()
        threading.Thread(target=self._scan, daemon=True).start()

    def send(self, parcel):
        with self.desk:
            self.stage[parcel] = Stage.BEGUN
            self.since[parcel] = time.monotonic()

    def track(self, parcel):
        with self.desk:
            return self.stage.get(parcel, Stage.ARRIVED)

    def _scan(self):
        while True:
            parcel = self.scanner.read()
            with self.desk:
                if self.stage.get(parcel, Stage.BEGUN) not in (Stage.ARRIVED, Stage.LOST):
                    self.stage[parcel] = Stage.UNDER_WAY  # want "stage.parcel. is stored even when Parcels.forget has removed it"

    def _sweep(self):
        while True:
            time.sleep(1)
            now = time.monotonic()
            old = []
            with self.desk:
                for parcel, since in self.since.items():
                    if now - since > 60:
                        old.append(parcel)
            for parcel in old:
                self.scanner.ask(parcel)
                with self.desk:
                    self.stage[parcel] = Stage.LOST  # want "stage.parcel. is stored even when Parcels.forget has removed it"
                    self.since.pop(parcel, None)

    def forget(self, parcel):
        with self.desk:
            self.since.pop(parcel, None)
            self.stage.pop(parcel, None)
