"""get_finished copies the failed ids and clears them; a callback can add one in between."""

from concurrent.futures import ThreadPoolExecutor


class Loader:
    def __init__(self):
        self.pool = ThreadPoolExecutor(max_workers=1)
        self.failed = set()

    def start(self, rid, host):
        future = self.pool.submit(host.shake)

        def ready(f, rid=rid):
            if f.exception() is not None:
                self.failed.add(rid)  # want "what is added to failed here can be lost: Loader.get_finished copies"

        future.add_done_callback(ready)

    def get_finished(self, done):
        done = set(done)
        done.update(self.failed)
        self.failed.clear()
        return done
