"""A worker marks a stream done unless it has failed, under the lock; a listener fails it without.

Racy: the failure that comes between the test and the store is overwritten.
"""

import queue
import threading


class Verdict:
    OPEN = 0
    GOOD = 1
    BAD = 2


class Streams:
    def __init__(self, sock):
        self.sock = sock
        self.jobs = queue.Queue()
        self.lock = threading.Lock()
        self.verdicts = {}
        threading.Thread(target=self._work, daemon=True).start()
        threading.Thread(target=self._listen, daemon=True).start()

    def _work(self):
        while True:
            job = self.jobs.get()
            job.run()
            with self.lock:
                if self.verdicts.get(job.sid) != Verdict.BAD:
                    self.verdicts[job.sid] = Verdict.GOOD

    def _listen(self):
        while True:
            sid = self.sock.recv()
            self.verdicts[sid] = Verdict.BAD  # want "verdicts.sid. is stored without lock, which"

    def open(self, sid, job):
        with self.lock:
            self.verdicts[sid] = Verdict.OPEN
        self.jobs.put(job)

    def poll(self, sid):
        with self.lock:
            return self.verdicts.get(sid, Verdict.OPEN)
