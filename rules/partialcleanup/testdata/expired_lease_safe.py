"""Leases of remote readers run out.

Right: the counts go with the lease.
"""

import threading
import time
from collections import defaultdict


class Leases:
    def __init__(self, channel):
        self._channel = channel
        self._until = {}
        self._counts = defaultdict(int)
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            event = self._channel.receive()
            match event.kind:
                case "open":
                    self._until[event.reader] = time.monotonic() + 60
                    self._counts[event.reader] = 0
                case "read":
                    if event.reader not in self._until:
                        continue
                    self._counts[event.reader] += 1
                case "close":
                    if self._until.pop(event.reader, None) is None:
                        continue
                    self._counts.pop(event.reader, None)
                case "tick":
                    for reader in [r for r, end in self._until.items() if end < time.monotonic()]:
                        self._until.pop(reader, None)
                        self._counts.pop(reader, None)
