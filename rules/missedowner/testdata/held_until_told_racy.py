"""A kitchen sets orders aside while it is closed, and takes them up again when it is told to.

Racy: cancel() looks on the stove and among those that wait for it, not at those set aside.
"""


class Shelf:
    def __init__(self):
        self.waiting = []
        self.aside = []

    def set_aside(self, order):
        self.aside.append(order)

    def take_up(self):
        orders = self.aside
        self.aside = []
        for order in orders:
            self.add(order)

    def add(self, order):
        self.waiting.append(order)

    def next(self):
        ready = [o for o in self.waiting if o.ready()]
        self.waiting = [o for o in self.waiting if o not in ready]
        return ready


class Kitchen:
    def __init__(self, router, table):
        self.table = table
        self.shelf = Shelf()
        self.stove = []
        self.route = router([("order", self.order), ("cancel", self.cancel), ("close", self.close), ("open", self.open)])

    def serve(self, messages):
        for message in messages:
            self.route(message)
        for order in self.shelf.next():
            self.stove.append(order)

    def order(self, order):
        self.shelf.add(order)

    def close(self, message):
        for order in self.stove:
            self.shelf.set_aside(order)
        self.stove = []

    def open(self, message):
        self.shelf.take_up()

    def is_idle(self):
        idle = len(self.stove) == 0
        idle &= len(self.shelf.waiting) == 0
        return idle

    def cancel(self, message):  # want "looks in shelf.waiting and not in shelf.aside"
        remaining = []
        for order in self.shelf.waiting:
            if order.rid == message.rid:
                self.table.tell(order)
            else:
                remaining.append(order)
        self.shelf.waiting = remaining
        for order in self.stove:
            if order.rid == message.rid:
                order.stop()
