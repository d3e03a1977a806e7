"""abort() writes one field of the handle and nothing else.

Right: poll() and the worker both read that field; there is no second carrier to forget.
"""

import queue
import threading

WAITING, SENT, FAILED = 1, 2, 3


class Line:
    def __init__(self, wire):
        self.wire = wire
        self.parcels = queue.Queue()
        threading.Thread(target=self._send, daemon=True).start()

    def _send(self):
        while True:
            parcel: Parcel = self.parcels.get()
            if parcel.poll() != WAITING:
                continue
            try:
                self.wire.send(parcel.rid, timeout=5)
                parcel.settle(SENT)
            except Exception:
                parcel.settle(FAILED)


class Parcel:
    def __init__(self, line: Line, rid):
        self.rid = rid
        self.lock = threading.Lock()
        self.state = WAITING
        line.parcels.put(self)

    def settle(self, state):
        with self.lock:
            if self.state == WAITING:
                self.state = state

    def poll(self):
        with self.lock:
            return self.state

    def abort(self):
        self.settle(FAILED)
