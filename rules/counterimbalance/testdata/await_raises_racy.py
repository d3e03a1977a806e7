"""A coroutine counts the transfers to a peer.

Wrong: when the transfer fails or is cancelled, the peer keeps one transfer too many.
"""

from collections import Counter


class Peers:
    def __init__(self, link):
        self.link = link
        self.transfers = Counter()

    async def transfer(self, peer, pages):
        self.transfers[peer] += 1
        await self.link.write(peer, pages)  # want "transfers.peer. is not counted down when this raises"
        self.transfers[peer] -= 1

    def least_busy(self, peers):
        return min(peers, key=lambda p: self.transfers[p])
