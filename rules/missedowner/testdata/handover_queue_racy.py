"""A tokenizer thread hands requests over in a queue; the scheduler takes them into its table.

Racy: an abort that comes while the request is in the queue finds nothing in the table, and is
forgotten.
"""

import queue
import threading


class Frontend:
    def __init__(self, tokenizer, start, answer):
        self.tokenizer = tokenizer
        self.start = start
        self.answer = answer
        self.texts = queue.Queue()
        self.handover = queue.Queue()
        self.active = {}
        threading.Thread(target=self._tokenize, daemon=True).start()

    def submit(self, rid, text):
        self.texts.put((rid, text))

    def _tokenize(self):
        while True:
            item = self.texts.get()
            try:
                tokens = self.tokenizer.encode(item[1])
            except Exception:
                tokens = []
            self.handover.put((item[0], tokens))

    def take_over(self):
        while True:
            try:
                item = self.handover.get_nowait()
            except queue.Empty:
                return
            if not item[1]:
                self.answer(item[0], "no tokens")
                continue
            self.active[item[0]] = self.start(item[1])

    def step(self):
        self.take_over()
        for rid, handle in list(self.active.items()):
            if handle.ended():
                del self.active[rid]
                self.answer(rid, handle.state())

    def abort(self, rid):  # want "handover|texts|abort"
        handle = self.active.get(rid)
        if handle is not None:
            handle.abort()
