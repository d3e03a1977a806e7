from enum import IntEnum


class Step(IntEnum):
    LOST = 0
    OPEN = 1
    DONE = 2


class Guards:
    """Guards accesses in many ways."""

    def __init__(self):
        self.rows = {}
        self.steps = {}
        self.closed = False

    def early_continue(self, keys):
        for key in keys:
            if key not in self.rows or self.closed:
                continue
            self.rows.pop(key)

    def both(self, key):
        if key in self.rows and not self.closed:
            del self.rows[key]
        elif self.steps.get(key) is not None:
            del self.steps[key]

    def by_status(self, key):
        if self.steps[key] == Step.DONE:
            self.rows.pop(key, None)
        if self.steps.get(key, Step.OPEN) in (Step.LOST, Step.DONE):
            self.steps.pop(key)

    def by_match(self, key):
        match self.steps.get(key):
            case Step.OPEN:
                self.steps[key] = Step.DONE
            case Step.LOST | Step.DONE:
                self.steps.pop(key, None)
            case None:
                self.rows.pop(key, None)

    def asked(self, key):
        if self.known(key):
            self.forget(key)

    def known(self, key):
        return key in self.rows

    def forget(self, key):
        self.rows.pop(key)

    def set_step(self, key, step):
        if key not in self.steps:
            self.steps[key] = step
        else:
            self.steps[key] = max(self.steps[key], step)

    def fail(self, key):
        self.set_step(key, Step.LOST)

    def loop(self):
        while (key := self.next_key()) is not None:
            row = self.rows.get(key)
            if not row:
                break
            self.rows[key] = row - 1

    def close(self):
        self.closed = True
        assert self.rows, "nothing to close"
        self.rows.clear()

    def next_key(self):
        return next(iter(self.rows), None)

    def tolerant(self, key):
        try:
            row = self.rows[key]
        except (KeyError, ValueError):
            return None
        else:
            self.steps[key] = Step.OPEN
        finally:
            self.steps.pop(key, None)
        return row
