"""A receiving thread acknowledges, then notes the request as received, both in a finally block.

Racy: when the acknowledgement cannot be sent, the note is skipped, and the handler of the loop
only logs.
"""

import logging
import queue
import threading

log = logging.getLogger(__name__)


class ReceivingThread(threading.Thread):
    def __init__(self, fabric):
        super().__init__(daemon=True)
        self.fabric = fabric
        self.lock = threading.Lock()
        self.requests = queue.Queue()
        self.received = set()

    def add_request(self, req_id, source):
        self.requests.put((req_id, source))

    def run(self):
        while True:
            request = self.requests.get()
            try:
                self._pull(request[0], request[1])
            except Exception:
                log.exception("pull of %r", request[0])

    def _pull(self, req_id, source):
        try:
            self.fabric.read(source, timeout=20)
        finally:
            self.fabric.acknowledge(source, req_id)  # want "received|_pull|run"
            with self.lock:
                self.received.add(req_id)

    def get_finished(self):
        with self.lock:
            done, self.received = self.received, set()
        return done
