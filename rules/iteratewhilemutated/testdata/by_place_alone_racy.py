"""A thread takes out of its own list what has gone by.

Racy: the loop skips the neighbour of each, though nobody else knows the list.
"""

import threading


class Clock:
    def __init__(self, bell):
        self.bell = bell
        self.alarms = []
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self):
        while True:
            now, alarm = self.bell.hear()
            self.alarms.append(alarm)
            for i, due in enumerate(self.alarms):  # want "the loop over self.alarms changes it"
                if due <= now:
                    self.alarms.pop(i)
