"""A worker pops the target of each chunk's request when the request is over.

Racy: a second chunk of the same request pops again. The handler turns the KeyError into the end of
the thread.
"""

import queue
import threading


class Verdict:
    WAIT = 0
    GOOD = 1


class Sender:
    def __init__(self):
        self.chunks = queue.Queue()
        self.targets = {}
        self.verdicts = {}
        threading.Thread(target=self._send).start()

    def _send(self):
        while True:
            chunk = self.chunks.get()
            try:
                chunk.write()
                if chunk.rid not in self.verdicts or self.verdicts.get(chunk.rid) == Verdict.GOOD:
                    self.targets.pop(chunk.rid)  # want "targets.chunk.rid. is removed without a look"
            except Exception as e:
                raise RuntimeError("sender failed") from e

    def add(self, rid, chunk, target):
        self.targets[rid] = target
        self.verdicts[rid] = Verdict.WAIT
        self.chunks.put(chunk)

    def good(self, rid):
        self.verdicts[rid] = Verdict.GOOD

    def poll(self, rid):
        return self.verdicts.get(rid, Verdict.WAIT)

    def forget(self, rid):
        self.verdicts.pop(rid, None)
