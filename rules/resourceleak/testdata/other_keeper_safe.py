"""A guest gets a table, a coat hook and a place in the list, each from an object of its own.

Right: what one object gives back for a guest says nothing of what another one was asked for. The
hook is given back where there is no table; a guest who sits keeps all of it and leaves by leave().
"""


class Door:
    def __init__(self, tables, hooks, news):
        self.tables = tables
        self.hooks = hooks
        self.news = news
        self.waiting = []
        self.seated = {}
        self.late = set()

    def seat_all(self):
        while self.waiting:
            guest = self.waiting[0]
            menus = self.tables.get_known_menus(guest)
            extra, later = self.news.get_number_of_extras(guest, menus)
            if extra is None:
                break
            table = self.tables.allocate_seats(guest, extra)
            if table is None:
                if guest.coat:
                    self.hooks.free(guest)
                break
            self.news.update_after_alloc(guest, table)
            self.waiting.pop(0)
            if later:
                self.late.add(guest.name)
                continue
            self.seated[guest.name] = guest

    def leave(self, name):
        guest = self.seated.pop(name, None)
        self.waiting = [other for other in self.waiting if other.name != name]
        if guest is not None:
            self.tables.free(guest)
            self.hooks.free(guest)
        self.late.discard(name)
