package witness

import (
	"bytes"
	"fmt"

	"github.com/kvrace/kvrace/parser/facts/flow"
)

// Search looks for a short schedule that violates the property of a problem.
// The same problem and bound give the same result.
//
// Most schedules that go wrong need few threads, so the search first lets only
// those run that the property names, then one and two more of the others, and
// all in the end. Each of these searches is guided: it expands the states first
// that are new, or near to what the property names. What is found is shortened
// breadth first. That a few threads can do nothing about a request says nothing
// about the rest of them: what is to hold for ever is confirmed with all.
func Search(p Problem, bound Bound) Result {
	return refining(p, func(p Problem) Result { return compile(p, bound).search() })
}

// search solves the model's problem.
func (m *model) search() Result {
	r := Result{Tracked: m.p.Track}
	if m.impossible() {
		r.Verdict = Excluded
		r.Assumptions = m.assumptions(&r)
		return r
	}
	m.shrink()
	left := allowance{m.bound.States, stepsPerState * m.bound.States}
	if m.searchAside(&r, &left) {
		return r
	}
	for _, part := range m.parts() {
		limit := min(left.states, m.bound.Part)
		if part == everybody {
			limit = left.states
		}
		if left.none() {
			r.Reason = fmt.Sprintf("the search ended after %d states", m.bound.States)
			break
		}
		s := m.try(&r, part, limit, &left)
		if r.Verdict == Found {
			break
		}
		if part == everybody {
			r.Reason = s.reason
			if s.full {
				r.Verdict = Excluded
			}
		}
	}
	r.Assumptions = m.assumptions(&r)
	return r
}

// searchAside searches with a few programs at a time, and reports whether that found
// something. What is to hold for ever is a question to all programs.
func (m *model) searchAside(r *Result, left *allowance) bool {
	if m.p.Property.eventual() {
		return false
	}
	for _, part := range m.courses() {
		few := m.aside(part)
		if few == nil || left.none() {
			continue
		}
		few.try(r, everybody, min(left.states, m.bound.Part), left)
		if r.Verdict == Found {
			r.Tracked = few.p.Track
			r.Assumptions = few.assumptions(r)
			return true
		}
	}
	return false
}

// An allowance is what a search with all its parts may still take.
type allowance struct{ states, steps int }

func (a allowance) none() bool { return a.states <= 0 || a.steps <= 0 }

// try searches with some of the threads, within a bound on the states, and
// completes the result if it finds something. A search of few states can take many
// steps for each, as long as all searches together keep to the average.
func (m *model) try(r *Result, part mask, limit int, left *allowance) *search {
	s := newSearch(m, part, limit)
	s.novel = newNovelty(m)
	s.effort = min(3*s.effort, left.steps)
	end := s.run()
	r.States += s.store.count
	left.states -= s.store.count
	left.steps -= s.stepper.ticks
	if end != noViolation {
		r.Verdict = Found
		short, last := s.shorten(end)
		short.explain(r, last)
	}
	return s
}

// manyThreads is the number of threads up to which the bound on states bounds the
// work as well: a state of twice as many is twice as large.
const manyThreads = 64

// shrink lowers the bounds for a model of very many threads.
func (m *model) shrink() {
	if n := len(m.threads); n > manyThreads {
		m.bound.States = m.bound.States * manyThreads / n
		m.bound.Part = m.bound.Part * manyThreads / n
	}
}

// shorten looks for a shortest schedule among those of the hooks and threads
// that take part in the one that was found.
func (s *search) shorten(end int32) (*search, int32) {
	b := newSearch(s.m, s.takePart(end), 2*s.store.count+s.m.bound.Part)
	if short := b.run(); short != noViolation && b.depth[short] <= s.depth[end] {
		return b, short
	}
	return s, end
}

// takePart returns the hooks and threads of the schedule that leads to a state.
func (s *search) takePart(end int32) mask {
	var part mask
	l := &s.m.layout
	for i := end; s.from[i] >= 0; i = s.from[i] {
		if t := s.by[i]; t > 0 {
			part.threads |= 1 << min(t, 63)
			continue
		}
		for _, st := range []state{s.store.at(i), s.store.at(s.from[i])} {
			if which := int(st[l.running]) - 1; which >= 0 && which < len(s.m.hooks) {
				part.hooks |= 1 << min(which, 63)
			}
		}
		part = part.with(s.called(s.from[i], i))
	}
	return part
}

