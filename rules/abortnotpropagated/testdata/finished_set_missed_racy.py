"""A cancelled load is skipped by the loading thread; the engine waits for its id from
get_finished.

Racy: cancel() writes `cancelled`, which the thread reads, and not `finished`, which
get_finished drains.
"""

import logging
import queue
import threading

log = logging.getLogger(__name__)


class Connector:
    def __init__(self, tier):
        self.tier = tier
        self.lock = threading.Lock()
        self.loads = queue.Queue()
        self.queued = set()
        self.cancelled = set()
        self.finished = set()
        threading.Thread(target=self._load, daemon=True).start()

    def start_load(self, req_id):
        with self.lock:
            self.queued.add(req_id)
        self.loads.put(req_id)

    def _load(self):
        while True:
            req_id = self.loads.get()
            with self.lock:
                if req_id in self.cancelled:
                    self.cancelled.discard(req_id)
                    continue
                self.queued.discard(req_id)
            try:
                self.tier.load(req_id, timeout=10)
            except Exception:
                log.exception("load of %r", req_id)
            with self.lock:
                self.finished.add(req_id)

    def cancel(self, req_id):  # want "cancel|finished"
        with self.lock:
            if req_id in self.queued:
                self.queued.discard(req_id)
                self.cancelled.add(req_id)

    def get_finished(self):
        with self.lock:
            finished, self.finished = self.finished, set()
        return finished
