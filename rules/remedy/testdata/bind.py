"""Tests of a container and the reads that rest on them."""

import threading


class Ledger:
    def __init__(self, bell):
        self.bell = bell
        self.rows = {}
        threading.Thread(target=self._close, daemon=True).start()

    def _close(self):
        while True:
            self.rows.pop(self.bell.wait(), None)

    def add(self, name, row):
        self.rows[name] = row

    def before_statement(self, name):
        if name in self.rows:  # check
            self.rows[name].send()  # read

    def absent_leaves(self, name):
        if name not in self.rows:  # check
            return None
        return self.rows[name]  # read

    def absent_goes_on(self, name):
        if name not in self.rows:  # check
            self.bell.ring()
        return self.rows[name]  # read

    def absent_else(self, name):
        if name not in self.rows:  # check
            row = self.bell.row(name)
            self.rows[name] = row
        else:
            row = self.rows[name]  # read
        return row

    def second_operand(self, req):
        if req is not None and req.name in self.rows:  # check
            self.rows[req.name].send()  # read

    def either(self, req):
        return self.rows[req.name] if req and req.name in self.rows else None  # check

    def either_absent(self, req):
        return None if not req or req.name not in self.rows else self.rows[req.name]  # check

    def filtered(self, names):
        return [self.rows[name] for name in names if name in self.rows]  # check

    def nested_iterable(self, names):
        return [x for name in names for x in (self.rows[name] if name in self.rows else ())]  # check

    def loop_test(self, name):
        while name in self.rows:  # check
            self.rows[name].send()  # read

    def read_again(self, name):
        if name in self.rows:  # check
            while self.rows[name].busy():  # read
                self.bell.ring()

    def changed(self, name):
        if name in self.rows:  # check
            self.rows[name] += 1  # read

    def stored_between(self, name, row):
        if name in self.rows:  # check
            self.rows[name] = row
            return self.rows[name]  # read

    def asserted(self, req):
        assert req and req.name in self.rows  # check
        return self.rows[req.name]  # read

    def named_before(self, name, entry, found):
        if name in self.rows:  # check
            return self.rows[name], entry, found  # read
