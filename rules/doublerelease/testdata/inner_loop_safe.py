"""A poller asks for every part of the transfers of a request.

Right: it removes the request after all of its parts, or leaves the loop with the first one that fails.
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
            moving = False
            for part in parts:
                state = self.link.state(part)
                if state == "moving":
                    moving = True
                elif state == "lost":
                    del self.parts[number]
                    break
            else:
                if not moving:
                    done.add(number)
                    del self.parts[number]
        return done
