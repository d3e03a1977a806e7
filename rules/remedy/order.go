package remedy

import (
	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/patch"
	"github.com/kvrace/kvrace/rules/rule"
)

// StoreFirst suggests to move a store of a constant before another one, where one
// function makes both: late is the one that comes too early now.
func StoreFirst(late, first component.Access, description string) []rule.Fix {
	if late.Fn != first.Fn || late.Entry != first.Entry || first.Val == nil || first.Val.Kind != flow.Const {
		return nil
	}
	ed := patch.NewEditor(late.Mod.AST)
	edits, err := ed.MoveBefore(late.Stmt, first.Stmt)
	switch section := emptied(first); {
	case section == nil:
	case len(late.Locks) == 0:
		edits, err = ed.MoveBefore(late.Stmt, section) // with its lock
	default:
		var gone []patch.Edit
		if edits, err = ed.InsertBefore(late.Stmt, evidence.Lines(first.Mod, first.Stmt)...); err == nil {
			gone, err = ed.Delete(section)
			edits = append(edits, gone...)
		}
	}
	if err != nil {
		return nil
	}
	return []rule.Fix{{Description: description, Safety: report.SafetyReview, Edits: edits}}
}

// emptied returns the critical section of which the statement of a step is all, or nil.
func emptied(a component.Access) ast.Stmt {
	block, owner := evidence.Block(a.Fn.Body(), a.Stmt)
	with, ok := owner.(*ast.With)
	if !ok || len(block) != 1 || len(with.Items) != 1 || with.Items[0].OptionalVars != nil || Commented(a.Mod, int(with.Pos()), int(with.End())) {
		return nil
	}
	for i := range a.Entry.Graph.Nodes {
		if n := &a.Entry.Graph.Nodes[i]; n.Op == flow.Acquire && n.Src == with.Items[0].ContextExpr {
			return with
		}
	}
	return nil
}
