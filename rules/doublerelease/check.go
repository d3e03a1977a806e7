package doublerelease

import (
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/parser/facts/status"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/rule"
)

// check looks at one entrypoint.
type check struct {
	st       *status.Facts
	index    *program.Program
	entry    *flow.Entry
	g        *flow.Graph
	reported map[any]bool
	out      []rule.Finding
}

// entries finds an entry that is removed strictly although the entrypoint has
// removed it before: the second removal fails.
func (c *check) entries() {
	for i := range c.g.Nodes {
		second := &c.g.Nodes[i]
		if second.Op != flow.Del || second.Mode&flow.Strict == 0 || second.Key == nil || c.reported[second.Src] || !unordered(second.Loc) {
			continue
		}
		if c.everyTurn(int32(i)) {
			c.reported[second.Src] = true
			c.report(shapeEntry, second, second, nil)
			continue
		}
		for j := range c.g.Nodes {
			first := &c.g.Nodes[j]
			if i == j || first.Op != flow.Del || first.Loc != second.Loc || first.Key == nil || !samePath(first, second) || first.Src == second.Src {
				continue
			}
			if c.again(int32(j), int32(i)) || c.againInLoop(int32(j), int32(i)) {
				c.reported[second.Src] = true
				c.report(shapeEntry, first, second, nil)
				break
			}
		}
	}
}

// unordered reports whether a container has at most one entry for a key.
func unordered(l *flow.Location) bool {
	return l.Keyed() && l.Type.Kind != program.List && l.Type.Kind != program.Deque
}

func samePath(a, b *flow.Node) bool {
	if len(a.Path) != len(b.Path) {
		return false
	}
	for i := range a.Path {
		if !a.Path[i].Same(b.Path[i]) {
			return false
		}
	}
	return true
}

// again reports whether an iteration removes one key at both steps, and nothing
// between them inserts it or finds that it is there.
func (c *check) again(first, second int32) bool {
	a, b := &c.g.Nodes[first], &c.g.Nodes[second]
	if !a.Key.Same(b.Key) {
		return false
	}
	it := evidence.IterationAround(c.g, first, component.RootKey(a))
	s := flow.Search{
		From: []int32{first}, After: true, Stop: it.Ends, Blind: true,
		Goal:  func(id int32, _ *flow.Node, _ flow.Facts) bool { return id == second },
		Avoid: func(id int32, n *flow.Node) bool { return c.restores(n, a) },
		Edge:  func(n *flow.Node, e flow.Edge) bool { return flow.KnownEdges(n, e) && c.stillGone(n, e, a) },
	}
	if c.g.Find(s) == nil {
		return false // the quick answer
	}
	s.Blind, s.To = false, []int32{second}
	return c.g.Find(s) != nil
}

// restores reports whether a step can bring the entry back that another one has
// removed.
func (c *check) restores(n, removed *flow.Node) bool {
	if n.Loc == nil || n.Loc.Root() != removed.Loc.Root() {
		return false
	}
	switch n.Op {
	case flow.Put, flow.PutAll, flow.Rebind:
		return true
	}
	return n.Op == flow.Read && n.Mode&flow.Upsert != 0
}

// stillGone reports whether an edge can be taken while the entry is gone: it is
// not the side of a test on which the key is there, nor that on which the first
// removal has found nothing.
func (c *check) stillGone(n *flow.Node, e flow.Edge, removed *flow.Node) bool {
	g, ok := evidence.GuardOf(c.g, n, e)
	if !ok || g.Read.Loc != removed.Loc {
		return true
	}
	if g.Read == removed {
		return g.Holds
	}
	return !g.Holds || g.Branch.Op == flow.Del
}

// everyTurn reports whether a removal stands in a loop within the one that takes
// its key, and can be come to again in the next turn of the inner loop.
func (c *check) everyTurn(id int32) bool {
	n := &c.g.Nodes[id]
	outer := c.loopOf(id, n.Key)
	if outer < 0 || len(n.Path) > 0 {
		return false
	}
	inner := false
	for _, h := range c.g.LoopsAround(id) {
		inner = inner || h != outer && slices.Contains(c.g.LoopsAround(h), outer)
	}
	if !inner {
		return false
	}
	return c.g.Find(flow.Search{
		From: []int32{id}, After: true, Stop: func(at int32) bool { return at == outer },
		Goal:  func(at int32, _ *flow.Node, _ flow.Facts) bool { return at == id },
		Avoid: func(_ int32, x *flow.Node) bool { return c.restores(x, n) },
		Edge:  func(x *flow.Node, e flow.Edge) bool { return flow.KnownEdges(x, e) && c.stillGone(x, e, n) },
	}) != nil
}

