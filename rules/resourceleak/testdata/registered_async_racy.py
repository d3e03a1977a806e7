"""Memory is registered for the time of a transfer.

Wrong: a transfer that the peer refuses leaves its memory registered.
"""

import asyncio


class Engine:
    def __init__(self, rdma):
        self.rdma = rdma
        self.peers = {}

    async def push(self, rid, memory):
        self.rdma.register(memory)
        answer = await self.rdma.offer(rid, memory)
        peer = self.peers.get(rid)
        if not answer.accepted or peer is None:  # want "not given back when this"
            await asyncio.sleep(0)
            return None
        await self.rdma.push(peer, memory)
        self.rdma.deregister(memory)
        return answer
