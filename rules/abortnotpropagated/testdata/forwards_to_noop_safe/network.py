import time

from receiver import Receiver


class NetworkReceiver(Receiver):
    def __init__(self, rid, link):
        super().__init__(rid)
        self.link = link
        self.verdict = None
        self.end = time.monotonic() + 30

    def poll(self):
        if self.verdict is None:
            if time.monotonic() > self.end:
                self.verdict = "failed"
            elif self.link.complete(self.rid):
                self.verdict = "done"
            else:
                return "waiting"
        return self.verdict

    def abort(self):
        if self.verdict is None:
            self.verdict = "failed"
