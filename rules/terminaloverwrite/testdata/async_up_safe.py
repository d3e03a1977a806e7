"""A task dials a session and marks it as "up", if it is still being dialled.

Right: there is no await between the test and the mark.
"""

import asyncio


class Exchange:
    def __init__(self, dialer):
        self.dialer = dialer
        self.marks = {}
        self.tasks = set()

    def dial(self, sid):
        self.marks[sid] = "dialling"
        task = asyncio.create_task(self._dial(sid))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def _dial(self, sid):
        try:
            await asyncio.wait_for(self.dialer.dial(sid), 10)
            mark = "up"
        except Exception:
            mark = "down"
        if self.marks.get(sid) == "dialling":
            self.marks[sid] = mark

    def hang_up(self, sid):
        if self.marks.get(sid) == "dialling":
            self.marks[sid] = "down"

    def mark(self, sid):
        return self.marks.get(sid, "down")

    def forget(self, sid):
        self.marks.pop(sid, None)
