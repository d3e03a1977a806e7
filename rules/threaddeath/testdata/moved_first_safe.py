"""A sender moves each block to its device and sends it.

Right: what the assert asks for is what the block has just been moved to.
"""

import threading


class Sender:
    def __init__(self, link, device):
        self.link = link
        self.device = device
        self.sent = {}
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self):
        while True:
            block = self.link.receive()
            self._send(block.to(self.device))

    def _send(self, block):
        assert block.device == self.device, block.device
        self.link.send(block)
        self.sent[block.rid] = True

    def take(self, rid):
        return self.sent.pop(rid, None)
