from family import Handle


class GlassHandle(Handle):
    def progress(self):
        self.give_up_when_overdue()
        return self.ledger.phase(self.job)
