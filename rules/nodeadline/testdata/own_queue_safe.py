"""A studio renders in a pool; a caller waits for what it has ordered.

Right: the queue is the caller's own, and the work that it has handed to the pool puts the
answer, or the error, into it whatever happens. The other callers do not wait for it.
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
            except Exception as e:
                answers.put(e)

        self.pool.submit(work)
        answer = answers.get()
        if isinstance(answer, Exception):
            raise answer
        return answer

    def forget(self, rid):
        self.orders.pop(rid, None)
