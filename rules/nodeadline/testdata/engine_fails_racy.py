"""A studio renders in a pool; a caller waits for what it has ordered.

Racy: the queue is the caller's own, but the work that it has handed to the pool puts nothing
into it when the engine fails.
"""

import queue
from concurrent.futures import ThreadPoolExecutor


class Studio:
    def __init__(self, engine):
        self.engine = engine
        self.pool = ThreadPoolExecutor(2)
        self.orders = {}

    def begin(self, rid, scene):
        self.orders[rid] = scene

    def render(self, rid):
        answers = queue.Queue()
        scene = self.orders[rid]

        def work():
            try:
                answers.put(self.engine.render(scene))
            except Exception:
                return

        self.pool.submit(work)
        answer = answers.get()  # want "render|get"
        if isinstance(answer, Exception):
            raise answer
        return answer

    def forget(self, rid):
        self.orders.pop(rid, None)
