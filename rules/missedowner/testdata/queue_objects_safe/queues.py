class Entry:
    def __init__(self, rid, receiver):
        self.rid = rid
        self.receiver = receiver


class BookingQueue:
    """Requests whose receiver is not ready yet."""

    def __init__(self):
        self.entries = []

    def add(self, entry):
        self.entries.append(entry)

    def take_ready(self):
        ready = [entry for entry in self.entries if entry.receiver.poll() != "booking"]
        self.entries = [entry for entry in self.entries if entry not in ready]
        return ready


class TransferQueue:
    """Requests whose data is on its way."""

    def __init__(self, answer):
        self.answer = answer
        self.entries = []

    def extend(self, entries):
        self.entries.extend(entries)

    def take_ended(self):
        rest = []
        for entry in self.entries:
            state = entry.receiver.poll()
            if state in ("done", "failed"):
                self.answer(entry.rid, state)
            else:
                rest.append(entry)
        self.entries = rest


class RetractedQueue:
    """Requests that have lost their memory and wait to get it back."""

    def __init__(self):
        self.entries = []

    def add(self, entry):
        self.entries.append(entry)

    def take(self, room):
        taken, self.entries = self.entries[:room], self.entries[room:]
        return taken
