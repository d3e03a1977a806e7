"""The heartbeat takes a dead session out of progress, and notes its verdict without the lock.

Racy: close() may come in between. The session is in progress no more; whether it is known
has to be asked elsewhere.
"""

import threading
import time


class Sessions:
    def __init__(self, peers):
        self.peers = peers
        self.lock = threading.Lock()
        self.progress = {}
        self.verdicts = {}
        self.ends = {}
        threading.Thread(target=self._heartbeat, daemon=True).start()

    def open(self, session):
        with self.lock:
            self.progress[session] = "sending"
            self.ends[session] = time.monotonic() + 300

    def _heartbeat(self):
        while True:
            time.sleep(2)
            with self.lock:
                sessions = list(self.progress)
            for session in sessions:
                if not self.peers.alive(session):
                    self._bury(session)

    def finish(self, session):
        with self.lock:
            if session in self.progress:
                self.verdicts[session] = "done"
                del self.progress[session]

    def _bury(self, session):
        with self.lock:
            if session not in self.progress:
                return
            del self.progress[session]
        self.peers.bury(session)
        self.verdicts[session] = "dead"  # want "verdicts.session. is stored even when Sessions.close has removed it"

    def check(self, session):
        with self.lock:
            if session in self.verdicts:
                return self.verdicts[session]
            if time.monotonic() > self.ends.get(session, 0.0):
                self.verdicts[session] = "dead"
                self.progress.pop(session, None)
                return "dead"
            return self.progress[session]

    def close(self, session):
        with self.lock:
            self.progress.pop(session, None)
            self.verdicts.pop(session, None)
            self.ends.pop(session, None)
