import threading


class Larder:
    def __init__(self):
        self.shelf = {}

    def nibble(self):
        while True:
            self.shelf.clear()

    def gnaw(self, cheese):
        while True:
            self.shelf.pop(cheese, None)

    def smell(self):
        return len(self.shelf)


LARDER = Larder()


def rats():
    LARDER.gnaw("brie")


if LARDER.smell():
    threading.Thread(target=LARDER.nibble).start()
threads = [threading.Thread(target=rats) for _ in range(4)]
