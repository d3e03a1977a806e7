"""A request is in one of three dicts, by the stage that it has reached.

Racy: cancel() tries two. A request that waits for its grammar is in the third, and is started
later for nobody.
"""

class Stages:
    def __init__(self, compiler, start, answer):
        self.compiler = compiler
        self.start = start
        self.answer = answer
        self.compiling = {}
        self.ready = {}
        self.started = {}

    def admit(self, rank, rid, request):
        if request.grammar is not None:
            self.compiling[(rank, rid)] = request
        else:
            self.ready[(rank, rid)] = request

    def step(self):
        for key, request in list(self.compiling.items()):
            if self.compiler.compiled(request.grammar):
                self.ready[key] = self.compiling.pop(key)
        for key, request in list(self.ready.items()):
            del self.ready[key]
            self.started[key] = self.start(request)
        for key, handle in list(self.started.items()):
            if handle.ended():
                del self.started[key]
                self.answer(key, handle.state())

    def cancel(self, rank, rid):  # want "compiling|cancel"
        key = (rank, rid)
        if self.ready.pop(key, None) is not None:
            self.answer(key, "cancelled")
        elif (handle := self.started.get(key)) is not None:
            handle.abort()
