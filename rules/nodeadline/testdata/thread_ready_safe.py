"""An office that starts its mail room and waits until that is open.

Right: when the address is taken, the thread says so by the same event before it ends, and whoever
starts the office looks at what it has left.
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
        self.error = None

    def run(self):
        try:
            line = self.wires.listen(self.address)
        except OSError as err:
            self.error = err
            self.opened.set()
            return
        except Exception as err:
            self.error = err
            self.opened.set()
            raise
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
        opened.wait()
        if self.room.error is not None:
            raise RuntimeError("the mail room is closed") from self.room.error

    def take(self, rid):
        return self.room.take(rid)
