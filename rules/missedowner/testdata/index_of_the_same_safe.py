"""abort() looks into the index by rid only; the two lists hold the same requests in another order.

Right: whatever is in a list is in the index, and the mark on the request is seen wherever it
waits.
"""

class Desk:
    def __init__(self, serve, answer):
        self.serve = serve
        self.answer = answer
        self.by_rid = {}
        self.urgent = []
        self.normal = []

    def submit(self, request):
        self.by_rid[request.rid] = request
        if request.urgent:
            self.urgent.append(request)
        else:
            self.normal.append(request)

    def abort(self, rid):
        request = self.by_rid.get(rid)
        if request is not None:
            request.aborted = True

    def step(self):
        self.urgent = self._round(self.urgent)
        self.normal = self._round(self.normal)

    def _round(self, requests):
        rest = []
        for request in requests:
            if request.aborted:
                self._end(request, "aborted")
            elif self.serve(request):
                self._end(request, "served")
            else:
                rest.append(request)
        return rest

    def _end(self, request, word):
        self.by_rid.pop(request.rid, None)
        self.answer(request, word)
