"""stop() removes the entries, then sets `stopped`; a reader thread tests `stopped` and then uses
the entries.

Right: stop() has joined the reader before it removes anything, so there is nobody left to read
in between.
"""

import threading


class Feed:
    def __init__(self, names, source):
        self.source = source
        self.lock = threading.Lock()
        self.ending = threading.Event()
        self.stopped = False
        self.entries = {}
        for name in names:
            self.entries[name] = 0
        self.thread = threading.Thread(target=self._read)
        self.thread.start()

    def _read(self):
        while not self.ending.is_set():
            try:
                name = self.source.next(timeout=1)
            except TimeoutError:
                continue
            with self.lock:
                if not self.stopped and name in self.entries:
                    self.entries[name] += 1

    def count(self, name):
        with self.lock:
            return self.entries.get(name, 0)

    def stop(self):
        self.ending.set()
        self.thread.join()
        with self.lock:
            self.entries.clear()
            self.stopped = True
