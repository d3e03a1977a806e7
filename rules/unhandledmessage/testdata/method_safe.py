"""The listeners hand messages to a method for one message; both know all tags."""

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
            self._handle(self.sock.recv_multipart())

    def _handle(self, msg):
        if msg[0] == b"STOP":
            self.offers.pop(msg[1], None)
            return
        self.offers[msg[1]] = msg[2]


class OpenReceiver(BaseReceiver):
    mgr: OpenManager


class StrictManager(BaseManager):
    def _start(self):
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        while True:
            self._handle(self.sock.recv_multipart())

    def _handle(self, msg):
        if msg[0] == b"STOP":
            self.offers.pop(msg[1], None)
            return
        if msg[0] != b"OFFER":
            return
        self.offers[msg[1]] = msg[2]


class StrictReceiver(BaseReceiver):
    mgr: StrictManager
