"""An abort forgets the request at once and writes no shared status at all.

Right: the handle's own flag is set before, and poll answers it first. A worker that finds the
entry gone has nothing left to do for it, because whoever removes it has ended the request.
"""

import queue
import threading
import time

WAITING, SUCCESS, FAILED = 0, 1, 2


class Depot:
    def __init__(self, engine):
        self.engine = engine
        self.tasks = queue.Queue()
        self.lock = threading.Lock()
        self.status = {}
        self.targets = {}
        threading.Thread(target=self._work, daemon=True).start()

    def _work(self):
        while True:
            rid = self.tasks.get()
            with self.lock:
                target = self.targets.get(rid)
            if target is None:
                continue
            try:
                self.engine.write(target)
                result = SUCCESS
            except Exception:
                result = FAILED
            with self.lock:
                if self.status.get(rid) == WAITING:
                    self.status[rid] = result

    def forget(self, rid):
        with self.lock:
            self.targets.pop(rid, None)
            self.status.pop(rid, None)


class Parcel:
    def __init__(self, depot: Depot, rid, target):
        self.depot = depot
        self.rid = rid
        self.verdict = None
        self.expires = time.monotonic() + 30
        with depot.lock:
            depot.status[rid] = WAITING
            depot.targets[rid] = target
        depot.tasks.put(rid)

    def poll(self):
        if self.verdict is None:
            with self.depot.lock:
                status = self.depot.status.get(self.rid, FAILED)
            if status == WAITING and time.monotonic() < self.expires:
                return WAITING
            self.verdict = FAILED if status == WAITING else status
        return self.verdict

    def abort(self):
        if self.verdict is None:
            self.verdict = FAILED
        self.depot.forget(self.rid)

    def clear(self):
        self.depot.forget(self.rid)
