"""A mixin says which class it is part of: the lock of that class covers each use of the register."""

from __future__ import annotations

import asyncio


class Register:
    def __init__(self):
        self.pages = {}

    def enter(self, name, page):
        self.pages[name] = page

    async def strike(self, name):
        assert name in self.pages
        await self.pages[name].dry()
        del self.pages[name]


class Striking:
    async def drop(self: Office, name):
        async with self.desk:
            await self.register.strike(name)

    async def drop_all(self: Office, names):
        async with self.desk:
            for name in names:
                await self.register.strike(name)


class Office(Striking):
    def __init__(self):
        self.desk = asyncio.Lock()
        self.register = Register()

    async def write(self, name, page):
        self.register.enter(name, page)


class Strikes:
    async def strike(self, name):
        print("strikes", name)


async def gong(bell, name):
    await bell.strike(name)
