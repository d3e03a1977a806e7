// Package seeds makes faulty programs to try the analysis and its patches on: right
// ones into which a change puts a fault, and small connectors that are written in
// one of many ways. What it makes depends on the seed alone.
package seeds

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Connector returns a small connector: a manager that keeps what it knows of each
// request in containers, a thread that hears from the peers, one that works off a
// queue, and hooks. Its names, its style, and which of its parts are wrong are
// chosen at random.
func Connector(rng *rand.Rand) []byte {
	g := &generator{rng: rng, unit: pick(rng, "    ", "    ", "  ", "\t")}
	g.name()
	g.module()
	text := strings.ReplaceAll(g.b.String(), "\x00", g.unit)
	if rng.IntN(8) == 0 {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	if rng.IntN(12) == 0 {
		text = "\ufeff" + text
	}
	return []byte(text)
}

type generator struct {
	rng  *rand.Rand
	b    strings.Builder
	unit string // of indentation

	class, key, peers, status, extra, lock, jobs   string
	waiting, done, failed                          string // statuses, as they are used
	enum, locked, nested, flagged, counted, walrus bool
}

func pick(rng *rand.Rand, list ...string) string { return list[rng.IntN(len(list))] }

func (g *generator) chance(n int) bool { return g.rng.IntN(n) == 0 }

func (g *generator) name() {
	r := g.rng
	g.class = pick(r, "Depot", "Relay", "Hub", "Yard", "Mailer", "Switchboard")
	g.key = pick(r, "rid", "ticket", "room", "uid", "slot_id")
	g.peers = pick(r, "peers", "targets", "addresses", "_infos", "routes")
	g.status = pick(r, "status", "phase_of", "marks", "_states", "progress")
	g.extra = pick(r, "sizes", "started", "_notes", "tries")
	g.lock = pick(r, "lock", "_mutex", "guard")
	g.jobs = pick(r, "jobs", "_inbox", "work")
	g.enum, g.locked, g.nested = g.chance(2), g.chance(2), g.chance(3)
	g.flagged, g.counted, g.walrus = g.chance(3), g.chance(3), g.chance(3)
	if g.enum {
		c := pick(r, "Phase", "State", "Step")
		g.waiting, g.done, g.failed = c+".WAITING", c+".DONE", c+".FAILED"
		return
	}
	g.waiting, g.done, g.failed = `"waiting"`, `"done"`, `"failed"`
}

// line writes one line at a depth; in the text, $ stands for the key, P, S, X and J
// after a @ for containers.
func (g *generator) line(depth int, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	text = strings.NewReplacer("$", g.key, "@P", "self."+g.peers, "@S", "self."+g.status, "@X", "self."+g.extra, "@J", "self."+g.jobs, "@L", "self."+g.lock).Replace(text)
	g.b.WriteString(strings.Repeat("\x00", depth) + text + "\n")
}

func (g *generator) module() {
	g.line(0, "import queue")
	g.line(0, "import threading")
	g.line(0, "import time")
	if g.enum {
		class, _, _ := strings.Cut(g.waiting, ".")
		g.line(0, "from enum import IntEnum")
		g.line(0, "")
		g.line(0, "")
		g.line(0, "class %s(IntEnum):", class)
		for i, s := range []string{g.failed, g.waiting, g.done} {
			_, member, _ := strings.Cut(s, ".")
			g.line(1, "%s = %d", member, i)
		}
	}
	g.line(0, "")
	g.line(0, "")
	g.line(0, "class %s:", g.class)
	g.constructor()
	g.register()
	g.listener()
	g.worker()
	g.poll()
	g.clear()
	g.sweep()
	g.handle()
}

func (g *generator) constructor() {
	g.line(1, "def __init__(self, wire):")
	g.line(2, "self.wire = wire")
	ann := ""
	if g.chance(3) {
		ann = ": dict"
	}
	for _, d := range []string{"@P", "@S", "@X"} {
		g.line(2, "%s%s = {}", d, ann)
	}
	g.line(2, "@J = queue.Queue()")
	if g.locked {
		g.line(2, "@L = threading.%s()", pick(g.rng, "Lock", "RLock"))
	}
	if g.counted {
		g.line(2, "self.underway = 0")
	}
	if g.nested {
		g.line(2, "self._start()")
	} else {
		g.line(2, "threading.Thread(target=self._listen, daemon=True).start()")
	}
	switch g.rng.IntN(3) {
	case 0:
		g.line(2, "threading.Thread(target=lambda: self._work()).start()")
	case 1:
		g.line(2, "self._worker = threading.Thread(target=self._work)")
		g.line(2, "self._worker.start()")
	default:
		g.line(2, "for _ in range(2):")
		g.line(3, "threading.Thread(target=self._work).start()")
	}
}

// under runs a body under the lock, if there is one, or forgets it.
func (g *generator) under(depth int, body func(depth int)) {
	if g.locked && !g.chance(5) {
		g.line(depth, "with @L:")
		body(depth + 1)
		return
	}
	body(depth)
}

func (g *generator) register() {
	g.line(0, "")
	g.line(1, "def send(self, $, size):")
	g.under(2, func(d int) {
		lines := []string{"@S[$] = " + g.waiting, "@X[$] = size"}
		if g.chance(2) {
			lines[0], lines[1] = lines[1], lines[0]
		}
		for _, l := range lines {
			g.line(d, "%s", l)
		}
	})
	if g.counted {
		g.line(2, "self.underway += 1")
	}
	g.line(2, "@J.put($)")
}

func (g *generator) listener() {
	g.line(0, "")
	d := 2
	if g.nested {
		g.line(1, "def _start(self):")
		g.line(2, "def listen():")
		d = 3
	} else {
		g.line(1, "def _listen(self):")
	}
	g.line(d, "while True:")
	g.line(d+1, "kind, $, address = self.wire.recv()")
	if g.chance(2) {
		g.line(d+1, `if kind == "hello":`)
		g.hello(d + 2)
		g.line(d+1, `elif kind == "abort":`)
		g.aborted(d + 2)
	} else {
		g.line(d+1, "match kind:")
		g.line(d+2, `case "hello":`)
		g.hello(d + 3)
		g.line(d+2, `case "abort":`)
		g.aborted(d + 3)
		g.line(d+2, "case _:")
		g.line(d+3, "pass")
	}
	if g.nested {
		g.line(0, "")
		g.line(2, "threading.Thread(target=listen).start()")
	}
}

func (g *generator) hello(depth int) {
	g.under(depth, func(d int) {
		switch g.rng.IntN(3) {
		case 0:
			g.line(d, "@P[$] = address")
		case 1:
			g.line(d, "if $ in @S:")
			g.line(d+1, "@P[$] = address")
		default:
			g.line(d, "@P.setdefault($, address)")
		}
	})
}

// aborted removes what is known of the peer and concludes the request, one or the
// other behind a guard.
func (g *generator) aborted(depth int) {
	g.under(depth, func(d int) {
		conclude := func(d int) { g.line(d, "@S[$] = %s", g.failed) }
		switch g.rng.IntN(5) {
		case 0:
			g.line(d, "if $ in @S:")
			conclude(d + 1)
			g.remove(d)
		case 1:
			g.line(d, "if $ in @S:")
			conclude(d + 1)
			g.remove(d + 1)
		case 2:
			g.remove(d)
			if g.walrus {
				g.line(d, "if (was := @S.get($)) is not None:")
			} else {
				g.line(d, "was = @S.get($)")
				g.line(d, "if was is not None:")
			}
			conclude(d + 1)
		case 3:
			g.remove(d)
			g.line(d, "try:")
			g.line(d+1, "was = @S[$]")
			g.line(d, "except KeyError:")
			g.line(d+1, "continue")
			conclude(d)
		default:
			conclude(d)
			g.remove(d)
		}
	})
}

// remove takes the entry of the peer away, in one of many spellings.
func (g *generator) remove(depth int) {
	switch g.rng.IntN(5) {
	case 0:
		g.line(depth, "@P.pop($, None)")
	case 1:
		g.line(depth, "if $ in @P:")
		g.line(depth+1, "del @P[$]")
	case 2:
		g.line(depth, "try:")
		g.line(depth+1, "del @P[$]")
		g.line(depth, "except KeyError:")
		g.line(depth+1, "pass")
	case 3:
		g.line(depth, "if $ in @P:")
		g.line(depth+1, "@P.pop($)")
	default:
		g.line(depth, "self._forget($)")
	}
}

func (g *generator) worker() {
	g.line(0, "")
	g.line(1, "def _work(self):")
	g.line(2, "while True:")
	g.line(3, "$ = @J.get()")
	miss := func(d int) {
		switch g.rng.IntN(3) {
		case 0:
			g.line(d, "continue")
		case 1:
			g.line(d, "@S[$] = %s", g.failed)
			g.line(d, "continue")
		default:
			g.line(d, "@J.put($)")
			g.line(d, "continue")
		}
	}
	switch {
	case g.chance(4):
		g.line(3, "address = @P[$]")
	case g.walrus:
		g.line(3, "if (address := @P.get($)) is None:")
		miss(4)
	default:
		g.line(3, "if $ not in @P:")
		miss(4)
		g.line(3, "address = @P[$]")
	}
	switch g.rng.IntN(3) {
	case 0:
		g.line(3, "self.wire.push(address, @X[$])")
	case 1:
		g.line(3, "try:")
		g.line(4, "self.wire.push(address, @X.get($, 0))")
		g.line(3, "except OSError:")
		if g.chance(2) {
			g.line(4, "continue")
		} else {
			g.line(4, "@S[$] = %s", g.failed)
			g.line(4, "continue")
		}
	default:
		g.line(3, "if self.wire.push(address, 1) != 0:")
		g.line(4, "%s", pick(g.rng, "continue", "@S[$] = "+g.failed))
		if g.chance(3) {
			g.line(4, "continue")
		}
	}
	g.under(3, func(d int) {
		switch g.rng.IntN(3) {
		case 0:
			g.line(d, "@S[$] = %s", g.done)
		case 1:
			g.line(d, "if @S.get($) != %s:", g.failed)
			g.line(d+1, "@S[$] = %s", g.done)
		default:
			g.line(d, "if $ in @S:")
			g.line(d+1, "@S[$] = %s", g.done)
		}
	})
	if g.counted {
		g.line(3, "self.underway -= 1")
	}
}

func (g *generator) poll() {
	g.line(0, "")
	g.line(1, "def poll(self, $):")
	switch g.rng.IntN(4) {
	case 0:
		g.line(2, "return @S.get($, %s)", g.waiting)
	case 1:
		g.line(2, "return @S[$]")
	case 2:
		g.line(2, "if $ not in @S:")
		g.line(3, "return %s", pick(g.rng, g.failed, g.waiting))
		g.line(2, "return @S[$]")
	default:
		g.under(2, func(d int) { g.line(d, "return @S.get($, %s)", g.failed) })
	}
}

func (g *generator) clear() {
	g.line(0, "")
	g.line(1, "def clear(self, $):")
	g.under(2, func(d int) {
		members := []string{"@S", "@P", "@X"}
		g.rng.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
		for i, m := range members {
			switch {
			case i > 0 && g.chance(5):
			case g.chance(4):
				g.line(d, "if $ in %s:", m)
				g.line(d+1, "del %s[$]", m)
			default:
				g.line(d, "%s.pop($, None)", m)
			}
		}
	})
	g.line(0, "")
	g.line(1, "def _forget(self, $):")
	g.line(2, "%s", pick(g.rng, "@P.pop($, None)", "@P.pop($, None)", "del @P[$]"))
}

// sweep gives up what takes too long, in a hook.
func (g *generator) sweep() {
	if g.chance(3) {
		return
	}
	over := pick(g.rng, "list(@S)", "@S", "list(@S.items())", "@S.items()", "sorted(@S)")
	loop := "for $ in " + over + ":"
	if strings.Contains(over, "items") {
		loop = "for $, _ in " + over + ":"
	}
	g.line(0, "")
	g.line(1, "def step(self, deadline):")
	g.line(2, "%s", loop)
	g.line(3, "if time.monotonic() > deadline:")
	g.under(4, func(d int) {
		g.line(d, "%s", pick(g.rng, "@S[$] = "+g.failed, "@S.pop($, None)", "@P.pop($, None)"))
	})
}

// handle is what the scheduler has of one request.
func (g *generator) handle() {
	if !g.flagged {
		return
	}
	g.line(0, "")
	g.line(0, "")
	g.line(0, "class Sender:")
	g.line(1, "def __init__(self, owner: %s, $):", g.class)
	g.line(2, "self.owner = owner")
	g.line(2, "self.$ = $")
	g.line(2, "self.outcome = None")
	g.line(0, "")
	g.line(1, "def abort(self):")
	g.line(2, "self.outcome = %s", g.failed)
	if g.chance(2) {
		g.line(2, "self.owner.%s.pop(self.$, None)", g.peers)
	}
	g.line(0, "")
	g.line(1, "def poll(self):")
	if g.chance(3) {
		g.line(2, "if self.outcome is not None:")
		g.line(3, "return self.outcome")
	}
	g.line(2, "return self.owner.poll(self.$)")
}