// called returns the hook whose whole call is the step from one state to
// another.
func (s *search) called(from, to int32) mask {
	l := &s.m.layout
	if s.store.at(from)[l.running] != 0 || s.store.at(to)[l.running] != 0 {
		return mask{}
	}
	var part mask
	s.stepper.trace = true
	s.stepper.step(append(state(nil), s.store.at(from)...), 0, func(c config) {
		if s.m.history(c.st); part == (mask{}) && bytes.Equal(c.st, s.store.at(to)) {
			if pr := s.m.progOf[firstEntry(c.last)]; pr != nil && pr.hook >= 0 {
				part.hooks = 1 << min(pr.hook, 63)
			}
		}
	})
	s.stepper.trace = false
	return part
}

// search explores the states of a model: those first that the guide prefers or,
// to shorten a schedule, breadth first.
type search struct {
	m       *model
	store   *store
	stepper *stepper
	limit   int      // of states
	effort  int      // limit of the steps behind them
	from    []int32  // by state: the state before it, -1 for the first
	by      []uint16 // by state: the thread that made the step to it
	depth   []uint16
	edges   []edge // without those that need input, when the property needs them
	full    bool   // no bound was reached
	reason  string
	novel   *novelty // nil for a search that is not guided, but breadth first
	open    frontier // states that have not been expanded, the newest content first
	near    frontier // the same in a search that is guided, the nearest first
	turn    int
	closed  []bool // by state: it has been
}

func newSearch(m *model, part mask, limit int) *search {
	s := &search{m: m, limit: limit, effort: stepsPerState * limit, store: newStore(m.layout.size), stepper: newStepper(m)}
	s.stepper.mask = part
	return s
}

type edge struct{ from, to int32 }

// stepsPerState bounds the work behind the states that a search may reach.
const stepsPerState = 20

// noViolation stands for the last state of a schedule when there is none.
const noViolation = -1

// run returns the last state of a schedule that violates the property.
func (s *search) run() int32 {
	s.full = true
	for _, st := range s.m.starts() {
		s.visit(st, -1, 0)
	}
	return s.explore()
}

// impossible reports whether nothing can trigger the property: every trigger
// asks for an entry that no actor makes.
func (m *model) impossible() bool {
	if !m.p.Property.eventual() || len(m.p.Trigger) == 0 {
		return false
	}
	for _, k := range m.p.Trigger {
		slot, ok := m.slotOf[k.Entry.Graph.Nodes[k.Node].Loc]
		if !k.Present || !ok || m.filled(slot) {
			return false
		}
	}
	return true
}

// filled reports whether some step can put the key into a location.
func (m *model) filled(slot int) bool {
	for _, pr := range m.progs {
		for i := range pr.nodes {
			in := &pr.nodes[i]
			if in.slot != slot || in.never {
				continue
			}
			switch in.op {
			case flow.Put, flow.PutAll, flow.SetFlag:
				return true
			case flow.Rebind:
				if in.mode&flow.Initial == 0 {
					return true
				}
			case flow.Read:
				if in.mode&flow.Upsert != 0 {
					return true
				}
			}
		}
	}
	return false
}

// eventual reports whether the property speaks of what can still happen, so
// that all states must be known to decide it.
func (p Property) eventual() bool { return p == NoPin || p == NoRevival || p == NoRemains }

// visit records a state that a step of thread t led to.
func (s *search) visit(st state, from int32, t int) (int32, bool) {
	n, fresh := s.store.add(st)
	if fresh {
		d := uint16(0)
		if from >= 0 {
			d = s.depth[from] + 1
		}
		s.from, s.by, s.depth, s.closed = append(s.from, from), append(s.by, uint16(t)), append(s.depth, d), append(s.closed, false)
		far := 0
		if s.novel != nil {
			var before state
			if from >= 0 {
				before = s.store.at(from)
			}
			far = s.m.guide(st, s.stepper.mask)
			s.near.put(n, far)
			far += far/stages*2*stages + s.novel.of(st, before)*stages
		}
		s.open.put(n, far)
	}
	return n, fresh
}

