# What follows is the same in every reproducer: containers that say what was
# done to them and fail as those of Python do, and threads that run one step
# at a time.


WAITS = "waits"
GOES_ON = "goes on"


class StageOfReplay:
    """What is known of the run."""


STAGE = StageOfReplay()


def note(text):
    if not STAGE.quiet:
        STAGE.log.append("    " + text)


def show(value):
    if value is None:
        return "None"
    if value is True:
        return "True"
    if value is False:
        return "False"
    if value is THING:
        return "an object"
    if value is UNKNOWN:
        return "unknown"
    if hasattr(value, "kind"):
        return value.name
    if isinstance(value, int) or isinstance(value, str):
        return str(value)
    return "(...)"


def truth(value):
    """Tells what bool(value) is, for containers too."""
    if value is not None and hasattr(value, "kind"):
        looked(value)
        return len(value.keys_) > 0
    if value:
        return True
    return False


def looked(box):
    """Lets the path begin anew when a thread looks where it was not to look."""
    t = STAGE.now
    if STAGE.passed > 0 and STAGE.looked == STAGE.steps:
        return  # it is the step that has just been passed
    if LOOKS != "" and t is not None and box is SEEN() and STAGE.passed < PATH and (t.call == LOOKS or t.name.split(" #")[0] == LOOKS):
        STAGE.passed = 0
        STAGE.first = None


class Box:
    """A dict, set, list, deque, defaultdict or Counter."""

    def __init__(self, name, kind, factory=None):
        self.name = name
        self.kind = kind
        self.factory = factory
        self.keys_ = []
        self.values_ = []
        self.behind = False  # whether another key comes right behind 7

    def note(self, what):
        looked(self)
        if STAGE.quiet:
            return
        state = "absent"
        i = self.find(7)
        if i >= 0:
            state = "present"
            if self.values_[i] is not THING and self.values_[i] is not UNKNOWN and self.keyed():
                state = show(self.values_[i])
        note(self.name + what + "; " + self.name + " has for 7: " + state)

    def keyed(self):
        return self.kind == "dict" or self.kind == "defaultdict" or self.kind == "counter"

    def find(self, key):
        i = 0
        while i < len(self.keys_):
            if self.keys_[i] == key:
                return i
            i += 1
        return -1

    def cut(self, i):
        self.keys_ = self.keys_[:i] + self.keys_[i + 1 :]
        self.values_ = self.values_[:i] + self.values_[i + 1 :]

    def missing(self, key):
        if self.kind == "list" or self.kind == "deque":
            raise ValueError("not in " + self.name)
        raise KeyError(key)

    def __len__(self):
        looked(self)
        return len(self.keys_)

    def __contains__(self, key):
        found = self.find(key) >= 0
        self.note(" is asked for " + show(key))
        return found

    def __getitem__(self, key):
        i = self.find(key)
        if i < 0 and self.kind == "counter":
            self.note("[" + show(key) + "] is 0")
            return 0
        if i < 0 and self.factory is not None:
            self.keys_.append(key)
            self.values_.append(self.factory())
            self.note("[" + show(key) + "] is made")
            return self.values_[len(self.values_) - 1]
        self.note("[" + show(key) + "] is read")
        if i < 0:
            raise KeyError(key)
        return self.values_[i]

    def __setitem__(self, key, value):
        i = self.find(key)
        if i < 0:
            self.keys_.append(key)
            self.values_.append(value)
        else:
            if key == 7:
                replaced(self.values_[i], value, self.name)
            self.values_[i] = value
        self.note("[" + show(key) + "] is set")

    def __delitem__(self, key):
        self.pop(key)

    def get(self, key, default=None):
        i = self.find(key)
        self.note(" is asked for " + show(key))
        if i < 0:
            return default
        return self.values_[i]

    def pop(self, key, *default):
        i = self.find(key)
        if i < 0:
            self.note(" has no " + show(key) + " to remove")
            if len(default) > 0:
                return default[0]
            self.missing(key)
        value = self.values_[i]
        self.cut(i)
        self.note(" loses " + show(key))
        return value

    def setdefault(self, key, value=None):
        i = self.find(key)
        if i < 0:
            self[key] = value
            return value
        self.note(" keeps " + show(key))
        return self.values_[i]

    def add(self, key):
        if self.find(key) < 0:
            self.keys_.append(key)
            self.values_.append(key)
        self.note(" takes " + show(key))

    def append(self, key):
        self.keys_.append(key)
        self.values_.append(key)
        if self.behind and key == 7:
            self.behind = False
            self.keys_.append(OTHER)
            self.values_.append(OTHER)
        self.note(" takes " + show(key))

    def appendleft(self, key):
        self.keys_ = [key] + self.keys_
        self.values_ = [key] + self.values_
        self.note(" takes " + show(key))

    def discard(self, key):
        self.pop(key, None)

    def remove(self, key):
        self.pop(key)

    def take(self, i):
        """Removes the first element, or the last one for i == -1."""
        if len(self.keys_) == 0:
            self.note(" is empty")
            if self.kind == "list" or self.kind == "deque":
                raise IndexError("pop from empty " + self.name)
            raise KeyError("pop from empty " + self.name)
        if i < 0:
            i = len(self.keys_) - 1
        item = (self.keys_[i], self.values_[i])
        self.cut(i)
        self.note(" loses " + show(item[0]))
        return item

    def clear(self):
        self.keys_ = []
        self.values_ = []
        self.note(" is cleared")

    def update(self, other):
        i = 0
        while other is not None and i < len(other.keys_):
            have = self.find(other.keys_[i])
            value = other.values_[i]
            if have < 0 or self.kind == "list":
                self.keys_.append(other.keys_[i])
                self.values_.append(value)
            elif (self.kind == "dict" or self.kind == "defaultdict") and value is not THING and value is not UNKNOWN:
                if other.keys_[i] == 7:
                    replaced(self.values_[have], value, self.name)
                self.values_[have] = value
            i += 1
        self.note(" is extended")

    def remove_all(self, other):
        keys = other
        if hasattr(other, "keys_"):  # no copy
            keys = other.keys_
        for key in keys:
            i = self.find(key)
            if i >= 0:
                self.cut(i)
        self.note(" is reduced")

    def parts(self, what):
        """Returns a copy of the keys, values or items."""
        self.note(" is copied")
        return self.part(what)

    def part(self, what):
        out = []
        i = 0
        while i < len(self.keys_):
            if what == "items":
                out.append((self.keys_[i], self.values_[i]))
            elif what == "values":
                out.append(self.values_[i])
            else:
                out.append(self.keys_[i])
            i += 1
        return out

    def copy(self):
        other = Box(self.name, self.kind, self.factory)
        other.keys_ = self.keys_[:]
        other.values_ = self.values_[:]
        self.note(" is copied")
        return other

    def fromkeys(self, value):
        other = self.copy()
        i = 0
        while i < len(other.values_):
            other.values_[i] = value
            i += 1
        other.kind = "dict"
        return other

    def walk(self, what, position="", back=False):
        self.note(" is walked")
        return Walk(self, what, position, back)


