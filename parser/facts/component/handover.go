package component

import (
	"slices"

	"github.com/kvrace/kvrace/parser/facts/flow"
)

// An item can go through several hands, each of which works on the entry that belongs to it:
//
//	def submit(job):          def send():                     def file():
//	    open[job.id] = ...        job = jobs.get()                job = sent.get()
//	    jobs.put(job)             write(open[job.id])             del open[job.id]
//	                              sent.put(job)
//
// Whoever has it from another one comes to the entry when that one is done. This holds while
// an item goes that way once, as one does that is queued together with an entry of its own.

// Behind reports whether a removal comes only when the entrypoint of an access has ended, or is
// done with the entry: another one gets the item when this one hands it on, or this one
// removes the entry after the access, and each item comes with an entry of its own.
func (c *Component) Behind(to, r Access) bool {
	if to.Entry != r.Entry {
		return c.joined(to.Entry, r) || c.handedOver(to, r)
	}
	mine, ok := c.ownEntry(to)
	next := func(id int32, _ *flow.Node) bool { return id == mine.from }
	return ok && len(r.Path) == 0 && r.Key.Same(to.Key) && !to.Entry.Graph.LeadsWithout(r.ID, to.ID, next)
}

// handedOver reports whether a step gets its key only from an entrypoint that hands the item
// on, and never comes to an access to the same entry after that.
func (c *Component) handedOver(to, r Access) bool {
	if to.Entry == r.Entry || r.Key == nil || to.Loc != r.Loc || len(r.Path) > 0 {
		return false
	}
	if c.startedWith(to, r) {
		return true
	}
	theirs := taken(r.Entry.Graph, whole(r.Key))
	if theirs.from < 0 {
		return false
	}
	mine, ok := c.ownEntry(to)
	next := func(id int32, _ *flow.Node) bool { return id == mine.from }
	return ok && c.puts(r.Entry.Graph.Nodes[theirs.from].Loc, func(a Access) bool {
		return a.Entry == to.Entry && theirs.in(a.Val).same(whole(to.Key)) && !to.Entry.Graph.LeadsWithout(a.ID, to.ID, next)
	})
}

// startedWith reports whether a step is one of a job or thread that only the entrypoint of an
// access starts, with the key that it has used, and to which it never comes after that:
//
//	write(open[job.id])
//	pool.submit(self.file, job.id)
func (c *Component) startedWith(to, r Access) bool {
	if len(r.Entry.Spawns) != 1 || r.Entry.Spawns[0].By != to.Entry || to.Key == nil {
		return false
	}
	if !whole(r.Key).handed(to.Key) {
		return false
	}
	from, ok := c.ownEntry(to)
	next := func(id int32, _ *flow.Node) bool { return id == from.from }
	g := to.Entry.Graph
	for i := range g.Nodes {
		if n := &g.Nodes[i]; n.Op == flow.Spawn && n.Entry == r.Entry {
			ok = ok && !g.LeadsWithout(int32(i), to.ID, next)
		}
	}
	return ok
}

// ownEntry returns how the key of an access is taken from an item, and reports whether each
// item was queued together with an entry of its own.
func (c *Component) ownEntry(a Access) (taking, bool) {
	if a.Key == nil || a.Loc == nil || len(a.Path) > 0 {
		return taking{from: -1}, false
	}
	t := taken(a.Entry.Graph, whole(a.Key))
	type owning struct {
		comp *Component
		at   int32
	}
	return t, t.from >= 0 && flow.Once(a.Entry.Graph, owning{c, a.ID}, func() bool {
		return c.comesWith(a.Loc, a.Entry, t, []*flow.Entry{a.Entry})
	})
}

