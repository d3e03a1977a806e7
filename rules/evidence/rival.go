package evidence

import (
	"fmt"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/parser/facts/status"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/rule"
)

// inserts reports whether a step can create an entry of its location.
func inserts(n *flow.Node) bool {
	return n.Op == flow.Put || n.Op == flow.Read && n.Mode&flow.Upsert != 0
}

// InsertedBefore returns a step that creates an entry in one container although
// nothing on the way to it has established that another container has the key;
// nil when there is none. Two inserts count as one where the observer, a step
// of another entrypoint, cannot come between them.
func InsertedBefore(st *status.Facts, container, other *flow.Location, observer component.Access) *component.Access {
	accesses := append([]component.Access(nil), st.Comp.Accesses(container)...)
	byLine(accesses)
	for _, a := range accesses {
		if a.Key == nil || !inserts(a.Node) || a.Mode&flow.Initial != 0 {
			continue
		}
		if sameIteration(a, observer) {
			continue // removed by what inserts it
		}
		if !established(a, other) && !constructed(st, a, other) && !followsAtOnce(st, a, other, observer) {
			return &a
		}
	}
	return nil
}

// sameIteration reports whether two accesses are part of the handling of one
// request, the first before the second.
func sameIteration(a, b component.Access) bool {
	if a.Entry != b.Entry {
		return false
	}
	it := IterationAround(a.Entry.Graph, a.ID, component.RootKey(a.Node))
	return it.Reaches(a.ID, b.ID)
}

// constructed reports whether the constructor of the object that an access belongs
// to has stored the key in another container: hooks run after it.
func constructed(st *status.Facts, a component.Access, other *flow.Location) bool {
	key := component.RootKey(a.Node)
	for _, e := range st.Comp.Entries {
		if e.Role != flow.Init || e.Class == nil || e.Class != a.Entry.Class || e.Class == st.Comp.Class {
			continue
		}
		skips := e.Graph.Find(flow.Search{
			Blind: true,
			Goal:  func(id int32, _ *flow.Node, _ flow.Facts) bool { return id == flow.ExitNode },
			Avoid: func(_ int32, n *flow.Node) bool {
				return n.Loc != nil && n.Loc.Root() == other && inserts(n) && e.Graph.KeyID(component.RootKey(n)) == key.ID()
			},
			Edge: func(n *flow.Node, edge flow.Edge) bool {
				g, ok := GuardOf(e.Graph, n, edge)
				known := ok && g.Holds && g.Read.Loc.Root() == other && e.Graph.KeyID(component.RootKey(g.Read)) == key.ID()
				return flow.KnownEdges(n, edge) && !known
			},
		})
		return skips == nil
	}
	return false
}

// followsAtOnce reports whether every walk from an access stores its key in
// another container before the observer can look: before a common lock is
// released, on one event loop before the next await, and on one thread before
// the handling of the request ends.
func followsAtOnce(st *status.Facts, a component.Access, other *flow.Location, observer component.Access) bool {
	key := component.RootKey(a.Node)
	it := IterationAround(a.Entry.Graph, a.ID, key)
	how := st.Comp.Meet(observer.Entry, a)
	lock := component.CommonLock(a.Node, observer.Node)
	gap := a.Entry.Graph.Find(flow.Search{
		From: []int32{a.ID}, After: true,
		Goal: func(id int32, n *flow.Node, _ flow.Facts) bool {
			switch {
			case it.Ends(id):
				return true
			case lock != nil:
				return n.Op == flow.Release && n.Lock.Loc == lock.Loc
			case how == component.AtAwait:
				return n.Op == flow.Await
			}
			return how == component.Threads
		},
		Avoid: func(_ int32, n *flow.Node) bool {
			return n.Loc != nil && n.Loc.Root() == other && inserts(n) && component.RootKey(n).Same(key)
		},
	})
	return gap == nil
}

// established reports whether every walk to an access has stored the key in
// another container, or found it there.
func established(a component.Access, other *flow.Location) bool {
	key := component.RootKey(a.Node)
	return !unproved(a, other, func(n *flow.Node) bool {
		return n.Loc != nil && n.Loc.Root() == other && inserts(n) && component.RootKey(n).Same(key)
	})
}

// unproved reports whether a walk leads to an access, within its iteration, that
// has not found the key in another container and passes none of the steps that
// would prove it as well.
func unproved(a component.Access, other *flow.Location, proves func(*flow.Node) bool) bool {
	return unprovedBy(a, func(l *flow.Location) bool { return l == other }, proves)
}

