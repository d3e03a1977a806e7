"""A decoder with three queue objects, each with its own list of entries.

Racy: abort() walks the entries of two of them. An entry that was retracted comes back and is
received once more.
"""

from queues import BookingQueue, Entry, RetractedQueue, TransferQueue


class Decoder:
    def __init__(self, pool, answer):
        self.pool = pool
        self.booking = BookingQueue()
        self.transfer = TransferQueue(answer)
        self.retracted = RetractedQueue()

    def submit(self, rid, receiver):
        self.booking.add(Entry(rid, receiver))

    def retract(self, entry):
        self.retracted.add(entry)

    def step(self):
        for entry in self.retracted.take(self.pool.room()):
            self.booking.add(entry)
        self.transfer.extend(self.booking.take_ready())
        self.transfer.take_ended()

    def abort(self, rid):  # want "retracted|RetractedQueue|abort"
        for queue in (self.booking, self.transfer):
            for entry in queue.entries:
                if entry.rid == rid:
                    entry.receiver.abort()