// comesWith reports whether what an entrypoint takes comes with an entry of its own: whoever
// puts it into the queue has stored one before, or has got it himself with such an entry, and
// has not removed that. Through lists those that it went through.
func (c *Component) comesWith(loc *flow.Location, e *flow.Entry, t taking, through []*flow.Entry) bool {
	return c.puts(e.Graph.Nodes[t.from].Loc, func(a Access) bool {
		g, key := a.Entry.Graph, t.in(a.Val)
		if slices.Contains(through, a.Entry) {
			return false // it comes again
		}
		stored := g.Find(flow.Search{
			Blind: true,
			Avoid: func(_ int32, n *flow.Node) bool {
				return n.Op == flow.Put && n.Loc == loc && len(n.Path) == 0 && key.same(whole(n.Key))
			},
			Goal: func(id int32, _ *flow.Node, _ flow.Facts) bool { return id == a.ID },
		}) == nil
		if stored {
			return true
		}
		from := taken(g, key)
		if from.from < 0 {
			return false
		}
		next := func(id int32, _ *flow.Node) bool { return id == from.from }
		for i := range g.Nodes {
			if n := &g.Nodes[i]; n.Loc == loc && (n.Op == flow.Del || n.Op == flow.Clear || n.Op == flow.DelAll || n.Op == flow.Rebind) && g.LeadsWithout(int32(i), a.ID, next) {
				return false
			}
		}
		return c.comesWith(loc, a.Entry, from, append(slices.Clip(through), a.Entry))
	})
}

// puts reports whether all steps that put an item into a queue satisfy a test, and there is
// one. A constant is no item: it tells who takes it to stop.
func (c *Component) puts(queue *flow.Location, test func(Access) bool) bool {
	found := false
	for _, a := range c.Accesses(queue) {
		if a.Op != flow.Enqueue || a.Val != nil && a.Val.Kind == flow.Const {
			continue
		}
		if a.Val == nil || !test(a) {
			return false
		}
		found = true
	}
	return found
}

// A piece is what attributes and numbered elements lead to from a value, the innermost first.
type piece struct {
	of    *flow.Value
	steps []step
}

// A step leads from a value to an attribute, or to an element if it has no name.
type step struct {
	name string
	at   int64
}

// whole returns a value as a piece.
func whole(v *flow.Value) piece {
	p := piece{of: v}
	for p.of != nil {
		s, base := inner(p.of)
		if base == nil {
			break
		}
		p.of, p.steps = base, append(p.steps, s)
	}
	slices.Reverse(p.steps)
	return p
}

// inner returns the step by which a value is part of another one, and that one, or nil.
func inner(v *flow.Value) (step, *flow.Value) {
	switch {
	case v.Kind == flow.Attribute:
		return step{name: v.Name}, v.Base
	case v.Kind == flow.Derived && v.Name == "item" && len(v.Args) == 2 && v.Args[1].Kind == flow.Const && v.Args[1].HasInt:
		return step{at: v.Args[1].Int}, v.Args[0]
	}
	return step{}, nil
}

func (p piece) same(q piece) bool {
	return p.of != nil && p.of.Same(q.of) && slices.Equal(p.steps, q.steps)
}

// handed reports whether a piece is, in the graph of what is started, a value of the graph that
// starts it.
func (p piece) handed(v *flow.Value) bool {
	for steps := p.steps; p.of != nil && v != nil; {
		if p.of.StandsFor(v) {
			return len(steps) == 0
		}
		s, base := inner(v)
		last := len(steps) - 1
		if last < 0 || steps[last] != s {
			return false
		}
		v, steps = base, steps[:last]
	}
	return false
}

// A taking is the part of an item that a key is, and the step that takes the item from a queue.
type taking struct {
	from  int32 // -1 for none
	steps []step
}

// taken returns how a piece is taken.
func taken(g *flow.Graph, p piece) taking {
	if at := g.Producer(p.of); at >= 0 && g.Nodes[at].Op == flow.Dequeue && g.Nodes[at].Loc != nil {
		return taking{at, p.steps}
	}
	return taking{from: -1}
}

// in returns the same part of another item.
func (t taking) in(item *flow.Value) piece {
	rest := t.steps
	for len(rest) > 0 {
		part := item.Part(rest[0].name, rest[0].at)
		if part == nil {
			break
		}
		item, rest = part, rest[1:]
	}
	p := whole(item)
	p.steps = append(slices.Clone(p.steps), rest...)
	return p
}
