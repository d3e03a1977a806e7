"""The hearing thread removes the row of a job and its line, and marks the job by the last word of
the peer.

Racy: state() finds neither while the peer is asked. Both have to go when the peer fails as well,
under their lock.
"""

import threading


class Board:
    def __init__(self, wire):
        self.wire = wire
        self.rows_lock = threading.Lock()
        self.verdicts_lock = threading.Lock()
        self.rows = {}
        self.lines = {}
        self.jobs = {}
        threading.Thread(target=self._hear, daemon=True).start()

    def _hear(self):
        while True:
            number = self.wire.recv()
            job = self.jobs.get(number)
            if job is not None:
                job.fail("lost")


class Job:
    def __init__(self, board: Board, number, row):
        self.board = board
        self.number = number
        self.verdict = None
        with board.rows_lock:
            board.rows[number] = row
            board.lines[number] = row.line
        board.jobs[number] = self

    def _end(self, verdict):
        with self.board.verdicts_lock:
            self.verdict = verdict

    def fail(self, why):
        with self.board.rows_lock:
            self.board.rows.pop(self.number, None)  # want "rows"
            self.board.lines.pop(self.number, None)
        word = self.board.wire.ask(self.number)
        if word == why:
            self._end("over")
        else:
            self._end("cut")

    def state(self):
        with self.board.verdicts_lock:
            if self.verdict is not None:
                return self.verdict
            with self.board.rows_lock:
                return self.board.rows[self.number].state

    def clear(self):
        with self.board.rows_lock:
            self.board.rows.pop(self.number, None)
            self.board.lines.pop(self.number, None)
        self.board.jobs.pop(self.number, None)
