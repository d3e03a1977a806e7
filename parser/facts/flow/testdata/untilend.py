"""Loops that call something until it yields an end."""

import queue
import threading


class Reader:
    def __init__(self, sock):
        self.sock = sock
        self.jobs = queue.Queue()
        self.done = set()
        threading.Thread(target=self.work, daemon=True).start()
        threading.Thread(target=self.listen, daemon=True).start()

    def work(self):
        for job in iter(self.jobs.get, None):
            self.done.add(job)

    def listen(self):
        for name, data in iter(lambda: self.sock.recv(), b""):
            if not data:
                break
            self.jobs.put(name)
        else:
            self.done.clear()

    def seen(self, name):
        for job in iter(self.done):
            if job == name:
                return True
        return False
