"""A table that the threads of an object share, one for each source that is opened.

Racy: two of them can be told to end the same request.
"""

import threading


class Inbox:
    def __init__(self):
        self.jobs = {}

    def open(self, source):
        threading.Thread(target=self._run, args=(source,), daemon=True).start()

    def _run(self, source):
        while True:
            command, rid = source.get()
            if command == "add":
                self.jobs[rid] = 1
            elif rid in self.jobs:
                del self.jobs[rid]  # want "jobs.rid. is tested, then removed .* another Inbox._run"
