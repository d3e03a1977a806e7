package component

import (
	"slices"

	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
)

// A claim gives a key to one thread. There are two ways to make one:
//
//	with self.lock:                          if self.open.pop(k, None) is None:
//	    if k in self.busy: continue              return
//	    self.busy.add(k)
//
// Whoever comes second finds the key in the one container, or no entry in the
// other. What follows runs beside nothing that has to make the same claim first,
// or tests under the lock that nobody has made it.
type claim struct {
	loc  *flow.Location
	lock *flow.Location // nil where an entry is taken out
	at   int32          // the step that makes it
}

// claimed reports whether a claim keeps a rival out of a stretch.
func (c *Component) claimed(s *stretch, r Access) bool {
	to := &s.g.Nodes[s.to]
	if to.Key == nil || r.Key == nil {
		return false
	}
	var theirs []claim
	for _, mine := range c.claims(s.g, s.to) {
		if theirs == nil {
			theirs = append([]claim{{at: -1}}, c.claims(r.Entry.Graph, r.ID)...)
		}
		same := slices.ContainsFunc(theirs, func(x claim) bool { return x.loc == mine.loc && x.lock == mine.lock })
		if mine.lock == nil {
			if same && c.madeTogether(mine.loc, to.Loc) {
				return true
			}
			continue
		}
		if (same || unclaimed(r, mine)) && s.within(mine) && c.keptBy(mine) {
			return true
		}
	}
	return false
}

// claims returns the claims on the key of a step that a thread has made, and not given
// up, when it comes there.
func (c *Component) claims(g *flow.Graph, at int32) []claim {
	type claiming int32 // a step
	return flow.Once(g, claiming(at), func() []claim { return c.findClaims(g, at) })
}

func (c *Component) findClaims(g *flow.Graph, at int32) []claim {
	var out []claim
	key := g.Nodes[at].Key
	for i := range g.Nodes {
		n := &g.Nodes[i]
		id := int32(i)
		if n.Loc == nil || len(n.Path) > 0 || !n.Key.Same(key) || id == at {
			continue
		}
		switch n.Op {
		case flow.Put:
			if n.Mode != 0 || n.Loc.Type.Kind != program.Set && n.Loc.Type.Kind != program.Dict {
				continue
			}
			if !g.Passes(id, at) {
				continue
			}
			for _, lock := range c.absentUnder(g, id, n) {
				if passes(g, at, sides(g, id, flow.Normal)) && !givenUp(g, id, at) {
					out = append(out, claim{n.Loc, lock, id})
				}
			}
		case flow.Del:
			if foundBefore(g, id, at) && !putBack(g, id, at) {
				out = append(out, claim{n.Loc, nil, id})
			}
		}
	}
	return out
}

// A side is a way out of a step.
type side struct {
	n *flow.Node
	e flow.Edge
}

func sides(g *flow.Graph, id int32, kind flow.EdgeKind) []side {
	var out []side
	for _, e := range g.Nodes[id].Succ {
		if e.Kind == kind {
			out = append(out, side{&g.Nodes[id], e})
		}
	}
	return out
}

// passes reports whether every walk to a step leaves another one by certain sides.
func passes(g *flow.Graph, at int32, sides []side) bool {
	return g.Find(flow.Search{
		Blind: true, Goal: func(id int32, _ *flow.Node, _ flow.Facts) bool { return id == at },
		Edge: func(n *flow.Node, e flow.Edge) bool { return !slices.Contains(sides, side{n, e}) },
	}) == nil
}

// absentUnder returns the locks under which a step has found its entry absent, and
// which it has held since.
func (c *Component) absentUnder(g *flow.Graph, id int32, n *flow.Node) []*flow.Location {
	var out []*flow.Location
	for _, lock := range n.Locks {
		if lock.Loc == nil || lock.Loc.Outer != nil {
			continue
		}
		var absent []side
		for _, gd := range g.Guards() {
			r := &g.Nodes[gd.Read]
			if !gd.Holds && gd.Certain && r.Op == flow.Has && r.Loc == n.Loc && len(r.Path) == 0 && r.Key.Same(n.Key) && c.heldThrough(g, gd.Read, id, lock.Loc) {
				absent = append(absent, side{&g.Nodes[gd.ID], gd.Edge})
			}
		}
		if len(absent) > 0 && passes(g, id, absent) {
			out = append(out, lock.Loc)
		}
	}
	return out
}

// foundBefore reports whether every walk to a step has come from a removal by a side
// on which it has found its entry.
func foundBefore(g *flow.Graph, del, at int32) bool {
	type missing int32 // a removal
	type without struct {
		some bool       // it has such a side
		to   flow.Steps // where walks lead by none
	}
	w := flow.Once(g, missing(del), func() without {
		found := foundBy(g, del)
		if len(found) == 0 {
			return without{}
		}
		return without{true, g.ReachedBy(func(n *flow.Node, e flow.Edge) bool { return !slices.Contains(found, side{n, e}) })}
	})
	return w.some && !w.to.Has(at)
}

