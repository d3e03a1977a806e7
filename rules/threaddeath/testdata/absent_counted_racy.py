"""A printer counts the sheets in its hands, and says when it has none.

Racy: a sheet that is torn up before its turn ends the printer. The count goes down for that one
as well, and who waits until the printer has none hears of it.
"""

import threading


class Printer:
    def __init__(self, tray):
        self.tray = tray
        self.inked = 0
        self.sheets = {}
        self.still = threading.Event()
        threading.Thread(target=self._print, daemon=True).start()

    def lay(self, page, sheet):
        self.sheets[page] = sheet

    def tear(self, page):
        self.sheets.pop(page, None)

    def _print(self):
        while True:
            page = self.tray.recv()
            self.inked += 1
            sheet = self.sheets[page]  # want "sheets.page. is read without a look whether it is there"
            self.tray.send(sheet)
            self.inked -= 1
            if self.inked == 0:
                self.still.set()
