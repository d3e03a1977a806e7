"""Requests end when none of their parts is left; get_finished looks at each that waits.

Racy: drop() removes the number of parts, and a missing number reads as one part left.
"""

import threading


class PartCounter:
    def __init__(self, arrivals):
        self.arrivals = arrivals
        self.lock = threading.Lock()
        self.waiting = []
        self.left = {}
        threading.Thread(target=self._count, daemon=True).start()

    def start_load(self, req_id, parts):
        with self.lock:
            self.left[req_id] = parts
            self.waiting.append(req_id)
        timer = threading.Timer(60, self.drop, args=(req_id,))
        timer.daemon = True
        timer.start()

    def drop(self, req_id):
        with self.lock:
            self.left.pop(req_id, None)

    def _count(self):
        while True:
            req_id = self.arrivals.get()
            with self.lock:
                if self.left.get(req_id, 0) > 0:
                    self.left[req_id] -= 1

    def get_finished(self):
        done, rest = set(), []
        with self.lock:
            for req_id in self.waiting:
                if self.left.get(req_id, 1) == 0:  # want "left"
                    done.add(req_id)
                    self.left.pop(req_id, None)
                else:
                    rest.append(req_id)
            self.waiting = rest
        return done
