"""Requests whose last page is sent wait in a list until the transfer is over.

Wrong: a request that its own check turns down is in the list already; poll_waiting() gives its
pages back a second time.
"""


class Prefill:
    def __init__(self, cache, link):
        self.cache = cache
        self.link = link
        self.waiting = []

    def handle_results(self, batch):
        for request in batch:
            self.waiting.append(request)
            self.link.send_last(request)
            try:
                request.check()
            except ValueError:
                self.cache.release_pages(request)  # want "stays in waiting, and Prefill.poll_waiting gives it back"
                request.abort()

    def poll_waiting(self):
        left = []
        for request in self.waiting:
            if self.link.busy(request):
                left.append(request)
                continue
            self.cache.release_pages(request)
        self.waiting = left
