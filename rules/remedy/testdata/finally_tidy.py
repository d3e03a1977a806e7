"""Statements that count down, some among others."""

import threading


class Booth:
    def __init__(self, bell):
        self.bell = bell
        self.lock = threading.Lock()
        self.used = {}
        self.done = set()
        threading.Thread(target=self._close, daemon=True).start()

    def _close(self):
        while True:
            name = self.bell.wait()
            with self.lock:
                self.used[name] = 0
                self.done.discard(name)

    def counted(self, name):
        self.bell.ring(name)  # from
        self.used[name] -= 1  # last

    def under_lock(self, name):
        self.bell.ring(name)  # from
        with self.lock:
            self.used[name] -= 1  # last

    def under_lock_with_call(self, name):
        self.bell.ring(name)  # from
        with self.lock:
            self.used[name] -= 1  # last
            self.bell.answer(name)

    def called(self, name):
        self.bell.ring(name)  # from
        self._leave(name)  # last

    def _leave(self, name):
        self.used[name] = max(self.used[name] - 1, 0)

    def answered(self, name):
        self.bell.ring(name)  # from
        self._answer(name)  # last

    def _answer(self, name):
        self.used[name] -= 1
        self.bell.answer(name)

    def noted(self, name):
        self.bell.ring(name)  # from
        self._note(name)  # last

    def _note(self, name):
        self.used[name] -= 1
        self.done.add(name)
