"""Keys are (rank, rid); a missing entry is caught, not tested.

Right: the removal comes after the strict read, so a missing verdict leaves the timer entry in
place for the sweeper.
"""

import threading
import time

OPEN, GOOD, BAD = range(3)


class Ledger:
    def __init__(self, mail):
        self.mail = mail
        self.lock = threading.RLock()
        self.timers = {}
        self.verdicts = {}
        for loop in (self._read_mail, self._sweep):
            threading.Thread(target=loop, daemon=True).start()

    def prepare(self, rank, rid):
        with self.lock:
            self.verdicts[(rank, rid)] = OPEN
            self.timers[(rank, rid)] = time.monotonic() + 15

    def _read_mail(self):
        while True:
            letter = self.mail.get()
            key = (letter.rank, letter.rid)
            with self.lock:
                if letter.subject == "reject":
                    try:
                        if self.verdicts[key] == OPEN:
                            self.verdicts[key] = BAD
                        self.timers.pop(key, None)
                    except KeyError:
                        pass
                elif letter.subject == "accept":
                    if self.verdicts.get(key) == OPEN:
                        self.verdicts[key] = GOOD

    def _sweep(self):
        while True:
            time.sleep(1)
            now = time.monotonic()
            with self.lock:
                for key, end in list(self.timers.items()):
                    if now > end and self.verdicts.get(key) == OPEN:
                        self.verdicts[key] = BAD

    def verdict(self, rank, rid):
        with self.lock:
            return self.verdicts.get((rank, rid), BAD)

    def finish(self, rank, rid):
        with self.lock:
            self.timers.pop((rank, rid), None)
            self.verdicts.pop((rank, rid), None)
