"""Two dicts of the module, and two functions that run on different threads.

Racy, and not found: a refused grant is dropped on the watcher's thread whether or not begin()
has stored the stage yet; stage() finds no grant then and does not end the stage.
"""

import threading
import time

OPEN, USED, REFUSED = "open", "used", "refused"

_lock = threading.Lock()
_grants = {}
_stages = {}


def grant(request_id):
    with _lock:
        _grants[request_id] = time.monotonic() + 30


def begin(request_id):
    with _lock:
        _stages[request_id] = OPEN


def watch(source):
    while True:
        note = source.get()
        with _lock:
            if note.refused:
                _grants.pop(note.request_id, None)
                if _stages.get(note.request_id) == OPEN:
                    _stages[note.request_id] = REFUSED
            elif _stages.get(note.request_id) == OPEN:
                _stages[note.request_id] = USED


def start(source):
    threading.Thread(target=watch, args=(source,), daemon=True).start()


def stage(request_id):
    with _lock:
        end = _grants.get(request_id)
        if end is not None and time.monotonic() > end and _stages.get(request_id) == OPEN:
            _stages[request_id] = REFUSED
        return _stages.get(request_id, REFUSED)


def forget(request_id):
    with _lock:
        _grants.pop(request_id, None)
        _stages.pop(request_id, None)
