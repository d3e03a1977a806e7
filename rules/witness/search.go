package witness

import (
	"fmt"

	"github.com/kvrace/kvrace/parser/facts/flow"
)

// Search looks for a shortest schedule that violates the property of a
// problem. The same problem and bound give the same result.
func Search(p Problem, bound Bound) Result {
	m := compile(p, bound)
	s := &search{m: m, store: newStore(m.layout.size), stepper: newStepper(m)}
	return s.run()
}

// search explores the states of a model breadth first.
type search struct {
	m       *model
	store   *store
	stepper *stepper
	from    []int32 // by state: the state before it, -1 for the first
	by      []uint8 // by state: the thread that made the step to it
	depth   []uint16
	edges   []edge // without those that need input, when the property needs them
	full    bool   // no bound was reached
	reason  string
	next    int // the first state that has not been expanded
}

type edge struct{ from, to int32 }

// noViolation stands for the last state of a schedule when there is none.
const noViolation = -1

func (s *search) run() Result {
	s.full = true
	if s.m.impossible() {
		return Result{Verdict: Excluded, Tracked: s.m.p.Track, Assumptions: s.m.assumptions(&Result{})}
	}
	s.visit(s.m.start(), -1, 0)
	end := s.explore()
	r := Result{States: s.store.count, Reason: s.reason, Tracked: s.m.p.Track}
	switch {
	case end != noViolation:
		r.Verdict = Found
		r.Reason = ""
		s.explain(&r, end)
	case s.full:
		r.Verdict = Excluded
	}
	r.Assumptions = s.m.assumptions(&r)
	return r
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
		s.from, s.by, s.depth = append(s.from, from), append(s.by, uint8(t)), append(s.depth, d)
	}
	return n, fresh
}

// firstLook is the number of expanded states after which a property that
// speaks of what can still happen is judged for the first time.
const firstLook = 1000

// explore expands states in the order in which they were found and returns the
// last one of a schedule that violates the property. What can still happen is
// judged each time the number of states has doubled, so that a short schedule
// does not wait for all states.
func (s *search) explore() int32 {
	look := firstLook
	for ; s.next < s.store.count && !s.bounded(); s.next++ {
		if s.next == look && s.m.p.Property.eventual() {
			if end := s.stuck(); end != noViolation {
				return end
			}
			look *= 2
		}
		i := int32(s.next)
		if s.m.final(s.store.at(i)) {
			continue
		}
		if end := s.expand(i); end != noViolation {
			return end
		}
	}
	if s.m.p.Property.eventual() {
		return s.stuck()
	}
	return noViolation
}

// bounded reports whether a bound forbids to expand the next state.
func (s *search) bounded() bool {
	switch b := s.m.bound; {
	case s.stepper.wide:
		s.stop("the choices within one step")
	case s.store.count >= b.States:
		s.stop(fmt.Sprintf("%d states", b.States))
	case int(s.depth[s.next]) >= b.Steps:
		s.stop(fmt.Sprintf("schedules of %d steps", b.Steps))
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
	return int(st[l.init]) == len(m.inits) && st[l.bits]&(bitTerm|bitCleared) == 0
}

// stuck returns the first state in which the request was triggered and from
// which nothing leads to the goal of the property without new input, or
// noViolation. A state that was not expanded may lead anywhere.
func (s *search) stuck() int32 {
	back := s.reverse()
	if s.m.p.Property == NoPin {
		can := s.backward(back, func(i int32) bool { return s.m.concluded(s.store.at(i)) })
		return s.firstStuck(can, func(st state) bool { return s.m.waiting(st) && !s.m.concluded(st) })
	}
	best := int32(noViolation)
	for w, loc := range s.m.p.Watch {
		slot, ok := s.m.slotOf[loc]
		if !ok {
			continue
		}
		can := s.backward(back, func(i int32) bool { return code(s.store.at(i)[slot]) == absent })
		end := s.firstStuck(can, func(st state) bool {
			came := st[s.m.layout.gone]&(1<<w) != 0
			return code(st[slot]) != absent && came == (s.m.p.Property == NoRevival)
		})
		if end != noViolation && (best == noViolation || end < best) {
			best = end
		}
	}
	return best
}

func (s *search) firstStuck(can []bool, bad func(state) bool) int32 {
	for i, ok := range can {
		st := s.store.at(int32(i))
		if !ok && st[s.m.layout.bits]&bitTrigger != 0 && bad(st) {
			return int32(i)
		}
	}
	return noViolation
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
		if i >= s.next || goal(int32(i)) {
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
