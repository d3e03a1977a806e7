"""A connector holds the blocks of requests that are being sent.

Right: both ways out forget the blocks.
"""


class Outbox:
    def __init__(self, agent):
        self.agent = agent
        self.transfers = {}
        self.blocks = {}

    def send(self, request, blocks):
        self.blocks[request.uid] = blocks
        self.transfers[request.uid] = self.agent.post(blocks)

    def get_finished(self):
        finished = []
        for uid, transfer in list(self.transfers.items()):
            state = self.agent.state(transfer)
            if state == "busy":
                continue
            if state == "error":
                del self.transfers[uid]
                self.agent.unmap(self.blocks.pop(uid))
                continue
            del self.transfers[uid]
            self.agent.unmap(self.blocks.pop(uid))
            finished.append(uid)
        return finished
