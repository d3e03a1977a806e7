"""The only kind of keeper that there is."""

import queue

from keeper import Keeper


class Worker(Keeper):
    def __init__(self):
        super().__init__()
        self.inbox = queue.Queue()

    def serve(self):
        while True:
            kind, rid, part = self.inbox.get()
            if kind == "put":
                self.shelf.put(rid, part)
            else:
                self.end(rid)


def main():
    worker = Worker()
    worker.serve()