def filled(box):
    """Gives a container the key, for what the code puts into it."""
    box.keys_.append(7)
    box.values_.append(THING)
    if box.kind != "dict":
        box.values_[0] = 7
    return box


def which(request):
    """Returns the request that a variable holds: the one of the schedule when it is not known."""
    if request is UNKNOWN:
        return 7
    return request


def another(key):
    """Returns what an element names that is another element than itself."""
    if key == 7:
        return OTHER
    return 7


def spread(value, n):
    """Returns the parts of an element; of one that is no tuple, the first is the request."""
    if isinstance(value, tuple):
        return value
    parts = [value]
    while len(parts) < n:
        parts.append(THING)
    return tuple(parts)


def slot(value):
    """Returns a container that has the key when an attribute is neither None nor False."""
    box = Box("slot", "list")
    if value is not None and value is not UNKNOWN and value is not False:
        box.keys_.append(7)
    return box


class Walk:
    """A live iteration, which fails when the size has changed."""

    def __init__(self, box, what, position, back):
        self.box = box
        self.step = 1
        self.position = position
        self.what = what
        self.size = len(box.keys_)
        self.i = 0
        if back:
            self.step = -1
            self.i = self.size - 1
        self.key = None
        self.value = None

    def more(self, position=""):
        if len(self.box.keys_) != self.size and self.box.kind != "list":
            note(self.box.name + " has changed its size")
            at(STAGE.now, position, None)
            raise RuntimeError(self.box.name + " changed size during iteration")
        if self.position != "":
            element = None
            if self.i >= 0 and self.i < len(self.box.keys_):
                element = self.box.keys_[self.i]
            at(STAGE.now, self.position, self.box, element)
        if self.i < 0 or self.i >= len(self.box.keys_):
            return False
        self.key = self.box.keys_[self.i]
        self.value = self.box.part(self.what)[self.i]
        self.i += self.step
        return True


