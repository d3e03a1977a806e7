"""Each acknowledgement names the writes that have ended.

Right: the keys that the inner loop takes differ from turn to turn.
"""


class Writes:
    def __init__(self, link):
        self.link = link
        self.ongoing = {}
        self.acks = []

    def begin(self, number, block):
        self.ongoing[number] = block
        self.link.write(number, block)

    def drain(self):
        while len(self.ongoing) > 0:
            for ack in self.acks:
                ack.event.wait(5)
                for number in ack.numbers:
                    block = self.ongoing.pop(number)
                    block.done = True
            self.acks.clear()
