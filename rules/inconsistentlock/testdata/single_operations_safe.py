"""The locked side does single operations only, and these are atomic without the lock as well."""

import queue
import threading


class Done:
    def __init__(self):
        self.events = queue.Queue()
        self.lock = threading.Lock()
        self.done = {}
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self):
        while True:
            event = self.events.get()
            self.done[event.rid] = event.time

    def seen(self, rid):
        with self.lock:
            return rid in self.done

    def put(self, rid, now):
        with self.lock:
            self.done[rid] = now

    def look(self, rid):
        with self.lock:
            return self.done.get(rid)
