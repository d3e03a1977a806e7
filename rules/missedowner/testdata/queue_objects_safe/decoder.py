"""A decoder with three queue objects, each with its own list of entries.

Right: abort() walks the entries of all of them.
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

    def abort(self, rid):
        for queue in (self.booking, self.transfer, self.retracted):
            for entry in queue.entries:
                if entry.rid == rid:
                    entry.receiver.abort()
