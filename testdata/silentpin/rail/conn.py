"""The rail backend: one-sided writes into memory that the ranks have registered."""

import logging
import threading
import time

from ..base.conn import Phase
from ..common.conn import Chunk, CommonManager, CommonReceiver, CommonSender

log = logging.getLogger(__name__)


class RailManager(CommonManager):
    def announce(self, ticket):
        with self.lock:
            self.peers_of[ticket] = {}

    def start(self):
        for jobs in self.jobs:
            threading.Thread(target=self.push_worker, args=(jobs,), daemon=True).start()
        self._start_listener()

    def push_worker(self, jobs):
        while True:
            chunk = jobs.get()
            try:
                with self.lock:
                    peers = self.peers_of.get(chunk.ticket)
                    targets = None if peers is None else list(peers.values())
                if targets is None:
                    continue
                if len(targets) < self.ranks:
                    time.sleep(0.001)
                    jobs.put(chunk)
                    continue
                for address in targets:
                    self.wire.write(address, chunk.blocks)
                self.set_phase(chunk.ticket, Phase.DONE)
                for address in targets:
                    self.wire.tell(address, ("FINISHED", chunk.ticket))
            except Exception as err:
                self.fail(chunk.ticket, f"push failed: {err}")

    def _start_listener(self):
        def listen():
            while True:
                message = self.inbox.get()
                try:
                    self._handle(message)
                except Exception:
                    log.exception("bad message %r", message)

        threading.Thread(target=listen, daemon=True).start()

    def _handle(self, message):
        tag, ticket = message[0], message[1]
        if tag == "ABORT":
            with self.lock:
                if ticket in self.phase_of:
                    self.fail(ticket, "aborted by the peer")
                self.peers_of.pop(ticket, None)
        elif tag == "REGISTER":
            rank, address = message[2], message[3]
            with self.lock:
                peers = self.peers_of.get(ticket)
                if peers is None:
                    return
                peers[rank] = address
                if len(peers) == self.ranks and ticket not in self.phase_of:
                    self.phase_of[ticket] = Phase.WAITING
        elif tag == "FINISHED":
            self.set_phase(ticket, Phase.DONE)


class RailSender(CommonSender):
    def __init__(self, manager: RailManager, ticket):
        super().__init__(manager, ticket)
        self._refused = False

    def send(self, blocks):
        if not self.manager.wire.mapped(blocks):
            self._refused = True
            return
        self.manager.enqueue(Chunk(self.ticket, blocks))

    def poll(self):
        if self._refused:
            return Phase.FAILED
        return self.manager.phase(self.ticket)


class RailReceiver(CommonReceiver):
    pass
