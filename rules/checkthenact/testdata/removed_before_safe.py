"""The block that is not ready goes back in."""

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
                    self.young[key] = block
                    self.young.move_to_end(key)
                else:
                    self.old[key] = block
