"""A poller asks for every part of the transfers of a request.

Wrong: it removes the request as soon as one part is done. The next part that is done removes it again.
"""


class Poller:
    def __init__(self, link):
        self.link = link
        self.parts = {}

    def start(self, number, part):
        self.parts.setdefault(number, []).append(part)

    def finished(self):
        done = set()
        for number, parts in list(self.parts.items()):
            for part in parts:
                state = self.link.state(part)
                if state == "done":
                    done.add(number)
                    del self.parts[number]  # want "removed again in the next turn of the loop"
                elif state != "moving":
                    raise RuntimeError(state)
        return done
