class Careful:
    def __init__(self, wire):
        self.wire = wire
        self.rows = {}
        self.closed = False

    def step(self, key):
        try:
            self.wire.send(key)
        except OSError:
            self.rows[key] = -1
            raise
        except Exception:
            self.closed = True
        else:
            self.rows[key] = 1
        finally:
            self.rows.pop(0, None)

    def strict(self, key):
        assert key in self.rows
        if self.closed:
            raise RuntimeError(key)
        return self.rows[key]
