"""Elements are taken out one by one: whatever is added later stays in."""

from concurrent.futures import ThreadPoolExecutor


class Loader:
    def __init__(self):
        self.pool = ThreadPoolExecutor(max_workers=1)
        self.failed = set()

    def start(self, rid, host):
        future = self.pool.submit(host.shake)

        def ready(f, rid=rid):
            if f.exception() is not None:
                self.failed.add(rid)

        future.add_done_callback(ready)

    def get_finished(self, done):
        done = set(done)
        while self.failed:
            done.add(self.failed.pop())
        return done
