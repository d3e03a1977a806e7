package conditionalcleanup

import (
	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/patch"
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
	if write != nil && standsAlone(d) {
		if edits, err := ed.MoveAfter(write, d.Stmt); err == nil {
			safety := report.SafetyReview
			if onlyMembership(guard.Test) {
				safety = report.SafetySafe
			}
			out = append(out, rule.Fix{Description: "remove the entry only when the request is concluded", Safety: safety, Edits: edits})
		}
	}
	if write != nil && onlyMembership(guard.Test) {
		if edits, err := ed.AddElse(guard, evidence.Lines(d.Mod, write)...); err == nil {
			out = append(out, rule.Fix{Description: "conclude the request on the other side of the guard as well", Safety: report.SafetyReview, Edits: edits})
		}
	}
	return out
}

// standsAlone reports whether a removal is a statement of its own.
func standsAlone(d *flow.Node) bool {
	switch st := d.Stmt.(type) {
	case *ast.Delete:
		return len(st.Targets) == 1
	case *ast.ExprStmt:
		return st.Value == d.Src
	}
	return false
}

// onlyMembership reports whether a condition is a single membership test, so
// that it is false for unregistered requests only.
func onlyMembership(e ast.Expr) bool {
	cmp, ok := e.(*ast.Compare)
	return ok && len(cmp.Ops) == 1 && cmp.Ops[0] == ast.In
}
