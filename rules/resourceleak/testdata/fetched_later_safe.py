"""A kitchen that fetches what an order needs once the order is confirmed.

Right: an order that waits for its confirmation holds nothing yet, so one whose confirmation fails
has nothing to give back; one that is called off later has.
"""

FAILED, OPEN, CONFIRMED = 0, 1, 2


class Pantry:
    def __init__(self, store):
        self.store = store
        self.underway = {}

    def fetch_ahead(self, rid, goods):
        box = self.store.reserve(goods)
        self.underway[rid] = box

    def arrived(self, rid):
        box = self.underway.pop(rid, None)
        return box.goods if box else None

    def release_fetched(self, rid):
        if rid not in self.underway:
            return
        self.store.unreserve(self.underway[rid])
        del self.underway[rid]


class Confirmations:
    def __init__(self, kitchen: "Kitchen"):
        self.kitchen = kitchen
        self.line = []

    def add(self, order, bell):
        order.bell = bell
        self.line.append(order)

    def pop_confirmed(self):
        confirmed, leaving = [], set()
        for i, order in enumerate(self.line):
            answer = order.bell.poll()
            if answer == OPEN:
                continue
            elif answer == FAILED:
                self.kitchen.apologize(order)
                leaving.add(i)
                continue
            confirmed.append(order)
            leaving.add(i)
        self.line = [order for i, order in enumerate(self.line) if i not in leaving]
        return confirmed


class Kitchen:
    def __init__(self, store):
        self.pantry = Pantry(store)
        self.confirmations = Confirmations(self)
        self.cooking = []

    def take(self, order, bell):
        self.confirmations.add(order, bell)

    def step(self):
        for order in self.confirmations.pop_confirmed():
            self.pantry.fetch_ahead(order.rid, order.goods)
            self.cooking.append(order)
        for order in self.cooking:
            order.cook(self.pantry.arrived(order.rid))

    def call_off(self, rid):
        for i, order in enumerate(self.cooking):
            if order.rid == rid:
                self.cooking.pop(i)
                self.pantry.release_fetched(order.rid)
                break

    def apologize(self, order):
        order.answer("not confirmed")
