"""Two flags of one handle: _failed for a send that went wrong, _given_up for an abort.

Racy: status() reads _failed, which no abort ever sets, and not _given_up, which it does.
"""

import threading
import time


class Upload:
    def __init__(self, session, link):
        self.session = session
        self.link = link
        self.lock = threading.Lock()
        self._sent = False
        self._failed = False
        self._given_up = False
        self._deadline = time.monotonic() + 600
        self.worker = threading.Thread(target=self._run, daemon=True)

    def start(self):
        self.worker.start()

    def _run(self):
        try:
            self.link.send(self.session)
        except Exception:
            with self.lock:
                self._failed = True
        else:
            with self.lock:
                self._sent = True

    def status(self):  # want "status"
        with self.lock:
            if self._failed:
                return "failed"
            if self._sent:
                return "sent"
            if time.monotonic() > self._deadline:
                self._failed = True
                return "failed"
            return "sending"

    def abort(self):
        with self.lock:
            if not self._sent:
                self._given_up = True
