"""Acknowledgements are collected by (rank, rid), in the list that begin() makes.

Right: an acknowledgement that finds no list is dropped.
"""

import threading
import time


class Acks:
    def __init__(self, feed):
        self.feed = feed
        self.cond = threading.Condition()
        self.ends = {}
        self.acks = {}
        threading.Thread(target=lambda: self.collect(), daemon=True).start()

    def begin(self, rank, rid):
        with self.cond:
            self.ends[(rank, rid)] = time.monotonic() + 30
            self.acks[(rank, rid)] = []

    def collect(self):
        while True:
            ack = self.feed.get()
            key = (ack.rank, ack.rid)
            with self.cond:
                try:
                    got = self.acks[key]
                except KeyError:
                    continue
                got.append(ack.part)

    def complete(self, rank, rid, parts):
        key = (rank, rid)
        with self.cond:
            if key not in self.ends:
                return "failed"
            if len(self.acks.get(key, ())) >= parts:
                return "complete"
            return "failed" if time.monotonic() > self.ends[key] else "open"

    def finish(self, rank, rid):
        with self.cond:
            self.ends.pop((rank, rid), None)
            self.acks.pop((rank, rid), None)
