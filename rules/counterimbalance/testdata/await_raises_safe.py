"""A coroutine counts the transfers to a peer.

Right: the transfer is counted down on every way out.
"""

from collections import Counter


class Peers:
    def __init__(self, link):
        self.link = link
        self.transfers = Counter()

    async def transfer(self, peer, pages):
        self.transfers[peer] += 1
        try:
            await self.link.write(peer, pages)
        finally:
            self.transfers[peer] -= 1

    def least_busy(self, peers):
        return min(peers, key=lambda p: self.transfers[p])
