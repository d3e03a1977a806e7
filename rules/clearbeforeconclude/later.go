package clearbeforeconclude

import (
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/patch"
	"github.com/kvrace/kvrace/rules/remedy"
	"github.com/kvrace/kvrace/rules/rule"
)

// later suggests to remove the entry behind the store that concludes, where what that
// stores cannot be had earlier. The entry must go all the same when something between the
// two raises: the store is the first in a finally clause of a try statement, which the
// removal stands right before, or a hook removes entries of requests that are not concluded.
func (c *check) later(cand candidate, del, set evidence.Spot) []rule.Fix {
	f := del.Frame.Fn
	d := &c.g.Nodes[cand.del]
	if d.Frame != del.Frame || c.claims(cand.del) || strict(d) || !evidence.StandsAlone(d) || !c.sameLocks(f, del.Stmt, set.Stmt) || !c.lasting(evidence.KeyExpr(d), component.RootKey(d)) || !remedy.CanWait(c.g, d, f, del.Stmt, set.Stmt) || c.awaited(f, d.Loc, del.Stmt, set.Stmt) {
		return nil
	}
	block, _ := evidence.Block(f.Body(), del.Stmt)
	at := slices.Index(block, del.Stmt)
	beside := slices.Index(block, set.Stmt)
	if at < 0 {
		return nil
	}
	switch {
	case at+1 < len(block) && finallyBeginsWith(block[at+1], set.Stmt) && !remedy.Acts(set.Stmt):
	case beside > at && straight(f, del.Stmt, set.Stmt) && c.clearedOtherwise(cand):
	default:
		return nil
	}
	edits, err := patch.NewEditor(f.Module.AST).MoveAfter(set.Stmt, del.Stmt)
	if err != nil {
		return nil
	}
	return []rule.Fix{{Description: "remove the entry once the request is concluded", Safety: report.SafetyReview, Edits: edits}}
}

// atLast suggests to remove the entry in a finally clause around the statements up to the one
// that concludes, so that it goes behind the conclusion, and as well when there is none because
// something on the way to it raises.
func (c *check) atLast(cand candidate, del, set evidence.Spot) []rule.Fix {
	f := del.Frame.Fn
	if cand.between == nil || del.Stmt == nil || set.Stmt == nil || c.claims(cand.del) {
		return nil // what raises in between is what is wrong
	}
	moved := del.Stmt
	if _, owner := evidence.Block(f.Body(), moved); owner != nil {
		if c.removals(f, owner) {
			moved = owner // with the lock
		}
	}
	block, _ := evidence.Block(f.Body(), moved)
	at, to := slices.Index(block, moved), slices.Index(block, topIn(f, moved, set.Stmt))
	for i := range c.g.Nodes { // whichever way it is concluded
		n := &c.g.Nodes[i]
		if st := evidence.StatementIn(n, f); st != nil && cand.reader.concludedBy(n) && sameRequest(&c.g.Nodes[cand.del], n) {
			to = max(to, slices.Index(block, topIn(f, moved, st)))
		}
	}
	if at < 0 || to <= at || !c.keyLasts(cand, del) || !c.sameLocks(f, moved, block[to]) || !c.removalWaits(f, moved, block[to]) {
		return nil
	}
	edits, err := patch.NewEditor(f.Module.AST).MoveToFinally(moved, block[at+1:to+1]...)
	if err != nil {
		return nil
	}
	return []rule.Fix{{Description: "remove the entry once the request is concluded, or cannot be", Safety: report.SafetyReview, Edits: edits}}
}

// inside reports whether a step is made in a statement of a function, or in what that calls.
func inside(n *flow.Node, f *program.Func, st ast.Stmt) bool {
	s := evidence.StatementIn(n, f)
	return s != nil && ast.Encloses(st, s)
}

// claims reports whether a removal decides who ends the request: it is made where an entry has been
// found, and somebody else, or the same code once more, can come to such a removal meanwhile.
func (c *check) claims(del int32) bool {
	d := component.Access{Entry: c.entry, ID: del, Node: &c.g.Nodes[del]}
	return evidence.Requires(d, d.Loc) && slices.ContainsFunc(c.st.Comp.Accesses(d.Loc), func(a component.Access) bool {
		return removes(a.Node) && c.st.Comp.Meet(c.entry, a) != component.Ordered && (a.Node == d.Node || evidence.Requires(a, d.Loc))
	})
}