// foundBy returns the sides on which a removal has found its entry.
func foundBy(g *flow.Graph, del int32) []side {
	var out []side
	for _, gd := range g.Guards() {
		if gd.Read == del && gd.Holds {
			out = append(out, side{&g.Nodes[gd.ID], gd.Edge})
		}
	}
	return out
}

// putBack reports whether a walk from a removal to a step stores the entry again.
func putBack(g *flow.Graph, del, at int32) bool {
	n := &g.Nodes[del]
	for i := range g.Nodes {
		p := &g.Nodes[i]
		if p.Loc == n.Loc && (p.Op == flow.Put || p.Op == flow.PutAll || p.Op == flow.Rebind) && g.LeadsWithout(del, int32(i), nil) && g.LeadsWithout(int32(i), at, nil) {
			return true
		}
	}
	return false
}

// givenUp reports whether a walk from a claim to a step takes the key out again.
func givenUp(g *flow.Graph, claim, at int32) bool {
	n := &g.Nodes[claim]
	again := func(id int32, _ *flow.Node) bool { return id == claim }
	for i := range g.Nodes {
		d := &g.Nodes[i]
		if d.Loc != n.Loc || d.Op != flow.Del && d.Op != flow.Clear && d.Op != flow.DelAll && d.Op != flow.Rebind || int32(i) == at {
			continue
		}
		if g.LeadsWithout(claim, int32(i), nil) && g.LeadsWithout(int32(i), at, again) {
			return true
		}
	}
	return false
}

// within reports whether a claim is held from end to end of a stretch, or its lock
// until it is made.
func (s *stretch) within(c claim) bool {
	if passes(s.g, s.from, sides(s.g, c.at, flow.Normal)) && !givenUp(s.g, c.at, s.from) {
		return true
	}
	made := func(id int32, _ *flow.Node) bool { return id == c.at }
	return HeldThrough(s.g, s.from, c.at, c.lock) && !s.g.LeadsWithout(s.from, s.to, made)
}

// unclaimed reports whether a step has found, under the lock of a claim that it still
// holds, that nobody has made it.
func unclaimed(r Access, c claim) bool {
	g := r.Entry.Graph
	var absent []side
	for _, gd := range g.Guards() {
		n := &g.Nodes[gd.Read]
		if !gd.Holds && gd.Certain && n.Op == flow.Has && n.Loc == c.loc && n.Key.Same(r.Key) && HeldThrough(g, gd.Read, r.ID, c.lock) {
			absent = append(absent, side{&g.Nodes[gd.ID], gd.Edge})
		}
	}
	return len(absent) > 0 && passes(g, r.ID, absent)
}

// madeTogether reports whether an entry of one container is only made beside one of
// another, so that whoever takes the one out has the other for itself.
func (c *Component) madeTogether(l, other *flow.Location) bool {
	made := false
	for _, a := range c.Accesses(l) {
		switch a.Op {
		case flow.PutAll:
			return false
		case flow.Rebind:
			if a.Mode&flow.Initial == 0 {
				return false
			}
		case flow.Put:
			made = true
			if !slices.ContainsFunc(a.Entry.Graph.Nodes, func(n flow.Node) bool {
				return n.Op == flow.Put && n.Loc == other && n.Key.Same(a.Key)
			}) {
				return false
			}
		}
	}
	return made
}

// keptBy reports whether only those take a claim back who have made it.
func (c *Component) keptBy(x claim) bool {
	for _, a := range c.Accesses(x.loc) {
		switch a.Op {
		case flow.Clear, flow.DelAll:
			return false
		case flow.Rebind:
			if a.Mode&flow.Initial == 0 {
				return false
			}
		case flow.Del:
			if a.Key == nil || !slices.ContainsFunc(c.claims(a.Entry.Graph, a.ID), func(y claim) bool { return y.loc == x.loc && y.lock == x.lock }) {
				return false
			}
		}
	}
	return true
}

// A hold is the question whether a lock is held from one step to another.
type hold struct {
	from, to *flow.Node
	lock     *flow.Location
}

// heldThrough is [HeldThrough], which is asked often about the same steps.
func (c *Component) heldThrough(g *flow.Graph, from, to int32, lock *flow.Location) bool {
	k := hold{&g.Nodes[from], &g.Nodes[to], lock}
	if known, ok := c.holds.Load(k); ok {
		return known.(bool)
	}
	held := HeldThrough(g, from, to, lock)
	c.holds.Store(k, held)
	return held
}
