"""A ring of stages is released stage by stage, by a cursor that moves on.

Right: the cursor stands for another stage each time.
"""


class Ring:
    def __init__(self, stages):
        self.stages = stages
        self.cursors = {}
        self.taken = {}

    def finish(self, rid):
        cursor = self.cursors.pop(rid)
        self.taken.pop(rid, None)
        self.stages.release(cursor)
        cursor.advance()
        if len(self.taken) == 0:
            self.stages.release(cursor)
            cursor.advance()
