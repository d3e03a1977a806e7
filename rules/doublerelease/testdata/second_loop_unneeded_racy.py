"""Loads that have ended give back their plans, and the list of them is tidied up at the end.

Wrong: the loop at the end removes plans that the first loop has removed already. Nothing needs
what it removes, so there is nothing to keep for it.
"""


class Loads:
    def __init__(self, agent):
        self.agent = agent
        self.plans = {}

    def start(self, rid, plan):
        self.plans[rid] = plan
        self.agent.begin(rid, plan)

    def get_finished(self):
        ended = self.agent.ended()
        for rid in ended:
            plan = self.plans.pop(rid)
            self.agent.close(plan)
        for rid in ended:
            self.plans.pop(rid)  # want "plans.rid. is removed again"
        return ended