// unprovedBy is unproved for any of several containers.
func unprovedBy(a component.Access, others func(*flow.Location) bool, proves func(*flow.Node) bool) bool {
	key := component.RootKey(a.Node)
	it := IterationAround(a.Entry.Graph, a.ID, key)
	proved := provedBy(a.Entry.Graph, func(g Guard) bool {
		return g.Holds && others(g.Read.Loc.Root()) && component.RootKey(g.Read).Same(key)
	})
	if proves == nil && len(proved) == 0 {
		return it.g.Arrives(a.ID, it.head) // whatever the container is
	}
	s := it.search()
	s.Goal = func(id int32, _ *flow.Node, _ flow.Facts) bool { return id == a.ID }
	if proves != nil {
		s.Avoid = func(id int32, n *flow.Node) bool { return id != a.ID && proves(n) }
	}
	s.Edge = func(n *flow.Node, e flow.Edge) bool { return flow.KnownEdges(n, e) && !proved[wayOf(n, e)] }
	s.Blind = true // the quick answer, when there is none at all
	if it.g.Find(s) == nil {
		return false
	}
	s.Blind, s.To = false, []int32{a.ID}
	return it.g.Find(s) != nil
}

// Requires reports whether every walk to an access has found its key in another
// container.
func Requires(a component.Access, other *flow.Location) bool {
	return !unproved(a, other, nil)
}

// RequiresAny reports whether every walk to an access has found its key in one of some
// containers.
func RequiresAny(a component.Access, others map[*flow.Location]bool) bool {
	return !unprovedBy(a, func(l *flow.Location) bool { return others[l] }, nil)
}

// RequiresAbsent reports whether every walk to an access has found that another
// container does not have its key.
func RequiresAbsent(a component.Access, other *flow.Location) bool {
	key := component.RootKey(a.Node)
	it := IterationAround(a.Entry.Graph, a.ID, key)
	s := it.search()
	s.To = []int32{a.ID}
	s.Goal = func(id int32, _ *flow.Node, _ flow.Facts) bool { return id == a.ID }
	s.Edge = func(n *flow.Node, e flow.Edge) bool {
		if !flow.KnownEdges(n, e) {
			return false
		}
		g, ok := GuardOf(a.Entry.Graph, n, e)
		return !ok || g.Holds || g.Read.Loc.Root() != other || !component.RootKey(g.Read).Same(key)
	}
	return it.g.Find(s) == nil
}

// AlreadyOver reports whether an edge is taken only when the request has a
// terminal status: it equals one, or the entry is there and does not equal the
// only status that is not terminal, or a flag that holds the conclusion is set.
func AlreadyOver(st *status.Facts, entry *flow.Entry, n *flow.Node, e flow.Edge) bool {
	if n.Op == flow.Branch && n.Test == flow.TestNone && n.Val != nil && n.Val.Kind == flow.Result && n.Val.Loc != nil && !n.Val.Loc.Keyed() {
		return e.Kind == flow.False && st.IsConclusion(n.Val.Loc)
	}
	if n.Op != flow.Branch || n.Test != flow.TestEq || n.Val == nil || n.Val.Kind != flow.Result || n.Val.Loc == nil || !st.IsMap(n.Val.Loc) {
		return false
	}
	if e.Kind == flow.True {
		return st.Terminal(n.Want)
	}
	if st.Terminal(n.Want) || !st.IsStatus(n.Want) || st.Pending() != 1 {
		return false
	}
	read := entry.Graph.Producer(n.Val)
	if read < 0 {
		return false
	}
	r := &entry.Graph.Nodes[read]
	return r.Mode&flow.Strict != 0 || Requires(component.Access{Entry: entry, ID: read, Node: r}, r.Loc)
}

// GuardOf is GuardAt for a node by pointer.
func GuardOf(g *flow.Graph, n *flow.Node, e flow.Edge) (Guard, bool) {
	if n.Op != flow.Branch && n.Op != flow.Read || n.Op == flow.Branch && g.Producer(n.Val) < 0 {
		return Guard{}, false
	}
	for _, i := range g.Nodes[e.To].Pred {
		if &g.Nodes[i] == n {
			return GuardAt(g, i, e)
		}
	}
	return Guard{}, false
}

// IsHook reports whether code outside the component calls an entrypoint.
func IsHook(e *flow.Entry) bool {
	return (e.Role == flow.Caller || e.Role == flow.LoopTask) && len(e.Spawns) == 0
}

// Registers reports whether a store is the first of a request: a hook or
// constructor makes it, whatever there was before, and it does not end the
// request.
func Registers(st *status.Facts, a component.Access) bool {
	if a.Entry.Role != flow.Init && !IsHook(a.Entry) || a.Mode&flow.Update != 0 || st.MayConclude(a.Node) {
		return false
	}
	return a.Key == nil || !Requires(a, a.Loc)
}

// Origin returns the step that the key of an access comes from, or nil: that of
// the message, item or record of which it is a part.
func Origin(a component.Access) *flow.Node {
	k := component.RootKey(a.Node)
	for k != nil && k.Kind != flow.Result {
		switch {
		case k.Base != nil:
			k = k.Base
		case k.Kind == flow.Derived && len(k.Args) > 0:
			k = k.Args[0]
		default:
			return nil
		}
	}
	if at := a.Entry.Graph.Producer(k); at >= 0 {
		return &a.Entry.Graph.Nodes[at]
	}
	return nil
}

