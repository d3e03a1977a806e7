"""A dict of the module that a reader thread fills and the engine empties.

Racy, and not found: a size that is reported after forget() is stored for a request that nobody asks for any
more.
"""

import threading

_lock = threading.Lock()
_sizes = {}


def expect(request_id):
    with _lock:
        _sizes[request_id] = None


def read_sizes(pipe):
    while True:
        report = pipe.recv()
        with _lock:
            _sizes[report.request_id] = report.size


def start(pipe):
    threading.Thread(target=read_sizes, args=(pipe,), daemon=True).start()


def size(request_id):
    with _lock:
        return _sizes.get(request_id)


def forget(request_id):
    with _lock:
        _sizes.pop(request_id, None)
