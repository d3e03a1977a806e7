"""A call that takes something for a request says whether it has.

Wrong: it has, and the way out is one for another reason.
"""


class Berths:
    def __init__(self, quay, crane):
        self.quay = quay
        self.crane = crane
        self.refused = set()

    def forget(self, ship):
        self.refused.discard(ship)

    def none(self, ship, size):
        berth = self.quay.reserve(ship, size)
        if berth is None:
            return False
        if ship in self.refused:  # want "what self.quay.reserve.ship, size. takes is not given back when this holds"
            self.crane.rest()
            return False
        self.crane.unload(berth)
        self.quay.release(ship)
        return True

    def code(self, ship):
        error = self.quay.register(ship)
        if error:
            return False
        if ship in self.refused:  # want "what self.quay.register.ship. takes is not given back when this holds"
            self.crane.rest()
            return False
        self.crane.unload(ship)
        self.quay.unregister(ship)
        return True

    def parts(self, ship, size):
        berth, wait = self.quay.allocate(ship, size)
        if berth is None:
            return False
        if ship in self.refused:  # want "what self.quay.allocate.ship, size. takes is not given back when this holds"
            self.crane.rest()
            return False
        self.crane.unload(berth)
        self.quay.free(ship)
        return True
