import threading
import time
from enum import Enum, auto


class Outcome(Enum):
    OPEN = auto()
    STORED = auto()
    DROPPED = auto()


class Part:
    def __init__(self, pages):
        self.pages = pages
        self.born = time.monotonic()


class PartStore:
    def __init__(self):
        self.mutex = threading.RLock()
        self.parts = {}
        self.outcomes = {}

    def stage(self, upload, pages):
        with self.mutex:
            self.outcomes[upload] = Outcome.OPEN
            self.parts[upload] = Part(pages)

    def settle(self, upload, outcome):
        with self.mutex:
            if self.outcomes.get(upload) is Outcome.OPEN:
                self.outcomes[upload] = outcome

    def outcome(self, upload):
        with self.mutex:
            part = self.parts.get(upload)
            if part is not None and time.monotonic() - part.born > 45:
                self.settle(upload, Outcome.DROPPED)
            return self.outcomes.get(upload, Outcome.DROPPED)

    def release(self, upload):
        with self.mutex:
            self.parts.pop(upload, None)
            self.outcomes.pop(upload, None)
