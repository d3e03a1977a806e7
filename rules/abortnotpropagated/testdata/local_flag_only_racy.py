"""abort() sets the verdict of the handle, which poll() answers.

Racy: the worker asks the shared status before it sends, and abort() does not write it: the
chunks of an aborted request are still sent, into memory that may be used again.
"""

import queue
import threading


class Status:
    PENDING = 1
    DONE = 2
    FAILED = 3


class Manager:
    def __init__(self, engine):
        self.engine = engine
        self.lock = threading.Lock()
        self.chunks = queue.Queue()
        self.status = {}
        threading.Thread(target=self._work, daemon=True).start()

    def settle(self, rid, status):
        with self.lock:
            if self.status.get(rid) == Status.PENDING:
                self.status[rid] = status

    def _work(self):
        while True:
            rid = self.chunks.get()
            with self.lock:
                if self.status.get(rid) != Status.PENDING:
                    continue
            try:
                self.engine.send(rid, timeout=5)
                self.settle(rid, Status.DONE)
            except Exception:
                self.settle(rid, Status.FAILED)


class Sender:
    def __init__(self, manager: Manager, rid):
        self.manager = manager
        self.rid = rid
        self.verdict = None
        with manager.lock:
            manager.status[rid] = Status.PENDING
        manager.chunks.put(rid)

    def poll(self):
        if self.verdict is None:
            with self.manager.lock:
                status = self.manager.status.get(self.rid, Status.FAILED)
            if status == Status.PENDING:
                return status
            self.verdict = status
        return self.verdict

    def abort(self):  # want "abort|status"
        if self.verdict is None:
            self.verdict = Status.FAILED

    def clear(self):
        with self.manager.lock:
            self.manager.status.pop(self.rid, None)
