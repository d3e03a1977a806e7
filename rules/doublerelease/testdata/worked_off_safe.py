"""Requests whose last page is sent wait in a list until the transfer is over.

Right: a request that is turned down at once is not put into the list.
"""


class Prefill:
    def __init__(self, cache, link):
        self.cache = cache
        self.link = link
        self.waiting = []

    def handle_results(self, batch):
        for request in batch:
            try:
                request.check()
            except ValueError:
                self.cache.release_pages(request)
                request.abort()
                continue
            self.waiting.append(request)
            self.link.send_last(request)

    def poll_waiting(self):
        left = []
        for request in self.waiting:
            if self.link.busy(request):
                left.append(request)
                continue
            self.cache.release_pages(request)
        self.waiting = left
