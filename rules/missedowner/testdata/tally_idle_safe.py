"""Before the server gives its memory back it asks whether anything is left to do.

Right: what was put aside counts, too.
"""


class Bay:
    def __init__(self, memory):
        self.memory = memory
        self.line = []
        self.aside = []

    def enter(self, request):
        self.line.append(request)

    def put_aside(self, request):
        self.aside.append(request)

    def bring_back(self):
        back = [r for r in self.aside if self.memory.fits(r)]
        self.aside = [r for r in self.aside if r not in back]
        return back

    def next(self):
        return self.line.pop(0) if self.line else None


class Server:
    def __init__(self, memory):
        self.bay = Bay(memory)
        self.waiting = []
        self.running = []

    def accept(self, request):
        self.bay.enter(request)

    def postpone(self, request):
        self.bay.put_aside(request)

    def step(self):
        request = self.bay.next()
        if request is not None:
            self.waiting.append(request)
        for request in self.bay.bring_back():
            self.running.append(request)
        if self.waiting:
            self.running.append(self.waiting.pop(0))

    def quiet(self, shallow=False):
        quiet = not self.running and not self.waiting
        if not shallow:
            quiet &= len(self.bay.line) == 0
            quiet &= not self.bay.aside
        return quiet

    def cancel(self, rid):
        for request in self.waiting + self.running:
            if request.rid == rid:
                request.stop()
        for request in self.bay.line:
            if request.rid == rid:
                request.stop()
        for request in self.bay.aside:
            if request.rid == rid:
                request.stop()
