package remedy

import (
	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/program"
)

// Commented reports whether a comment begins between two offsets of a module: an edit
// that writes the text anew would lose it.
func Commented(m *program.Module, from, to int) bool {
	for _, c := range m.AST.Comments {
		if int(c.Pos()) >= from && int(c.Pos()) < to {
			return true
		}
	}
	return false
}

// Plain reports whether an expression is a name or attributes of one, which can be
// written again without doing anything twice.
func Plain(e ast.Expr) bool {
	for {
		switch x := e.(type) {
		case *ast.Name:
			return true
		case *ast.Attribute:
			e = x.Value
		default:
			return false
		}
	}
}

// Acts reports whether a node calls or awaits something, or binds a name on the way.
// What only looks at its arguments, as max does, is no such call.
func Acts(n ast.Node) bool { return ActsBeside(n, func(*ast.Call) bool { return false }) }

// ActsBeside is [Acts], where some calls are known to be harmless.
func ActsBeside(n ast.Node, harmless func(*ast.Call) bool) bool {
	found := false
	ast.Inspect(n, func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.Call:
			f, ok := x.Func.(*ast.Name)
			found = found || (!ok || !looks[f.Id()]) && !harmless(x)
		case *ast.Await, *ast.NamedExpr, *ast.Yield, *ast.YieldFrom:
			found = true
		}
		return !found
	})
	return found
}

// looks are the built-in functions that only look at their arguments.
var looks = map[string]bool{"max": true, "min": true, "len": true, "abs": true, "bool": true}

// Mentions reports whether a node contains an expression with the text of another one.
func Mentions(m *program.Module, n ast.Node, text string) bool {
	found := false
	ast.Inspect(n, func(x ast.Node) bool {
		if e, ok := x.(ast.Expr); ok && !found {
			found = string(m.AST.Text(e)) == text
		}
		return !found
	})
	return found
}
