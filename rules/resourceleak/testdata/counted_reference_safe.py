"""A page gets one reference more while it is read.

Right: whichever way it leaves, the reference is taken back.
"""


class Reader:
    def __init__(self, pages, link):
        self.pages = pages
        self.link = link
        self.table = {}

    def put(self, number, page):
        self.table[number] = page

    def drop(self, number):
        self.table.pop(number, None)

    def read(self, number):
        self.pages.inc_ref(number)
        try:
            page = self.table.get(number)
            if page is None:
                return b""
            return self.link.read(page)
        finally:
            self.pages.dec_ref(number)
