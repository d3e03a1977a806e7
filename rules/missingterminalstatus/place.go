package missingterminalstatus

import (
	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/rule"
)

// leaving returns the place of the statement by which a branch leaves: the
// continue, return or break that ends one of its blocks, or its condition.
func leaving(n *flow.Node) rule.Place {
	var blocks [][]ast.Stmt
	switch st := n.Stmt.(type) {
	case *ast.If:
		blocks = [][]ast.Stmt{st.Body, st.Orelse}
	case *ast.Match:
		for i := len(st.Cases) - 1; i >= 0; i-- {
			blocks = append(blocks, st.Cases[i].Body)
		}
	}
	for _, b := range blocks {
		if len(b) == 0 {
			continue
		}
		switch last := b[len(b)-1].(type) {
		case *ast.Continue, *ast.Return, *ast.Break:
			return rule.At(n.Mod, last)
		}
	}
	return rule.AtStep(n)
}

// handled is the header of an except clause.
type handled struct {
	from, to ast.Pos
	fn       *program.Func
	nested   bool // in another except clause
}

// handler returns the except clause that catches any exception of a step: the one
// of the innermost try around it, in its function or in one that calls it.
func handler(n *flow.Node) *handled {
	fn, pos := n.Fn, n.Src.Pos()
	fr := n.Frame
	for {
		if h := around(fn, pos); h != nil {
			return h
		}
		for fr != nil && fr.Fn != fn {
			fr = fr.Caller
		}
		if fr == nil || fr.Caller == nil || fr.Call == nil {
			return nil
		}
		pos, fr = fr.Call.Pos(), fr.Caller
		fn = fr.Fn
	}
}

// around returns the clause of the innermost try of a function that catches any
// exception from a position.
func around(fn *program.Func, pos ast.Pos) *handled {
	var found *handled
	nested := false
	for _, st := range fn.Body() {
		ast.Inspect(st, func(x ast.Node) bool {
			switch x := x.(type) {
			case *ast.ExceptHandler:
				nested = nested || x.Pos() <= pos && pos < x.End()
			case *ast.Try:
				if h := catchesAll(x); h != nil && x.Body[0].Pos() <= pos && pos < x.Body[len(x.Body)-1].End() {
					found = &handled{from: h.Pos(), to: headerEnd(h), fn: fn, nested: nested}
				}
			}
			return true
		})
	}
	return found
}

// catchesAll returns the except clause of a try that takes any exception, or nil.
func catchesAll(t *ast.Try) *ast.ExceptHandler {
	for _, h := range t.Handlers {
		name, ok := h.Type.(*ast.Name)
		if h.Type == nil || ok && (name.Id() == "Exception" || name.Id() == "BaseException") {
			return h
		}
	}
	return nil
}

// headerEnd returns where the exception class of an except clause ends.
func headerEnd(h *ast.ExceptHandler) ast.Pos {
	if h.Type == nil {
		return h.Pos() + ast.Pos(len("except"))
	}
	return h.Type.End()
}

// inClause reports whether a step belongs to an except clause for some exceptions
// only, which the step that raises need not mean.
func inClause(to *flow.Node) bool {
	if to.Fn == nil || to.Src == nil {
		return false
	}
	inside := false
	for _, st := range to.Fn.Body() {
		ast.Inspect(st, func(x ast.Node) bool {
			if t, ok := x.(*ast.Try); ok {
				all := catchesAll(t)
				for _, h := range t.Handlers {
					inside = inside || h != all && h.Pos() <= to.Src.Pos() && to.Src.Pos() < h.End()
				}
			}
			return true
		})
	}
	return inside
}

// thrownAway reports whether the Future that a site makes is used by nobody.
func thrownAway(s flow.SpawnSite) bool {
	if s.By == nil {
		return false
	}
	st, ok := evidence.StatementAt(s.By.Func, s.Src).(*ast.ExprStmt)
	return ok && st.Value == s.Src
}
