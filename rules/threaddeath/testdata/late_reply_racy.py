"""A reply for a request that was cleared meanwhile finds no entry."""

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
            self.waiting[rid].arrived()  # want "waiting.rid. is read without a look"

    def ask(self, rid, request):
        self.waiting[rid] = request

    def clear(self, rid):
        self.waiting.pop(rid, None)
