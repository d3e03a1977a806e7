"""How often each shape was seen, the latest last, and the shapes that cannot be handled.

Taking a count out and putting it back is the end of nothing.
"""

from collections import OrderedDict


class Moulds:
    def __init__(self, press, limit):
        self.press = press
        self.limit = limit
        self.moulds = OrderedDict()
        self.often = OrderedDict()
        self.hopeless = set()

    def _count(self, shape):
        count = self.often.pop(shape, 0) + 1
        self.often[shape] = count
        if len(self.often) > self.limit:
            self.often.popitem(last=False)
        return count

    def pour(self, shape):
        mould = self.moulds.get(shape)
        if mould is not None:
            return mould.fill()
        if shape in self.hopeless or self._count(shape) < 3:
            return self.press.by_hand(shape)
        try:
            mould = self.press.mould(shape)
        except RuntimeError:
            self.hopeless.add(shape)
            return self.press.by_hand(shape)
        self.moulds[shape] = mould
        return mould.fill()
