package component

import (
	"github.com/kvrace/kvrace/parser/facts/flow"
)

// Parallelism tells how two steps can interleave.
type Parallelism uint8

// The ways in which steps interleave.
const (
	// Ordered: never, or only as the caller orders them.
	Ordered Parallelism = iota
	// AtAwait: both run on one event loop, which switches only at an await.
	AtAwait
	// Threads: at any point.
	Threads
)

// Parallel reports how two steps of the component can interleave when they
// concern the same key. Locks count: steps under one lock do not interleave.
func (c *Component) Parallel(a, b Access) Parallelism {
	p := c.Concurrent(a.Entry, b.Entry)
	if p == Ordered || a.Mode&flow.Initial != 0 || b.Mode&flow.Initial != 0 {
		return Ordered
	}
	if CommonLock(a.Node, b.Node) != nil {
		return Ordered
	}
	return p
}

// Concurrent reports how two entrypoints of the component can interleave when
// they work on the same key. Hooks of all objects of a component run on one
// thread; the constructor of the component's class runs before its threads.
func (c *Component) Concurrent(a, b *flow.Entry) Parallelism {
	ta, tb := c.thread(a), c.thread(b)
	switch {
	case ta == startup || tb == startup:
		return Ordered
	case ta == loop && tb == loop:
		return AtAwait
	case a == b:
		if a.Many && !a.Sharded {
			return Threads
		}
		return Ordered
	case ta == caller && tb == caller:
		return Ordered
	}
	return Threads
}

type threadKind uint8

const (
	other threadKind = iota
	startup
	caller
	loop
)

func (c *Component) thread(e *flow.Entry) threadKind {
	switch e.Role {
	case flow.Init:
		if e.Class == c.Class {
			return startup
		}
		return c.callerThread()
	case flow.Caller:
		return c.callerThread()
	case flow.LoopTask:
		return loop
	}
	return other
}

// callerThread is the thread of hooks: the event loop, when hooks of the
// component are coroutines.
func (c *Component) callerThread() threadKind {
	if c.looped {
		return loop
	}
	return caller
}

// CommonLock returns a lock that both steps hold, or nil. A lock is identified
// by where it is kept; locks kept in a container are taken to be chosen by the
// same key.
func CommonLock(a, b *flow.Node) *flow.Value {
	for _, x := range a.Locks {
		for _, y := range b.Locks {
			if x.Loc != nil && x.Loc == y.Loc {
				return x
			}
		}
	}
	return nil
}

// A Rival is a step of another entrypoint, or of another instance of the same
// one, that can come between two steps.
type Rival struct {
	Access
	How Parallelism
}

// Between returns the first of the given steps that can run after step from
// and before step to of entrypoint e, or nil: the stretch is not protected by a
// lock held from end to end and by the rival, and on an event loop there is an
// await in it.
func (c *Component) Between(e *flow.Entry, from, to int32, rivals []Access) *Rival {
	g := e.Graph
	for _, r := range rivals {
		how := c.Concurrent(e, r.Entry)
		if r.Entry == e && r.ID == to && how == Ordered {
			continue
		}
		switch {
		case how == Ordered || r.Mode&flow.Initial != 0:
			continue
		case heldThrough(g, from, to, r.Node):
			continue
		case how == AtAwait && !awaits(g, from, to):
			continue
		}
		return &Rival{r, how}
	}
	return nil
}

// heldThrough reports whether one lock is held at both ends of a stretch, at the
// rival, and without a gap in between.
func heldThrough(g *flow.Graph, from, to int32, r *flow.Node) bool {
	for _, x := range g.Nodes[from].Locks {
		if x.Loc == nil {
			continue
		}
		end := false
		for _, y := range g.Nodes[to].Locks {
			end = end || y == x
		}
		if !end {
			continue
		}
		for _, y := range r.Locks {
			if y.Loc == x.Loc && !passes(g, from, to, func(n *flow.Node) bool { return !holds(n, x) }) {
				return true
			}
		}
	}
	return false
}

func holds(n *flow.Node, lock *flow.Value) bool {
	for _, x := range n.Locks {
		if x == lock {
			return true
		}
	}
	return false
}

// awaits reports whether a walk from one step to another passes an await.
func awaits(g *flow.Graph, from, to int32) bool {
	return passes(g, from, to, func(n *flow.Node) bool { return n.Op == flow.Await })
}

// passes reports whether a walk from one step to another, without a second visit
// of either, passes a step that is meant.
func passes(g *flow.Graph, from, to int32, meant func(*flow.Node) bool) bool {
	const mark = "passes"
	return g.Find(flow.Search{
		From: []int32{from}, After: true, Blind: true, Edge: flow.AllEdges,
		Avoid: func(id int32, _ *flow.Node) bool { return id == from },
		Stop:  func(id int32) bool { return id == to },
		Mark: func(id int32, n *flow.Node) string {
			if id != to && meant(n) {
				return mark
			}
			return ""
		},
		Goal: func(id int32, _ *flow.Node, f flow.Facts) bool { return id == to && f.Passed(mark) },
	}) != nil
}
