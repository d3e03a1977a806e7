"""A porter has one of a few hooks while it hangs up a coat, which another method does.

Racy: a coat that is fetched before ends the porter. The method that hangs it up frees the hook,
also where there is no coat.
"""

import threading


class Porter:
    def __init__(self, door):
        self.door = door
        self.coats = {}
        self.hooks = threading.Semaphore(4)
        threading.Thread(target=self._serve, daemon=True).start()

    def bring(self, guest, coat):
        self.coats[guest] = coat

    def fetch(self, guest):
        self.coats.pop(guest, None)

    def _serve(self):
        while True:
            guest = self.door.recv()
            self._hang(guest)

    def _hang(self, guest):
        self.hooks.acquire()
        coat = self.coats[guest]  # want "coats.guest. is read without a look whether it is there"
        self.door.send(coat)
        self.hooks.release()
