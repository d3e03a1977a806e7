package flow

import "sync"

// A pair of steps of a graph.
type pair struct{ from, to int32 }

// lingers is the memo of Lingers.
type lingers struct {
	mu sync.Mutex
	of map[pair]bool
}

// Lingers reports whether a walk from one step to the next visit of another does
// something that takes time: it waits, or calls what is outside the program.
func (g *Graph) Lingers(from, to int32) bool {
	m := &g.lingers
	m.mu.Lock() // one search for each question, so that its work counts once
	defer m.mu.Unlock()
	yes, known := m.of[pair{from, to}]
	if known {
		return yes
	}
	if m.of == nil {
		m.of = map[pair]bool{}
	}
	type lingers pair
	yes = Ask(g, lingers{from, to}, func() bool { return g.lingering(from, to) })
	m.of[pair{from, to}] = yes
	return yes
}

// forget drops the answers, which rest on searches.
func (m *lingers) forget() { m.of = nil }

func (g *Graph) lingering(from, to int32) bool {
	s := Search{
		From: []int32{from}, After: true, Blind: true,
		Avoid: func(id int32, _ *Node) bool { return id == from },
		Stop:  func(id int32) bool { return id == to },
	}
	var busy []int32
	found := false
	s.Goal = func(id int32, n *Node, _ Facts) bool {
		if id == to {
			found = found || n.lingers()
		} else if n.lingers() {
			busy = append(busy, id)
		}
		return found
	}
	if g.Find(s) != nil || len(busy) == 0 {
		return found
	}
	s.From = busy
	s.Goal = func(id int32, _ *Node, _ Facts) bool { return id == to }
	return g.Find(s) != nil
}

// lingers reports whether a step takes time.
func (n *Node) lingers() bool {
	switch n.Op {
	case Await, Wait, Sleep, Call, Dequeue, Join:
		return true
	}
	return false
}