// strict reports whether a removal fails where there is no entry, and nothing around it is for that.
func strict(d *flow.Node) bool { return d.Mode&flow.Strict != 0 && remedy.Unit(d) == d.Stmt }

// sameLocks reports whether the locks that are held around one statement are held around another one.
func (c *check) sameLocks(f *program.Func, st, other ast.Stmt) bool {
	there := c.locksAround(f, other)
	return !slices.ContainsFunc(c.locksAround(f, st), func(l *flow.Value) bool {
		return !slices.ContainsFunc(there, l.Same)
	})
}

// locksAround returns the locks that are held all the time that a statement of a function runs.
func (c *check) locksAround(f *program.Func, st ast.Stmt) []*flow.Value {
	var out []*flow.Value
	first := true
	for i := range c.g.Nodes {
		n := &c.g.Nodes[i]
		if !inside(n, f, st) {
			continue
		}
		if first {
			out, first = slices.Clone(n.Locks), false
			continue
		}
		out = slices.DeleteFunc(out, func(l *flow.Value) bool { return !slices.ContainsFunc(n.Locks, l.Same) })
	}
	return out
}

// removals reports whether a statement is a critical section, and removals are all that is in it.
func (c *check) removals(f *program.Func, st ast.Stmt) bool {
	with, ok := st.(*ast.With)
	return ok && c.onlyRemoves(f, with) && !slices.ContainsFunc(with.Body, func(st ast.Stmt) bool {
		return !slices.ContainsFunc(c.g.Nodes, func(n flow.Node) bool {
			return n.Op == flow.Del && n.Fn == f && evidence.StandsAlone(&n) && remedy.Unit(&n) == st
		})
	})
}

// awaited reports whether something between two statements waits for others, when some thread or
// task looks at a container: it may be waiting for the entry to go.
func (c *check) awaited(f *program.Func, l *flow.Location, st, last ast.Stmt) bool {
	waits := slices.ContainsFunc(c.g.Nodes, func(n flow.Node) bool {
		switch n.Op {
		case flow.Join, flow.Wait, flow.Dequeue:
			s := evidence.StatementIn(&n, f)
			return s != nil && s.Pos() >= st.End() && s.Pos() < last.End()
		}
		return false
	})
	return waits && slices.ContainsFunc(c.st.Comp.Accesses(l), func(a component.Access) bool {
		switch a.Op {
		case flow.Read, flow.Has, flow.Iter, flow.Next, flow.Size:
			return a.Entry != c.entry && !evidence.IsHook(a.Entry)
		}
		return false
	})
}

