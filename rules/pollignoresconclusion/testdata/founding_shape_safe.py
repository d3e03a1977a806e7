"""A sender as in a connector's second version: one conclusion, and a deadline.

Right: poll() answers the conclusion first, which every way out sets before the shared entry
goes.
"""

import threading
import time

FAILED, WAITING, DONE = range(3)


class Hub:
    def __init__(self, acks):
        self.acks = acks
        self.lock = threading.Lock()
        self.progress = {}
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        while True:
            req = self.acks.get()
            with self.lock:
                if self.progress.get(req) == WAITING:
                    self.progress[req] = DONE

    def lookup(self, req):
        with self.lock:
            return self.progress.get(req, FAILED)


class Outbound:
    def __init__(self, hub: Hub, req, wire):
        self.hub = hub
        self.req = req
        self.wire = wire
        self.conclusion = None
        self.send_broke = False
        self.born = time.monotonic()
        with hub.lock:
            hub.progress[req] = WAITING

    def send(self, pages):
        try:
            self.wire.write(pages)
        except OSError:
            self.send_broke = True

    def poll(self):
        if self.conclusion is not None:
            return self.conclusion
        if self.send_broke:
            return FAILED
        status = self.hub.lookup(self.req)
        if status == WAITING and time.monotonic() - self.born > 60:
            status = FAILED
        if status != WAITING:
            self.conclusion = status
        return status

    def close_out(self):
        if self.conclusion is None:
            self.conclusion = FAILED
        with self.hub.lock:
            self.hub.progress.pop(self.req, None)

    def abort(self):
        self.close_out()

    def failure(self):
        self.close_out()
        return RuntimeError("request %r failed" % self.req)

    def clear(self):
        with self.hub.lock:
            self.hub.progress.pop(self.req, None)
