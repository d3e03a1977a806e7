package partialcleanup

import (
	"maps"
	"slices"

	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/rules/evidence"
)

// neverRemoved finds a member without any removal: a request puts entries into
// it and into another member, and the end of the request removes only the other
// one.
func (c *check) neverRemoved(m *member) (leak, bool) {
	if c.elsewhere[m.loc.Name] > 0 || c.isStore(m) || c.isTally(m) || c.byIndex(m) {
		return leak{}, false
	}
	for _, other := range c.members {
		if other == m || len(other.removes) == 0 || !akin(m, other) || !together(m, other) {
			continue
		}
		exit, renewed := c.lastExit(other), false
		if exit == nil && c.lasting(m) && c.lasting(other) && !m.loc.Type.Element().Kind.IsLock() {
			exit, renewed = c.renewal(other), true
		}
		if exit != nil {
			return leak{shape: never, exit: *exit, member: other, left: []*member{m}, renewed: renewed}, true
		}
	}
	return leak{}, false
}

// isStore reports whether a member keeps what clients ask for by its key, when the
// request is over, too: entries are stored in several places, as a request goes on, and a
// hook answers with the entry of the key that it is called with. The statuses of requests
// are no such thing.
func (c *check) isStore(m *member) bool {
	if c.st.IsMap(m.loc) || !storedAgain(m) {
		return false
	}
	return slices.ContainsFunc(c.st.Comp.Accesses(m.loc), func(a component.Access) bool {
		hook := a.Entry.Role == flow.Caller || a.Entry.Role == flow.LoopTask && len(a.Entry.Spawns) == 0
		if !hook || a.Op != flow.Read || a.Key == nil || a.Key.Kind != flow.Param || a.Res == nil {
			return false
		}
		return slices.ContainsFunc(a.Entry.Graph.Nodes, func(n flow.Node) bool {
			return n.Op == flow.Return && n.Val != nil && slices.ContainsFunc(n.Val.Leaves(), a.Res.Same)
		})
	})
}

// storedAgain reports whether several statements insert into a member.
func storedAgain(m *member) bool {
	return slices.ContainsFunc(m.inserts, func(a component.Access) bool { return a.Src != m.inserts[0].Src })
}

// akin reports whether two members are kept in the same place: by an object, or
// by a module.
func akin(a, b *member) bool { return (a.loc.Owner == nil) == (b.loc.Owner == nil) }

// together reports whether one entrypoint inserts one key into both members.
func together(a, b *member) bool {
	for _, x := range a.inserts {
		for _, y := range b.inserts {
			if x.Entry == y.Entry && component.RootKey(x.Node).Same(component.RootKey(y.Node)) {
				return true
			}
		}
	}
	return false
}

// lastExit returns the removal that ends a request for a member: the first one
// by a hook, or else by any entrypoint, that hands the entry to nothing else.
func (c *check) lastExit(m *member) *component.Access {
	var found *component.Access
	for i := range m.removes {
		a := &m.removes[i]
		if c.movesOn(*a) {
			continue
		}
		if a.Entry.Role == flow.Caller {
			return a
		}
		if found == nil {
			found = a
		}
	}
	return found
}

// lasting reports whether a member belongs to the object of the component or to one
// that it keeps in an attribute, and not to a record that comes and goes.
func (c *check) lasting(m *member) bool {
	cls := c.st.Comp.Class
	return m.loc.Owner != nil && (cls.IsSubclass(m.loc.Owner) || c.keptAs(cls, m.loc.Owner) != "")
}

// renewal returns a removal after which the entry is always made anew: requests come
// and go in the member, and none of its entries is ever removed for good. It is an
// entrypoint of the object itself that does so. An entry that is taken out and put
// back, perhaps counted up, is still the same.
func (c *check) renewal(m *member) *component.Access {
	for i := range m.removes {
		a := &m.removes[i]
		key := component.RootKey(a.Node)
		it := evidence.IterationAround(a.Entry.Graph, a.ID, key)
		stays := a.Entry.Graph.Find(flow.Search{
			From: []int32{a.ID}, After: true, Blind: true,
			Goal: func(id int32, _ *flow.Node, _ flow.Facts) bool { return it.Ends(id) },
			Avoid: func(_ int32, n *flow.Node) bool {
				return n.Op == flow.Put && n.Loc == m.loc && component.RootKey(n).Same(key)
			},
		})
		if stays != nil || a.Entry.Class != c.st.Comp.Class || putBack(*a, key) || it.Through([]int32{a.ID}, nil, nil) == nil {
			return nil
		}
	}
	return &m.removes[0]
}

// putBack reports whether what a removal yields is part of what is stored in its
// place.
func putBack(a component.Access, key *flow.Value) bool {
	for i := range a.Entry.Graph.Nodes {
		n := &a.Entry.Graph.Nodes[i]
		if n.Op == flow.Put && n.Loc == a.Loc && component.RootKey(n).Same(key) && a.Res != nil && evidence.ComesFrom(n.Val, a.Res) {
			return true
		}
	}
	return false
}

