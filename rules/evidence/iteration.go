// Package evidence is what rules share: walks through the handling of one
// request, guards, rivals, what siblings do, and the words for all of these.
package evidence

import (
	"github.com/kvrace/kvrace/parser/facts/flow"
)

// An Iteration is the part of an entrypoint that handles one request: one turn
// of the loop that yields the key, or the whole function.
type Iteration struct {
	g    *flow.Graph
	head int32 // -1 for a whole function
}

// IterationAround returns the iteration that handles a key at a step: that of
// the loop that takes the key, or of the endless loop around the step.
func IterationAround(g *flow.Graph, id int32, key *flow.Value) Iteration {
	around := g.LoopsAround(id)
	it := Iteration{g: g, head: -1}
	for _, h := range around {
		n := &g.Nodes[h]
		taken := n.Val != nil && ComesFrom(key, n.Val)
		if taken || n.Mode&flow.Forever != 0 {
			it.head = h
		}
		if taken {
			break
		}
	}
	return it
}

// ComesFrom reports whether a value is what a loop takes, or computed from it.
func ComesFrom(v, taken *flow.Value) bool {
	if v == nil {
		return false
	}
	if v.Same(taken) {
		return true
	}
	if taken.Kind == flow.Derived { // a tuple that is taken apart
		for _, part := range taken.Args {
			if ComesFrom(v, part) {
				return true
			}
		}
		return false
	}
	if v.Kind != flow.Result && ComesFrom(v.Base, taken) {
		return true
	}
	for _, a := range v.Args {
		if ComesFrom(a, taken) {
			return true
		}
	}
	return false
}

// Ends reports whether the iteration is over at a step: the next turn of its loop, or of
// one around that, is about something else.
func (it Iteration) Ends(id int32) bool {
	return id == flow.ExitNode || id == it.head || it.head >= 0 && it.g.Around(id, it.head)
}

// ends returns the steps at which the iteration is over.
func (it Iteration) ends() []int32 {
	if it.head >= 0 {
		return append(it.g.LoopsAround(it.head), flow.ExitNode) // its own among them
	}
	return []int32{flow.ExitNode}
}

// Start returns the step after which the iteration begins.
func (it Iteration) Start() []int32 {
	if it.head >= 0 {
		return []int32{it.head}
	}
	return []int32{flow.StartNode}
}

// search returns a search for walks within the iteration.
func (it Iteration) search() flow.Search {
	s := flow.Search{Stop: it.Ends}
	if it.head >= 0 {
		s.From, s.After = []int32{it.head}, true
	}
	return s
}

// Through returns a walk of the whole iteration, alone with the containers, that passes some steps, avoids
// others and takes only the edges that are allowed, or nil. A step it must pass
// is not avoided.
func (it Iteration) Through(ids []int32, avoid func(*flow.Node) bool, allowed func(*flow.Node, flow.Edge) bool) *flow.Path {
	return it.through(ids, avoid, func(n *flow.Node, e flow.Edge) bool {
		return flow.KnownEdges(n, e) && (allowed == nil || allowed(n, e))
	})
}

// PassesWithout reports whether a walk of the whole iteration passes one step and avoids
// another.
func (it Iteration) PassesWithout(step, other int32) bool {
	type passing struct{ head, step, other int32 }
	return flow.Ask(it.g, passing{it.head, step, other}, func() bool {
		return it.Through([]int32{step}, func(n *flow.Node) bool { return n == &it.g.Nodes[other] }, nil) != nil
	})
}

// ThroughAny is Through with the exceptions that unknown code may raise.
func (it Iteration) ThroughAny(ids []int32, avoid func(*flow.Node) bool, allowed func(*flow.Node, flow.Edge) bool) *flow.Path {
	return it.through(ids, avoid, func(n *flow.Node, e flow.Edge) bool { return allowed == nil || allowed(n, e) })
}

func (it Iteration) through(ids []int32, avoid func(*flow.Node) bool, edge func(*flow.Node, flow.Edge) bool) *flow.Path {
	if !it.connected(ids, avoid, edge) {
		return nil
	}
	marks := make(map[int32]string, len(ids))
	for i, id := range ids {
		marks[id] = "through " + string(rune('a'+i))
	}
	s := it.search()
	s.Alone = true
	s.Mark = func(id int32, _ *flow.Node) string { return marks[id] }
	s.Avoid = func(id int32, n *flow.Node) bool {
		return avoid != nil && marks[id] == "" && !it.Ends(id) && avoid(n)
	}
	s.Goal = func(id int32, _ *flow.Node, f flow.Facts) bool {
		if !it.Ends(id) {
			return false
		}
		for _, m := range marks {
			if !f.Passed(m) {
				return false
			}
		}
		return true
	}
	s.Edge, s.To = edge, it.ends()
	return it.g.Find(s)
}

