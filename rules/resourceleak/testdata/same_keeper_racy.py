"""A guest gets a table and a coat hook, each from an object of its own.

Wrong: the table is given back on one way out, and not when the guest is too late for the kitchen.
"""

from restaurant import Furniture


class Tables(Furniture):
    def count(self):
        return len(self.all)


class Desk:
    def __init__(self, tables: Tables):
        self.tables = tables


class Door:
    def __init__(self, tables, hooks, kitchen):
        self.tables = tables
        self.hooks = hooks
        self.kitchen = kitchen
        self.late = set()

    def serve(self, guest, number):
        table = self.tables.allocate_seats(guest, number)
        if table is None:
            self.hooks.free(guest)
            return False
        if guest in self.late:  # want "what self.tables.allocate_seats.guest, number. takes is not given back when this holds"
            self.kitchen.clean()
            return False
        self.kitchen.cook(table)
        self.tables.free(guest)
        return True

    def come_back(self, guest):
        self.late.discard(guest)


class Terrace:
    def __init__(self, desk: Desk, tables: Tables, kitchen):
        self.desk = desk
        self.tables = tables
        self.kitchen = kitchen
        self.late = set()

    def serve(self, guest):
        self.desk.tables.allocate_seats(guest, 2)
        if guest in self.late:  # want "what self.desk.tables.allocate_seats.guest, 2. takes is not given back when this holds"
            return False
        self.kitchen.cook(guest)
        self.tables.free(guest)
        return True

    def come_back(self, guest):
        self.late.discard(guest)
