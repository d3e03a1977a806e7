"""A call that takes something for a request says whether it has.

Right: where it says None, False or the number of an error, nothing was taken; what asks, tells or
looks up takes nothing either.
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
            self.crane.rest()
            return False
        self.crane.unload(berth)
        self.quay.release(ship)
        return True

    def false(self, ship):
        if not self.quay.acquire_berth(ship):
            self.crane.rest()
            return False
        self.crane.unload(ship)
        self.quay.release_berth(ship)
        return True

    def code(self, ship):
        error = self.quay.register(ship)
        if error:
            self.crane.rest()
            return False
        self.crane.unload(ship)
        self.quay.unregister(ship)
        return True

    def number(self, ship):
        if self.quay.register_all(ship) != 0:
            self.crane.rest()
            return False
        self.crane.unload(ship)
        self.quay.unregister_all(ship)
        return True

    def parts(self, ship, size):
        berth, wait = self.quay.allocate(ship, size)
        if berth is None:
            self.crane.rest()
            return False
        self.crane.unload(berth)
        self.quay.free(ship)
        return True

    def asked(self, ship):
        self.quay.can_allocate(ship)
        self.quay.get_draught(ship)
        self.quay.tell_after_alloc(ship)
        if ship in self.refused:
            return False
        self.quay.free(ship)
        return True
