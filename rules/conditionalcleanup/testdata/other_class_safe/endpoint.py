"""The endpoint that hears of lost peers works on the dictionaries of the store it was given.

Right: stage() opens the outcome before it adds the part.
"""

import threading
from functools import partial

from store import Outcome, PartStore


class Endpoint:
    def __init__(self, store: PartStore, channel):
        self.store = store
        self.channel = channel
        threading.Thread(target=partial(self.serve, 0), daemon=True).start()

    def serve(self, first):
        count = first
        while True:
            packet = self.channel.take()
            count += 1
            if packet.lost:
                self.on_lost(packet.upload)
            else:
                self.store.settle(packet.upload, Outcome.STORED)

    def on_lost(self, upload):
        store = self.store
        with store.mutex:
            store.parts.pop(upload, None)
            if upload in store.outcomes:
                store.settle(upload, Outcome.DROPPED)
