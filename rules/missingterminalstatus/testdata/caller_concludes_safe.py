"""The helper returns False on each of its error paths and settles nothing itself.

Right: its only caller looks at what it returns and settles the job by it.
"""

import logging
import queue
import threading

log = logging.getLogger(__name__)

WAITING, STORED, DENIED = 3, 4, 5


class Archive:
    def __init__(self, disk):
        self.disk = disk
        self.lock = threading.Lock()
        self.jobs = queue.Queue()
        self.answers = {}
        threading.Thread(target=lambda: self._run(), daemon=True).start()

    def store(self, rid, pages):
        with self.lock:
            self.answers[rid] = WAITING
        self.jobs.put((rid, pages))

    def _run(self):
        while True:
            job = self.jobs.get()
            stored = self._write(job[1])
            with self.lock:
                if self.answers.get(job[0]) == WAITING:
                    self.answers[job[0]] = STORED if stored else DENIED

    def _write(self, pages):
        if not pages:
            return False
        try:
            code = self.disk.write(pages)
        except Exception:
            log.exception("disk")
            return False
        return code == 0

    def answer(self, rid):
        with self.lock:
            return self.answers.get(rid, DENIED)

    def drop(self, rid):
        with self.lock:
            self.answers.pop(rid, None)
