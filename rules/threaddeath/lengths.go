package threaddeath

import (
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
)

// aboutLengths reports whether a raise stands directly under a test that compares
// nothing but lengths with each other: whoever calls has made what is compared.
func aboutLengths(n *flow.Node) bool {
	found := false
	for _, st := range n.Fn.Body() {
		ast.Inspect(st, func(x ast.Node) bool {
			if branch, ok := x.(*ast.If); ok && slices.Contains(branch.Body, n.Stmt) {
				found = comparesLengths(branch.Test, n.Fn)
			}
			return !found
		})
	}
	return found
}

func comparesLengths(e ast.Expr, f *program.Func) bool {
	switch e := e.(type) {
	case *ast.UnaryOp:
		return e.Op == ast.Not && comparesLengths(e.Operand, f)
	case *ast.BoolOp:
		for _, x := range e.Values {
			if !comparesLengths(x, f) {
				return false
			}
		}
		return true
	case *ast.Compare:
		for _, x := range e.Comparators {
			if !isLength(x, f) {
				return false
			}
		}
		return isLength(e.Left, f)
	}
	return false
}

// isLength reports whether an expression is the length of something, or a variable that
// takes nothing else.
func isLength(e ast.Expr, f *program.Func) bool {
	switch e := e.(type) {
	case *ast.Call:
		fn, ok := e.Func.(*ast.Name)
		return ok && fn.Id() == "len" && len(e.Args()) == 1
	case *ast.Name:
		v := f.Scope.Own(e.Id())
		if v == nil || len(v.Defs) == 0 {
			return false
		}
		for _, d := range v.Defs {
			if call, ok := d.Value.(*ast.Call); !ok || d.Index >= 0 || !isLength(call, f) {
				return false
			}
		}
		return true
	}
	return false
}
