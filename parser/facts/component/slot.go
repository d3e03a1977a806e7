package component

import (
	"slices"

	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
)

// Some containers have slots: their keys are numbers within bounds, and what takes an
// entry out puts a new one in its place at once.
//
//	if slot < 0 or slot >= self.size: raise ValueError(slot)
//	if slot in self.pages:
//	    self.pages.pop(slot).close()
//	self.pages[slot] = page
//
// Whoever fills a slot has been given it, and nobody else uses it meanwhile, or one
// would get the page of the other without any exception. So it is where the work at
// hand lists its slots. A number that comes alone, such as the rank of who sends a
// message, can come twice.

// refilled reports whether a rival only fills a slot anew that a step is given.
func (c *Component) refilled(to, r Access) bool {
	return r.Op == flow.Del && to.Loc == r.Loc && listed(to.Entry.Graph, to.Key) && listed(r.Entry.Graph, r.Key) && c.hasSlots(r.Loc)
}

// listed reports whether a key is one of several that somebody has listed, and not taken
// from a container of the component.
func listed(g *flow.Graph, key *flow.Value) bool {
	switch {
	case key == nil:
		return false
	case key.Kind == flow.Element:
		return key.Loc == nil && given(key.Base)
	case key.Kind == flow.Derived && key.Name == "item" && len(key.Args) == 2:
		return key.Args[1].Kind != flow.Const
	}
	at := g.Producer(key)
	if at < 0 {
		return false
	}
	n := &g.Nodes[at]
	return n.Op == flow.Read && n.Loc.Type.Kind == program.List && n.Key != nil && n.Key.Kind != flow.Const
}

// given reports whether a list is not made up on the spot, as range() does: it comes with
// the work at hand.
func given(v *flow.Value) bool {
	for v != nil && (v.Kind == flow.Attribute || v.Kind == flow.Element || v.Kind == flow.Derived && v.Name == "item") {
		if v.Kind == flow.Derived {
			v = v.Args[0]
		} else {
			v = v.Base
		}
	}
	return v != nil && v.Kind == flow.Param
}

// hasSlots reports whether a dictionary has slots.
func (c *Component) hasSlots(l *flow.Location) bool {
	if l == nil || l.Type.Kind != program.Dict || l.Outer != nil {
		return false
	}
	type having struct{ l *flow.Location }
	filled := false
	for _, e := range c.Entries {
		uses := flow.Once(e.Graph, having{l}, func() slotUse { return usesOfSlots(e.Graph, l) })
		if uses == otherUse {
			return false
		}
		filled = filled || uses == fills
	}
	return filled
}

// slotUse is what an entrypoint does with the entries of a container.
type slotUse uint8

const (
	noUse slotUse = iota
	fills
	otherUse // it takes entries away, or their keys need be no numbers of slots
)

func usesOfSlots(g *flow.Graph, l *flow.Location) slotUse {
	out := noUse
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Loc != l {
			continue
		}
		switch n.Op {
		case flow.Put:
			if !bounded(g, int32(i)) {
				return otherUse
			}
			out = fills
		case flow.Del:
			if n.Mode&flow.AnyKey != 0 || !refills(g, int32(i)) {
				return otherUse
			}
		case flow.Rebind:
			if n.Mode&flow.Initial == 0 {
				return otherUse
			}
		case flow.PutAll, flow.DelAll, flow.Clear:
			return otherUse
		}
	}
	return out
}

// bounded reports whether every walk to a step has found its key to be at least zero,
// and less than something.
func bounded(g *flow.Graph, id int32) bool {
	key := g.Nodes[id].Key
	var above, below []side
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Op != flow.Branch || n.Test != flow.TestLess {
			continue
		}
		for _, e := range n.Succ {
			yes := e.Kind == flow.True
			switch {
			case key.Same(n.Val) && !yes && n.Want.HasInt && n.Want.Int >= 0, key.Same(n.Want) && yes && n.Val.HasInt && n.Val.Int >= -1:
				above = append(above, side{n, e})
			case key.Same(n.Val) && yes, key.Same(n.Want) && !yes:
				below = append(below, side{n, e})
			}
		}
	}
	return len(above) > 0 && len(below) > 0 && passes(g, id, above) && passes(g, id, below)
}

// refills reports whether a removal is followed at once by an insertion of something
// else under the same key, whatever happens but for exceptions.
func refills(g *flow.Graph, del int32) bool {
	d := &g.Nodes[del]
	fresh := func(_ int32, n *flow.Node) bool {
		return n.Op == flow.Put && n.Loc == d.Loc && n.Key.Same(d.Key) && !comesOf(n.Val, d.Res)
	}
	return g.Find(flow.Search{
		From: []int32{del}, After: true, Blind: true, Avoid: fresh,
		Edge: func(_ *flow.Node, e flow.Edge) bool { return e.Kind != flow.Exc },
		Goal: func(id int32, n *flow.Node, _ flow.Facts) bool {
			switch n.Op {
			case flow.Exit, flow.Fail, flow.LoopHead, flow.Next, flow.Await, flow.Yield:
				return true
			}
			return id == del
		},
	}) == nil
}

// comesOf reports whether a value is another one, or was made of it.
func comesOf(v, from *flow.Value) bool {
	if v == nil || from == nil {
		return false
	}
	return v.Same(from) || comesOf(v.Base, from) || slices.ContainsFunc(v.Args, func(x *flow.Value) bool { return comesOf(x, from) })
}
