class Keys:
    def __init__(self):
        self.rows = {}
        self.pairs = {}

    def handle(self, message, rank):
        key = message["key"]
        self.rows[key] = 1
        self.rows.pop(message["key"], None)
        self.pairs[key, rank] = 1
        self.pairs.pop((key, rank))
        name = f"{key}/{rank}"
        self.rows[name] = 2
        self.rows.pop(f"{key}/{rank}")
        for part in message.parts:
            self.rows[part.key] = 3
            self.pairs[int(part.key)] = 4
