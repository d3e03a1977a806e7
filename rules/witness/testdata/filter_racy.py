import threading


class Parked:
    def __init__(self):
        self.waiting = []
        threading.Thread(target=self.sweep).start()

    def add(self, req):
        self.waiting.append(req)

    def sweep(self):
        while True:
            self.tick.wait(1.0)
            self.waiting = [r for r in self.waiting if not r.done]

    def poll(self):
        return None