class Queue:
    def __init__(self, name):
        self.name = name
        self.items = []

    def put(self, item):
        self.items.append(item)
        note(self.name + " has " + str(len(self.items)))

    def get(self):
        looked(self)
        while len(self.items) == 0:
            yield WAITS
        STAGE.now.ret = self.take()

    def take(self):
        looked(self)
        item = self.items[0]
        self.items = self.items[1:]
        note(self.name + " has " + str(len(self.items)))
        return item


class Lock:
    def __init__(self, name, reentrant):
        self.name = name
        self.reentrant = reentrant
        self.owner = None
        self.depth = 0

    def acquire(self, t):
        if self.owner is t and not self.reentrant:
            STAGE.stuck = t.name + " waits for " + self.name + ", which it holds itself"
        while self.owner is not None and not (self.owner is t and self.reentrant):
            yield WAITS
        self.owner = t
        self.depth += 1
        STAGE.locks.append(self)

    def release(self, t):
        if self.owner is t:
            self.depth -= 1
            if self.depth == 0:
                self.owner = None


class Actor:
    """One thread of control."""

    def __init__(self, name, body, receiver, live, task):
        self.name = name
        self.started = live
        self.task = task
        self.ret = None
        self.at = None
        self.done = False
        self.died = ""
        self.call = ""  # the hook that the client is in
        self.used = {}
        if body is None:
            self.run = client(self)
        else:
            self.run = body(self, receiver)

    def assume(self, site):
        """Answers a question that the slice cannot, as the schedule does."""
        answers = ASSUMED.get(self.name + ": " + site, [])
        n = self.used.get(site, 0)
        self.used[site] = n + 1
        if n < len(answers):
            return answers[n]
        if STAGE.ending and PROPERTY == "P1":
            # Any answer is possible now: nothing may conclude the request.
            STAGE.seed = (STAGE.seed * 1103515245 + 12345) % 2147483648
            return STAGE.seed // 65536 % 2 == 1
        if len(answers) > 0 and (not STAGE.ending or PROPERTY == "P8"):
            return answers[len(answers) - 1]
        return False

    def comes(self, site):
        """Tells whether a loop takes one more of what comes from outside, as the schedule does."""
        return self.assume(site) and not STAGE.ending

    def element(self, site):
        """Returns which request a loop over something unknown takes."""
        answers = TAKEN.get(self.name + ": " + site, [])
        n = self.used.get("element " + site, 0)
        self.used["element " + site] = n + 1
        if n < len(answers) and not answers[n]:
            return OTHER
        return 7

    def none(self, value, site):
        if value is UNKNOWN:
            return self.assume(site)
        return value is None

    def true(self, value, site):
        if value is UNKNOWN:
            return self.assume(site)
        return truth(value)

    def same(self, a, b, site):
        if a is UNKNOWN or b is UNKNOWN or a is THING or b is THING:
            return self.assume(site)
        return a == b

    def not_none(self, value, site):
        if value is UNKNOWN:
            return self.assume(site)
        return value is not None

    def not_same(self, a, b, site):
        if a is UNKNOWN or b is UNKNOWN or a is THING or b is THING:
            return self.assume(site)
        return a != b

    def among(self, a, values, site):
        if a is UNKNOWN or a is THING:
            return self.assume(site)
        return a in values

    def not_among(self, a, values, site):
        if a is UNKNOWN or a is THING:
            return self.assume(site)
        return not (a in values)

    def less(self, a, b, site):
        if a is UNKNOWN or b is UNKNOWN or a is THING or b is THING or a is None or b is None:
            return self.assume(site)
        return a < b

    def spawn(self, name):
        note("starts " + name)
        for a in STAGE.actors:
            if not a.started and (a.name == name or a.name.split(" #")[0] == name):
                a.started = True
                return


