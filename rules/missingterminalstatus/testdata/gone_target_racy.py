"""A worker skips jobs whose target has gone.

Racy: the listener that takes a target away when its peer leaves ends nothing, and neither does
the worker.
"""

import queue
import threading


class Status:
    QUEUED = 0
    SENT = 1
    FAILED = 2


class Mailer:
    def __init__(self, engine, events):
        self.engine = engine
        self.events = events
        self.lock = threading.Lock()
        self.jobs = queue.Queue()
        self.status = {}
        self.targets = {}
        threading.Thread(target=self._work, daemon=True).start()
        threading.Thread(target=self._listen, daemon=True).start()

    def submit(self, rid, target):
        with self.lock:
            self.status[rid] = Status.QUEUED
            self.targets[rid] = target
        self.jobs.put(rid)

    def _work(self):
        while True:
            rid = self.jobs.get()
            with self.lock:
                target = self.targets.get(rid)
            if target is None:
                continue  # want "status|targets|_work"
            try:
                self.engine.write(target, timeout=5)
            except Exception:
                self._settle(rid, Status.FAILED)
            else:
                self._settle(rid, Status.SENT)

    def _listen(self):
        while True:
            gone = self.events.get()
            with self.lock:
                for rid, target in list(self.targets.items()):
                    if target.peer == gone:
                        self.targets.pop(rid, None)

    def _settle(self, rid, status):
        with self.lock:
            if self.status.get(rid) == Status.QUEUED:
                self.status[rid] = status

    def poll(self, rid):
        with self.lock:
            return self.status.get(rid, Status.FAILED)

    def clear(self, rid):
        with self.lock:
            self.targets.pop(rid, None)
            self.status.pop(rid, None)
