"""Messages about parcels come over one line, and each is handled by itself.

Right: a message that takes a shelf is one, a message that gives a shelf back another one; and
what is given back of the outbound shelves was not taken from the inbound ones.
"""

from storehouse import Shelving


class Shelves(Shelving):
    def __init__(self, hall):
        super().__init__(hall)
        self.inbound = {}

    def free_inbound(self, name):
        self.clean(self.inbound.pop(name, None))


class Depot:
    def __init__(self, line, hall):
        self.line = line
        self.shelves = Shelves(hall)
        self.errors = set()

    def run(self):
        while True:
            message = self.line.receive()
            name = message.name
            try:
                if message.kind == "take":
                    self.take(name, message.size)
                elif message.kind == "back":
                    self.back(name)
                elif message.kind == "send":
                    self.send(name)
            except OSError as e:
                self.line.complain(e)

    def take(self, name, size):
        place = self.shelves.alloc_inbound(name, size)
        self.line.answer(place)

    def back(self, name):
        self.line.pull(name)
        self.shelves.free_inbound(name)

    def send(self, name):
        self.line.push(name)
        self.shelves.free_staged(name)

    def forget(self, name):
        self.errors.discard(name)

    def swap(self, name, size):
        self.shelves.alloc_inbound(name, size)
        if name in self.errors:
            return
        self.shelves.free_staged(name)