// connected reports whether the iteration can get to each of some steps, and from
// there to its end, without regard to correlated branches: the quick answer.
func (it Iteration) connected(ids []int32, avoid func(*flow.Node) bool, edge func(*flow.Node, flow.Edge) bool) bool {
	must := func(id int32) bool {
		for _, x := range ids {
			if x == id {
				return true
			}
		}
		return false
	}
	skip := func(id int32, n *flow.Node) bool {
		return avoid != nil && !must(id) && !it.Ends(id) && avoid(n)
	}
	for _, target := range ids {
		s := it.search()
		s.Blind, s.Edge, s.Avoid = true, edge, skip
		s.Goal = func(id int32, _ *flow.Node, _ flow.Facts) bool { return id == target }
		if it.g.Find(s) == nil {
			return false
		}
		s = flow.Search{From: []int32{target}, After: true, Stop: it.Ends, Blind: true, Edge: edge, Avoid: skip}
		s.Goal = func(id int32, _ *flow.Node, _ flow.Facts) bool { return it.Ends(id) }
		if it.g.Find(s) == nil {
			return false
		}
	}
	return true
}

// From returns a walk from a step to a goal within the iteration, or nil. There
// is none from where the iteration is over.
func (it Iteration) From(id int32, goal func(id int32, n *flow.Node, f flow.Facts) bool) *flow.Path {
	if it.Ends(id) {
		return nil
	}
	return it.g.Find(flow.Search{From: []int32{id}, Goal: goal, Stop: it.Ends})
}

// Reaches reports whether the iteration can get from one step to another.
func (it Iteration) Reaches(from, to int32) bool {
	if it.Ends(from) {
		return false
	}
	if !it.g.Leads(from, to, it.head) {
		return false // the quick answer
	}
	type reaching struct{ head, from, to int32 }
	return flow.Ask(it.g, reaching{it.head, from, to}, func() bool {
		return it.g.Find(flow.Search{
			From: []int32{from}, Stop: it.Ends, To: []int32{to},
			Goal: func(id int32, _ *flow.Node, _ flow.Facts) bool { return id == to },
		}) != nil
	})
}

// Unguarded returns a walk to a step, within its iteration, that passes no guard
// which decides that the step is protected, or nil. Any call may fail on the way.
func (it Iteration) Unguarded(to int32, protects func(Guard) bool) *flow.Path {
	s := it.search()
	s.Goal = func(id int32, _ *flow.Node, _ flow.Facts) bool { return id == to }
	proved := provedBy(it.g, protects)
	s.Edge = func(n *flow.Node, e flow.Edge) bool { return !proved[wayOf(n, e)] }
	s.Blind = true // the quick answer, when there is none at all
	if it.g.Find(s) == nil {
		return nil
	}
	s.Blind, s.To = false, []int32{to}
	return it.g.Find(s)
}

// Without reports whether the iteration can get to a step without another one.
func (it Iteration) Without(step, to int32) bool {
	type arriving struct{ head, step, to int32 }
	return flow.Ask(it.g, arriving{it.head, step, to}, func() bool {
		s := it.search()
		s.Blind, s.Edge = true, flow.AllEdges
		s.Avoid = func(id int32, _ *flow.Node) bool { return id == step }
		s.Goal = func(id int32, _ *flow.Node, _ flow.Facts) bool { return id == to }
		return it.g.Find(s) != nil
	})
}

// Head returns the head of the loop that the iteration is a turn of, or -1.
func (it Iteration) Head() int32 { return it.head }

// A way is a step and the edge by which it is left.
type way struct {
	n    *flow.Node
	to   int32
	kind flow.EdgeKind
}

func wayOf(n *flow.Node, e flow.Edge) way { return way{n, e.To, e.Kind} }

// provedBy returns the ways out of guards on the side that a test accepts.
func provedBy(g *flow.Graph, accepts func(Guard) bool) map[way]bool {
	out := map[way]bool{}
	for _, p := range g.Guards() {
		n := &g.Nodes[p.ID]
		if n.Op == flow.Del {
			continue
		}
		if accepts(Guard{Branch: n, Read: &g.Nodes[p.Read], ID: p.Read, Holds: p.Holds, Certain: p.Certain}) {
			out[wayOf(n, p.Edge)] = true
		}
	}
	return out
}

// Arrives reports whether a walk from the start of the iteration gets to a step
// without one of those to avoid, over the edges that are allowed.
func (it Iteration) Arrives(id int32, avoid func(*flow.Node) bool, allowed func(*flow.Node, flow.Edge) bool) bool {
	s := it.search()
	s.To = []int32{id}
	s.Goal = func(at int32, _ *flow.Node, _ flow.Facts) bool { return at == id }
	s.Avoid = func(at int32, n *flow.Node) bool { return at != id && avoid(n) }
	s.Edge = allowed
	return it.g.Find(s) != nil
}

// After reports whether a walk within the iteration leads from one step to
// another without a third.
func (it Iteration) After(from, to, without int32) bool {
	return it.g.Find(flow.Search{
		From: []int32{from}, After: true, Stop: it.Ends, Blind: true,
		Goal:  func(id int32, _ *flow.Node, _ flow.Facts) bool { return id == to },
		Avoid: func(id int32, _ *flow.Node) bool { return id == without && id != to },
	}) != nil
}
