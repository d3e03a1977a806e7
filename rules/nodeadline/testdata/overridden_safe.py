"""A base whose poll() has no clock and whose only concrete class overrides it.

Right: the base is never made; the concrete class tests its deadline first.
"""

import threading
import time

WAITING, DONE, FAILED = "waiting", "done", "failed"


class Mail:
    def __init__(self, inbox):
        self.inbox = inbox
        self.lock = threading.Lock()
        self.states = {}
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        while True:
            self.settle(self.inbox.get(), DONE)

    def settle(self, rid, state):
        with self.lock:
            if self.states.get(rid) == WAITING:
                self.states[rid] = state


class Base:
    def __init__(self, mail: Mail, rid):
        self.mail = mail
        self.rid = rid
        with mail.lock:
            mail.states[rid] = WAITING

    def poll(self):
        with self.mail.lock:
            return self.mail.states.get(self.rid, FAILED)

    def clear(self):
        with self.mail.lock:
            self.mail.states.pop(self.rid, None)


class Timed(Base):
    def __init__(self, mail: Mail, rid):
        super().__init__(mail, rid)
        self.end = time.monotonic() + 30

    def poll(self):
        if time.monotonic() > self.end:
            self.mail.settle(self.rid, FAILED)
        return super().poll()


def open_mail(mail, rid):
    return Timed(mail, rid)
