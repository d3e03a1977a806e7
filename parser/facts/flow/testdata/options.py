from dataclasses import dataclass


@dataclass
class Item:
    key: int
    urgent: bool = False


class Table:
    def __init__(self):
        self.rows = {}
        self.spare = None
        self.limit = 4

    def prepare(self):
        self.spare = {}

    def put(self, key, value=None, force=False):
        if value:
            self.rows[key] = value
        if force:
            self.rows.clear()

    def take(self, item: Item):
        if item.urgent:
            self.rows.pop(item.key)

    def fill(self, key):
        if self.spare is None:
            self.rows[key] = 0
        else:
            self.spare[key] = 0

    def _sweep(self):
        self.rows.clear()


def sweep(table):
    getattr(table, "_sweep")()
