"""Tables of an inn are taken by one setter for all that happens to them, which wakes whoever waits.

Racy: a waiter who comes late with a dish lays a table anew that was cleared away. Whoever waits is
woken whatever becomes of it.
"""

import threading
import time


class Stage:
    LAID = 0
    SERVED = 1
    PAID = 2
    LEFT = 3


class Inn:
    def __init__(self, kitchen):
        self.kitchen = kitchen
        self.room = threading.Condition()
        self.tables = {}
        threading.Thread(target=self._serve, daemon=True).start()

    def advance(self, table, stage):
        with self.room:
            if table not in self.tables:
                self.tables[table] = stage  # want "tables.table. is stored even when Table.clear has removed it"
            elif self.tables[table] not in (Stage.PAID, Stage.LEFT):
                self.tables[table] = max(self.tables[table], stage)
            self.room.notify_all()

    def _serve(self):
        while True:
            table = self.kitchen.next()
            self.advance(table, Stage.SERVED)
            paid = self.kitchen.bill(table)
            self.advance(table, Stage.PAID if paid else Stage.LEFT)

    def look(self, table):
        with self.room:
            return self.tables.get(table)

    def clear_away(self, table):
        with self.room:
            self.tables.pop(table, None)


class Table:
    def __init__(self, inn: Inn, number):
        self.inn = inn
        self.number = number
        self.until = time.monotonic() + 7200
        self.inn.advance(self.number, Stage.LAID)

    def poll(self):
        stage = self.inn.look(self.number)
        if stage not in (Stage.PAID, Stage.LEFT) and time.monotonic() > self.until:
            self.inn.advance(self.number, Stage.LEFT)
            return Stage.LEFT
        return stage

    def clear(self):
        self.inn.clear_away(self.number)
