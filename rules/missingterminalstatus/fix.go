package missingterminalstatus

import (
	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/patch"
	"github.com/kvrace/kvrace/rules/rule"
)

// fixes suggests to conclude the request as an except clause of the same function
// does, before the statement that leaves.
func (w *worker) fixes(at rule.Place, fn string) []rule.Fix {
	leave, f := w.statement(at, fn)
	if leave == nil {
		return nil
	}
	st := w.failure(f)
	if st == nil {
		return nil
	}
	edits, err := patch.NewEditor(at.Mod.AST).InsertBefore(leave, evidence.Lines(at.Mod, st)...)
	if err != nil {
		return nil
	}
	return []rule.Fix{{Description: "conclude the request here as well", Safety: report.SafetyReview, Edits: edits}}
}

// statement returns the statement at a place, and its function: one that leaves.
func (w *worker) statement(at rule.Place, fn string) (ast.Stmt, *program.Func) {
	for i := range w.g.Nodes {
		f := w.g.Nodes[i].Fn
		if f == nil || f.Qual != fn || f.Module != at.Mod {
			continue
		}
		for _, st := range f.Body() {
			var found ast.Stmt
			ast.Inspect(st, func(x ast.Node) bool {
				switch x := x.(type) {
				case *ast.Continue, *ast.Return:
					if x.Pos() == at.From {
						found = x.(ast.Stmt)
					}
				}
				return found == nil
			})
			if found != nil {
				return found, f
			}
		}
	}
	return nil, nil
}

// failure returns the statement of a function that concludes the request in an
// except clause, or nil.
func (w *worker) failure(f *program.Func) ast.Stmt {
	for i := range w.g.Nodes {
		n := &w.g.Nodes[i]
		if !ends(w.st, n) || !component.RootKey(n).Same(w.key) {
			continue
		}
		st := evidence.StatementIn(n, f)
		if st != nil && inExcept(f, st) {
			return st
		}
	}
	return nil
}

// inExcept reports whether a statement of a function is in an except clause.
func inExcept(f *program.Func, st ast.Stmt) bool {
	found := false
	for _, b := range f.Body() {
		ast.Inspect(b, func(x ast.Node) bool {
			if h, ok := x.(*ast.ExceptHandler); ok && h.Pos() <= st.Pos() && st.Pos() < h.End() {
				found = true
			}
			return true
		})
	}
	return found
}
