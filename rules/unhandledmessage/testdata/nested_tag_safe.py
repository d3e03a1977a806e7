"""The tag is the first byte of the frame; both listeners know all that is sent."""

import threading


class BaseManager:
    def __init__(self, sock):
        self.sock = sock
        self.offers = {}
        self._start()


class BaseReceiver:
    def __init__(self, mgr: BaseManager, rid, peer):
        self.mgr = mgr
        self.rid = rid
        self.peer = peer

    def cancel(self):
        self.mgr.offers.pop(self.rid, None)
        self.peer.send_multipart([b"STOP", self.rid])


class OpenManager(BaseManager):
    def _start(self):
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        while True:
            tag, rid, *rest = self.sock.recv_multipart()
            if tag == b"STOP":
                self.offers.pop(rid, None)
            elif tag == b"OFFER":
                self.offers[rid] = rest[0]


class OpenReceiver(BaseReceiver):
    mgr: OpenManager


class StrictManager(BaseManager):
    def _start(self):
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        while True:
            tag, rid, *rest = self.sock.recv_multipart()
            if tag == b"OFFER":
                self.offers[rid] = rest[0]
            elif tag in (b"STOP", b"END"):
                self.offers.pop(rid, None)
            else:
                print("unknown", tag)


class StrictReceiver(BaseReceiver):
    mgr: StrictManager
