"""A getter in the base answers for all backends; a backend whose housekeeping removes jobs of lost
nodes.

Right: the getter says LOST for a job that is not in the table.
"""

import threading
import time

from table import Stage, Table


class NodeTable(Table):
    def __init__(self, cluster, acks):
        super().__init__()
        self.cluster = cluster
        self.acks = acks
        threading.Thread(target=self._housekeeping, daemon=True).start()
        threading.Thread(target=self._acknowledged, daemon=True).start()

    def _housekeeping(self):
        while True:
            time.sleep(5)
            with self.mutex:
                for job, node in list(self.node_of.items()):
                    open_yet = self.stage_of.get(job) is Stage.OPEN
                    if open_yet and not self.cluster.alive(node):
                        self.remove(job)

    def _acknowledged(self):
        while True:
            self.settle(self.acks.get(), Stage.SENT)


class Handle:
    def __init__(self, table: NodeTable, job, node):
        self.table = table
        self.job = job
        self.limit = time.monotonic() + 60
        table.add(job, node)

    def poll(self):
        if time.monotonic() > self.limit:
            self.table.settle(self.job, Stage.LOST)
        return self.table.stage(self.job)

    def close(self):
        self.table.remove(self.job)
