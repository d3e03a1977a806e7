"""poll() has no clock; the job is queued when it is made, and the worker ends it either way.

Right: what the worker calls has a timeout, so a queued job ends in bounded time. Its own get()
may block: nobody polls on that thread.
"""

import queue
import threading


class Scribe:
    def __init__(self, disk):
        self.disk = disk
        self.lock = threading.Lock()
        self.jobs = queue.Queue()
        self.states = {}
        threading.Thread(target=self._write, daemon=True).start()

    def write(self, rid):
        with self.lock:
            self.states[rid] = "queued"
        self.jobs.put(rid)

    def _write(self):
        while True:
            rid = self.jobs.get()
            try:
                self.disk.write(rid, timeout=5)
                state = "written"
            except Exception:
                state = "failed"
            with self.lock:
                if self.states.get(rid) == "queued":
                    self.states[rid] = state

    def state(self, rid):
        with self.lock:
            return self.states.get(rid, "failed")

    def forget(self, rid):
        with self.lock:
            self.states.pop(rid, None)
