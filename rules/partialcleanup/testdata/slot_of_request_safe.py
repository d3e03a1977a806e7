"""Two desks that give their guests a locker each, of a pool with a limited number of them.

Right: guests of the day desk take a locker when they are let in, and it is taken back from those
that leave.
"""

from collections import deque


class Lockers:
    def __init__(self, size):
        self.unused = deque(range(size))

    def left(self):
        return len(self.unused)

    def alloc(self):
        return self.unused.popleft() if self.unused else None

    def free(self, number):
        self.unused.append(number)


class DayDesk:
    def __init__(self, lockers: Lockers):
        self.lockers = lockers
        self.waiting = []

    def add(self, guest):
        guest.line = guest.connect()
        self.waiting.append(guest)

    def let_in(self):
        ready, rest = [], []
        for guest in self.waiting:
            if guest.line.poll() == "new" or self.lockers.left() == 0:
                rest.append(guest)
                continue
            guest.locker = self.lockers.alloc()
            ready.append(guest)
        self.waiting = rest
        return ready


class NightDesk:
    def __init__(self, lockers: Lockers):
        self.lockers = lockers
        self.asleep = {}

    def add(self, guest):
        guest.locker = self.lockers.alloc()
        self.asleep[guest.rid] = guest

    def wake(self, rid):
        guest = self.asleep.pop(rid)
        self.lockers.free(guest.locker)


class House:
    def __init__(self, size, night):
        self.inside = []
        if night:
            lockers = Lockers(size)
            self.night = NightDesk(lockers)
        else:
            lockers = Lockers(size)
            self.day = DayDesk(lockers)

    def step(self):
        for guest in self.day.let_in():
            self.inside.append(guest)
        gone, staying = [], []
        for guest in self.inside:
            if guest.line.poll() == "done":
                gone.append(guest)
            else:
                staying.append(guest)
        self.report(gone)
        for guest in gone:
            self.day.lockers.free(guest.locker)
        self.inside = staying

    def report(self, guests):
        for guest in guests:
            print("gone:", guest.rid)
