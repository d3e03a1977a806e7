"""A helper that expects the lock: one of its callers does not hold it."""

import queue
import threading


class Slots:
    def __init__(self):
        self.events = queue.Queue()
        self.big_lock = threading.Lock()
        self.slots = {}
        threading.Thread(target=self._run, daemon=True).start()

    def _put(self, rid, slot):
        self.slots[rid] = slot  # want "slots.rid. is stored without big_lock"

    def _run(self):
        while True:
            event = self.events.get()
            self._put(event.rid, event.slot)

    def claim(self, rid, slot):
        with self.big_lock:
            if rid not in self.slots:
                self._put(rid, slot)
                return True
            return False

    def peek(self, rid):
        with self.big_lock:
            return self.slots.get(rid)

    def release(self, rid):
        with self.big_lock:
            return self.slots.pop(rid, None)
