"""A table that only the thread of its object touches.

Right: start() is called once for an object, since the thread that it starts goes round
until stop() is called. There is no second one beside it.
"""

import threading


class Inbox:
    def __init__(self, source):
        self.source = source
        self.jobs = {}
        self.stopped = threading.Event()
        self.thread = None

    def start(self):
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def stop(self):
        self.stopped.set()
        self.thread.join()

    def _run(self):
        while not self.stopped.is_set():
            command, rid = self.source.get(timeout=1)
            if command == "add":
                self.jobs[rid] = 1
            elif rid in self.jobs:
                del self.jobs[rid]
