"""end() removes the entry, then sets the verdict, on another thread than the poller's.

Right: a poll in between reads a missing entry as FAILED, which is the verdict that is about to
be set.
"""

import threading

RUNNING, PASSED, FAILED = 1, 2, 3


class Track:
    def __init__(self, finish):
        self.finish = finish
        self.lock = threading.Lock()
        self.runs = {}
        threading.Thread(target=self._judge, daemon=True).start()

    def _judge(self):
        while True:
            rid = self.finish.get()
            with self.lock:
                if self.runs.get(rid) == RUNNING:
                    self.runs[rid] = PASSED


class Runner:
    def __init__(self, track: Track, rid):
        self.track = track
        self.rid = rid
        self.verdict = None
        with track.lock:
            track.runs[rid] = RUNNING
        timer = threading.Timer(30, self._end)
        timer.daemon = True
        timer.start()

    def _end(self):
        with self.track.lock:
            if self.track.runs.get(self.rid) != RUNNING:
                return
            self.track.runs.pop(self.rid, None)
        self.verdict = FAILED

    def poll(self):
        if self.verdict is not None:
            return self.verdict
        with self.track.lock:
            return self.track.runs.get(self.rid, FAILED)

    def clear(self):
        with self.track.lock:
            self.track.runs.pop(self.rid, None)
