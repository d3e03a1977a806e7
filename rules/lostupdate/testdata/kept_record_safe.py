"""Requests ask for pages ahead; what was asked for is noted in a record that the manager keeps.

Right: the worker takes the pages of a request that is done out of the set, one by one, from a copy.
"""

import dataclasses
import threading


@dataclasses.dataclass
class GiverNotes:
    asked: set = dataclasses.field(default_factory=set)
    told: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class TakerNotes:
    rows: dict = dataclasses.field(default_factory=dict)


def ask_ahead(number, pages, asked, link):
    for page in pages:
        if (number, page) not in asked:
            asked.add((number, page))
            link.want(number, page)


class Manager:
    def __init__(self, mode, link, jobs):
        self.link = link
        self.jobs = jobs
        self.states = {}
        if mode == "give":
            self.use_giver()
            threading.Thread(target=self.work, daemon=True).start()
        else:
            self.use_taker()

    def use_taker(self):
        self.notes = TakerNotes()

    def use_giver(self):
        self.notes = GiverNotes()

    def ask(self, number, pages):
        self.states[number] = "asked"
        ask_ahead(number, pages, self.notes.asked, self.link)

    def work(self):
        while True:
            job = self.jobs.get()
            self.link.send(job)
            self.states.pop(job.number, None)
            for k in list(self.notes.asked):
                if k[0] == job.number:
                    self.notes.asked.discard(k)
