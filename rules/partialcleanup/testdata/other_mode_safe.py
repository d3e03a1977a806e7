"""One class serves both sides of a transfer.

Right: only the sending side has plans, and only the receiving side drops what has arrived.
"""

import threading

SENDING = "sending"
RECEIVING = "receiving"


class Side:
    def __init__(self, link, side):
        self.link = link
        self.side = side
        self.pages = {}
        self.plans = {}
        if self.side == SENDING:
            threading.Thread(target=self._plan, daemon=True).start()

    def _plan(self):
        while True:
            plan = self.link.receive()
            self.plans[plan.rid] = plan
            pages = self.pages.pop(plan.rid, None)
            if pages is not None:
                plan.run(pages)
                self.plans.pop(plan.rid)

    def add(self, rid, pages):
        self.pages[rid] = pages

    def arrived(self, rid):
        if self.side == RECEIVING and self.link.complete(rid):
            self.pages.pop(rid, None)
        return rid not in self.pages
