package clearbeforeconclude

import (
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/patch"
	"github.com/kvrace/kvrace/rules/rule"
)

// fixes suggests to conclude first: the conclusion goes before the removal, or
// to its critical section. What the conclusion is computed from must be known
// by then.
func fixes(del, set evidence.Spot) []rule.Fix {
	f := del.Frame.Fn
	block, owner := evidence.Block(f.Body(), set.Stmt)
	if block == nil || del.Stmt == nil || del.Stmt == set.Stmt || !independent(f.Body(), del.Stmt, set.Stmt) {
		return nil
	}
	ed := patch.NewEditor(f.Module.AST)
	var edits []patch.Edit
	var err error
	with, section := owner.(*ast.With)
	beside := topIn(f, del.Stmt, set.Stmt)
	switch {
	case section && with.Pos() > del.Stmt.Pos():
		edits, err = intoSection(ed, f, del.Stmt, set.Stmt, with, len(block) == 1)
	case beside != nil && beside != set.Stmt:
		edits, err = ed.MoveAfter(beside, del.Stmt)
	default:
		edits, err = ed.MoveBefore(del.Stmt, set.Stmt)
	}
	if err != nil {
		return nil
	}
	return []rule.Fix{{Description: "conclude the request, then remove the entry", Safety: report.SafetySafe, Edits: edits}}
}

// intoSection brings a removal and a conclusion in a critical section together:
// in the section of the removal when it is of the same lock, or else in that of
// the conclusion. A section that would be left empty goes.
func intoSection(ed *patch.Editor, f *program.Func, del, set ast.Stmt, with *ast.With, alone bool) ([]patch.Edit, error) {
	if !sameSection(f, del, with) {
		return ed.MoveAfter(set, del)
	}
	if !alone {
		return ed.MoveBefore(del, set)
	}
	text := string(f.Module.AST.Text(set))
	edits, err := ed.InsertBefore(del, strings.Split(text, "\n")...)
	if err != nil {
		return nil, err
	}
	gone, err := ed.Delete(with)
	return append(edits, gone...), err
}

// sameSection reports whether a statement stands in a with statement over the
// same object as another one.
func sameSection(f *program.Func, st ast.Stmt, with *ast.With) bool {
	_, owner := evidence.Block(f.Body(), st)
	w, ok := owner.(*ast.With)
	text := func(w *ast.With) string { return string(f.Module.AST.Text(w.Items[0].ContextExpr)) }
	return ok && len(w.Items) == 1 && len(with.Items) == 1 && text(w) == text(with)
}

// topIn returns the statement in the block of one statement that is another one
// or contains it, or nil.
func topIn(f *program.Func, st, inner ast.Stmt) ast.Stmt {
	block, _ := evidence.Block(f.Body(), st)
	for _, s := range block {
		if s.Pos() <= inner.Pos() && inner.End() <= s.End() {
			return s
		}
	}
	return nil
}

// independent reports whether nothing from the first statement on assigns a
// name that the second one uses.
func independent(body []ast.Stmt, first, second ast.Stmt) bool {
	used := map[string]bool{}
	ast.Inspect(second, func(n ast.Node) bool {
		if x, ok := n.(*ast.Name); ok && x.Ctx() == ast.Load {
			used[x.Id()] = true
		}
		return true
	})
	free := true
	for _, st := range body {
		ast.Inspect(st, func(n ast.Node) bool {
			if x, ok := n.(*ast.Name); ok && x.Ctx() != ast.Load && x.Pos() >= first.Pos() && x.Pos() < second.Pos() {
				free = free && !used[x.Id()]
			}
			return free
		})
	}
	return free
}
