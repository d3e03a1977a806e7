package flow

import "sync"

// reach remembers where walks lead that take every known edge, without regard
// to how branches depend on each other: rules ask for the same ones again and
// again.
type reach struct {
	mu   sync.Mutex
	rows map[reachKey][]uint64 // sets of steps

	asking   sync.Mutex
	arriving map[reachKey]bool // memo of Arrives, by the step and the head
}

// reachKey is where walks begin, and the head of the loop at which they end.
type reachKey struct{ from, head int32 }

// Leads reports whether a walk leads from one step to another, over [KnownEdges]
// and without regard to how branches depend on each other. It ends where it
// gets to the exit or to a head, -1 for none, unless it begins there.
func (g *Graph) Leads(from, to, head int32) bool {
	r := &g.reach
	k := reachKey{from, head}
	r.mu.Lock()
	row := r.rows[k]
	r.mu.Unlock()
	if row == nil {
		row = g.reaching(from, head)
		r.mu.Lock()
		if r.rows == nil {
			r.rows = map[reachKey][]uint64{}
		}
		r.rows[k] = row
		r.mu.Unlock()
	}
	return has(row, to)
}

// reaching returns the steps to which [Graph.Leads] applies.
func (g *Graph) reaching(from, head int32) []uint64 {
	row := make([]uint64, len(g.Nodes)/64+1)
	t := trails.Get().(*trail)
	defer trails.Put(t)
	t.begin(len(g.Nodes))
	t.step(from, -1)
	for i := 0; i < len(t.work); i++ {
		at := t.work[i]
		add(row, at)
		if i > 0 && (at == ExitNode || at == head) {
			continue
		}
		n := &g.Nodes[at]
		for _, e := range n.Succ {
			if t.seen[e.To] != t.search && KnownEdges(n, e) {
				t.step(e.To, at)
			}
		}
	}
	return row
}

// Steps is a set of steps.
type Steps []uint64

// Has reports whether a step is in the set.
func (s Steps) Has(id int32) bool { return s != nil && has(s, id) }

// ReachedBy returns the steps to which walks from the start lead over the edges that
// are allowed, without regard to how branches depend on each other. There are none once
// there is no work left to spend.
func (g *Graph) ReachedBy(allowed func(*Node, Edge) bool) Steps {
	if g.exhausted() {
		return nil
	}
	row := make(Steps, len(g.Nodes)/64+1)
	t := trails.Get().(*trail)
	defer trails.Put(t)
	t.begin(len(g.Nodes))
	t.step(StartNode, -1)
	for i := 0; i < len(t.work); i++ {
		at := t.work[i]
		add(row, at)
		n := &g.Nodes[at]
		for _, e := range n.Succ {
			if t.seen[e.To] != t.search && allowed(n, e) {
				t.step(e.To, at)
			}
		}
	}
	g.spend(len(t.work))
	return row
}

// Arrives reports whether a walk leads to a step from the head of a loop, in one
// turn of it, or from the start if the head is -1. Branches agree with each other.
func (g *Graph) Arrives(to, head int32) bool {
	r := &g.reach
	k := reachKey{to, head}
	r.asking.Lock() // one search for each question, so that its work counts once
	defer r.asking.Unlock()
	arrives, known := r.arriving[k]
	if known {
		return arrives
	}
	s := Search{
		Stop: func(id int32) bool { return id == ExitNode || id == head },
		Goal: func(id int32, _ *Node, _ Facts) bool { return id == to },
	}
	if head >= 0 {
		s.From, s.After = []int32{head}, true
	}
	s.Blind = true // the quick answer, when there is none at all
	arrives = g.Find(s) != nil
	if arrives {
		s.Blind, s.To = false, []int32{to}
		arrives = g.Find(s) != nil
	}
	if r.arriving == nil {
		r.arriving = map[reachKey]bool{}
	}
	r.arriving[k] = arrives
	return arrives
}

// forget drops the answers that rest on searches.
func (r *reach) forget() { r.arriving = nil }
