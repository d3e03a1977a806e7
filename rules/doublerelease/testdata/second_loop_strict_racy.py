"""Loads that have ended give back their plans, of which each is there.

Wrong: the loop at the end removes plans that the first loop has removed already.
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
        for number in ended:
            self.agent.permute(self.plans.pop(number))  # want "plans.number. is removed again"
        return ended