// firstLook is the number of expanded states after which a property that
// speaks of what can still happen is judged for the first time.
const firstLook = 1000

// explore expands states, those first that the guide prefers, and returns the
// last one of a schedule that violates the property. What can still happen is
// judged each time the number of states has doubled, so that a short schedule
// does not wait for all states.
func (s *search) explore() int32 {
	look := firstLook
	for n := 0; ; n++ {
		if n == look && s.m.p.Property.eventual() {
			if end := s.stuck(); end != noViolation {
				return end
			}
			look *= 2
		}
		i := s.take()
		if i < 0 || s.bounded(i) {
			break
		}
		s.closed[i] = true
		if st := s.store.at(i); s.m.final(st) || !s.m.p.Property.eventual() && s.m.hopeless(st) {
			continue
		}
		if end := s.expand(i); end != noViolation {
			return end
		}
	}
	if s.stepper.wide && s.full {
		s.stop("one step has too many choices")
	}
	if s.m.p.Property.eventual() {
		return s.stuck()
	}
	return noViolation
}

// take returns the state to expand next, or -1. What is new and what is near
// take turns: either alone gets lost at times.
func (s *search) take() int32 {
	for {
		from := &s.open
		if s.turn++; s.novel != nil && s.turn%2 == 0 {
			from = &s.near
		}
		i := from.take()
		if i < 0 || !s.closed[i] {
			return i
		}
	}
}

// bounded reports whether a bound forbids to expand a state.
func (s *search) bounded(i int32) bool {
	switch b := s.m.bound; {
	case s.store.count >= s.limit:
		s.stop(fmt.Sprintf("the search ended after %d states", s.limit))
	case s.stepper.ticks >= s.effort:
		s.stop(fmt.Sprintf("the search ended after %d steps", s.effort))
	case int(s.depth[i]) >= b.Steps:
		s.stop(fmt.Sprintf("the search ended with schedules of %d steps", b.Steps))
	default:
		return false
	}
	return true
}

func (s *search) stop(reason string) {
	s.full = false
	s.reason = reason
}

// expand visits the successors of a state, those by the thread of the last
// step first: among schedules of one length, one with few switches is found.
func (s *search) expand(i int32) int32 {
	end := int32(noViolation)
	st := append(state(nil), s.store.at(i)...)
	first := int(s.by[i])
	for k := range s.m.threads {
		t := k
		switch {
		case k == 0:
			t = first
		case k <= first:
			t = k - 1
		}
		if !s.stepper.mask.thread(t) {
			continue
		}
		s.stepper.step(st, t, func(c config) {
			s.m.history(c.st)
			n, fresh := s.visit(c.st, i, t)
			if s.m.p.Property.eventual() && !c.input && n != i {
				s.edges = append(s.edges, edge{i, n})
			}
			if fresh && end == noViolation && c.st[s.m.layout.bits]&bitViolated != 0 {
				end = n
			}
		})
		if end != noViolation {
			return end
		}
	}
	return end
}

// history updates what a state remembers of watched locations.
func (m *model) history(st state) {
	if st[m.layout.bits]&bitTrigger == 0 {
		return
	}
	for i, s := range m.slots {
		if s.watched != 0 && code(st[i]) == absent {
			st[m.layout.gone] |= s.watched
		}
	}
}

// final reports whether nothing that follows a state matters.
func (m *model) final(st state) bool {
	return m.p.Property == NoPin && m.concluded(st)
}

// concluded reports whether the request is over.
func (m *model) concluded(st state) bool {
	if st[m.layout.bits]&bitTerm != 0 {
		return true
	}
	for _, c := range m.p.Concluded {
		if m.meets(st, c) {
			return true
		}
	}
	return false
}

// meets reports whether a condition holds in a state.
func (m *model) meets(st state, c Cond) bool {
	i, ok := m.slotOf[c.Loc]
	if !ok {
		return false
	}
	x := code(st[i])
	if m.slots[i].kind == queue {
		x = code(st[m.layout.queueOf[i]])
	}
	holdsNow := x != absent && len(c.Values) == 0
	for _, v := range c.Values {
		holdsNow = holdsNow || x != absent && m.consts.equal(x, m.consts.of(v)) == holds
	}
	return holdsNow != c.Not
}

