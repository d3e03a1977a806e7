"""What the backends share: the books of the manager, and most of the handles."""

import queue
import threading
import time

from ..base.conn import FINAL, BaseManager, BaseReceiver, BaseSender, Phase


class Chunk:
    def __init__(self, ticket, blocks):
        self.ticket = ticket
        self.blocks = blocks


class CommonManager(BaseManager):
    def __init__(self, wire, ranks, workers=2, patience=30.0):
        self.wire = wire
        self.ranks = ranks
        self.patience = patience
        self.lock = threading.RLock()
        self.phase_of = {}
        self.peers_of = {}
        self.reason_of = {}
        self.inbox = queue.Queue()
        self.jobs = [queue.Queue() for _ in range(workers)]

    def phase(self, ticket):
        with self.lock:
            return self.phase_of.get(ticket, Phase.FAILED)

    def set_phase(self, ticket, phase):
        """Moves a ticket on. One that is over, or not on the books, stays so."""
        with self.lock:
            if ticket not in self.phase_of:
                return
            if self.phase_of[ticket] in FINAL:
                return
            self.phase_of[ticket] = phase

    def fail(self, ticket, reason):
        with self.lock:
            if ticket not in self.phase_of or self.phase_of[ticket] in FINAL:
                return
            self.reason_of[ticket] = reason
            self.phase_of[ticket] = Phase.FAILED

    def reason(self, ticket):
        with self.lock:
            return self.reason_of.get(ticket, "cause unknown")

    def enqueue(self, chunk):
        self.jobs[hash(chunk.ticket) % len(self.jobs)].put(chunk)

    def forget(self, ticket):
        with self.lock:
            self.phase_of.pop(ticket, None)
            self.peers_of.pop(ticket, None)
            self.reason_of.pop(ticket, None)


class CommonSender(BaseSender):
    def __init__(self, manager: CommonManager, ticket):
        self.manager = manager
        self.ticket = ticket
        self.outcome = None
        self.opened_at = time.monotonic()
        manager.announce(ticket)

    def _overdue(self):
        """Concludes a request that has waited longer than the manager allows."""
        if time.monotonic() - self.opened_at < self.manager.patience:
            return False
        self.outcome = Phase.FAILED
        self.manager.fail(self.ticket, "timed out")
        return True

    def reason(self):
        return self.manager.reason(self.ticket)

    def clear(self):
        self.manager.forget(self.ticket)

    def abort(self):
        if self.outcome is None:
            self.outcome = Phase.FAILED
        self.clear()


class CommonReceiver(BaseReceiver):
    def __init__(self, manager: CommonManager, ticket, peer, rank, address):
        self.manager = manager
        self.ticket = ticket
        self.peer = peer
        self.rank = rank
        self.address = address
        self.outcome = None
        self.opened_at = time.monotonic()
        with manager.lock:
            manager.phase_of[ticket] = Phase.WAITING

    def register(self):
        self.manager.wire.tell(self.peer, ("REGISTER", self.ticket, self.rank, self.address))

    def poll(self):
        if self.outcome is None:
            phase = self.manager.phase(self.ticket)
            if phase in FINAL:
                self.outcome = phase
            elif self._overdue():
                self.outcome = Phase.FAILED
            else:
                return phase
        return self.outcome

    def _overdue(self):
        return time.monotonic() - self.opened_at >= self.manager.patience

    def clear(self):
        self.manager.forget(self.ticket)

    def abort(self):
        if self.outcome is None:
            self.outcome = Phase.FAILED
        self.clear()
        self.manager.wire.tell(self.peer, ("ABORT", self.ticket))
