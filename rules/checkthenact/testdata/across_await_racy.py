"""Two coroutines of one loop: the test no longer holds after the await.

Racy: close() can run while pull() waits for the peer.
"""

import asyncio


class Channels:
    def __init__(self, net):
        self.net = net
        self.peers = {}

    async def open(self, rid, peer):
        self.peers[rid] = peer

    async def pull(self, rid):
        if rid not in self.peers:
            return None
        await self.net.ready()
        return self.peers[rid].read()  # want "peers.* is tested, then read"

    async def close(self, rid):
        self.peers.pop(rid, None)
