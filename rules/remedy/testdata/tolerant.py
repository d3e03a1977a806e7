"""Accesses that fail without the entry."""

import threading


class Rack:
    def __init__(self, bell):
        self.bell = bell
        self.coats = {}
        self.tickets = set()
        self.racks = {}
        threading.Thread(target=self._close, daemon=True).start()

    def _close(self):
        drop = self.coats.pop
        while True:
            name = self.bell.wait()
            drop(name, None)
            self.tickets.discard(name)
            self.racks.pop((name, 0), None)

    def add(self, name, coat):
        self.coats[name] = coat
        self.tickets.add(name)
        self.racks[name, 0] = coat

    def deleted(self, name):
        del self.coats[name]  # strict

    def popped(self, name):
        self.coats.pop(name)  # strict

    def taken(self, name):
        coat = self.coats.pop(name)  # strict
        coat.brush()

    def taken_in_loop(self, names):
        for name in names:
            coat = self.coats.pop(name)  # strict
            coat.brush()

    def taken_and_used(self, name):
        self.coats.pop(name).brush()  # strict

    def by_name(self, name):
        take = self.coats.pop
        take(name)  # strict

    def by_one_of_two(self, name, quick):
        take = self.coats.pop
        if quick:
            take = self.coats.pop
        take(name)  # strict

    def removed(self, name):
        self.tickets.remove(name)  # strict

    def compared(self, name):
        if self.coats[name] == "red":  # strict
            self.bell.ring()

    def assigned(self, name):
        coat = self.coats[name]  # strict
        coat.brush()

    def used(self, name):
        self.coats[name].brush()  # strict

    def deleted_pair(self, name, row):
        del self.racks[name, row]  # strict

    def deleted_pair_in_parentheses(self, name, row):
        del self.racks[(name, row)]  # strict

    def assigned_pair(self, name, row):
        coat = self.racks[(name), (row)]  # strict
        coat.brush()
