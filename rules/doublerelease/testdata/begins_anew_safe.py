"""A request that has to give up its pages waits in a list for its next try.

Right: it is made as new before it is put there, so poll_waiting() meets the pages of the next try.
"""


class Prefill:
    def __init__(self, cache, link):
        self.cache = cache
        self.link = link
        self.waiting = []

    def give_up(self, batch):
        for request in batch:
            self.cache.release_pages(request)
            request.start_over()
            self.waiting.append(request)

    def poll_waiting(self):
        left = []
        for request in self.waiting:
            if self.link.busy(request):
                left.append(request)
                continue
            self.cache.release_pages(request)
        self.waiting = left
