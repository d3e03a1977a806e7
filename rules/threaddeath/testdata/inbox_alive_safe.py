"""A dispatcher expects its inbox to be alive, and a clerk stops when the post is closed.

Right: once there is nothing to come, nobody waits for either of them.
"""

import threading


class Dispatcher:
    def __init__(self, inbox):
        self.inbox = inbox
        self.open = set()
        threading.Thread(target=self._dispatch, daemon=True).start()

    def _dispatch(self):
        while True:
            assert self.inbox.alive()
            order = self.inbox.get()
            self.open.add(order.rid)

    def count(self):
        return len(self.open)


class Clerk:
    def __init__(self, post):
        self.post = post
        self.noted = {}
        threading.Thread(target=self._note, daemon=True).start()

    def _note(self):
        while True:
            if self.post.state() == "closed" and not self.post.pending:
                raise EOFError("closed")
            letter = self.post.receive()
            self.noted[letter.sender] = letter

    def drop(self, sender):
        self.noted.pop(sender, None)
