"""The hearing thread deletes the row of a job where there is one, and then ends the job.

Racy: state() in between finds neither. The verdict must not be written under the lock of the
rows, and the test goes with the deletion.
"""

import threading


class Board:
    def __init__(self, wire):
        self.wire = wire
        self.rows_lock = threading.Lock()
        self.verdicts_lock = threading.Lock()
        self.rows = {}
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
        board.jobs[number] = self

    def _end(self, verdict):
        with self.board.verdicts_lock:
            self.verdict = verdict

    def fail(self, why):
        with self.board.rows_lock:
            if self.number in self.board.rows:
                del self.board.rows[self.number]  # want "rows"
        self._end(why)

    def state(self):
        with self.board.verdicts_lock:
            if self.verdict is not None:
                return self.verdict
            with self.board.rows_lock:
                return self.board.rows[self.number].state

    def clear(self):
        with self.board.rows_lock:
            self.board.rows.pop(self.number, None)
        self.board.jobs.pop(self.number, None)