// onlyRemoves reports whether a statement does nothing, itself or in what it calls, but to
// remove entries that may be gone, and to look for them, under locks or without.
func (c *check) onlyRemoves(f *program.Func, st ast.Stmt) bool {
	for i := range c.g.Nodes {
		n := &c.g.Nodes[i]
		if !inside(n, f, st) {
			continue
		}
		switch n.Op {
		case flow.Del:
			if strict(n) || n.Frame.Fn == f && !evidence.StandsAlone(n) {
				return false
			}
		case flow.Nop, flow.Has, flow.Read, flow.Size, flow.GetFlag, flow.Acquire, flow.Release, flow.Branch, flow.Move:
			if n.Mode&flow.Strict != 0 {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// removalWaits reports whether a statement that does nothing but to remove entries does the same
// behind another one.
func (c *check) removalWaits(f *program.Func, st, last ast.Stmt) bool {
	if !c.onlyRemoves(f, st) {
		return false
	}
	for i := range c.g.Nodes {
		n := &c.g.Nodes[i]
		if n.Op == flow.Del && inside(n, f, st) && (!remedy.CanWait(c.g, n, f, st, last) || c.awaited(f, n.Loc, st, last)) {
			return false
		}
	}
	return true
}

// keyLasts reports whether the key of a removal is the same as long as its names are, where the
// removal stands in the function of a spot or what the key is made of is handed to the removal.
func (c *check) keyLasts(cand candidate, at evidence.Spot) bool {
	d := &c.g.Nodes[cand.del]
	if d.Frame == at.Frame {
		return c.lasting(evidence.KeyExpr(d), component.RootKey(d))
	}
	call, ok := at.Src.(*ast.Call)
	if !ok || len(call.Keywords()) > 0 || !remedy.Plain(call.Func) {
		return false
	}
	return !slices.ContainsFunc(call.Args(), func(a ast.Expr) bool { return !c.lasting(a, component.RootKey(d)) })
}

// asked reports whether something between a removal and a conclusion looks at what is
// concluded: it would find more than before if the conclusion came first.
func (c *check) asked(cand candidate, f *program.Func, del, set ast.Stmt) bool {
	w := &c.g.Nodes[cand.set]
	for i := range c.g.Nodes {
		n := &c.g.Nodes[i]
		if n.Loc == nil || n.Loc.Root() != w.Loc.Root() || n.Op == flow.Put || n.Op == flow.SetFlag {
			continue
		}
		if st := evidence.StatementIn(n, f); st != nil && st.Pos() >= del.Pos() && st.Pos() < set.Pos() {
			return true
		}
	}
	return false
}

// atOnce suggests to conclude before the removal what a finally clause concludes whatever
// comes of it, where the removal cannot wait: what is stored is known by then.
func (c *check) atOnce(cand candidate, del, set evidence.Spot) []rule.Fix {
	f := del.Frame.Fn
	block, _ := evidence.Block(f.Body(), del.Stmt)
	at := slices.Index(block, del.Stmt)
	if at < 0 || at+1 >= len(block) || !finallyBeginsWith(block[at+1], set.Stmt) || remedy.Acts(set.Stmt) || !independent(f, del.Stmt, set.Stmt) || c.asked(cand, f, del.Stmt, set.Stmt) {
		return nil
	}
	ed := patch.NewEditor(f.Module.AST)
	edits, err := ed.MoveBefore(del.Stmt, set.Stmt)
	if try := block[at+1].(*ast.Try); err == nil && len(try.Finalbody) == 1 {
		if len(try.Handlers) > 0 {
			return nil // there would be nothing left to do in the end
		}
		var gone []patch.Edit
		if gone, err = ed.Unwrap(try, try.Body); err == nil {
			edits, err = ed.InsertBefore(del.Stmt, evidence.Lines(f.Module, set.Stmt)...)
			edits = append(edits, gone...)
		}
	}
	if err != nil {
		return nil
	}
	return []rule.Fix{{Description: "conclude the request, then remove the entry", Safety: report.SafetyReview, Edits: edits}}
}

// finallyBeginsWith reports whether a statement has a finally clause that begins with another
// one.
func finallyBeginsWith(st, first ast.Stmt) bool {
	try, ok := st.(*ast.Try)
	return ok && len(try.Finalbody) > 0 && try.Finalbody[0] == first
}

// lasting reports whether an expression for a key has the same value as long as its names do:
// it is a name, a constant, or an attribute that nobody but constructors assigns.
func (c *check) lasting(e ast.Expr, v *flow.Value) bool {
	switch e := e.(type) {
	case *ast.Name, *ast.Constant:
		return true
	case *ast.Attribute:
		switch {
		case v == nil:
		case v.Kind == flow.Result:
			at := c.g.Producer(v)
			return at >= 0 && c.g.Nodes[at].Op == flow.GetFlag && c.g.Nodes[at].Loc.Settled && remedy.Plain(e)
		case v.Kind == flow.Attribute && v.Base.Type != nil && v.Base.Type.Class != nil:
			owner := v.Base.Type.Class.AttrOwner(v.Name)
			outside := func(d program.Def) bool { return d.Func == nil || d.Func.Name != "__init__" }
			return owner != nil && len(owner.Attrs[v.Name].Outside) == 0 && !slices.ContainsFunc(owner.Attrs[v.Name].Defs, outside) && c.lasting(e.Value, v.Base)
		}
	}
	return false
}

// clearedOtherwise reports whether a hook removes the entry of a request even though it is
// not concluded.
func (c *check) clearedOtherwise(cand candidate) bool {
	d, set := &c.g.Nodes[cand.del], &c.g.Nodes[cand.set]
	for _, a := range c.st.Comp.Accesses(d.Loc) {
		if !removes(a.Node) || a.Entry == c.entry || !evidence.IsHook(a.Entry) {
			continue
		}
		if set.Op == flow.Put && evidence.Requires(a, set.Loc) {
			continue
		}
		g := a.Entry.Graph
		if g.Find(flow.Search{
			From: []int32{flow.StartNode}, To: []int32{a.ID},
			Goal: func(id int32, _ *flow.Node, _ flow.Facts) bool { return id == a.ID },
			Edge: func(n *flow.Node, e flow.Edge) bool {
				return flow.KnownEdges(n, e) && !cand.reader.knownConcluded(g, n, e, set)
			},
		}) != nil {
			return true
		}
	}
	return false
}
