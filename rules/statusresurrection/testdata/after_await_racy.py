"""A task opens a link and marks its session as up.

Racy: close() may run during the await and remove the session; the mark comes after it and
stays.
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
        if sid not in self.marks:
            return
        try:
            await asyncio.wait_for(self.dialer.dial(sid), 10)
            mark = "up"
        except Exception:
            mark = "down"
        self.marks[sid] = mark  # want "marks"

    def mark(self, sid):
        return self.marks.get(sid, "down")

    def close(self, sid):
        self.marks.pop(sid, None)
