"""A table that one thread alone writes, reads and clears.

Right: commands reach it through the queue, in the order in which they were given, so that
nothing comes after the end.
"""

import queue
import threading


class Steward(threading.Thread):
    def __init__(self, answer):
        super().__init__(daemon=True)
        self.answer = answer
        self.commands = queue.Queue()
        self.tables = {}

    def seat(self, party, size):
        self.commands.put(("seat", party, size))

    def leave(self, party):
        self.commands.put(("leave", party, 0))

    def run(self):
        while True:
            command = self.commands.get()
            verb, party = command[0], command[1]
            if verb == "seat":
                self.tables[party] = self.tables.get(party, 0) + command[2]
            elif verb == "leave":
                self.answer(party, self.tables.pop(party, 0))