// againInLoop reports whether two loops over one collection remove its elements, the
// first of them each one.
func (c *check) againInLoop(first, second int32) bool {
	a, b := &c.g.Nodes[first], &c.g.Nodes[second]
	if a.Key.Kind != flow.Element || b.Key.Kind != flow.Element || a.Key.Same(b.Key) || a.Key.Base == nil || !a.Key.Base.Same(b.Key.Base) {
		return false
	}
	if a.Key.Base.Kind == flow.Container {
		return false // whose content changes between the loops
	}
	head := c.loopOf(first, a.Key)
	if head < 0 {
		return false
	}
	skips := c.g.Find(flow.Search{
		From: []int32{head}, After: true,
		Goal:  func(id int32, _ *flow.Node, _ flow.Facts) bool { return id == head },
		Avoid: func(id int32, _ *flow.Node) bool { return id == first },
		Edge: func(n *flow.Node, e flow.Edge) bool {
			return flow.KnownEdges(n, e) && (n != &c.g.Nodes[head] || e.Kind == flow.True)
		},
	})
	if skips != nil {
		return false
	}
	return c.g.Find(flow.Search{
		From: []int32{head}, After: true, Blind: true,
		Goal:  func(id int32, _ *flow.Node, _ flow.Facts) bool { return id == second },
		Avoid: func(id int32, n *flow.Node) bool { return c.restores(n, a) },
		Edge: func(n *flow.Node, e flow.Edge) bool {
			return flow.KnownEdges(n, e) && (n != &c.g.Nodes[head] || e.Kind == flow.False) && guardOpen(c.g, n, e, b)
		},
	}) != nil
}

// guardOpen reports whether an edge is not one on which the key of a removal was
// found to be there.
func guardOpen(g *flow.Graph, n *flow.Node, e flow.Edge, removal *flow.Node) bool {
	gd, ok := evidence.GuardOf(g, n, e)
	return !ok || !gd.Holds || gd.Read.Loc != removal.Loc || gd.Read == removal || !gd.Read.Key.Same(removal.Key)
}

// loopOf returns the head of the loop around a step that takes a key, or -1.
func (c *check) loopOf(id int32, key *flow.Value) int32 {
	loops := c.g.LoopsAround(id)
	for _, h := range slices.Backward(loops) {
		if v := c.g.Nodes[h].Val; v != nil && evidence.ComesFrom(key, v) {
			return h
		}
	}
	return -1
}

// calls finds a resource that one walk gives back twice.
func (c *check) calls() {
	releases := evidence.Releases(c.g)
	for _, second := range releases {
		for _, first := range releases {
			if first.ID == second.ID || first.Node.Src == second.Node.Src || c.reported[second.Node.Src] || !first.Gives(second) || !c.owned(first.Item) {
				continue
			}
			if c.releasedTwice(first, second) {
				one, two := first.Asked(), second.Asked()
				if one.Src == two.Src {
					one, two = first.Node, second.Node // by one helper
				}
				c.reported[second.Node.Src] = true
				if !c.reported[two.Src] || two == second.Node {
					c.reported[two.Src] = true
					c.report(shapeCall, one, two, nil)
				}
			}
		}
	}
}

// owned reports whether a value is one resource for as long as the entrypoint
// runs: not an attribute that is set again, as a release does that can be repeated.
func (c *check) owned(v *flow.Value) bool {
	switch v.Kind {
	case flow.Attribute:
		return c.index.Stores(v.Name) <= 1 && v.Base.Kind != flow.Module && c.owned(v.Base)
	case flow.Param:
		return v.Name != "self"
	case flow.Result, flow.Element, flow.Object:
		return true
	case flow.Opaque:
		return v.Name != "" && v.Type.Kind != program.External
	case flow.Derived:
		for _, a := range v.Args {
			if a.Kind != flow.Const && !c.owned(a) {
				return false
			}
		}
		return len(v.Args) > 0
	}
	return false
}

// advances reports whether a step tells the item of a release to change, so that it
// may stand for another resource from then on: a statement that calls a method of
// it, as cursor.advance().
func advances(n *flow.Node, r evidence.Release) bool {
	if n.Op != flow.Call || n.Recv == nil || !n.Recv.Same(r.Item) || r.Item.Same(r.Node.Recv) {
		return false
	}
	st, ok := n.Stmt.(*ast.ExprStmt)
	return ok && st.Value == n.Src
}

