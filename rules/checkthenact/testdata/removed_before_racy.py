"""A queue in order of use takes an entry out and then asks to move it to the end.

Racy needs no second thread here: move_to_end fails for the key that was just removed.
"""

from collections import OrderedDict


class Recent:
    def __init__(self):
        self.young = OrderedDict()
        self.old = OrderedDict()

    def touch(self, keys):
        for key in keys:
            if key in self.young:
                block = self.young.pop(key)
                if not block.ready:
                    self.young.move_to_end(key)  # want "young.* is removed, then read"
                else:
                    self.old[key] = block
