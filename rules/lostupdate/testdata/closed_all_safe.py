"""A switchboard connects to the desks that a directory lists, in two tasks, and closes all lines
when the directory is gone for long.

Right: a desk that is connected after the list of lines was copied is there when they are closed:
the second loop walks over all lines, under the lock under which they are emptied.
"""

import asyncio
import threading


class Switchboard:
    def __init__(self, directory, connect):
        self.directory = directory
        self.connect = connect
        self.lines = {}
        self.lock = threading.Lock()

    async def run(self):
        self.keeper = asyncio.create_task(self._keep())
        self.second = asyncio.create_task(self._keep())

    async def _keep(self):
        misses = 0
        while True:
            try:
                desks = await self.directory.desks()
                for name in list(self.lines):
                    if name not in desks:
                        with self.lock:
                            self.lines.pop(name).close()
                for name, desk in desks.items():
                    if name not in self.lines:
                        line = await asyncio.to_thread(self.connect, desk)
                        with self.lock:
                            self.lines[name] = line
            except OSError:
                misses += 1
            if misses >= 6:
                with self.lock:
                    for line in self.lines.values():
                        line.close()
                    self.lines.clear()
            await asyncio.sleep(3)

    def line(self, name):
        with self.lock:
            return self.lines.get(name)
