package conditionalcleanup

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

// fixes suggests to conclude the request on the other side of the guard, too, or to move the
// removal to where the request is concluded, where that is in what follows the removal in its
// block. What comes before the guard can hold then has no effect, which is for review.
func (c *check) fixes(cand candidate) []rule.Fix {
	d, w := &c.g.Nodes[cand.del], &c.g.Nodes[cand.write]
	guard := cand.guard.If()
	if guard == nil || d.Fn != cand.guard.Branch.Fn {
		return nil
	}
	ed := patch.NewEditor(d.Mod.AST)
	write := evidence.StatementIn(w, d.Fn)
	if write == nil {
		return nil
	}
	var out []rule.Fix
	if onlyMembership(guard.Test) && cand.guard.Read.Loc != w.Loc { // or it would not last
		lines := evidence.Lines(d.Mod, write)
		for _, st := range guard.Body {
			if wakes(st) {
				lines = append(lines, evidence.Lines(d.Mod, st)...)
			}
		}
		if edits, err := c.otherwise(ed, cand, lines); err == nil {
			out = append(out, rule.Fix{Description: "conclude the request on the other side of the guard as well", Safety: report.SafetyReview, Edits: edits})
		}
	}
	unit := remedy.Unit(d)
	places := []ast.Stmt{governedWith(d.Fn, cand.guard, write), write}
	for _, at := range slices.Compact(places) {
		if !evidence.StandsAlone(d) || !follows(d.Fn, unit, at) && !next(d.Fn, guard, unit) || !remedy.CanWait(c.g, d, d.Fn, unit, at) {
			continue
		}
		if edits, err := ed.MoveAfter(at, unit); err == nil {
			out = append(out, rule.Fix{Description: "remove the entry only when the request is concluded", Safety: report.SafetyReview, Edits: edits})
		}
	}
	return out
}

// governedWith returns the statement around the one that concludes that a guard governs first: a
// test in it, as of whether the request is over, says nothing about the entry.
func governedWith(f *program.Func, guard evidence.Guard, write ast.Stmt) ast.Stmt {
	st := guard.If()
	block, _ := evidence.Block(f.Body(), st)
	switch {
	case guard.Branch == guard.Read: // it fails without the entry, before the if statement goes on
	case ast.Covers(st.Body, write):
		block = st.Body
	case ast.Covers(st.Orelse, write):
		block = st.Orelse
	}
	for _, s := range block {
		if ast.Encloses(s, write) {
			return s
		}
	}
	return write
}

// otherwise returns the edits that do some lines where a guard does not hold: only where the entry
// shows that there is a request, if that can be told beside the guard.
func (c *check) otherwise(ed *patch.Editor, cand candidate, lines []string) ([]patch.Edit, error) {
	d, guard := &c.g.Nodes[cand.del], cand.guard.If()
	removal, ok := removalOf(d)
	key, known := evidence.KeyArg(d), containerText(d)
	if ok && len(guard.Orelse) == 0 && d.Loc.Outer == nil && key != "" && known != "" && remedy.Plain(evidence.KeyExpr(d)) {
		if edits, test, err := knowing(ed, c.g, d, removal, guard, key, known); err == nil {
			more, err := ed.AddElif(guard, test, lines...)
			edits = slices.Concat(more, edits)
			patch.Sort(edits)
			return edits, err
		}
	}
	return ed.AddElse(guard, lines...)
}

// follows reports whether one statement comes behind another one in the block of that, itself or
// in a statement there.
func follows(f *program.Func, st, later ast.Stmt) bool {
	block, _ := evidence.Block(f.Body(), st)
	return slices.ContainsFunc(block, func(s ast.Stmt) bool {
		return s.Pos() > st.Pos() && ast.Encloses(s, later)
	})
}

// next reports whether one statement comes right after another one in its block.
func next(f *program.Func, st, later ast.Stmt) bool {
	block, _ := evidence.Block(f.Body(), st)
	at := slices.Index(block, st)
	return at >= 0 && at+1 < len(block) && block[at+1] == later
}

// wakes reports whether a statement only wakes those who wait: for a condition or an event.
func wakes(st ast.Stmt) bool {
	x, ok := st.(*ast.ExprStmt)
	if !ok {
		return false
	}
	call, ok := x.Value.(*ast.Call)
	if !ok || len(call.Args()) > 0 || len(call.Keywords()) > 0 {
		return false
	}
	at, ok := call.Func.(*ast.Attribute)
	return ok && remedy.Plain(at.Value) && (at.Attr() == "notify" || at.Attr() == "notify_all" || at.Attr() == "set")
}

// registerFirst suggests to store the guarded entry before the one that is removed,
// where one function stores both.
func registerFirst(why reason) []rule.Fix {
	if why.late == nil || why.first == nil {
		return nil
	}
	return remedy.StoreFirst(*why.late, *why.first, "store "+why.first.Loc.Root().Name+" first")
}

// onlyGuarded suggests to remove the entry only where the request is concluded after
// it, when removal and guard are in functions that one function calls.
func (c *check) onlyGuarded(cand candidate) []rule.Fix {
	d := &c.g.Nodes[cand.del]
	if d.Fn == cand.guard.Branch.Fn {
		return nil
	}
	here, _ := evidence.Meet(d, cand.guard.Branch)
	f := here.Frame.Fn
	call, ok := here.Stmt.(*ast.ExprStmt)
	if !ok || ast.Node(call.Value) != here.Src {
		return nil
	}
	e := remedy.Ending{Facts: c.st, Func: f, Key: remedy.KeyIn(c.g, f, component.RootKey(d))}
	known := e.Container(cand.guard.Read.Loc.Root())
	if known == "" || e.Key == "" {
		return nil
	}
	edits, err := patch.NewEditor(f.Module.AST).WrapIf(e.Key+" in "+known, call)
	if err != nil {
		return nil
	}
	return []rule.Fix{{Description: "remove the entry only when the request can be concluded", Safety: report.SafetyReview, Edits: edits}}
}

// endFirst suggests to conclude the request before its entry is removed.
func (c *check) endFirst(d *flow.Node, status *flow.Location) []rule.Fix {
	lines := remedy.Ending{Facts: c.st, Func: d.Fn, Key: evidence.KeyArg(d), Locks: d.Locks, In: status.Root()}.Lines()
	if lines == nil || !evidence.StandsAlone(d) {
		return nil
	}
	edits, err := patch.NewEditor(d.Mod.AST).InsertBefore(d.Stmt, lines...)
	if err != nil {
		return nil
	}
	return []rule.Fix{{Description: "conclude the request first", Safety: report.SafetyReview, Edits: edits}}
}

// onlyMembership reports whether a condition is a single membership test, so
// that it is false for unregistered requests only.
func onlyMembership(e ast.Expr) bool {
	cmp, ok := e.(*ast.Compare)
	return ok && len(cmp.Ops) == 1 && cmp.Ops[0] == ast.In
}
