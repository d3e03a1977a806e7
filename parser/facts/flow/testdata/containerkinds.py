import collections
import threading
from collections import Counter, OrderedDict, defaultdict, deque
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Set

ROOMS: Dict[int, str] = {}
WAITING = deque()


@dataclass
class Peer:
    name: str
    parts: Dict[int, bytes] = field(default_factory=dict)
    seen: set = field(default_factory=set)
    late: List[int] = field(default_factory=list)


class Kinds:
    """Keeps containers of all kinds, declared in many ways."""

    everywhere: Dict[int, int] = {}
    plain_class = set()

    def __init__(self, maybe=None):
        self.literal = {}
        self.called = dict()
        self.annotated: Dict[int, Set[str]] = {}
        self.future: "dict[int, list[int]]" = {}
        self.optional: Optional[Dict[int, Any]] = None
        self.given = maybe or {}
        self.sets = collections.defaultdict(set)
        self.nested = defaultdict(lambda: defaultdict(list))
        self.ordered = OrderedDict()
        self.votes = Counter()
        self.line = deque(maxlen=5)
        self.array = [None] * 8
        self.peers: Dict[str, Peer] = {}
        self.mine = threading.local()
        self.mine.rows = {}
        self.one, self.two = {}, set()
        setattr(self, "named", {})

    def values(self, key, value, peer):
        self.literal[key] = value
        self.called.setdefault(key, []).append(value)
        self.annotated.setdefault(key, set()).add(value)
        self.future[key].remove(value)
        if self.optional is not None:
            self.optional.pop(key, None)
        self.given.pop(key, None)
        self.sets[key].discard(peer)
        self.nested[key][peer].append(value)
        del self.nested[key][peer]
        self.ordered.move_to_end(key)
        self.ordered.popitem(last=False)
        self.votes[key] -= 1
        if not self.votes[key]:
            del self.votes[key]
        self.line.append(value)
        self.array[key] = None
        self.one.pop(key)
        self.two.remove(key)
        self.named.pop(key)

    def records(self, key, room):
        peer = self.peers.get(key)
        if peer is None:
            return
        peer.parts[room] = b""
        peer.parts.pop(room)
        peer.seen.discard(room)
        for r in peer.late:
            self.peers[key].seen.discard(r)
        for name, p in self.peers.items():
            p.parts.pop(room, None)

    def shared(self, key):
        Kinds.everywhere[key] = 1
        self.everywhere.pop(key, None)
        type(self).plain_class.discard(key)
        ROOMS.pop(key, None)
        WAITING.popleft()

    def whole(self, keys):
        self.literal = {k: v for k, v in self.literal.items() if k not in keys}
        self.sets.clear()
        taken, self.called = self.called, {}
        done = self.two
        self.two = set()
        copied = self.one.copy()
        self.one.clear()
        self.two |= set(keys)
        self.two -= {1}
        self.literal |= {2: 3}
        self.literal.update({k: 0 for k in keys})
        self.line.extend(keys)
        for key in sorted(self.ordered):
            del self.ordered[key]
        for key in self.votes:
            self.votes.pop(key)
        return taken, done, copied

    def own(self, key):
        self.mine.rows.pop(key, None)
