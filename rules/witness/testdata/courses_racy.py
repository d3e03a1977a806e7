"""Many programs remove an entry, and most of them have a state of their own."""

import threading


class Store:
    def __init__(self):
        self.parts = {}
        self.a = self.b = self.c = self.d = 0
        threading.Thread(target=self.sweep).start()
        threading.Thread(target=self.first).start()
        threading.Thread(target=self.second).start()
        threading.Thread(target=self.third).start()

    def sweep(self):
        while True:
            self.drop(receive())

    def first(self):
        while True:
            key = receive()
            self.a = next_of(self.b)
            if self.a == self.c:
                self.drop(key)

    def second(self):
        while True:
            key = receive()
            self.b = next_of(self.c)
            if self.b == self.d:
                self.drop(key)

    def third(self):
        while True:
            key = receive()
            self.c = next_of(self.a)
            self.d = next_of(self.c)
            if self.c == self.b:
                self.drop(key)

    def drop(self, key):
        self.parts.pop(key, None)

    def add(self, key, part):
        self.parts[key] = part

    def late(self, key, part):
        self.parts[key] = part
