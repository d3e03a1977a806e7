"""A flusher takes all that is queued, and writes it out one by one.

Racy: the first write that fails ends the batch. The ids behind it have left the queue and get
no outcome.
"""

import threading
import time

PENDING, WRITTEN, UNWRITTEN = range(3)


class Flusher:
    def __init__(self, disk):
        self.disk = disk
        self.lock = threading.Lock()
        self.pending = []
        self.outcomes = {}
        threading.Thread(target=self._flush_forever, daemon=True).start()

    def add(self, sid):
        with self.lock:
            self.outcomes[sid] = PENDING
            self.pending.append(sid)

    def _flush_forever(self):
        while True:
            time.sleep(0.1)
            with self.lock:
                batch, self.pending = self.pending, []
            for sid in batch:
                try:
                    self.disk.write(sid)
                except OSError:
                    self._note(sid, UNWRITTEN)
                    break  # want "outcomes|_flush_forever"
                except Exception:
                    self._note(sid, UNWRITTEN)
                else:
                    self._note(sid, WRITTEN)

    def _note(self, sid, outcome):
        with self.lock:
            if self.outcomes.get(sid) == PENDING:
                self.outcomes[sid] = outcome

    def outcome(self, sid):
        with self.lock:
            return self.outcomes.get(sid, UNWRITTEN)

    def erase(self, sid):
        with self.lock:
            self.outcomes.pop(sid, None)
