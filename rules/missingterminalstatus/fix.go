package missingterminalstatus

import (
	"slices"
	"strings"

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

// fixes suggests to conclude the request where the worker leaves it: before the
// statement that leaves, or in the except clause that swallows the exception. A
// worker that gives up a batch goes on with the next one instead.
func (w *worker) fixes(at rule.Place, fn string) []rule.Fix {
	f := w.function(at, fn)
	if f == nil {
		return nil
	}
	ed := patch.NewEditor(f.Module.AST)
	var fixes []rule.Fix
	add := func(description string, edits []patch.Edit, err error) {
		if err == nil && len(edits) > 0 {
			fixes = append(fixes, rule.Fix{Description: description, Safety: report.SafetyReview, Edits: edits})
		}
	}
	ast.Inspect(f.Node, func(x ast.Node) bool {
		if x.Pos() > at.From || x.End() <= at.From {
			return false
		}
		if x.Pos() != at.From {
			return true
		}
		switch x := x.(type) {
		case *ast.Continue, *ast.Return:
			st := x.(ast.Stmt)
			if lines := w.conclusion(f, st); lines != nil {
				edits, err := ed.InsertBefore(st, lines...)
				add("conclude the request here as well", edits, err)
			}
		case *ast.Break:
			edits, err := ed.ReplaceStmts([]ast.Stmt{x}, "continue")
			add("go on with the rest", edits, err)
		case *ast.ExceptHandler:
			last := x.Body[len(x.Body)-1]
			if lines := w.conclusion(f, last); lines != nil {
				edits, err := ed.InsertAfter(last, lines...)
				add("conclude the request in the except clause", edits, err)
			}
		}
		return true
	})
	return fixes
}

// function returns the function of that name whose statements a place is among.
func (w *worker) function(at rule.Place, fn string) *program.Func {
	for i := range w.g.Nodes {
		if f := w.g.Nodes[i].Fn; f != nil && f.Qual == fn && f.Module == at.Mod && f.Node.Pos() <= at.From && at.From < f.Node.End() {
			return f
		}
	}
	return nil
}

// conclusion returns the lines that conclude the request at a statement of a
// function: as an except clause of it does, or in words of the program.
func (w *worker) conclusion(f *program.Func, at ast.Stmt) []string {
	if st := w.failure(f); st != nil && !speaksOfException(f, st, at) {
		return evidence.Lines(f.Module, st)
	}
	e := remedy.Ending{Facts: w.st, Func: f, Key: remedy.KeyIn(w.g, f, w.key), Locks: remedy.HeldAt(w.g, f, at)}
	if l := w.end.Loc.Root(); w.st.IsDrained(l) {
		e.In = l
	}

	return e.Lines()
}

// caught suggests to conclude the request in the except clause that catches the
// exception of a step, where it is known there, and else before that.
func (w *worker) caught(n *flow.Node, h *handled) []rule.Fix {
	clause, body := clauseAt(h.fn, h.from)
	name, _, _ := strings.Cut(remedy.KeyIn(w.g, h.fn, w.key), ".")
	name, _, _ = strings.Cut(name, "[")
	if clause == nil || assigns(body, name) {
		return w.guarded(n, h.fn)
	}
	last := clause.Body[len(clause.Body)-1]
	lines := w.conclusion(h.fn, last)
	if lines == nil {
		return nil
	}
	edits, err := patch.NewEditor(h.fn.Module.AST).InsertAfter(last, lines...)
	if err != nil {
		return nil
	}
	return []rule.Fix{{Description: "conclude the request in the except clause", Safety: report.SafetyReview, Edits: edits}}
}

// clauseAt returns the except clause of a function at a position, and the body of its
// try.
func clauseAt(f *program.Func, pos ast.Pos) (clause *ast.ExceptHandler, body []ast.Stmt) {
	ast.Inspect(f.Node, func(x ast.Node) bool {
		if t, ok := x.(*ast.Try); ok {
			for _, h := range t.Handlers {
				if h.Pos() == pos {
					clause, body = h, t.Body
				}
			}
		}
		return clause == nil
	})
	return clause, body
}

// assigns reports whether statements give a variable a value.
func assigns(body []ast.Stmt, name string) bool {
	found := false
	for _, st := range body {
		ast.Inspect(st, func(x ast.Node) bool {
			if n, ok := x.(*ast.Name); ok && n.Id() == name && n.Ctx() == ast.Store {
				found = true
			}
			return !found
		})
	}
	return found
}

// guarded suggests to conclude the request where an exception leaves the statement
// of a function that leads to a step, and to pass the exception on.
func (w *worker) guarded(n *flow.Node, f *program.Func) []rule.Fix {
	st := evidence.StatementIn(n, f)
	if st == nil {
		return nil
	}
	return w.wrapped(f, []ast.Stmt{st})
}

// entered suggests the same for the whole function of the entrypoint.
func (w *worker) entered() []rule.Fix {
	body := slices.Clone(w.entry.Func.Body())
	if len(body) > 1 {
		if doc, ok := body[0].(*ast.ExprStmt); ok {
			if k, ok := doc.Value.(*ast.Constant); ok && k.Kind() == ast.Str {
				body = body[1:]
			}
		}
	}
	if len(body) == 0 {
		return nil
	}
	return w.wrapped(w.entry.Func, body)
}

func (w *worker) wrapped(f *program.Func, stmts []ast.Stmt) []rule.Fix {
	lines := w.conclusion(f, stmts[0])
	if lines == nil {
		return nil
	}
	clause := []string{"except Exception:"}
	for _, line := range lines {
		clause = append(clause, "\t"+strings.TrimRight(line, " "))
	}
	edits, err := patch.NewEditor(f.Module.AST).WrapTry(stmts, append(clause, "\traise")...)
	if err != nil {
		return nil
	}
	return []rule.Fix{{Description: "conclude the request when an exception comes", Safety: report.SafetyReview, Edits: edits}}
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

// speaksOfException reports whether a statement of a function uses the exception that an
// except clause around it has caught, which another place is not in.
func speaksOfException(f *program.Func, st, at ast.Stmt) bool {
	names := map[string]bool{}
	ast.Inspect(f.Node, func(x ast.Node) bool {
		h, ok := x.(*ast.ExceptHandler)
		if ok && h.Name != "" && within(h, st) && !within(h, at) {
			names[h.Name] = true
		}
		return true
	})
	found := false
	ast.Inspect(st, func(x ast.Node) bool {
		if n, ok := x.(*ast.Name); ok && names[n.Id()] {
			found = true
		}
		return !found
	})
	return found
}

func within(h *ast.ExceptHandler, st ast.Stmt) bool { return h.Pos() <= st.Pos() && st.Pos() < h.End() }

// inExcept reports whether a statement of a function is in an except clause.
func inExcept(f *program.Func, st ast.Stmt) bool {
	found := false
	for _, b := range f.Body() {
		ast.Inspect(b, func(x ast.Node) bool {
			if h, ok := x.(*ast.ExceptHandler); ok && within(h, st) {
				found = true
			}
			return true
		})
	}
	return found
}
