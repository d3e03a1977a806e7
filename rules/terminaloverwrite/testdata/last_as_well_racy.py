"""A task dials a session and marks it as "up", and notes the last mark.

Racy: hang_up() may mark it as "down" during the await; "up" comes after it. The last mark is
noted all the same.
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
        if sid in self.marks:
            self.last = self.marks[sid] = mark  # want "up is stored in marks"

    def hang_up(self, sid):
        if self.marks.get(sid) == "dialling":
            self.marks[sid] = "down"

    def mark(self, sid):
        return self.marks.get(sid, "down")

    def forget(self, sid):
        self.marks.pop(sid, None)
