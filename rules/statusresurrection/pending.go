package statusresurrection

import (
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/patch"
	"github.com/kvrace/kvrace/rules/remedy"
	"github.com/kvrace/kvrace/rules/rule"
)

// This file is about entries that wait in one container until all of them are taken over
// into another one at once: inside.update(knocking).

// waitsIn returns the container whose entries a store takes over, or nil.
func waitsIn(put component.Access) *flow.Location {
	if put.Op != flow.PutAll || put.Val == nil || put.Val.Kind != flow.Container || len(put.Val.Path()) > 0 {
		return nil
	}
	if l := put.Val.Loc; l != put.Loc && l.Keyed() && l.Outer == nil {
		return l
	}
	return nil
}

// stands reports whether a store takes over what a table lists of which nobody ever takes out
// more than an entry that he names: what is listed there is known.
func (c *check) stands(put component.Access) bool {
	l := waitsIn(put)
	return l != nil && !slices.ContainsFunc(c.st.Comp.Accesses(l), func(a component.Access) bool {
		return empties(a.Node, l) || c.sweeps(a)
	})
}

// dropsWaiting reports whether a removal is one of an entry that does not wait any more
// either: the same entrypoint always takes the key out of the container that a store takes
// over, before it or with nothing in between.
func (c *check) dropsWaiting(put, del component.Access) bool {
	l := waitsIn(put)
	if l == nil {
		return false
	}
	g := del.Entry.Graph
	drops := func(n *flow.Node) bool { return n.Op == flow.Del && n.Loc == l && n.Key.Same(del.Key) }
	it := evidence.IterationAround(g, del.ID, del.Key)
	if it.Through([]int32{del.ID}, nil, nil) == nil {
		return false
	}
	without := it.Through([]int32{del.ID}, drops, func(n *flow.Node, e flow.Edge) bool {
		gd, ok := evidence.GuardOf(g, n, e)
		return !ok || gd.Holds || !gd.Certain || gd.Read.Loc != l || !gd.Read.Key.Same(del.Key)
	})
	if without != nil {
		return false
	}
	for i := range g.Nodes {
		if drops(&g.Nodes[i]) && it.After(del.ID, int32(i), del.ID) && c.st.Comp.Between(del.Entry, del.ID, int32(i), []component.Access{put}) != nil {
			return false
		}
	}
	return true
}

// waitsAgain reports whether the entrypoint of a removal puts the key among those that wait
// for a store: the request goes on, and is to come back.
func waitsAgain(put, del component.Access) bool {
	l := waitsIn(put)
	return l != nil && slices.ContainsFunc(del.Entry.Graph.Nodes, func(n flow.Node) bool {
		return n.Loc == l && n.Op == flow.Put && len(n.Path) == 0 && len(n.Pred) > 0 && n.Key.Same(del.Key)
	})
}

// waitsNoMore reports whether an entry that a removal has found has not been waiting since:
// what waits is taken over once and emptied with nothing in between, the removal needs the
// entry to be there, and whoever else stores one does so for a key that was taken over
// before. It waits again only when the request begins anew.
func (c *check) waitsNoMore(put, del component.Access) bool {
	l := waitsIn(put)
	if l == nil || del.Mode&flow.Strict == 0 && !evidence.Requires(del, put.Loc) || !c.moves(put, l) {
		return false
	}
	after := c.filledAfter(put)
	return !slices.ContainsFunc(c.st.Comp.Accesses(put.Loc), func(a component.Access) bool {
		return a.Entry != put.Entry && stores(a.Node) && !evidence.RequiresAny(a, after)
	})
}

// moves reports whether a store takes entries over from a container that the same entrypoint
// empties at once, before anybody else looks at either of the two.
func (c *check) moves(put component.Access, l *flow.Location) bool {
	g := put.Entry.Graph
	it := evidence.IterationAround(g, put.ID, put.Key)
	var others []component.Access
	for _, loc := range []*flow.Location{l, put.Loc} {
		for _, a := range c.st.Comp.Accesses(loc) {
			if a.Entry != put.Entry {
				others = append(others, a)
			}
		}
	}
	for i := range g.Nodes {
		if empties(&g.Nodes[i], l) && it.Through([]int32{put.ID}, func(n *flow.Node) bool { return n == &g.Nodes[i] }, nil) == nil &&
			it.After(put.ID, int32(i), put.ID) && c.st.Comp.Between(put.Entry, put.ID, int32(i), others) == nil {
			return true
		}
	}
	return false
}

// empties reports whether a step leaves a container without entries.
func empties(n *flow.Node, l *flow.Location) bool {
	return n.Loc == l && (n.Op == flow.Clear || n.Op == flow.Rebind && n.Mode&(flow.Filter|flow.Initial) == 0)
}

// dropFix suggests that whoever removes an entry takes it out of those that wait, too. What
// waits is taken over once: the container is emptied then.
func (c *check) dropFix(r revival) []rule.Fix {
	p := r.put
	l := waitsIn(p)
	if l == nil || !emptied(p, l) {
		return nil
	}
	fix := rule.Fix{Description: "drop what waits in " + l.Name + " as well", Safety: report.SafetyReview}
	done := map[ast.Stmt]bool{}
	for _, d := range c.life(p.Loc).removals {
		if d.Entry == p.Entry || waitsAgain(p, d) || c.dropsWaiting(p, d) || c.waitsNoMore(p, d) || done[d.Stmt] {
			continue
		}
		done[d.Stmt] = true
		key, object := evidence.KeyArg(d.Node), remedy.ObjectText(d.Node)
		if key == "" || object == "" || !remedy.Plain(evidence.KeyExpr(d.Node)) || l.Owner == nil || d.Loc.Owner == nil ||
			!l.Owner.IsSubclass(d.Loc.Owner) && !d.Loc.Owner.IsSubclass(l.Owner) {
			return nil
		}
		drop := object + "." + l.Name + ".pop(" + key + ", None)"
		edits, err := patch.NewEditor(d.Mod.AST).InsertBefore(d.Stmt, drop)
		if err != nil {
			return nil
		}
		fix.Edits = append(fix.Edits, edits...)
	}
	if len(fix.Edits) == 0 {
		return nil
	}
	patch.Sort(fix.Edits)
	return []rule.Fix{fix}
}

// emptied reports whether the entrypoint of a store empties a container after it.
func emptied(put component.Access, l *flow.Location) bool {
	g := put.Entry.Graph
	it := evidence.IterationAround(g, put.ID, put.Key)
	for i := range g.Nodes {
		if empties(&g.Nodes[i], l) && it.Reaches(put.ID, int32(i)) {
			return true
		}
	}
	return false
}

// fromWaiting makes a threat one of an entry that waits: the store takes it over although it
// has waited since before the removal, and nobody has begun anew meanwhile.
func (c *check) fromWaiting(t *rule.Threat, r revival) {
	l := waitsIn(r.put)
	if l == nil {
		return
	}
	for i := range t.Steps {
		t.Steps[i].When, t.Steps[i].Of = rule.Present, l
	}
	for _, loc := range []*flow.Location{l, r.put.Loc} {
		for _, a := range c.st.Comp.Accesses(loc) {
			if a.Entry != r.put.Entry && a.Op == flow.Put && a.Mode&flow.Initial == 0 {
				t.Undo = append(t.Undo, rule.Step{Entry: a.Entry, ID: a.ID, When: rule.Anyhow})
			}
		}
	}
}
