"""A task opens a link and marks its session as up.

Right: the test for the session comes after the await, and nothing can run between it and the
mark.
"""

import asyncio


class Sessions:
    def __init__(self, dialer):
        self.dialer = dialer
        self.marks = {}
        self.tasks = set()

    async def open(self, sid):
        self.marks[sid] = "dialing"
        task = asyncio.create_task(self._dial(sid))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def _dial(self, sid):
        try:
            await asyncio.wait_for(self.dialer.dial(sid), 10)
            mark = "up"
        except Exception:
            mark = "down"
        if sid in self.marks:
            self.marks[sid] = mark

    def mark(self, sid):
        return self.marks.get(sid, "down")

    def close(self, sid):
        self.marks.pop(sid, None)