def at(t, position, box, value=None):
    """Notes that a thread passes a place that the property speaks of."""
    marks = MARKS.get(position, [])
    for m in marks:
        if m[0] == "victim" and counts(m, t, box, value) and STAGE.passed == PATH:
            STAGE.raiser = t
            STAGE.blamed = STAGE.steps
        if m[0] == "release":
            release()
        if m[0] == "reset":
            STAGE.held += 1
    if passes(t, marks, box, value) or STAGE.passed == PATH:
        return
    for m in marks:
        if m[0] == "undo" and counts(m, t, box, value):
            STAGE.passed = 0
            STAGE.first = None
            passes(t, marks, box, value)
            return


def passes(t, marks, box, value):
    """Notes the next place of the path, if the thread is there."""
    if STAGE.passed == PATH:
        return False
    for m in marks:
        if m[0] == "path" and m[1] == STAGE.passed and counts(m, t, box, value):
            if STAGE.passed == 0:
                STAGE.first = t
            STAGE.passed += 1
            STAGE.looked = STAGE.steps
            if STAGE.passed > STAGE.most:
                STAGE.most = STAGE.passed
            note("this is step " + str(STAGE.passed) + " of " + str(PATH) + " that the finding names")
            if STAGE.passed == PATH:
                STAGE.triggered = True
                if PROPERTY == "P2":
                    i = 0
                    while i < len(STAGE.gone):
                        STAGE.gone[i] = True
                        i += 1
            return True
    return False


def counts(m, t, box, value):
    """Tells whether the conditions of a mark hold."""
    needs = m[2]
    if not (t.call == m[5] or t.name.split(" #")[0] == m[5]):
        return False
    if m[3] == "same" and STAGE.first is not t or m[3] == "other" and STAGE.first is t:
        return False
    if m[4] is not None:
        box = m[4]()
    if needs == "":
        return True
    if needs == "takes 7":
        return value == 7
    if needs == "takes another":
        return value == OTHER
    if box is None:  # a value that is returned
        if needs == "pending":
            return not STAGE.over and value is not UNKNOWN and value is not THING and not terminal(value)
        return True
    if hasattr(box, "items"):  # a queue
        has = len(box.items) > 0
    else:
        if box.kind == "flag":
            return True
        has = box.find(7) >= 0
    if needs == "present":
        return has
    if needs == "absent":
        return not has
    if not has:
        return False
    value = box.values_[box.find(7)]
    return value is not UNKNOWN and value is not THING and not terminal(value)


def terminal(value):
    for known in TERMINAL:
        if value is not UNKNOWN and value is not THING and value == known:
            return True
    return False


def release():
    if STAGE.held == 0 and STAGE.released:
        STAGE.broken = "the resource is released twice"
    STAGE.released = True
    if STAGE.held > 0:
        STAGE.held -= 1


def replaced(before, after, name):
    """Notes that a terminal status was replaced."""
    if PROPERTY != "P4" or not (name in STATUS) or not terminal(before):
        return
    if VICTIMS and STAGE.blamed != STAGE.steps:
        return
    if not VICTIMS and (after is THING or after is UNKNOWN):
        return
    if before != after:
        STAGE.broken = name + " was " + show(before) + " and becomes " + show(after)


def client(t):
    """The one thread that calls constructors and hooks."""
    for call in CALLS:
        yield from one(t, call)
    while len(AGAIN) > 0:
        # Whoever waits asks; later the other hooks may help as well.
        for call in AGAIN:
            if call[1] == "feed" and (call[0] in STAGE.called or dropped()):
                continue  # the request has been brought in; again would be another one
            if call[1] == "poll" or STAGE.rounds * 2 > ROUNDS:
                yield from one(t, call)
        yield WAITS


def dropped():
    """Tells whether somebody has dropped the request."""
    for label in STAGE.called:
        if label in DROPS:
            return True
    return False


def one(t, call):
    label, kind, function, receiver = call
    yield label
    before = present(WATCH)
    failed = False
    t.call = label[5:]
    at(t, "start " + label[5:], None)
    STAGE.called.append(label)
    t.ret = UNKNOWN
    try:
        yield from function(t, receiver)
    except AttributeError:
        flaw("AttributeError in " + label)
    except TypeError:
        flaw("TypeError in " + label)
    except NameError:
        flaw("NameError in " + label)
    except Exception:
        note("an exception leaves " + label)
        failed = True
        STAGE.failed.append(label[5:])
        if STAGE.raiser is t:
            STAGE.ended = label[5:]
    if kind == "poll" and not failed:
        note(label + " -> " + show(t.ret))
        if terminal(t.ret):
            STAGE.over = True
    at(t, "end " + label[5:], None)
    if kind == "abort" and PATH == 0 and PROPERTY == "P1":
        STAGE.triggered = True
    if kind == "clear":
        if PATH == 0 and PROPERTY != "P1":
            STAGE.triggered = True
        after = present(WATCH)
        i = 0
        while i < len(after):
            if before[i] and not after[i]:
                STAGE.gone[i] = True
            i += 1


