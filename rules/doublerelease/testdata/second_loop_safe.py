"""Loads that have ended give back their plans.

Right: one loop removes the plan and does all that needs it.
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
        pages = []
        for rid in ended:
            plan = self.plans.pop(rid)
            self.agent.close(plan)
            if self.shuffle:
                pages += plan.pages
        self.agent.permute(pages)
        return ended
