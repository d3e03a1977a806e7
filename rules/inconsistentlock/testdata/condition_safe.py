"""Requests wait in a table for their pages; the table belongs to a condition.

Safe: so does the end of a request, which holds the condition.
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
        with self.changed:
            self.rows.pop(number, None)
