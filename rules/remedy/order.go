package remedy

import (
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/patch"
	"github.com/kvrace/kvrace/rules/rule"
)

// StoreFirst suggests to move a store of a constant before another one, where one
// function makes both: late is the one that comes too early now.
func StoreFirst(late, first component.Access, description string) []rule.Fix {
	if late.Fn != first.Fn || late.Entry != first.Entry || first.Val == nil || first.Val.Kind != flow.Const {
		return nil
	}
	edits, err := patch.NewEditor(late.Mod.AST).MoveBefore(late.Stmt, first.Stmt)
	if err != nil {
		return nil
	}
	return []rule.Fix{{Description: description, Safety: report.SafetyReview, Edits: edits}}
}
