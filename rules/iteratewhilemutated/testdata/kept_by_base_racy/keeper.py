"""What all that keep a shelf have in common."""

from shelf import Shelf


class Keeper:
    def __init__(self):
        self.shelf = Shelf()

    def end(self, rid):
        self.shelf.free(rid)