// releasedTwice reports whether a walk within one iteration passes both releases
// and no call that takes the resource again.
func (c *check) releasedTwice(first, second evidence.Release) bool {
	it := evidence.IterationAround(c.g, first.ID, first.Item)
	takes := 0
	for i := range c.g.Nodes {
		if c.takes(&c.g.Nodes[i], first) {
			takes++
		}
	}
	if takes > 1 {
		return false // counted
	}
	loops := c.g.LoopsAround(first.ID)
	inner := func(id int32) bool {
		for _, h := range loops {
			if h == id {
				return true
			}
		}
		return it.Ends(id)
	}
	return c.g.Find(flow.Search{
		From: []int32{first.ID}, After: true, Stop: inner,
		Goal:  func(id int32, _ *flow.Node, _ flow.Facts) bool { return id == second.ID },
		Avoid: func(_ int32, n *flow.Node) bool { return c.takes(n, first) || advances(n, first) },
		Edge: func(n *flow.Node, e flow.Edge) bool {
			return (n != first.Node || e.Kind != flow.Exc) && !c.asks(n, first.Item)
		},
	}) != nil
}

// asks reports whether a branch asks about the item of a release, as whether it
// has been given back: for an attribute of it, or through a call that gets it.
func (c *check) asks(n *flow.Node, item *flow.Value) bool {
	if n.Op != flow.Branch || n.Val == nil {
		return false
	}
	if mentions(n.Val, item) {
		return true
	}
	at := c.g.Producer(n.Val)
	return at >= 0 && (mentions(c.g.Nodes[at].Val, item) || mentions(c.g.Nodes[at].Obj, item))
}

// mentions reports whether a value is computed from another one.
func mentions(v, item *flow.Value) bool {
	if v == nil {
		return false
	}
	if v.Same(item) || v.Kind != flow.Result && mentions(v.Base, item) {
		return true
	}
	for _, a := range v.Args {
		if mentions(a, item) {
			return true
		}
	}
	return false
}

// takes reports whether a step takes what a release gives back.
func (c *check) takes(n *flow.Node, r evidence.Release) bool {
	if n.Op != flow.Call || !r.TakenBy(n.Name) {
		return false
	}
	return evidence.FirstArg(n).Same(r.Item) || n.Recv != nil && n.Recv.Same(r.Item)
}

// owners finds a resource that is given back although its item is put into a
// list that another entrypoint works off, giving it back as well.
func (c *check) owners() {
	for _, r := range evidence.Releases(c.g) {
		asked := r.Asked()
		if c.reported[asked.Src] || !c.owned(r.Item) {
			continue
		}
		for i := range c.g.Nodes {
			put := &c.g.Nodes[i]
			if put.Op != flow.Put || put.Val == nil || !put.Val.Same(r.Item) || !listed(put.Loc) {
				continue
			}
			it := evidence.IterationAround(c.g, r.ID, r.Item)
			if c.renewed(r.ID, int32(i), r.Item) && !c.leadsTo(int32(i), r.ID, it) || it.ThroughAny([]int32{int32(i), r.ID}, nil, nil) == nil {
				continue
			}
			if other := c.workedOff(put.Loc, r); other != nil {
				c.reported[asked.Src] = true
				c.report(shapeOwner, put, asked, other)
				break
			}
		}
	}
}

// renewed reports whether an item is changed by a method of its own between its
// release and the step that puts it into a list: it begins anew there.
func (c *check) renewed(release, put int32, item *flow.Value) bool {
	return c.g.Find(flow.Search{
		From: []int32{release}, After: true, Blind: true, Edge: flow.AllEdges,
		Goal:  func(id int32, _ *flow.Node, _ flow.Facts) bool { return id == put },
		Avoid: func(_ int32, n *flow.Node) bool { return n.Op == flow.Call && n.Recv != nil && n.Recv.Same(item) },
	}) == nil
}

// leadsTo reports whether a walk within an iteration leads from one step to another.
func (c *check) leadsTo(from, to int32, it evidence.Iteration) bool {
	return c.g.Find(flow.Search{
		From: []int32{from}, After: true, Blind: true, Edge: flow.AllEdges, Stop: it.Ends,
		Goal: func(id int32, _ *flow.Node, _ flow.Facts) bool { return id == to },
	}) != nil
}

func listed(l *flow.Location) bool {
	return l.Type.Kind == program.List || l.Type.Kind == program.Deque
}

// workedOff returns another release, of the elements of a list.
func (c *check) workedOff(l *flow.Location, r evidence.Release) *component.Access {
	for _, e := range c.st.Comp.Entries {
		for _, s := range evidence.Releases(e.Graph) {
			if e == c.entry && s.Node.Src == r.Node.Src && s.Asked().Src == r.Asked().Src {
				continue
			}
			if s.Node.Name == r.Node.Name && s.Item.Kind == flow.Element && s.Item.Loc == l {
				return &component.Access{Entry: e, ID: s.ID, Node: s.Asked()}
			}
		}
	}
	return nil
}
