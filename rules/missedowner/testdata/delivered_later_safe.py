"""abort() walks one of two lists, and notes the id.

Right: the other list is walked by the next step, which drops the requests whose ids were noted.
"""

class Line:
    def __init__(self, start, answer):
        self.start = start
        self.answer = answer
        self.waiting = []
        self.running = []
        self.noted = set()

    def submit(self, request):
        self.waiting.append(request)

    def abort(self, rid):
        for request in self.running:
            if request.rid == rid:
                request.handle.abort()
        if any(request.rid == rid for request in self.waiting):
            self.noted.add(rid)

    def step(self):
        waiting, self.waiting = self.waiting, []
        for request in waiting:
            if request.rid in self.noted:
                self.noted.discard(request.rid)
                self.answer(request, "aborted")
                continue
            request.handle = self.start(request)
            self.running.append(request)
        running = []
        for request in self.running:
            if request.handle.ended():
                self.answer(request, request.handle.state())
            else:
                running.append(request)
        self.running = running
