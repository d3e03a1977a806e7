"""Loads that have ended give back their plans.

Wrong: the loop at the end removes plans that the first loop has removed already.
"""


class Loads:
    def __init__(self, agent, shuffle):
        self.agent = agent
        self.shuffle = shuffle
        self.plans = {}

    def start(self, rid, plan):
        self.plans[rid] = plan
        self.agent.begin(rid, plan)

    def get_finished(self):
        ended = self.agent.ended()
        for rid in ended:
            plan = self.plans.pop(rid, None)
            if plan is not None:
                self.agent.close(plan)
        if self.shuffle:
            pages = []
            for rid in ended:
                pages += self.plans.pop(rid).pages  # want "plans.rid. is removed again"
            self.agent.permute(pages)
        return ended
