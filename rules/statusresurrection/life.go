package statusresurrection

import (
	"cmp"
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/rules/evidence"
)

// A life is how the entries of a container come and go.
type life struct {
	removals []component.Access // of a request that somebody names
	sweep    *component.Access  // removes whatever it finds
	indexes  bool               // the entries list requests, and belong to none; known if something removes them
}

// life returns the life of the entries of a container.
func (c *check) life(l *flow.Location) life {
	if lf, ok := c.lives[l]; ok {
		return lf
	}
	var lf life
	for _, a := range c.st.Comp.Accesses(l) {
		switch {
		case c.sweeps(a):
			if lf.sweep == nil {
				lf.sweep = &a
			}
		case a.Op == flow.Del && a.Key != nil && a.Mode&flow.AnyKey == 0 && len(a.Path) == 0:
			lf.removals = append(lf.removals, a)
		}
	}
	lf.removals = c.forGood(lf.removals)
	// The hook that is there to clear a request says more than one that calls it.
	slices.SortStableFunc(lf.removals, func(a, b component.Access) int { return cmp.Compare(evidence.Distance(a), evidence.Distance(b)) })
	lf.indexes = len(lf.removals) > 0 && c.indexes(l)
	c.lives[l] = lf
	return lf
}

// registrations returns the steps by which hooks and constructors store the first
// value of a request in a container.
func (c *check) registrations(l *flow.Location) []component.Access {
	if as, ok := c.registered[l]; ok {
		return as
	}
	var out []component.Access
	for _, a := range c.st.Comp.Accesses(l) {
		if !c.sweeps(a) && stores(a.Node) && (a.Op == flow.PutAll || a.Op == flow.Put) && evidence.Registers(c.st, a) {
			out = append(out, a)
		}
	}
	c.registered[l] = out
	return out
}

// forGood returns the removals after which the same entrypoint does not store
// the key again: the others replace an entry.
func (c *check) forGood(removals []component.Access) []component.Access {
	var out []component.Access
	for _, d := range removals {
		again := false
		for i := range d.Entry.Graph.Nodes {
			n := &d.Entry.Graph.Nodes[i]
			again = again || n.Loc == d.Loc && stores(n) && n.Key.Same(d.Key)
		}
		if !again {
			out = append(out, d)
		}
	}
	return out
}

// indexes reports whether the entries of a container hold the keys of requests
// without belonging to one, as an index of the requests by their peer does.
func (c *check) indexes(l *flow.Location) bool {
	if c.ofRequests(l) {
		return false
	}
	for _, inner := range c.st.Comp.Inner(l) {
		for _, a := range c.st.Comp.Accesses(inner) {
			if a.Key == nil || a.Key.Kind == flow.Const {
				continue
			}
			for i := range a.Entry.Graph.Nodes {
				n := &a.Entry.Graph.Nodes[i]
				if n.Loc != nil && n.Loc.Keyed() && component.RootKey(n).Same(a.Key) && c.ofRequests(n.Loc) {
					return true
				}
			}
		}
	}
	return false
}

// ofRequests reports whether the key group of a container has a carrier of the
// end of requests.
func (c *check) ofRequests(l *flow.Location) bool {
	g := c.st.Comp.Group(l)
	if g == nil {
		return false
	}
	for _, l := range g.Locs {
		if c.st.IsMap(l) || c.st.IsDrained(l) {
			return true
		}
	}
	return false
}

// sweeps reports whether a step removes entries that it finds by walking the
// container, without asking another one whether they are still known.
func (c *check) sweeps(a component.Access) bool {
	switch a.Op {
	case flow.Rebind:
		return a.Mode&(flow.Filter|flow.Swap) != 0
	case flow.Del:
	default:
		return false
	}
	if a.Mode&flow.AnyKey != 0 {
		return true
	}
	key := component.RootKey(a.Node)
	if key == nil || !walks(key, a.Loc) {
		return false
	}
	it := evidence.IterationAround(a.Entry.Graph, a.ID, key)
	return it.Unguarded(a.ID, func(g evidence.Guard) bool {
		return g.Holds && g.Read.Loc.Root() != a.Loc && component.RootKey(g.Read).Same(key)
	}) != nil
}

// walks reports whether a key is what a loop over a container takes, or what is
// computed from it.
func walks(key *flow.Value, l *flow.Location) bool {
	for v := key; v != nil; v = v.Base {
		if v.Kind == flow.Container && v.Loc == l {
			return true
		}
		if v.Kind == flow.Derived && len(v.Args) > 0 {
			for _, a := range v.Args {
				if walks(a, l) {
					return true
				}
			}
		}
	}
	return false
}

// statement reports whether a step is a statement of its own, so that nobody
// uses what it yields.
func statement(n *flow.Node) bool {
	switch st := n.Stmt.(type) {
	case *ast.Delete:
		return true
	case *ast.ExprStmt:
		return st.Value == n.Src
	}
	return false
}