def flaw(text):
    """Notes an error that can only come from the slice itself."""
    if STAGE.flaw == "":
        STAGE.flaw = "the slice is not right: " + text


def present(boxes):
    out = []
    for box in boxes():
        out.append(box.find(7) >= 0)
    return out


def advance(a):
    """Lets a thread run up to its next step."""
    STAGE.steps += 1
    if STAGE.steps > LIMIT:
        STAGE.bound = True
        return
    STAGE.now = a
    a.started = True
    if a.at is None and a.name != "client":
        at(a, "start " + a.name.split(" #")[0], None)
    try:
        a.at = next(a.run)
    except StopIteration:
        a.done = True
    except KeyError:
        a.died = "KeyError"
    except IndexError:
        a.died = "IndexError"
    except AssertionError:
        a.died = "AssertionError"
    except ValueError:
        a.died = "ValueError"
    except RuntimeError:
        a.died = "RuntimeError"
    except AttributeError:
        a.died = "AttributeError"
        flaw("AttributeError in " + a.name)
    except TypeError:
        a.died = "TypeError"
        flaw("TypeError in " + a.name)
    except NameError:
        a.died = "NameError"
        flaw("NameError in " + a.name)
    except Exception:
        a.died = "Exception"
    if a.died != "" and not a.done:
        a.done = True
        note(a.died + " ends " + a.name)
        STAGE.failed.append(a.name)
        if STAGE.raiser is a:
            STAGE.ended = a.name
    if a.done and a.name != "client":
        at(a, "end " + a.name.split(" #")[0], None)
    if CONCLUDED():
        STAGE.over = True
    if STAGE.triggered:
        now = present(WATCH)
        i = 0
        while i < len(now):
            if not now[i]:
                STAGE.gone[i] = True
            i += 1


def waits(a):
    return a.at in INPUTS


def follow(i):
    """Does one step of the schedule; reports whether it could be done."""
    name, label = SCHEDULE[i]
    a = None
    for x in STAGE.actors:
        if x.name == name:
            a = x
    yields_to(a)
    if a.at is None and not a.done:
        advance(a)
    tries = 0
    while not a.done and not STAGE.bound and tries < 200:
        tries += 1
        if a.at == label:
            STAGE.done += 1
            STAGE.log.append(str(STAGE.done) + " " + name + ": " + label)
            advance(a)
            if a.at == WAITS:
                STAGE.late.append(label)
            return True
        if waits(a) or a.at in HOOKS:
            return False
        k = i + 1
        if label in HOOKS or label in INPUTS:
            k = len(SCHEDULE)  # whatever is left of the call or pass comes first
        while k < len(SCHEDULE):
            if SCHEDULE[k][0] == name and SCHEDULE[k][1] == a.at:
                return False
            k += 1
        if a.at == GOES_ON:
            advance(a)
        elif a.at == WAITS:
            advance(a)
            if a.at == WAITS:
                return False
        else:
            STAGE.extra += 1
            STAGE.log.append("+ " + name + ": " + a.at)
            advance(a)
    return False


def yields_to(a):
    """Lets a coroutine that has the event loop come to an await before another one runs."""
    b = turn()
    n = 0
    while a.task and b is not None and b is not a and turn() is b and n < 500 and not STAGE.bound:
        n += 1
        if b.at != GOES_ON:
            STAGE.extra += 1
            STAGE.log.append("+ " + b.name + ": " + b.at)
        advance(b)


def end():
    """Lets everything run on that needs nothing from outside."""
    STAGE.ending = True
    STAGE.log.append("then everything that can run does, in turn")
    last = len(STAGE.log) + 12
    while STAGE.rounds < ROUNDS and not STAGE.bound:
        STAGE.rounds += 1
        if STAGE.over and PROPERTY == "P1":
            return
        for a in STAGE.actors:
            if a.done or not a.started or a.at is not None and waits(a):
                continue
            idle = a.name == "client" and (a.at is None or a.at in HOOKS)
            if idle and PROPERTY != "P1":
                continue
            if a.task and a.at is not None and turn() is not None and turn() is not a:
                continue
            advance(a)
            n = 0
            while a.task and not a.done and not (a.at in AWAITS) and not waits(a) and a.at != WAITS and n < 500 and not STAGE.bound:
                n += 1
                advance(a)
        STAGE.quiet = len(STAGE.log) > last


