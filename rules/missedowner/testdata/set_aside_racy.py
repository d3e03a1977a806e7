"""A kitchen sets orders aside when it is told to, and takes them up again by itself.

Racy: serve() takes those set aside up again, and is not called any more when is_idle() says so.
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
        self.route = router([("order", self.order), ("cancel", self.cancel), ("close", self.close)])

    def serve(self, messages):
        for message in messages:
            self.route(message)
        self.shelf.take_up()
        for order in self.shelf.next():
            self.stove.append(order)

    def order(self, order):
        self.shelf.add(order)

    def close(self, message):
        for order in self.stove:
            self.shelf.set_aside(order)
        self.stove = []

    def is_idle(self):  # want "aside"
        idle = len(self.stove) == 0
        idle &= len(self.shelf.waiting) == 0
        return idle

    def cancel(self, message):
        remaining = []
        for order in self.shelf.waiting:
            if order.rid == message.rid:
                self.table.tell(order)
            else:
                remaining.append(order)
        self.shelf.waiting = remaining
        remaining = []
        for order in self.shelf.aside:
            if order.rid == message.rid:
                self.table.tell(order)
            else:
                remaining.append(order)
        self.shelf.aside = remaining
        for order in self.stove:
            if order.rid == message.rid:
                order.stop()
