"""The loop of the scheduler takes the answers that its helper thread has queued.

Right: get_nowait() is enough; what is not there yet is taken in the next round, or times out.
"""

import queue
import threading
import time


class Round:
    def __init__(self, remote, answer):
        self.remote = remote
        self.answer = answer
        self.questions = queue.Queue()
        self.answers = queue.Queue()
        self.pending = {}
        threading.Thread(target=self._ask, daemon=True).start()

    def submit(self, rid):
        self.pending[rid] = time.monotonic() + 30
        self.questions.put(rid)

    def _ask(self):
        while True:
            rid = self.questions.get()
            try:
                reply = self.remote.ask(rid, timeout=60)
            except Exception as err:
                reply = err
            self.answers.put((rid, reply))

    def step(self):
        while self.pending:
            try:
                item = self.answers.get_nowait()
            except queue.Empty:
                break
            if self.pending.pop(item[0], None) is not None:
                self.answer(item[0], item[1])
        now = time.monotonic()
        for rid, end in list(self.pending.items()):
            if now > end:
                del self.pending[rid]
                self.answer(rid, None)
