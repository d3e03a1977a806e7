"""An office that starts its mail room and waits until that is open.

Right: the address is opened before the thread starts, which says that it is there first of all.
"""

import threading


class MailRoom(threading.Thread):
    def __init__(self, wires, address, opened: threading.Event):
        super().__init__(daemon=True)
        self.wires = wires
        self.line = wires.listen(address)
        self.opened = opened
        self.lock = threading.Lock()
        self.letters = {}

    def run(self):
        self.opened.set()
        while True:
            letter = self.line.receive()
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
        opened.wait()

    def take(self, rid):
        return self.room.take(rid)
