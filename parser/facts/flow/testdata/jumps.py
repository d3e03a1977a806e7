import contextlib
import threading


class Jumps:
    def __init__(self, wire):
        self.wire = wire
        self.lock = threading.Lock()
        self.rows = {}
        self.uses = {}
        self.log = []

    @contextlib.contextmanager
    def counted(self, key):
        self.uses[key] = 1
        try:
            yield
        finally:
            with self.lock:
                del self.uses[key]

    @contextlib.contextmanager
    def logged(self, key):
        if not self.wire.logs:
            yield
            return
        try:
            yield
        except OSError:
            self.log.append(key)
        else:
            self.log.append(None)
        self.log.append(0)

    def returns(self, key):
        with self.counted(key):
            if key in self.rows:
                return 1
        return 0

    def continues(self, keys):
        for key in keys:
            try:
                if key in self.rows:
                    continue
                self.wire.send(key)
            finally:
                with self.lock:
                    self.rows[key] = 1

    def resumes(self, key):
        with self.logged(key):
            if key in self.rows:
                return self.wire.send(key)
        return 0
