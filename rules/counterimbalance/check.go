package counterimbalance

import (
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/status"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/rule"
)

// check looks at one entrypoint that counts down.
type check struct {
	st      *status.Facts
	counter counter
	entry   *flow.Entry
	g       *flow.Graph
}

func (c *check) findings() []rule.Finding {
	for _, d := range c.counter.down {
		if d.Entry != c.entry {
			continue
		}
		if up, path := c.skippedItem(d); path != nil {
			return []rule.Finding{c.finding(d, *up, path)}
		}
		if up, path := c.leftUp(d); path != nil {
			return []rule.Finding{c.finding(d, *up, path)}
		}
	}
	return nil
}

// skippedItem returns a walk on which a worker takes an item from a queue and
// comes back for the next one without counting down, and the step that counts up
// for each item of this queue.
func (c *check) skippedItem(d component.Access) (*component.Access, *flow.Path) {
	for i := range c.g.Nodes {
		take := &c.g.Nodes[i]
		if take.Op != flow.Dequeue || take.Loc == nil || !from(d.Key, take.Res) {
			continue
		}
		up := c.producer(take.Loc)
		if up == nil {
			continue
		}
		it := evidence.IterationAround(c.g, int32(i), take.Res)
		path := c.find(flow.Search{
			From: []int32{int32(i)}, After: true, Stop: it.Ends,
			Track: []*flow.Value{take.Res},
			Goal: func(id int32, n *flow.Node, _ flow.Facts) bool {
				return id != flow.ExitNode && it.Ends(id)
			},
			Avoid: func(_ int32, n *flow.Node) bool { return c.balances(n) || n.Op == flow.Enqueue },
			Edge: func(n *flow.Node, e flow.Edge) bool {
				return !(n == take && e.Kind == flow.Exc) && !empty(n, e, take.Res) && c.mayCount(n, e)
			},
		})
		if path != nil {
			return up, path
		}
	}
	return nil, nil
}

// find returns a walk, one without exceptions of unknown code if there is one.
func (c *check) find(s flow.Search) *flow.Path {
	allowed := s.Edge
	s.Edge = func(n *flow.Node, e flow.Edge) bool { return flow.KnownEdges(n, e) && allowed(n, e) }
	if p := c.g.Find(s); p != nil {
		return p
	}
	s.Edge = allowed
	return c.g.Find(s)
}

// from reports whether a value is what a step yields, or a part of it.
func from(v, res *flow.Value) bool {
	for ; v != nil; v = v.Base {
		if v.Same(res) {
			return true
		}
		if v.Kind == flow.Derived && len(v.Args) > 0 {
			for _, a := range v.Args {
				if from(a, res) {
					return true
				}
			}
			return false
		}
	}
	return false
}

// producer returns a step that counts up in an entrypoint that puts items into a
// queue, on the way to it or from it.
func (c *check) producer(queue *flow.Location) *component.Access {
	for i := range c.counter.ups {
		a := &c.counter.ups[i]
		for j := range a.Entry.Graph.Nodes {
			n := &a.Entry.Graph.Nodes[j]
			if n.Op == flow.Enqueue && n.Loc == queue && a.Entry != c.entry {
				return a
			}
		}
	}
	return nil
}

// empty reports whether an edge is taken only when there is no item: the queue
// has yielded the mark of its end.
func empty(n *flow.Node, e flow.Edge, item *flow.Value) bool {
	if n.Op != flow.Branch || !n.Val.Same(item) {
		return false
	}
	return n.Test == flow.TestNone && e.Kind == flow.True || n.Test == flow.TestTruth && e.Kind == flow.False ||
		n.Test == flow.TestEq && e.Kind == flow.True
}

// balances reports whether a step restores the counter, or gives it up.
func (c *check) balances(n *flow.Node) bool {
	if n.Loc != c.counter.loc {
		return false
	}
	switch n.Op {
	case flow.Del, flow.Clear, flow.Rebind, flow.DelAll:
		return true
	}
	return step(n) == down
}

// mayCount reports whether an edge can be taken while the counter has the key.
func (c *check) mayCount(n *flow.Node, e flow.Edge) bool {
	g, ok := evidence.GuardOf(c.g, n, e)
	return !ok || g.Holds || g.Read.Loc != c.counter.loc
}

// leftUp returns a walk on which one call counts up and ends without counting
// down, when nobody else counts down.
func (c *check) leftUp(d component.Access) (*component.Access, *flow.Path) {
	if c.putsBack() {
		return nil, nil // an item is counted over several turns
	}
	for _, other := range c.counter.down {
		if other.Entry != c.entry && !sameFunction(other.Entry, c.entry) {
			return nil, nil
		}
	}
	for i := range c.counter.ups {
		a := &c.counter.ups[i]
		if a.Entry != c.entry || !a.Key.Same(d.Key) {
			continue
		}
		it := evidence.IterationAround(c.g, a.ID, component.RootKey(a.Node))
		reaches := func(id int32, _ *flow.Node, _ flow.Facts) bool { return id == d.ID }
		if c.g.Find(flow.Search{From: []int32{a.ID}, After: true, Stop: it.Ends, Goal: reaches}) == nil {
			continue
		}
		path := c.find(flow.Search{
			From: []int32{a.ID}, After: true, Stop: it.Ends, Edge: func(n *flow.Node, e flow.Edge) bool { return c.mayCount(n, e) },
			Goal: func(id int32, _ *flow.Node, _ flow.Facts) bool {
				return it.Ends(id) || id == flow.FailNode && !c.entry.Forever
			},
			Avoid: func(_ int32, n *flow.Node) bool { return c.balances(n) || n.Op == flow.Enqueue },
		})
		if path != nil {
			return a, path
		}
	}
	return nil, nil
}

// putsBack reports whether the entrypoint puts items into the queue that it takes
// them from.
func (c *check) putsBack() bool {
	for i := range c.g.Nodes {
		for j := range c.g.Nodes {
			if c.g.Nodes[i].Op == flow.Enqueue && c.g.Nodes[j].Op == flow.Dequeue && c.g.Nodes[i].Loc == c.g.Nodes[j].Loc {
				return true
			}
		}
	}
	return false
}

func sameFunction(a, b *flow.Entry) bool { return a.Func == b.Func }

// parting returns the position in a walk from where the counter is not restored
// any more: the first step after which no step that counts down can be reached, or
// the exception after it that leads away.
func (c *check) parting(path *flow.Path) int {
	last := path.Nodes[len(path.Nodes)-1]
	at := len(path.Edges) - 1
	for i := range path.Edges {
		next := path.Nodes[i+1]
		back := c.g.Find(flow.Search{
			From: []int32{next}, Blind: true, Edge: flow.AllEdges,
			Goal: func(_ int32, n *flow.Node, _ flow.Facts) bool { return c.balances(n) },
			Stop: func(id int32) bool { return id == last },
		})
		if back == nil || next == last {
			at = i
			break
		}
	}
	for i := range path.Edges {
		if path.Edges[i].Kind == flow.Exc {
			return i
		}
	}
	return at
}
