"""The second backend drops what is no offer, CANCEL included."""

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
        self.peer.send_multipart([b"CANCEL", self.rid])


class ListManager(BaseManager):
    def _start(self):
        def listen():
            while True:
                msg = self.sock.recv_multipart()
                if msg[0] == b"CANCEL":
                    self.offers.pop(msg[1], None)
                    continue
                self.offers[msg[1]] = msg[2]

        threading.Thread(target=listen, daemon=True).start()


class ListReceiver(BaseReceiver):
    mgr: ListManager


class FrameManager(BaseManager):
    def _start(self):
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        while True:
            msg = self.sock.recv_multipart()
            if msg[0] != b"OFFER":  # want "does not handle the message .CANCEL. .* drops it"
                continue
            self.offers[msg[1]] = msg[2]


class FrameReceiver(BaseReceiver):
    mgr: FrameManager
