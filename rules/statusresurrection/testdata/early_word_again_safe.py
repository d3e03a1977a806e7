"""A press lends plates until the printers that were told of them give them back, or until they are overdue.

Right: a slip about a plate that is not written down yet waits for it, if not for long, and is looked at
again each time.
"""

import logging
import time
from collections import Counter

log = logging.getLogger(__name__)


class Sheet:
    def __init__(self):
        self.lent = {}


class Press:
    def __init__(self, counter_desk):
        self.desk = counter_desk
        self.overdue_at = {}
        self.waiting_slips = []
        self.returns = Counter()

    def print_sheet(self, sheet: Sheet):
        self.overdue_at.update(sheet.lent)

    def _given_back(self):
        back = set()
        now = time.monotonic()
        slips, self.waiting_slips = self.waiting_slips, []
        for come, slip in slips + [(now, slip) for slip in self.desk.slips()]:
            plate, printers = slip.decode("utf-8").rsplit("/", 1)
            if plate not in self.overdue_at:
                if now - come < 30:
                    self.waiting_slips.append((come, slip))
                else:
                    log.error("nobody knows of plate %s", plate)
                continue
            self.returns[plate] += 1
            if self.returns[plate] == int(printers):
                back.add(plate)
                del self.returns[plate]
                del self.overdue_at[plate]
        return back

    def collect(self):
        free = self._given_back()
        now = time.monotonic()
        while self.overdue_at:
            plate, when = next(iter(self.overdue_at.items()))
            if now < when:
                break
            self.returns.pop(plate, None)
            del self.overdue_at[plate]
            free.add(plate)
        return free
