"""The reason of a failure is kept until somebody asks for it.

Right: a note is only made of requests that fail, and the failure handler takes it.
"""

import threading
import time


class State:
    OPEN = 0
    DONE = 1
    FAILED = 2


class Board:
    def __init__(self, link):
        self.link = link
        self.lock = threading.Lock()
        self.states = {}
        self.reasons = {}
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self):
        while True:
            event = self.link.receive()
            if event.error:
                with self.lock:
                    if self.states.get(event.rid) == State.OPEN:
                        self.reasons[event.rid] = event.error
                        self.states[event.rid] = State.FAILED
                continue
            with self.lock:
                if self.states.get(event.rid) == State.OPEN:
                    self.states[event.rid] = State.DONE


class Request:
    def __init__(self, board: Board, rid):
        self.board = board
        self.rid = rid
        self.deadline = time.monotonic() + 30
        board.states[rid] = State.OPEN

    def poll(self):
        with self.board.lock:
            state = self.board.states[self.rid]
            if state == State.OPEN and time.monotonic() > self.deadline:
                self.board.states[self.rid] = state = State.FAILED
            return state

    def abort(self):
        with self.board.lock:
            self.board.states[self.rid] = State.FAILED

    def failure(self):
        with self.board.lock:
            if self.rid in self.board.states:
                del self.board.states[self.rid]
                return self.board.reasons.pop(self.rid, "aborted")
            return "gone"

    def clear(self):
        with self.board.lock:
            self.board.states.pop(self.rid, None)