def turn():
    """Returns the coroutine that has the event loop."""
    for a in STAGE.actors:
        if a.task and not a.done and a.at is not None and not (a.at in AWAITS) and a.at != WAITS and not waits(a):
            return a
    return None


def verdict():
    if PROPERTY == "P1":
        if STAGE.triggered and not STAGE.over:
            return "the request of key 7 is never concluded"
    elif PROPERTY == "P8":
        if STAGE.passed == PATH:
            return "the steps that the finding names happen in their order"
    elif PROPERTY == "P3" and VICTIMS:
        if STAGE.ended != "":
            return "an exception leaves " + STAGE.ended
    elif PROPERTY == "P3":
        if VICTIM in STAGE.failed:
            return "an exception leaves " + VICTIM
        for a in STAGE.actors:
            if a.died != "" and (VICTIM == "" or a.name.split(" #")[0] == VICTIM) and a.name != "client":
                return a.died + " ends " + a.name
    elif PROPERTY == "P4" or PROPERTY == "P6":
        return STAGE.broken
    else:
        now = present(WATCH)
        i = 0
        while i < len(now):
            if STAGE.triggered and now[i] and STAGE.gone[i] == (PROPERTY == "P2"):
                return WATCH()[i].name + " has an entry for 7 in the end"
            i += 1
    return ""


def stuck():
    """Tells which thread of changed code waits for itself, or goes on with a lock that it has taken."""
    if not CHANGED:
        return ""
    for lock in STAGE.locks:
        a = lock.owner
        if a is not None and (a.done or waits(a) or a.at in HOOKS):
            return a.name + " keeps " + lock.name
    return STAGE.stuck


def idle():
    """Tells why a run of changed code shows nothing, though the property holds in it."""
    if ENDS and STAGE.over:
        return ""
    if ENDS and (PROPERTY == "P1" or STAGE.most < MUST):
        return "the request of key 7 does not end either, without what the finding begins with"
    if STAGE.most < MUST:
        return "what the finding begins with does not happen, so that this run shows nothing"
    return ""


def settled():
    """Tells whether what is wrong has happened, so that nothing can mend it."""
    if PROPERTY == "P4" or PROPERTY == "P6" or PROPERTY == "P8" or PROPERTY == "P3" and VICTIMS:
        return verdict() != ""
    return False


def replay():
    """Runs the schedule and returns what is wrong in the end, or nothing."""
    STAGE.log = []
    STAGE.actors = []
    STAGE.quiet = False
    STAGE.now = None
    STAGE.ending = False
    STAGE.bound = False
    STAGE.triggered = False
    STAGE.over = False
    STAGE.broken = ""
    STAGE.held = HELD
    STAGE.released = False
    STAGE.steps = 0
    STAGE.done = 0
    STAGE.extra = 0
    STAGE.seed = 1
    STAGE.rounds = 0
    STAGE.flaw = ""
    STAGE.failed = []
    STAGE.called = []
    STAGE.passed = 0
    STAGE.looked = -1
    STAGE.most = 0
    STAGE.first = None
    STAGE.raiser = None
    STAGE.ended = ""
    STAGE.blamed = -1
    STAGE.late = []
    STAGE.locks = []
    STAGE.stuck = ""
    setup()
    STAGE.log = []
    STAGE.gone = []
    for box in WATCH():
        STAGE.gone.append(False)
    for a in ACTORS:
        STAGE.actors.append(Actor(a[0], a[1], a[2], a[3], a[4]))
    skipped = []
    i = 0
    while i < len(SCHEDULE) and not settled():
        if not follow(i):
            skipped.append(SCHEDULE[i][0] + ": " + SCHEDULE[i][1])
            STAGE.log.append("- " + SCHEDULE[i][0] + ": " + SCHEDULE[i][1])
        i += 1
    STAGE.skipped = skipped
    end()
    if STAGE.flaw != "":
        return STAGE.flaw
    if STAGE.bound:
        return "bound reached"
    wrong = verdict()
    if wrong == "":
        wrong = stuck()
    if wrong == "":
        wrong = idle()
    return wrong
