class Receiver:
    def __init__(self, rid):
        self.rid = rid

    def poll(self):
        raise NotImplementedError

    def abort(self):
        pass
