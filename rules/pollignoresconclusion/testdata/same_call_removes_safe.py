"""A queue that keeps a failed request in its polling loop and drops it a few lines below.

Right: the scan at the end of the same call takes every aborted or failed request off the queue
and answers it.
"""

import time

WAITING, READY, FAILED = "waiting", "ready", "failed"


class Arrival:
    def __init__(self, rid, receiver):
        self.rid = rid
        self.receiver = receiver
        self.aborted = False
        self.failed = False
        self.ready = False
        self.expires = time.monotonic() + 30


class Arrivals:
    def __init__(self, answer):
        self.answer = answer
        self.line = []

    def add(self, rid, receiver):
        self.line.append(Arrival(rid, receiver))

    def abort(self, rid):
        for arrival in self.line:
            if arrival.rid == rid:
                arrival.aborted = True

    def take_ready(self):
        for arrival in self.line:
            state = arrival.receiver.poll()
            if state == FAILED or time.monotonic() > arrival.expires:
                arrival.failed = True
            elif state == READY:
                arrival.ready = True
        taken, kept = [], []
        for arrival in self.line:
            if arrival.aborted or arrival.failed:
                self.answer(arrival.rid, FAILED)
            elif arrival.ready:
                taken.append(arrival)
            else:
                kept.append(arrival)
        self.line = kept
        return taken
