"""Nothing else runs on the loop between the test and the use: the await comes first."""

import asyncio


class Channels:
    def __init__(self, net):
        self.net = net
        self.peers = {}

    async def open(self, rid, peer):
        self.peers[rid] = peer

    async def pull(self, rid):
        await self.net.ready()
        if rid not in self.peers:
            return None
        return self.peers[rid].read()

    async def close(self, rid):
        self.peers.pop(rid, None)
