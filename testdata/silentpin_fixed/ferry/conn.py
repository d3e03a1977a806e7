"""The ferry backend: whole batches over a stream."""

import logging
import threading
import time

from ..base.conn import FINAL, Phase
from ..common.conn import Chunk, CommonManager, CommonReceiver, CommonSender

log = logging.getLogger(__name__)


class FerryManager(CommonManager):
    def announce(self, ticket):
        with self.lock:
            self.phase_of[ticket] = Phase.BOOTSTRAP
            self.peers_of[ticket] = {}

    def start(self):
        for jobs in self.jobs:
            threading.Thread(target=self.ship_worker, args=(jobs,), daemon=True).start()
        self._start_listener()

    def ship_worker(self, jobs):
        while True:
            chunk = jobs.get()
            try:
                with self.lock:
                    peers = self.peers_of.get(chunk.ticket)
                    targets = None if peers is None else list(peers.values())
                if targets is None:
                    self.fail(chunk.ticket, "closed before it was shipped")
                    continue
                if len(targets) < self.ranks:
                    time.sleep(0.001)
                    jobs.put(chunk)
                    continue
                self.wire.ship(targets, chunk.blocks)
                self.set_phase(chunk.ticket, Phase.DONE)
                for address in targets:
                    self.wire.tell(address, ("FINISHED", chunk.ticket))
            except Exception as err:
                self.fail(chunk.ticket, f"shipping failed: {err}")

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
                if len(peers) == self.ranks:
                    self.set_phase(ticket, Phase.WAITING)
        elif tag == "FINISHED":
            self.set_phase(ticket, Phase.DONE)


class FerrySender(CommonSender):
    def send(self, blocks):
        self.manager.enqueue(Chunk(self.ticket, blocks))

    def poll(self):
        if self.outcome is not None:
            return self.outcome
        phase = self.manager.phase(self.ticket)
        if phase in FINAL:
            self.outcome = phase
        elif not self._overdue():
            return phase
        return self.outcome


class FerryReceiver(CommonReceiver):
    pass
