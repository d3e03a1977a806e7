"""A setter that begins a parcel with its first status, and with the one after it.

Racy: a van that is loaded after its parcel was taken off the books puts it on again.
"""

import threading
import time


class Status:
    BOOKED = 0
    LOADED = 1
    ARRIVED = 2
    LOST = 3


class Books:
    def __init__(self, van):
        self.van = van
        self.lock = threading.Lock()
        self.status = {}
        threading.Thread(target=self.drive, daemon=True).start()

    def advance(self, parcel, status):
        with self.lock:
            if parcel not in self.status:
                if status not in (Status.BOOKED, Status.LOADED):
                    return
                self.status[parcel] = status  # want "status"
            elif self.status[parcel] not in (Status.ARRIVED, Status.LOST):
                self.status[parcel] = max(self.status[parcel], status)

    def drive(self):
        while True:
            parcel = self.van.take()
            self.advance(parcel, Status.LOADED)
            arrived = self.van.go(parcel)
            self.advance(parcel, Status.ARRIVED if arrived else Status.LOST)

    def lookup(self, parcel):
        with self.lock:
            return self.status.get(parcel)

    def strike(self, parcel):
        with self.lock:
            self.status.pop(parcel, None)


class Parcel:
    def __init__(self, books: Books, number):
        self.books = books
        self.number = number
        self.due = time.monotonic() + 3600
        self.books.advance(self.number, Status.BOOKED)

    def poll(self):
        status = self.books.lookup(self.number)
        if status not in (Status.ARRIVED, Status.LOST) and time.monotonic() > self.due:
            self.books.advance(self.number, Status.LOST)
            return Status.LOST
        return status

    def clear(self):
        self.books.strike(self.number)
