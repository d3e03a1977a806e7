"""Several statements that count down, and exceptions before them."""


class Desk:
    def __init__(self, files):
        self.files = files
        self.open = {}

    def leaves_early(self, name):
        page = self.files.read(name)  # from
        if page is None:
            self.files.close(name)  # other
            return None
        self.files.close(name)  # last
        return page

    def goes_on(self, name):
        page = self.files.read(name)  # from
        if page is None:
            self.files.close(name)  # other
        self.files.sort(name)
        self.files.close(name)  # last
        return page

    def in_loop(self, names):
        for name in names:
            page = self.files.read(name)  # from
            for line in page:
                if line is None:
                    self.files.close(name)  # other
                    break
            self.files.close(name)  # last

    def raises(self, name):
        page = self.files.read(name)  # from
        if page is None:
            self.files.close(name)  # other
            raise OSError(name)
        self.files.close(name)  # last

    def next_turn(self, names):
        for name in names:
            page = self.files.read(name)  # from
            if page is None:
                self.files.close(name)  # other
                continue
            self.files.close(name)  # last