// movesOn reports whether every iteration through a removal hands the request
// on: puts its key into another container or the item into a queue.
func (c *check) movesOn(a component.Access) bool {
	key := component.RootKey(a.Node)
	it := evidence.IterationAround(a.Entry.Graph, a.ID, key)
	return it.Through([]int32{a.ID}, func(n *flow.Node) bool { return c.handsOn(n, key) }, nil) == nil
}

// handsOn reports whether a step hands the request with a key on.
func (c *check) handsOn(n *flow.Node, key *flow.Value) bool {
	switch n.Op {
	case flow.Enqueue, flow.Spawn:
		return true
	case flow.Put:
		return n.Mode&flow.Initial == 0 && !c.st.IsMap(n.Loc) && !c.st.IsDrained(n.Loc) && component.RootKey(n).Same(key)
	}
	return false
}

// leftByExit finds a removal of another member that leaves the entry, although
// every removal of the entry needs the other member.
func (c *check) leftByExit(m *member) (leak, bool) {
	asked := askedFor(m)
	if len(asked) == 0 {
		return leak{}, false
	}
	for _, other := range c.members {
		if !asked[other.loc] || other == m || len(other.removes) == 0 || other.bulk || !akin(m, other) || !c.needs(m, other) {
			continue
		}
		var exits []component.Access
		for _, d := range other.removes {
			if c.leaves(d, other, m) {
				exits = append(exits, d)
			}
		}
		if d := c.closest(exits, m); d != nil {
			return leak{shape: exclusive, exit: *d, member: other, left: []*member{m}, other: &m.removes[0]}, true
		}
	}
	return leak{}, false
}

// closest returns the exit whose entrypoint removes the most of what the
// entrypoints of the member insert and remove beside it: the one that ends the
// same kind of request.
func (c *check) closest(exits []component.Access, m *member) *component.Access {
	var best *component.Access
	most := -1
	for i := range exits {
		n := 0
		for _, other := range c.members {
			if other != m && beside(m, other) && removedBy(other, exits[i].Entry) {
				n++
			}
		}
		if n > most {
			best, most = &exits[i], n
		}
	}
	return best
}

// beside reports whether an entrypoint that changes a member changes the other
// one as well.
func beside(m, other *member) bool {
	for _, list := range [][]component.Access{m.inserts, m.removes} {
		for _, a := range list {
			if removedBy(other, a.Entry) || insertedBy(other, a.Entry) {
				return true
			}
		}
	}
	return false
}

func removedBy(m *member, e *flow.Entry) bool { return contains(m.removes, e) }

func insertedBy(m *member, e *flow.Entry) bool { return contains(m.inserts, e) }

func contains(list []component.Access, e *flow.Entry) bool {
	for _, a := range list {
		if a.Entry == e {
			return true
		}
	}
	return false
}

// needs reports whether every removal from a member requires that another has
// the key.
func (c *check) needs(m, other *member) bool {
	for _, r := range m.removes {
		if takenFrom(component.RootKey(r.Node), other.loc) {
			continue
		}
		q := unneeding{r.ID, other.loc.ID}
		if flow.Ask(r.Entry.Graph, q, func() bool { return goesWithout(r.Entry.Graph, r.ID, other.loc) }) {
			return false
		}
	}
	return true
}

// askedFor returns the locations of which every entrypoint that removes from a member asks
// whether they have some key, or whose elements it removes: no removal needs any other.
func askedFor(m *member) map[*flow.Location]bool {
	var all map[*flow.Location]bool
	for _, r := range m.removes {
		asked := flow.Once(r.Entry.Graph, asksNote{}, func() map[*flow.Location]bool { return asksOf(r.Entry.Graph) })
		if k := component.RootKey(r.Node); k != nil && k.Kind == flow.Element && k.Loc != nil && !asked[k.Loc] {
			asked = maps.Clone(asked)
			asked[k.Loc] = true
		}
		if all == nil {
			all = maps.Clone(asked)
			continue
		}
		maps.DeleteFunc(all, func(l *flow.Location, _ bool) bool { return !asked[l] })
	}
	return all
}

type asksNote struct{}

// asksOf returns the locations of which a graph knows in some step that they have a key.
func asksOf(g *flow.Graph) map[*flow.Location]bool {
	out := map[*flow.Location]bool{}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if strict(n) {
			out[n.Loc] = true
		}
		for _, e := range n.Succ {
			if guard, ok := evidence.GuardOf(g, n, e); ok && guard.Holds {
				out[guard.Read.Loc.Root()] = true
			}
		}
	}
	return out
}

// unneeding asks whether a removal goes without an entry of a location.
type unneeding struct {
	del int32
	loc string
}

// goesWithout reports whether an iteration with a removal needs no entry of a location
// for its key.
func goesWithout(g *flow.Graph, del int32, loc *flow.Location) bool {
	key := component.RootKey(&g.Nodes[del])
	return evidence.IterationAround(g, del, key).Through([]int32{del}, nil, func(n *flow.Node, e flow.Edge) bool {
		if strict(n) && n.Loc == loc && component.RootKey(n).Same(key) {
			return e.Kind == flow.Exc
		}
		guard, ok := evidence.GuardOf(g, n, e)
		return !ok || !guard.Holds || guard.Read.Loc.Root() != loc || !component.RootKey(guard.Read).Same(key)
	}) != nil
}

