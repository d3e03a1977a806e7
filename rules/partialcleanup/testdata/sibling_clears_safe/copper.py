"""A backend that forgets the route in clear()."""

import threading

from .base import Backend, Phase, Receiver


class CopperBackend(Backend):
    def __init__(self, socket):
        super().__init__()
        self.socket = socket
        threading.Thread(target=self._listen).start()

    def _listen(self):
        while True:
            rid, done, route = self.socket.receive()
            if done:
                self.routes.pop(rid, None)
                self.end(rid, Phase.DONE)
                continue
            with self.lock:
                if rid in self.phases:
                    self.routes[rid] = route


class CopperReceiver(Receiver):
    def __init__(self, backend: CopperBackend, rid):
        super().__init__(backend, rid)
        self.backend: CopperBackend = backend

    def clear(self):
        with self.backend.lock:
            self.backend.phases.pop(self.rid, None)
            self.backend.routes.pop(self.rid, None)
