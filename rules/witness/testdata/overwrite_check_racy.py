import threading


class State:
    FAILED = 0
    WAITING = 1
    RUNNING = 2
    DONE = 3


class Board:
    def __init__(self):
        self.status = {}
        threading.Thread(target=self.listen).start()
        threading.Thread(target=self.work).start()

    def listen(self):
        while True:
            key = self.sock.recv()
            self.status[key] = State.FAILED

    def work(self):
        while True:
            key = self.conn.recv()
            if self.status.get(key) != State.FAILED:
                self.status[key] = State.RUNNING

    def poll(self, key):
        return self.status.get(key, State.WAITING)