func strict(n *flow.Node) bool {
	return (n.Op == flow.Del || n.Op == flow.Read) && n.Mode&flow.Strict != 0
}

// takenFrom reports whether a value is an element of a container.
func takenFrom(v *flow.Value, l *flow.Location) bool {
	return v != nil && v.Kind == flow.Element && v.Loc == l
}

// leaves reports whether a removal from a member has a walk on which the request
// is not handed on and the entry of another member stays.
func (c *check) leaves(d component.Access, of, m *member) bool {
	foreign := !insertedBy(m, d.Entry) && !removedBy(m, d.Entry)
	if foreign && (insertedBy(of, d.Entry) || d.Entry.Class == nil) {
		return false // a request of another kind, which begins and ends here
	}
	key := component.RootKey(d.Node)
	it := evidence.IterationAround(d.Entry.Graph, d.ID, key)
	if c.insertedInstead(d, m, it) || c.otherMode(d, m) {
		return false
	}
	return it.Through([]int32{d.ID},
		func(n *flow.Node) bool { return c.handsOn(n, key) || n.Op == flow.Del && n.Loc == m.loc },
		func(n *flow.Node, e flow.Edge) bool {
			if e.Kind == flow.Exc && n.Op == flow.Del && c.st.Comp.Group(n.Loc) == c.st.Comp.Group(m.loc) && component.RootKey(n).Same(key) {
				return false // the members of the group come and go together, as this code sees it
			}
			g, ok := evidence.GuardOf(d.Entry.Graph, n, e)
			return !ok || g.Holds || g.Read.Loc != m.loc && g.Read != d.Node
		}) != nil
}

// insertedInstead reports whether the iteration of a removal inserts into a
// member on other walks: on those that remove, the entry is not there yet.
func (c *check) insertedInstead(d component.Access, m *member, it evidence.Iteration) bool {
	for _, in := range m.inserts {
		if in.Entry == d.Entry && it.PassesWithout(in.ID, d.ID) {
			return true
		}
	}
	return false
}

// leftByConclusion finds a member that only threads remove, on some of the ways on
// which they conclude a request, while a hook concludes requests as well and the
// removal of the status itself leaves the entry.
func (c *check) leftByConclusion(m *member) (leak, bool) {
	for _, r := range m.removes {
		if r.Entry.Role == flow.Caller || r.Entry.Role == flow.Init || component.RootKey(r.Node).Kind == flow.Element {
			return leak{}, false
		}
	}
	for _, status := range c.members {
		if status == m || !c.st.IsMap(status.loc) || status.bulk {
			continue
		}
		if !c.concludedByHook(status.loc) {
			continue
		}
		var exits []component.Access
		for _, d := range status.removes {
			if removedBy(m, d.Entry) {
				return leak{}, false
			}
			if d.Entry.Role == flow.Caller && c.leaves(d, status, m) {
				exits = append(exits, d)
			}
		}
		if d := c.closest(exits, m); d != nil {
			return leak{shape: concluded, exit: *d, member: status, left: []*member{m}, other: &m.removes[0]}, true
		}
	}
	return leak{}, false
}

// concludedByHook reports whether a hook stores a terminal status.
func (c *check) concludedByHook(l *flow.Location) bool {
	for _, a := range c.st.Comp.Accesses(l) {
		if a.Entry.Role == flow.Caller && a.Op == flow.Put && c.st.MayConclude(a.Node) {
			return true
		}
	}
	return false
}

// local reports whether every iteration that inserts into a member removes the
// entry again.
func local(m *member) bool {
	for _, in := range m.inserts {
		it := evidence.IterationAround(in.Entry.Graph, in.ID, component.RootKey(in.Node))
		if it.Through([]int32{in.ID}, func(n *flow.Node) bool { return n.Op == flow.Del && n.Loc == m.loc }, nil) != nil {
			return false
		}
	}
	return true
}

// notes reports whether a member keeps notes about requests that are over, such
// as the reason of a failure: some step that inserts one always concludes the
// request as well, unless it is unknown.
func (c *check) notes(m *member) bool {
	for _, in := range m.inserts {
		key := component.RootKey(in.Node)
		it := evidence.IterationAround(in.Entry.Graph, in.ID, key)
		open := it.Through([]int32{in.ID},
			func(n *flow.Node) bool {
				return c.st.MayConclude(n) && (n.Op == flow.SetFlag || component.RootKey(n).Same(key))
			},
			func(n *flow.Node, e flow.Edge) bool {
				g, ok := evidence.GuardOf(in.Entry.Graph, n, e)
				return !ok || g.Holds || !c.st.IsMap(g.Read.Loc.Root())
			})
		if open == nil {
			return true
		}
	}
	return false
}
