package witness

import (
	"slices"

	"github.com/kvrace/kvrace/parser/facts/flow"
)

// stepper computes the scheduling steps of a model: one visible step of a
// thread, and all that only this thread can notice after it.
type stepper struct {
	m     *model
	buf   state
	work  []config
	free  []state
	seen  map[string]bool // places within loops, of the current step
	key   []byte          // of the config that is looked up
	wide  bool            // a step had more ways than are followed
	round *config         // where the thread came round to a place without meeting others
	trace bool            // whether configs keep how they came about
	// breadth says that of two ways to a place the shorter one counts, not the first.
	breadth bool
	mask    mask
	ticks   int // steps executed
}

// config is a state in the middle of a scheduling step.
type config struct {
	st state
	// began reports that the thread has done something; met, that it has done
	// something that other threads can notice.
	began, met bool
	input      bool
	last       *link
}

// link is a list of events with the state after each, the last one first.
type link struct {
	ev    Event
	after state
	prev  *link
}

func newStepper(m *model) *stepper {
	return &stepper{m: m, buf: make(state, m.layout.size), seen: map[string]bool{}}
}

// copyOf returns a copy of a state in a buffer of the stepper.
func (s *stepper) copyOf(st state) state {
	if n := len(s.free); n > 0 {
		c := s.free[n-1]
		s.free = s.free[:n-1]
		copy(c, st)
		return c
	}
	return append(state(nil), st...)
}

// maxWays bounds the places that one scheduling step passes, over all its ways.
const maxWays = 4000

// step hands every state that one scheduling step of thread t leads to to
// emit, which must not keep the state.
func (s *stepper) step(st state, t int, emit func(config)) {
	m := s.m
	clear(s.seen)
	at := m.layout.threads[t]
	switch {
	case t == 0 && st[at+thStatus] == idle:
		for _, which := range m.calls(st) {
			if i := int(which) - 1; i < len(m.hooks) && !s.mask.hook(i) {
				continue
			}
			c := config{st: s.copyOf(st), input: m.isInput(st, which)}
			m.begin(c.st, which)
			s.work = append(s.work, c)
		}
	case st[at+thStatus] == running && m.constructed(st, m.threads[t].after):
		s.work = append(s.work, config{st: s.copyOf(st)})
	}
	emitted := false
	count := func(c config) {
		emitted = true
		emit(c)
	}
	s.round = nil
	for n := 0; len(s.work) > 0; n++ {
		if n == maxWays {
			s.wide = true
			s.work = s.work[:0]
			break
		}
		var c config
		if s.breadth {
			c, s.work = s.work[0], s.work[1:]
		} else {
			c, s.work = s.work[len(s.work)-1], s.work[:len(s.work)-1]
		}
		from := len(s.work)
		s.advance(c, t, count)
		if s.breadth { // of ways of one length, the same as otherwise
			slices.Reverse(s.work[from:])
		}
		s.free = append(s.free, c.st)
	}
	if s.round != nil {
		if !emitted {
			s.settle(*s.round, t, emit)
		}
		s.free = append(s.free, s.round.st)
	}
}

// constructed reports whether the first n constructors have returned.
func (m *model) constructed(st state, n int) bool {
	l := &m.layout
	called := int(st[l.init])
	if st[l.bits]&bitBroken != 0 {
		return called > n
	}
	return called > n || called == n && int(st[l.running]) <= len(m.hooks)
}

// advance executes one step of a config, or emits it.
func (s *stepper) advance(c config, t int, emit func(config)) {
	m := s.m
	s.ticks++
	if c.st[m.layout.threads[t]+thStatus] != running {
		s.passTurn(c.st, t)
		emit(c)
		return
	}
	pr := m.progAt(c.st, t)
	if s.soften(c, t, pr, emit) {
		return
	}
	pc := m.pc(c.st, t)
	in := &pr.nodes[pc]
	if in.merge {
		m.forget(c.st, t, pr, pc)
	}
	if c.began && in.merge && s.again(c) {
		if s.round == nil {
			round := c
			round.st = s.copyOf(c.st)
			s.round = &round
		}
		return
	}
	point := m.isPoint(c.st, t, in) && !s.alone(c.st, in)
	rest := in.rest == messages || in.op == flow.Await && in.visible
	if point && (c.met || c.began && rest) {
		s.settle(c, t, emit)
		return
	}
	if (point || !c.began) && !m.enabled(c.st, t, in) {
		if c.began {
			s.settle(c, t, emit) // it waits here
		}
		return
	}
	next := config{began: true, met: c.met || point && !rest && in.op != flow.Acquire, input: c.input || in.rest == messages}
	if in.op == flow.Release && in.lock >= 0 {
		next.met = true // what was done under the lock can be noticed from here on
	}
	if m.onLoop(t) {
		c.st[m.layout.loop] = byte(t + 1)
	}
	m.exec(c.st, t, s.buf, func(st state, to int32) {
		n := next
		n.st = s.copyOf(st)
		n.input = n.input || in.handed && slices.Contains(in.yes, to)
		if s.trace {
			n.last = &link{ev: Event{Thread: t, Entry: pr.entry, Node: pc, To: to, Key: m.tookKey(st, t, pr, in)}, after: append(state(nil), st...), prev: c.last}
		}
		s.work = append(s.work, n)
	})
}

