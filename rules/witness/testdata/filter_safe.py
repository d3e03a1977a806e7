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
            for r in list(self.waiting):
                if r.done:
                    self.waiting.remove(r)

    def poll(self):
        return None
