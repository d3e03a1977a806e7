"""A page gets one reference more while it is read.

Wrong: a page that is no longer in the table is left with it.
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
        page = self.table.get(number)
        if page is None:  # want "what self.pages.inc_ref.number. takes is not given back when this holds"
            return b""
        try:
            return self.link.read(page)
        finally:
            self.pages.dec_ref(number)
