# Compares the containers of reproducers, whose source is on the standard input,
# with those of Python: random operations have the same results, raise the same
# exceptions and leave the same content.
import collections
import random
import sys

scope = {"__name__": "reproducer"}
exec(compile(sys.stdin.read(), "runtime.py", "exec"), scope)
scope.update(PROPERTY="P1", MARKS={}, PATH=0, STATUS=[], TERMINAL=[], VICTIMS=False, LOOKS="")
Box, STAGE = scope["Box"], scope["STAGE"]
STAGE.quiet, STAGE.log, STAGE.now, STAGE.passed, STAGE.steps = True, [], None, 0, 0


def outcome(f, *args):
    try:
        return f(*args)
    except Exception as e:
        return type(e)


def content(box):
    return list(zip(box.keys_, box.values_))


def walk_live(box, change):
    it = box.walk("keys")
    seen = []
    while it.more():
        seen.append(it.value)
        change(box, it.value)
    return seen


def loop_live(real, change):
    seen = []
    for k in real:
        seen.append(k)
        change(real, k)
    return seen


def dicts(r):
    real, box = {}, Box("d", "dict")
    for _ in range(60):
        k, v = r.randrange(5), r.randrange(5)
        op = r.choice(["get", "set", "del", "pop", "popd", "in", "len", "setdefault", "clear", "list", "items", "live"])
        pairs = {
            "get": (lambda c: c.get(k, v)), "set": (lambda c: c.__setitem__(k, v)), "del": (lambda c: c.__delitem__(k)),
            "pop": (lambda c: c.pop(k)), "popd": (lambda c: c.pop(k, None)), "in": (lambda c: k in c), "len": len,
            "setdefault": (lambda c: c.setdefault(k, v)), "clear": (lambda c: c.clear()),
        }
        if op in pairs:
            if op == "clear" and r.random() < 0.8:
                continue
            a, b = outcome(pairs[op], real), outcome(pairs[op], box)
        elif op == "list":
            a, b = list(real), box.parts("keys")
        elif op == "items":
            a, b = list(real.items()), box.parts("items")
        else:
            # A loop that removes something ends in an exception, unless that was
            # the last element.
            change = lambda c, x: c.pop(k, None)
            a, b = outcome(loop_live, real, change), outcome(walk_live, box, change)
        assert a == b, ("dict", op, k, v, a, b, real)
        assert list(real.items()) == content(box), ("dict", op, real, content(box))


def sets(r):
    real, box = set(), Box("s", "set")
    for _ in range(60):
        k = r.randrange(5)
        op = r.choice(["add", "discard", "remove", "in", "len"])
        f = {
            "add": (lambda c: c.add(k)), "discard": (lambda c: c.discard(k)), "remove": (lambda c: c.remove(k)),
            "in": (lambda c: k in c), "len": len,
        }[op]
        a, b = outcome(f, real), outcome(f, box)
        assert a == b, ("set", op, k, a, b, real)
        assert real == set(box.keys_) and len(real) == len(box.keys_), ("set", op, real, box.keys_)


def lists(r):
    real, box = collections.deque(), Box("l", "deque")
    for _ in range(60):
        k = r.randrange(5)
        op = r.choice(["append", "appendleft", "remove", "pop", "popleft", "in", "len"])
        ours = {
            "append": (lambda: box.append(k)), "appendleft": (lambda: box.appendleft(k)), "remove": (lambda: box.remove(k)),
            "pop": (lambda: box.take(-1)[0]), "popleft": (lambda: box.take(0)[0]), "in": (lambda: k in box),
            "len": (lambda: len(box)),
        }[op]
        theirs = {
            "append": (lambda: real.append(k)), "appendleft": (lambda: real.appendleft(k)),
            "remove": (lambda: real.remove(k)), "pop": real.pop, "popleft": real.popleft, "in": (lambda: k in real),
            "len": (lambda: len(real)),
        }[op]
        a, b = outcome(theirs), outcome(ours)
        assert a == b, ("deque", op, k, a, b, real)
        assert list(real) == box.keys_, ("deque", op, real, box.keys_)


for seed in range(300):
    for test in (dicts, sets, lists):
        test(random.Random(seed))

d, box = collections.defaultdict(int), Box("d", "defaultdict", lambda: 0)
assert d[1] == box[1] and (1 in d) == (1 in box)
c, box = collections.Counter(), Box("c", "counter")
assert c[1] == box[1] and (1 in c) == (1 in box)
