"""A printer makes its engine from its settings, and prints with the engine and its fonts.

Right: what is in the settings are settings. They go into the engine, and no job is among them.
"""

import asyncio


class Printer:
    def __init__(self, settings, fonts):
        self.settings = dict(settings)
        self.engine = None
        self.checker = None
        self.bridge = None
        self.fonts = list(fonts)

    def load(self, build, connect):
        strict = self.settings.pop("strict", False)
        if self.settings.setdefault("shared", True):
            self.bridge = connect(self.settings)
        self.checker = build.checker(strict)
        self.engine = build.engine(**self.settings)

    def unload(self):
        self.engine = None
        self.checker = None

    async def print(self, job):
        if self.checker and not self.checker.accepts(job):
            return None
        for font in self.fonts:
            if font == job.font:
                job.style = font
        return await asyncio.wait_for(self.engine.run(job), 30)
