"""Messages are tuples; the second link knows only the loss of a peer."""

import threading


class Link:
    def __init__(self, conn):
        self.conn = conn
        self.jobs = {}
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def stop(self, rid):
        self.jobs.pop(rid, None)
        self.conn.send(("stop", rid))


class PipeLink(Link):
    def read(self):
        while True:
            kind, rid = self.conn.recv()
            if kind in ("stop", "lost"):
                self.jobs.pop(rid, None)


class SocketLink(Link):
    def read(self):
        while True:
            kind, rid = self.conn.recv()
            if kind == "lost":  # want "does not handle the message .stop."
                self.jobs.pop(rid, None)
