"""Keys are (rank, rid); a missing entry is caught, not tested.

Racy: prepare() arms the timer entry, commit() stores the verdict afterwards. A reject between
them removes the entry the sweeper needs, and the KeyError that tells of the missing verdict is
swallowed.
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
            self.timers[(rank, rid)] = time.monotonic() + 15

    def commit(self, rank, rid):
        with self.lock:
            self.verdicts[(rank, rid)] = OPEN

    def _read_mail(self):
        while True:
            letter = self.mail.get()
            key = (letter.rank, letter.rid)
            with self.lock:
                if letter.subject == "reject":
                    self.timers.pop(key, None)  # want "timers"
                    try:
                        if self.verdicts[key] == OPEN:
                            self.verdicts[key] = BAD
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