// FirstInsert returns the step that makes a key known to a container: an insert
// that does not require it to be there, the first one in the source.
func FirstInsert(st *status.Facts, l *flow.Location) *component.Access {
	accesses := append([]component.Access(nil), st.Comp.Accesses(l)...)
	byLine(accesses)
	for _, a := range accesses {
		if inserts(a.Node) && a.Key != nil && a.Mode&flow.Initial == 0 && !st.MayConclude(a.Node) && !established(a, l) {
			return &a
		}
	}
	for _, a := range accesses {
		if inserts(a.Node) && a.Key != nil && !st.MayConclude(a.Node) {
			return &a
		}
	}
	return nil
}

// RemovesWithoutConcluding reports whether the iteration of a removal has a
// walk that does not conclude the request.
func RemovesWithoutConcluding(st *status.Facts, a component.Access) bool {
	key := component.RootKey(a.Node)
	it := IterationAround(a.Entry.Graph, a.ID, key)
	return it.Through([]int32{a.ID}, func(n *flow.Node) bool {
		return st.MayConclude(n) && (key == nil || n.Op == flow.SetFlag || component.RootKey(n).Same(key))
	}, nil) != nil
}

// EndsRequest reports whether a removal belongs to the end of a request: the
// entrypoint removes the carrier of the status as well, or every member of the
// group, as a clear does, or people say that it is one.
func EndsRequest(st *status.Facts, a component.Access) bool {
	if st.IsClear(a.Entry) {
		return true
	}
	key := component.RootKey(a.Node)
	for i := range a.Entry.Graph.Nodes {
		n := &a.Entry.Graph.Nodes[i]
		if n.Op == flow.Del && n.Loc != nil && st.IsMap(n.Loc.Root()) && (key == nil || component.RootKey(n).Same(key)) {
			return true
		}
	}
	return false
}

// Droppers returns the places where other entrypoints give up a request because
// a container has no entry for it, and conclude nothing.
func Droppers(st *status.Facts, l *flow.Location, except *flow.Entry) []rule.Related {
	var out []rule.Related
	seen := map[ast.Node]bool{}
	for _, a := range st.Comp.Accesses(l) {
		if a.Entry == except || a.Entry.Role == flow.Caller || a.Entry.Role == flow.Init || a.Key == nil {
			continue
		}
		g := a.Entry.Graph
		for i := range g.Nodes {
			n := &g.Nodes[i]
			if n.Op != flow.Branch && n.Op != flow.Read {
				continue
			}
			for _, e := range n.Succ {
				gd, ok := GuardAt(g, int32(i), e)
				if !ok || gd.Holds || gd.Read != a.Node || seen[n.Src] {
					continue
				}
				it := IterationAround(g, int32(i), component.RootKey(a.Node))
				quiet := it.From(e.To, func(id int32, n *flow.Node, _ flow.Facts) bool { return st.MayConclude(n) }) == nil
				if quiet && it.From(e.To, func(id int32, _ *flow.Node, _ flow.Facts) bool { return it.Ends(id) }) != nil {
					seen[n.Src] = true
					out = append(out, rule.Related{
						Place: rule.AtStep(n), Role: report.RoleRival, Entry: a.Entry,
						Message: fmt.Sprintf("%s drops the request when the entry is gone and concludes nothing", a.Entry.Name()),
					})
				}
			}
		}
	}
	return out
}

// Spawns returns the places where an entrypoint is started.
func Spawns(e *flow.Entry) []rule.Related {
	var out []rule.Related
	for _, s := range e.Spawns {
		out = append(out, rule.Related{
			Place: rule.At(s.Mod, s.Src), Role: report.RoleSpawn,
			Message: fmt.Sprintf("%s starts here", e.Name()),
		})
	}
	return out
}

// NeverConcludes words what happens to a request that no one concludes: what its
// poller answers, or that it is never returned. The poller is one that the file
// of the component declares, if there is one.
func NeverConcludes(st *status.Facts) string {
	switch {
	case len(st.Pollers) > 0:
		return fmt.Sprintf("%s never answers with a terminal status; the request stays where it waits and its client hangs", nearest(st, st.Pollers).Name())
	case len(st.Drainers) > 0:
		return fmt.Sprintf("%s never returns the request; it stays where it waits and its client hangs", nearest(st, st.Drainers).Name())
	}
	return ""
}

// nearest returns the entrypoint whose class is declared next to that of the
// component, or the first.
func nearest(st *status.Facts, list []*flow.Entry) *flow.Entry {
	for _, e := range list {
		if st.Comp.Class != nil && e.Class != nil && e.Class.Module == st.Comp.Class.Module {
			return e
		}
	}
	return list[0]
}

// Siblings returns the classes that are parallel to c: they derive from the
// same direct base in the program.
func Siblings(c *program.Class) []*program.Class {
	var out []*program.Class
	for _, b := range c.Bases {
		for _, s := range b.Subclasses {
			if s != c && !s.IsSubclass(c) && !c.IsSubclass(s) {
				out = append(out, s)
			}
		}
	}
	return out
}
