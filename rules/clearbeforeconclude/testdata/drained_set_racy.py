"""The pulling thread takes a request out of `loading` and puts it into `loaded`; percent() looks
in both.

Racy: in this order there is a moment in which the request is in neither, and percent() reads
`loading` strictly.
"""

import logging
import queue
import threading

log = logging.getLogger(__name__)


class Loader(threading.Thread):
    def __init__(self, fabric):
        super().__init__(daemon=True)
        self.fabric = fabric
        self.lock = threading.Lock()
        self.jobs = queue.Queue()
        self.loading = {}
        self.loaded = set()
        self.start()

    def load(self, req_id, pages):
        with self.lock:
            self.loading[req_id] = 0
        self.jobs.put((req_id, pages))

    def run(self):
        while True:
            job = self.jobs.get()
            try:
                self.fabric.read(job[1], timeout=10)
            except Exception:
                log.exception("load of %r", job[0])
            self._end(job[0])

    def _end(self, req_id):
        self.loading.pop(req_id, None)  # want "loading"
        with self.lock:
            self.loaded.add(req_id)

    def percent(self, req_id):
        with self.lock:
            if req_id in self.loaded:
                return 100
            return self.loading[req_id]

    def get_finished(self):
        with self.lock:
            loaded, self.loaded = self.loaded, set()
        return loaded