// soften passes over soft steps, and hands the config on once for each step
// that it can end at. It reports false when the config is at none.
func (s *stepper) soften(c config, t int, pr *prog, emit func(config)) bool {
	m := s.m
	pc := m.pc(c.st, t)
	in := &pr.nodes[pc]
	if !in.soft {
		return false
	}
	for _, to := range in.ends {
		n := c
		n.st = s.copyOf(c.st)
		if to < 0 {
			s.settle(n, t, emit)
			continue
		}
		pr.unbind(n.st, m.layout.threads[t]+thCells, pc, to)
		m.setPC(n.st, t, to)
		m.arrive(n.st, t, pr, to)
		if s.trace {
			n.last = s.softEvents(c, t, pr, to, n.st)
		}
		s.work = append(s.work, n)
	}
	return true
}

// softEvents returns the events of a walk over soft steps.
func (s *stepper) softEvents(c config, t int, pr *prog, end int32, st state) *link {
	last := c.last
	walk := pr.softWalk(s.m.pc(c.st, t), end, s.m.bound.Faults)
	for i := range len(walk) - 1 {
		in := &pr.nodes[walk[i]]
		ev := Event{Thread: t, Entry: pr.entry, Node: walk[i], To: walk[i+1], Skipped: in.skip}
		after := append(state(nil), st...)
		s.m.setPC(after, t, walk[i+1])
		last = &link{ev: ev, after: after, prev: last}
	}
	return last
}

// tookKey tells what Event.Key is, given the state after the event.
func (m *model) tookKey(st state, t int, pr *prog, in *inst) bool {
	switch in.op {
	case flow.LoopHead, flow.Next:
		return in.head >= 0 && st[m.layout.threads[t]+thCells+pr.regs+in.head]&bindMask == bindKey
	case flow.Rebind, flow.PutAll, flow.DelAll:
		return in.slot >= 0 && code(st[in.slot]) != absent
	}
	return false
}

// again reports whether the config was reached before in this step, and
// remembers it.
func (s *stepper) again(c config) bool {
	s.key = append(s.key[:0], c.st...)
	if c.met {
		s.key = append(s.key, '!')
	}
	if c.input {
		s.key = append(s.key, '?')
	}
	if s.seen[string(s.key)] {
		return true
	}
	s.seen[string(s.key)] = true
	return false
}

// settle emits a config after forgetting what its thread will not read again.
func (s *stepper) settle(c config, t int, emit func(config)) {
	m := s.m
	pr, pc := m.progAt(c.st, t), m.pc(c.st, t)
	m.forget(c.st, t, pr, pc)
	for _, r := range pr.fades {
		c.st[m.layout.threads[t]+thCells+r] = 0
	}
	switch in := &pr.nodes[pc]; {
	case in.op == flow.Await, in.op == flow.Dequeue, in.op == flow.Acquire, in.rest == messages:
		s.passTurn(c.st, t)
	}
	emit(c)
}

// forget clears what a thread will not read again.
func (m *model) forget(st state, t int, pr *prog, pc int32) {
	at := m.layout.threads[t] + thCells
	live := pr.live[pc]
	for i := range pr.cells() {
		if !live.has(i) {
			st[at+i] = 0
		}
	}
}

// passTurn lets other coroutines of the event loop run.
func (s *stepper) passTurn(st state, t int) {
	if s.m.onLoop(t) {
		st[s.m.layout.loop] = 0
	}
}

func (m *model) onLoop(t int) bool { return m.threads[t].onLoop }

// isPoint reports whether the step is a scheduling point.
func (m *model) isPoint(st state, t int, in *inst) bool {
	switch {
	case !in.visible:
		return false
	case in.op == flow.Acquire:
		return !m.onLoop(t) || !m.canAcquire(st, t, in.lock)
	case in.slot >= 0 && in.rest == noRest:
		return !m.slots[in.slot].atomic || in.from >= 0 && !m.slots[in.from].atomic
	}
	return true
}

// alone reports whether a step is on a location while a constructor runs, and nothing
// that other threads of the search could do meanwhile.
func (s *stepper) alone(st state, in *inst) bool {
	m := s.m
	if int(st[m.layout.running]) <= len(m.hooks) || in.slot < 0 || m.slots[in.slot].kind == queue {
		return false
	}
	for t := 1; t < len(m.threads); t++ {
		if s.mask.thread(t) && st[m.layout.threads[t]+thStatus] == running && m.constructed(st, m.threads[t].after) {
			return false
		}
	}
	return true
}

// enabled reports whether the step can be executed now.
func (m *model) enabled(st state, t int, in *inst) bool {
	if turn := st[m.layout.loop]; m.onLoop(t) && turn != 0 && turn != byte(t+1) {
		return false
	}
	switch {
	case len(in.over) > 0 && !m.allFinished(st, in.over):
		return false
	case in.op == flow.Acquire && in.lock >= 0:
		return m.canAcquire(st, t, in.lock)
	case in.op == flow.Dequeue && in.slot >= 0:
		return st[m.layout.queueOf[in.slot]] > 0 || in.mode&flow.Timeout != 0
	case in.op == flow.Enqueue && in.slot >= 0:
		return st[m.layout.queueOf[in.slot]] < queueCap
	case in.op == flow.Join && in.target != nil:
		return m.finished(st, in.target)
	}
	return true
}

// allFinished reports whether none of some jobs and tasks runs.
func (m *model) allFinished(st state, over []handedOut) bool {
	for _, a := range over {
		for t, th := range m.threads {
			at := m.layout.threads[t]
			if th.prog != nil && th.prog.entry == a.entry && st[at+thStatus] == running && (st[at+thSite] == 0 || slices.Contains(a.sites, st[at+thSite])) {
				return false
			}
		}
	}
	return true
}

// finished reports whether no instance of an entrypoint runs.
func (m *model) finished(st state, e *flow.Entry) bool {
	for t, th := range m.threads {
		if th.prog != nil && th.prog.entry == e && st[m.layout.threads[t]+thStatus] == running {
			return false
		}
	}
	return true
}
