"""Requests whose last page is sent wait in a list until the transfer is over.

Wrong: a request that its own check turns down is in the list already. The helper that gives its
pages back is called for it here, and by poll_waiting(); the main loop is a function.
"""

from helper_called_racy.pages import release_pages


class Prefill:
    def __init__(self, cache, link):
        self.cache = cache
        self.link = link
        self.waiting = []

    def run(self):
        while True:
            self.handle_results(self.link.results())
            self.poll_waiting()

    def handle_results(self, batch):
        for request in batch:
            self.waiting.append(request)
            try:
                request.check()
            except ValueError:
                release_pages(request, self.cache)  # want "stays in waiting, and Prefill.run gives it back"
                request.abort()

    def poll_waiting(self):
        left = []
        for request in self.waiting:
            if self.link.busy(request):
                left.append(request)
                continue
            release_pages(request, self.cache)
        self.waiting = left


def main(prefill: Prefill):
    prefill.run()
