"""A reader whose poll() lets the manager work off what has come, and then looks at its own record.

Racy: start() makes the record, answers change it, and no answer means no change.
"""

from enum import Enum, auto


class Phase(Enum):
    OPEN = auto()
    ENDED = auto()
    ABORTED = auto()


class Record:
    def __init__(self):
        self.left = 1
        self.bad = False


class Hub:
    def __init__(self, agent):
        self.agent = agent
        self.records = {}

    def start(self, session):
        self.records[session] = Record()

    def work_off(self):
        for answer in self.agent.answers():
            record = self.records.get(answer.session)
            if record is None:
                continue
            if answer.error:
                self.records[answer.session].bad = True
            self.records[answer.session].left = answer.left


class Reader:
    def __init__(self, hub: Hub, session):
        self.hub = hub
        self.session = session
        self.phase = None
        hub.start(session)

    def poll(self):  # want "Reader.poll never looks at the clock"
        if self.phase:
            return self.phase
        self.hub.work_off()
        if self.hub.records[self.session].bad:
            self.phase = Phase.ABORTED
        elif self.hub.records[self.session].left == 0:
            self.phase = Phase.ENDED
        else:
            return Phase.OPEN
        del self.hub.records[self.session]
        return self.phase
