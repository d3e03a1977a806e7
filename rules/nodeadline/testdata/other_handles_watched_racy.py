"""Senders and receivers share a manager; the queue of the receivers gives up what is late.

Racy: nobody gives up a sender. What watch() ends are receivers, which another instance keeps.
"""

import threading
import time
from enum import IntEnum


class Mark(IntEnum):
    FAILED = 0
    SHAKING = 1
    OPEN = 2
    DONE = 3


class Hub:
    def __init__(self, door):
        self.door = door
        self.lock = threading.Lock()
        self.marks = {}
        threading.Thread(target=self.answer, daemon=True).start()

    def answer(self):
        while True:
            room = self.door.read()
            with self.lock:
                if self.marks.get(room) == Mark.SHAKING:
                    self.marks[room] = Mark.OPEN

    def mark(self, room, value):
        with self.lock:
            if self.marks.get(room) not in (Mark.FAILED, Mark.DONE):
                self.marks[room] = value


class Sender:
    def __init__(self, hub: Hub, room):
        self.hub = hub
        self.room = room
        hub.mark(room, Mark.SHAKING)

    def send(self, pages):
        self.hub.door.write(self.room, pages)
        self.hub.mark(self.room, Mark.DONE)

    def poll(self):  # want "Sender.poll never looks at the clock"
        return self.hub.marks.get(self.room, Mark.FAILED)


class Receiver:
    def __init__(self, hub: Hub, room):
        self.hub = hub
        self.room = room
        self.end = None
        self.since = time.monotonic()
        hub.mark(room, Mark.SHAKING)

    def poll(self):
        if self.end is not None:
            return self.end
        return self.hub.marks.get(self.room, Mark.FAILED)

    def abort(self):
        self.hub.mark(self.room, Mark.FAILED)
        self.end = Mark.FAILED


class Watch:
    def __init__(self, hub: Hub):
        self.hub = hub
        self.receivers = {}

    def add(self, room):
        self.receivers[room] = Receiver(self.hub, room)

    def watch(self):
        for receiver in list(self.receivers.values()):
            if time.monotonic() - receiver.since > 60:
                receiver.abort()
            if receiver.poll() in (Mark.FAILED, Mark.DONE):
                del self.receivers[receiver.room]
