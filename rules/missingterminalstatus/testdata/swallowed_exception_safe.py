"""A pool copies; an exception is logged where it is caught.

Right: the handler moves the job to BROKEN as well.
"""

import enum
import logging
import threading
from concurrent.futures import ThreadPoolExecutor

log = logging.getLogger(__name__)


class Stage(enum.Enum):
    COPYING = enum.auto()
    COPIED = enum.auto()
    BROKEN = enum.auto()


class Copier:
    def __init__(self, device):
        self.device = device
        self.lock = threading.Lock()
        self.pool = ThreadPoolExecutor(max_workers=4)
        self.stages = {}

    def start(self, job, pages):
        with self.lock:
            self.stages[job] = Stage.COPYING
        self.pool.submit(self._copy, job, pages)

    def _copy(self, job, pages):
        try:
            self.device.copy(pages)
            self._move(job, Stage.COPIED)
        except Exception:
            log.exception("copy of %r", job)
            self._move(job, Stage.BROKEN)

    def _move(self, job, stage):
        with self.lock:
            if self.stages.get(job) is Stage.COPYING:
                self.stages[job] = stage

    def stage(self, job):
        with self.lock:
            return self.stages.get(job, Stage.BROKEN)

    def forget(self, job):
        with self.lock:
            self.stages.pop(job, None)
