import queue
import threading


class Engine:
    def __init__(self):
        self.live = {}
        self.turn = 0
        self.queues = [queue.Queue() for _ in range(4)]
        for q in self.queues:
            threading.Thread(target=self.work, args=(q,)).start()

    def admit(self, key):
        self.live[key] = 1

    def put(self, key):
        self.turn = (self.turn + 1) % 4
        self.queues[self.turn].put(key)

    def work(self, q):
        while True:
            key = q.get()
            if key in self.live:
                del self.live[key]
