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

    def taken_before_else(self, name):
        if name in self.coats:
            coat = self.coats.pop(name)  # strict
            coat.brush()
        else:
            self.bell.ring()

    def taken_second_before_else(self, name):
        if name in self.coats:
            self.bell.ring()
            coat = self.coats.pop(name)  # strict
            coat.brush()
        else:
            self.bell.ring()

    def taken_in_branch_of_another_test(self, name, quick):
        if quick:
            coat = self.coats.pop(name)  # strict
            coat.brush()
        else:
            self.bell.ring()

    def taken_under_flag_before_else(self, name):
        known = name in self.coats
        if known:
            coat = self.coats.pop(name)  # strict
            coat.brush()
        else:
            self.bell.ring()

    def returns_what_is_not_bound(self, name):
        if name in self.coats:
            self.bell.ring()
            coat = self.coats.pop(name)  # strict
            answer = coat.brush()
        elif name:
            answer = 1
        return answer

    def returns_what_is_bound(self, name, answer):
        if name in self.coats:
            coat = self.coats.pop(name)  # strict
            answer = coat.brush()
        return answer

    def returns_what_was_changed(self, name):
        answer = 0
        if name in self.coats:
            answer = 1
            coat = self.coats.pop(name)  # strict
            coat.brush()
        return answer

    def in_finally(self, name):
        try:
            self.bell.ring()
        finally:
            if name in self.coats:
                self.bell.ring()
                coat = self.coats.pop(name)  # strict
                coat.brush()

    def in_loop_in_finally(self, names):
        try:
            self.bell.ring()
        finally:
            for name in names:
                coat = self.coats.pop(name)  # strict
                coat.brush()

    def in_else_of_loop(self, names, name):
        for other in names:
            self.bell.ring()
        else:
            coat = self.coats.pop(name)  # strict
            coat.brush()

    def loop_for_entry(self, name):
        while name in self.coats:
            coat = self.coats.pop(name)  # strict
            coat.brush()
        return None

    def loop_for_entry_with_else(self, name):
        while name in self.coats:
            coat = self.coats.pop(name)  # strict
            coat.brush()
        else:
            self.bell.ring()

    def loop_for_another_thing(self, name):
        while self.bell.more():
            self.bell.ring()
            if name in self.coats:
                coat = self.coats.pop(name)  # strict
                coat.brush()

    def endless_loop_with_test(self, name):
        while True:
            self.bell.ring()
            if name in self.coats:
                coat = self.coats.pop(name)  # strict
                coat.brush()

    def endless_loop(self, name):
        while True:
            coat = self.coats[name]  # strict
            if coat.brush():
                break

    def first_in_test_before_more(self, name):
        if name in self.coats:
            coat = self.coats.pop(name)  # strict
            coat.brush()
        self.bell.ring()

    def bound_before(self, name):
        coat = self.bell
        if name in self.coats:
            coat = self.coats.pop(name)  # strict
        self.bell.ring(coat)

    def read_after(self, name):
        if name in self.coats:
            coat = self.coats.pop(name)  # strict
            coat.brush()
        self.bell.ring()
        return coat

    def raises_without_entry(self, name):
        if name not in self.coats:
            raise LookupError(name)
        coat = self.coats.pop(name)  # strict
        coat.brush()

    def rings_without_entry(self, name):
        if name not in self.coats:
            self.bell.ring()
            return
        coat = self.coats.pop(name)  # strict
        coat.brush()

    def in_case_with_guard(self, name, kind):
        match kind:
            case 1 if name in self.coats:
                coat = self.coats.pop(name)  # strict
                coat.brush()
            case _:
                self.bell.ring()

    def deleted_with_comment_inside(self, name):
        del self.coats[  # strict
            # by its name
            name  # as on the ticket
        ]  # gone

    def assigned_with_comment_inside(self, name):
        coat = self.coats[  # strict
            name  # as on the ticket
        ]
        coat.brush()
