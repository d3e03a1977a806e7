"""Memory is registered for the time of a transfer.

Right: memory is deregistered on both ways.
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
        if not answer.accepted or peer is None:
            self.rdma.deregister(memory)
            await asyncio.sleep(0)
            return None
        await self.rdma.push(peer, memory)
        self.rdma.deregister(memory)
        return answer
