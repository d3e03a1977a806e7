"""A clerk asks the post whether the letter that it has just given out was whole.

Racy: one torn letter ends the clerk for all that come later.
"""

import threading


class Clerk:
    def __init__(self, post):
        self.post = post
        self.noted = {}
        threading.Thread(target=self._note, daemon=True).start()

    def _note(self):
        while True:
            letter = self.post.receive()
            if self.post.torn():
                raise ValueError("torn")  # want "an item can lead to this ValueError"
            self.noted[letter.sender] = letter

    def drop(self, sender):
        self.noted.pop(sender, None)
