"""Two threads that run one loop take turns: each waits until the other one lets it.

Racy: the turn that each of them takes is one for good, which is never cleared.
"""

import threading


class Turn:
    def __init__(self, mine: threading.Event, others: threading.Event):
        self.mine = mine
        self.others = others

    def take(self):
        self.mine.wait()

    def give(self):
        self.others.set()


class Press:
    def __init__(self, paper):
        self.paper = paper
        self.sheets = 0
        self.door = threading.Lock()
        self.next = Turn(threading.Event(), threading.Event())
        self.next.mine.set()
        for _ in range(2):
            threading.Thread(target=self._print, daemon=True).start()

    def _turn(self):
        with self.door:
            turn = self.next
            self.next = Turn(turn.others, threading.Event())
            return turn

    def _print(self):
        turn = self._turn()
        while True:
            turn.take()
            self.sheets += 1  # want "sheets is read, changed and written back"
            if self.sheets % 500 == 0:
                self.paper.order()
            self.paper.dry()
