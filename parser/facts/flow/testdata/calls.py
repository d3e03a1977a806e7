class Base:
    def __init__(self):
        self.rows = {}

    def drop(self, key):
        self._gone(key)
        self.rows.pop(key, None)

    def _gone(self, key):
        pass


class Derived(Base):
    def _gone(self, key):
        self.rows[key] = None
        super()._gone(key)


class Handle:
    def __init__(self, owner: Derived, key):
        self.owner = owner
        self.key = key

    def close(self):
        table = self.owner.rows
        if self.key in table:
            table.pop(self.key)

    def reset(self):
        owner = self.owner
        owner.drop(self.key)
        again(owner, self.key)


def again(owner: Derived, key):
    owner.rows.setdefault(key, []).append(key)
