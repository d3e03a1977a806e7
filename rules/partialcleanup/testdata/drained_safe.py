"""What was loaded is handed out as a whole with the next step.

Right: nothing removes a single entry of the loads, they are swapped against an empty dictionary.
"""


class Meta:
    def __init__(self):
        self.known = {}
        self.loads = {}
        self.saves = {}

    def update(self, rid, blocks):
        self.known[rid] = blocks
        self.loads[rid] = blocks
        self.saves[rid] = len(blocks)

    def build(self):
        loads, self.loads = self.loads, {}
        saves = dict(self.saves)
        self.saves.clear()
        return loads, saves

    def finish(self, rid):
        self.known.pop(rid, None)
