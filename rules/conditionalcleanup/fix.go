package conditionalcleanup

import (
	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/patch"
	"github.com/kvrace/kvrace/rules/remedy"
	"github.com/kvrace/kvrace/rules/rule"
)

// fixes suggests to move the removal to where the request is concluded, and to
// conclude it on the other side of the guard, too.
func (c *check) fixes(cand candidate) []rule.Fix {
	d, w := &c.g.Nodes[cand.del], &c.g.Nodes[cand.write]
	guard := cand.guard.If()
	if guard == nil || d.Fn != cand.guard.Branch.Fn {
		return nil
	}
	ed := patch.NewEditor(d.Mod.AST)
	write := evidence.StatementIn(w, d.Fn)
	var out []rule.Fix
	if write != nil && evidence.StandsAlone(d) && remedy.CanWait(c.g, d, d.Fn, d.Stmt, write) {
		if edits, err := ed.MoveAfter(write, d.Stmt); err == nil {
			safety := report.SafetyReview
			if onlyMembership(guard.Test) {
				safety = report.SafetySafe
			}
			out = append(out, rule.Fix{Description: "remove the entry only when the request is concluded", Safety: safety, Edits: edits})
		}
	}
	if write != nil && onlyMembership(guard.Test) && cand.guard.Read.Loc != w.Loc { // or it would not last
		if edits, err := ed.AddElse(guard, evidence.Lines(d.Mod, write)...); err == nil {
			out = append(out, rule.Fix{Description: "conclude the request on the other side of the guard as well", Safety: report.SafetyReview, Edits: edits})
		}
	}
	return out
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
