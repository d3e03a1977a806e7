"""A theatre keeps for each play what the critics have handed in, and the cloakroom waits for all of them.

Racy: a critic who hands in late makes the list of a play anew that has been taken off. Whatever
comes of the review, its author has to be counted out.
"""

import queue
import threading


class Theatre:
    def __init__(self):
        self.lock = threading.Lock()
        self.critics = queue.Queue()
        self.reviews = {}
        threading.Thread(target=self._receive, daemon=True).start()

    def stage(self, play):
        with self.lock:
            self.reviews[play] = []

    def hand_in(self, play, review):
        self.critics.put((play, review))

    def close(self):
        self.critics.join()

    def _receive(self):
        while True:
            play, review = self.critics.get()
            with self.lock:
                if play not in self.reviews:
                    self.reviews[play] = []  # want "reviews.play. is stored even when Theatre.take_off has removed it"
                self.reviews[play].append(review)
            self.critics.task_done()

    def take_off(self, play):
        with self.lock:
            self.reviews.pop(play, None)
