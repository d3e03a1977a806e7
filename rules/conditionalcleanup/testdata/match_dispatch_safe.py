"""A dispatcher with a case for each message; a refused load gives its ticket back and fails it.

Right: reserve() stores the phase under the same lock, before it takes the ticket.
"""

import threading
import time
from enum import IntEnum


class Phase(IntEnum):
    ERROR = 0
    LOADING = 1
    LOADED = 2


class Loader:
    def __init__(self, socket):
        self.socket = socket
        self.lock = threading.Lock()
        self.tickets = {}
        self.phases = {}
        threading.Thread(target=lambda: self.dispatch(), daemon=True).start()

    def reserve(self, req_id):
        with self.lock:
            self.phases[req_id] = Phase.LOADING
            self.tickets[req_id] = time.monotonic() + 10

    def dispatch(self):
        while True:
            message = self.socket.receive()
            req_id = message.req_id
            match message.verb:
                case "refused":
                    with self.lock:
                        self.tickets.pop(req_id, None)
                        if self.phases.get(req_id) == Phase.LOADING:
                            self.phases[req_id] = Phase.ERROR
                case "arrived":
                    with self.lock:
                        if self.phases.get(req_id) == Phase.LOADING:
                            self.phases[req_id] = Phase.LOADED
                case _:
                    continue

    def phase(self, req_id):
        with self.lock:
            phase = self.phases.get(req_id, Phase.ERROR)
            ends = self.tickets.get(req_id)
            if phase == Phase.LOADING and ends is not None and time.monotonic() > ends:
                self.phases[req_id] = phase = Phase.ERROR
            return phase

    def drop(self, req_id):
        with self.lock:
            self.tickets.pop(req_id, None)
            self.phases.pop(req_id, None)
