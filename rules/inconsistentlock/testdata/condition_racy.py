"""Requests wait in a table for their pages; the table belongs to a condition.

Racy: the end of a request takes it out of the table without the condition. The thread that marks
requests has found it there, and puts it back.
"""

import threading


class Waiting:
    def __init__(self, link):
        self.link = link
        self.changed = threading.Condition()
        self.rows = {}
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        while True:
            number, pages = self.link.receive()
            with self.changed:
                if number in self.rows:
                    self.rows[number] = pages
                    self.changed.notify_all()

    def add(self, number):
        with self.changed:
            self.rows[number] = None

    def end(self, number):
        self.rows.pop(number, None)  # want "rows.number. is removed without changed"
