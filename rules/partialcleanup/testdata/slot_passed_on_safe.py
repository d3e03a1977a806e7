"""A desk that gives its guests a locker each, of a pool that it shares with the porter.

Right: the porter takes the lockers of those back that leave the house, from the same pool; what
the desk does not keep, the house does.
"""

from collections import deque


class Lockers:
    def __init__(self, size):
        self.unused = deque(range(size))

    def alloc(self):
        return self.unused.popleft() if self.unused else None

    def free(self, number):
        self.unused.append(number)


class Desk:
    def __init__(self, lockers: Lockers):
        self.lockers = lockers
        self.waiting = []

    def add(self, guest):
        guest.line = guest.connect()
        self.waiting.append(guest)

    def let_in(self):
        ready, rest = [], []
        for guest in self.waiting:
            if guest.line.poll() == "new":
                rest.append(guest)
                continue
            guest.locker = self.lockers.alloc()
            ready.append(guest)
        self.waiting = rest
        return ready


class Porter:
    def __init__(self, lockers: Lockers):
        self.lockers = lockers

    def see_off(self, guests):
        for guest in guests:
            self.lockers.free(guest.locker)


class House:
    def __init__(self, size):
        self.inside = []
        lockers = Lockers(size)
        self.desk = Desk(lockers)
        self.porter = Porter(lockers)

    def step(self):
        for guest in self.desk.let_in():
            self.inside.append(guest)
        gone, staying = [], []
        for guest in self.inside:
            if guest.line.poll() == "done":
                gone.append(guest)
            else:
                staying.append(guest)
        self.porter.see_off(gone)
        self.inside = staying
