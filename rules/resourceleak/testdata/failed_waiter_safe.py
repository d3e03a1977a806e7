"""A kitchen that fetches what an order needs before the order is confirmed.

Right: an order that waits for its confirmation has something on the way. One that is called off
gives it back, and so does one whose confirmation fails, when the kitchen apologizes.
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
    def __init__(self, store, eager):
        self.eager = eager
        self.pantry = Pantry(store)
        self.confirmations = Confirmations(self)
        self.cooking = []

    def take(self, order, bell):
        self._fetch(order)
        self.confirmations.add(order, bell)

    def _fetch(self, order):
        if self.eager:
            self.pantry.fetch_ahead(order.rid, order.goods)

    def step(self):
        self.cooking.extend(self.confirmations.pop_confirmed())
        for order in self.cooking:
            order.cook(self.pantry.arrived(order.rid))

    def call_off(self, rid):
        for i, order in enumerate(self.cooking):
            if order.rid == rid:
                self.cooking.pop(i)
                if self.eager:
                    self.pantry.release_fetched(order.rid)
                break

    def apologize(self, order):
        order.answer("not confirmed")
        if self.eager:
            self.pantry.release_fetched(order.rid)
