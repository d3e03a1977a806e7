"""The failure handler takes the inner set out of the table before it walks over it."""

import threading
from collections import defaultdict


class Hosts:
    def __init__(self, probe):
        self.probe = probe
        self.lock = threading.Lock()
        self.rooms = defaultdict(set)
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self):
        while True:
            host = self.probe.next_dead()
            with self.lock:
                affected = self.rooms.get(host, [])
                self.rooms.pop(host, None)
            for room in affected:
                self.probe.report(room)

    def add(self, host, room):
        with self.lock:
            self.rooms[host].add(room)
