package abortnotpropagated

import (
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/patch"
	"github.com/kvrace/kvrace/rules/rule"
)

// fixes suggests to write the mark as another entrypoint does, after the
// failure, where the statement means the same there.
func fixes(a component.Access, model *component.Access) []rule.Fix {
	if model == nil || model.Stmt == nil || a.Stmt == nil || model.Mod != a.Mod || model.Fn.Class != a.Fn.Class || !known(a, model) {
		return nil
	}
	edits, err := patch.NewEditor(a.Mod.AST).InsertAfter(a.Stmt, evidence.Lines(model.Mod, model.Stmt)...)
	if err != nil {
		return nil
	}
	return []rule.Fix{{Description: "tell " + model.Loc.Name + " as well", Safety: report.SafetyReview, Edits: edits}}
}

// known reports whether the names that a statement of the model uses are
// parameters of the function of a step.
func known(a component.Access, model *component.Access) bool {
	have := map[string]bool{}
	for _, p := range a.Fn.Params {
		have[p.Name] = true
	}
	ok := true
	ast.Inspect(model.Stmt, func(n ast.Node) bool {
		if x, is := n.(*ast.Name); is {
			ok = ok && (have[x.Id()] || strings.ToUpper(x.Id()) == x.Id())
		}
		return ok
	})
	return ok
}
