"""A long prompt is computed in pieces, and its request is in a slot of its own between them.

Racy: abort() walks the queue and the transfers. A request in the slot is computed to the end
and then sent.
"""

class Prefill:
    def __init__(self, model, sender, answer):
        self.model = model
        self.sender = sender
        self.answer = answer
        self.queue = []
        self.current = None
        self.sending = {}

    def submit(self, session):
        self.queue.append(session)

    def compute(self):
        if self.current is None:
            if not self.queue:
                return
            self.current = self.queue.pop(0)
        if self.model.next_piece(self.current):
            return
        session, self.current = self.current, None
        self.sending[session.sid] = session
        self.sender.send(session)

    def poll(self):
        for sid, session in list(self.sending.items()):
            state = self.sender.state(session)
            if state in ("sent", "failed"):
                del self.sending[sid]
                self.answer(session, state)

    def abort(self, sid):  # want "current|abort"
        for session in list(self.queue):
            if session.sid == sid:
                self.queue.remove(session)
                self.answer(session, "aborted")
        session = self.sending.get(sid)
        if session is not None:
            self.sender.abort(session)
