"""An office has one press, of the kind that it is told; each press has two threads that take
turns, and a gauge.

Right: an object is of one class. What the threads of a plain press count is counted by no thread
of a folding or cutting one, though the office can have either and the base class the code.
"""

import threading


class Gauge:
    def __init__(self, press):
        self.press = press
        self.rounds = 0

    def round(self):
        self.rounds += 1
        return self.rounds % 100 == 0


class Turn:
    def __init__(self, mine: threading.Event, others: threading.Event):
        self.mine = mine
        self.others = others

    def take(self):
        self.mine.wait()

    def give(self):
        self.others.set()


class Press:
    def __init__(self):
        self.sheets = 0
        self.jobs = {}
        self.gauge = Gauge(self)
        self.door = threading.Lock()
        self.next = Turn(threading.Event(), threading.Event())
        self.next.mine.set()

    def start(self):
        for _ in range(2):
            threading.Thread(target=self.loop, daemon=True).start()

    def turn(self):
        with self.door:
            turn = self.next
            self.next = Turn(turn.others, threading.Event())
            return turn

    def add(self, rid, job):
        self.jobs[rid] = job

    def drop(self, rid):
        self.jobs.pop(rid, None)

    def count(self):
        self.sheets += len(self.jobs)
        return self.sheets % 500 == 0 or self.gauge.round()

    def loop(self):
        while True:
            turn = self.turn()
            turn.take()
            if self.count():
                self.feed()
            turn.give()

    def feed(self):
        print("paper")


class FoldingPress(Press):
    def loop(self):
        while True:
            turn = self.turn()
            turn.take()
            if self.count():
                self.fold()
            turn.give()

    def fold(self):
        print("fold")


class CuttingPress(Press):
    def loop(self):
        while True:
            turn = self.turn()
            turn.take()
            if self.count():
                self.cut()
            turn.give()

    def cut(self):
        print("cut")


class Office:
    def open(self, kind):
        if kind == "fold":
            self.press = FoldingPress()
        elif kind == "cut":
            self.press = CuttingPress()
        else:
            self.press = Press()
        self.press.start()

    def add(self, rid, job):
        self.press.add(rid, job)

    def drop(self, rid):
        self.press.drop(rid)
