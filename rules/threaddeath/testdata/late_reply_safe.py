"""The reader takes an unknown request into account; nothing else can raise."""

import logging
import threading

log = logging.getLogger("kv")


class Client:
    def __init__(self, sock):
        self.sock = sock
        self.waiting = {}
        self.reader = threading.Thread(target=self.read_replies, name="replies")
        self.reader.start()

    def read_replies(self):
        while True:
            reply = self.sock.recv()
            rid = reply.decode()
            try:
                self.waiting[rid].arrived()
            except KeyError:
                log.warning("late reply for %s", rid)

    def ask(self, rid, request):
        self.waiting[rid] = request

    def clear(self, rid):
        self.waiting.pop(rid, None)
