"""An office that starts its mail room and waits until that is open.

Racy: the wait has no limit. When the address is taken, opening it raises, the thread of the mail
room ends before it has said that it is open, and whoever starts the office stands still.
"""

import threading


class MailRoom(threading.Thread):
    def __init__(self, wires, address, opened: threading.Event):
        super().__init__(daemon=True)
        self.wires = wires
        self.address = address
        self.opened = opened
        self.lock = threading.Lock()
        self.letters = {}

    def run(self):
        line = self.wires.listen(self.address)
        self.opened.set()
        while True:
            letter = line.receive()
            with self.lock:
                self.letters[letter.rid] = letter

    def take(self, rid):
        with self.lock:
            return self.letters.pop(rid, None)


class Office:
    def __init__(self, wires):
        self.wires = wires
        self.room = None

    def open(self, address):
        opened = threading.Event()
        self.room = MailRoom(self.wires, address, opened)
        self.room.start()
        opened.wait()  # want "never ends when MailRoom.run fails before it is ready: listen can raise"

    def take(self, rid):
        return self.room.take(rid)
