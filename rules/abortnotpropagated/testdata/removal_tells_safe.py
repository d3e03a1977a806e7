"""abort() sets the verdict of the handle and takes the job out of the table.

Right: the worker asks the table for the job, and skips one that is gone. It needs no status to
learn of the abort.
"""

import queue
import threading


class Press:
    def __init__(self, engine):
        self.engine = engine
        self.lock = threading.Lock()
        self.orders = queue.Queue()
        self.jobs = {}
        threading.Thread(target=self._print, daemon=True).start()

    def _print(self):
        while True:
            order: Order = self.orders.get()
            with self.lock:
                sheet = self.jobs.get(order.number)
            if sheet is None:
                continue
            try:
                self.engine.print(sheet, timeout=5)
                order.settle("printed")
            except Exception:
                order.settle("spoilt")

    def forget(self, number):
        with self.lock:
            self.jobs.pop(number, None)


class Order:
    def __init__(self, press: Press, number, sheet):
        self.press = press
        self.number = number
        self.lock = threading.Lock()
        self.verdict = None
        with press.lock:
            press.jobs[number] = sheet
        press.orders.put(self)

    def settle(self, verdict):
        with self.lock:
            if self.verdict is None:
                self.verdict = verdict

    def poll(self):
        with self.lock:
            return self.verdict or "queued"

    def abort(self):
        self.settle("aborted")
        self.press.forget(self.number)

    def clear(self):
        self.press.forget(self.number)
