"""A scheduler polls the sessions of its queue through a helper.

Racy: it spares itself the trouble when no session has to be waited for any more. close() on one of
them is not seen then.
"""

import threading
import time


class Mode:
    NEW = 0
    LINKED = 1
    LOST = 2


def ask_all(sessions):
    return [s.ask() for s in sessions]


class Switch:
    def __init__(self, port):
        self.port = port
        self.modes = {}
        self.lock = threading.Lock()
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            name = self.port.receive()
            with self.lock:
                if name in self.modes:
                    self.modes[name] = Mode.LINKED


class Session:
    def __init__(self, switch: Switch, name):
        self.switch = switch
        self.name = name
        self.closed = None
        self.until = time.monotonic() + 60
        with switch.lock:
            switch.modes[name] = Mode.NEW

    def ask(self):
        if self.closed is not None:
            return self.closed
        if time.monotonic() > self.until:
            self.closed = Mode.LOST
            return self.closed
        with self.switch.lock:
            return self.switch.modes[self.name]

    def close(self):
        self.closed = Mode.LOST


class Waiter:
    session: Session
    linked: bool = False

    def __init__(self, session: Session):
        self.session = session


class Scheduler:
    def __init__(self, switch: Switch):
        self.switch = switch
        self.waiters = []

    def enter(self, name):
        self.waiters.append(Waiter(Session(self.switch, name)))

    def _settled(self):
        return not any(not w.linked for w in self.waiters)

    def look(self):
        if self._settled():  # want "does not poll what has linked set"
            return
        modes = ask_all([w.session for w in self.waiters])
        for waiter, mode in zip(list(self.waiters), modes):
            if mode == Mode.LINKED:
                waiter.linked = True
            elif mode == Mode.LOST:
                self.waiters.remove(waiter)

    def hang_up(self, name):
        for waiter in self.waiters:
            if waiter.session.name == name:
                waiter.session.close()