// waiting reports whether somebody waits for the request.
func (m *model) waiting(st state) bool {
	for _, c := range m.p.Live {
		if !m.meets(st, c) {
			return false
		}
	}
	l := &m.layout
	return int(st[l.init]) == len(m.inits) && st[l.bits]&(bitTerm|bitCleared|bitBroken) == 0
}

// stuck returns the first state in which the request was triggered and from
// which nothing leads to the goal of the property without new input, or
// noViolation. A state that was not expanded may lead anywhere.
func (s *search) stuck() int32 {
	back := s.reverse()
	if s.m.p.Property == NoPin {
		over := s.m.concluded
		can := s.backward(back, func(i int32) bool { return over(s.store.at(i)) })
		return s.firstStuck(can, over, func(st state) bool { return s.m.waiting(st) && !over(st) })
	}
	best := int32(noViolation)
	for w, loc := range s.m.p.Watch {
		slot, ok := s.m.slotOf[loc]
		if !ok {
			continue
		}
		gone := func(st state) bool { return code(st[slot]) == absent }
		can := s.backward(back, func(i int32) bool { return gone(s.store.at(i)) })
		end := s.firstStuck(can, gone, func(st state) bool {
			came := st[s.m.layout.gone]&(1<<w) != 0
			return code(st[slot]) != absent && came == (s.m.p.Property == NoRevival)
		})
		if end != noViolation && (best == noViolation || end < best) {
			best = end
		}
	}
	return best
}

// maxDoubts is how many states are looked at more closely before a search with
// some of the threads gives up.
const maxDoubts = 12

// firstStuck returns the first state that is bad, and from which no thread at
// all can reach the goal.
func (s *search) firstStuck(can []bool, goal, bad func(state) bool) int32 {
	doubts := 0
	for i, ok := range can {
		st := s.store.at(int32(i))
		if ok || st[s.m.layout.bits]&bitTrigger == 0 || !bad(st) {
			continue
		}
		if s.stepper.mask == everybody || s.confirm(st, goal) {
			return int32(i)
		}
		if doubts++; doubts == maxDoubts {
			break
		}
	}
	return noViolation
}

// confirm reports whether no schedule of any threads leads from a state to the
// goal without new input.
func (s *search) confirm(st state, goal func(state) bool) bool {
	c := newSearch(s.m, everybody, s.limit)
	c.visit(st, -1, 0)
	for i := c.open.take(); i >= 0; i = c.open.take() {
		if c.store.count >= c.limit || c.stepper.ticks >= stepsPerState*c.limit || goal(c.store.at(i)) {
			return false
		}
		at := append(state(nil), c.store.at(i)...)
		for t := range s.m.threads {
			c.stepper.step(at, t, func(to config) {
				if !to.input {
					s.m.history(to.st)
					c.visit(to.st, i, t)
				}
			})
		}
	}
	return !c.stepper.wide
}

// reverse returns the edges by target: those to state i are at
// [start[i], start[i+1]) of sources.
func (s *search) reverse() (back reversed) {
	back.start = make([]int32, s.store.count+1)
	for _, e := range s.edges {
		back.start[e.to+1]++
	}
	for i := range s.store.count {
		back.start[i+1] += back.start[i]
	}
	fill := append([]int32(nil), back.start...)
	back.sources = make([]int32, len(s.edges))
	for _, e := range s.edges {
		back.sources[fill[e.to]] = e.from
		fill[e.to]++
	}
	return back
}

type reversed struct{ start, sources []int32 }

// backward returns the states from which a goal can be reached.
func (s *search) backward(back reversed, goal func(i int32) bool) []bool {
	can := make([]bool, s.store.count)
	var work []int32
	for i := range can {
		if !s.closed[i] || goal(int32(i)) {
			can[i] = true
			work = append(work, int32(i))
		}
	}
	for len(work) > 0 {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		for _, j := range back.sources[back.start[i]:back.start[i+1]] {
			if !can[j] {
				can[j] = true
				work = append(work, j)
			}
		}
	}
	return can
}
