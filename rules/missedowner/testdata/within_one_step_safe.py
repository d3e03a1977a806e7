"""A list that is filled and emptied within one step is not walked by abort().

Right: abort() runs on the thread of step(), so it never meets a request there.
"""

class Batcher:
    def __init__(self, model, answer):
        self.model = model
        self.answer = answer
        self.queue = []
        self.batch = []

    def submit(self, request):
        self.queue.append(request)

    def step(self):
        self.batch.extend(self.queue[:8])
        del self.queue[:8]
        try:
            self.model.run(self.batch)
            word = "done"
        except Exception:
            word = "failed"
        for request in self.batch:
            self.answer(request, word)
        self.batch.clear()

    def abort(self, rid):
        kept = []
        for request in self.queue:
            if request.rid == rid:
                self.answer(request, "aborted")
            else:
                kept.append(request)
        self.queue = kept
