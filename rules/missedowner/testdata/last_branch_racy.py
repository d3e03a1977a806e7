"""Requests compile, wait and run.

Racy: cancel() does not find a request that compiles. To take one that waits out of what
compiles fails.
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

    def cancel(self, rank, rid):  # want "looks in ready and started and not in compiling"
        key = (rank, rid)
        if key in self.started:
            self.started[key].abort()
        elif key in self.ready:
            self.ready.pop(key)
            self.answer(key, "cancelled")
