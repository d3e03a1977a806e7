package replay

import (
	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
)

// This file follows the new containers that a function fills, one element after the
// other, and then puts in the place of a tracked one.

// puts writes that an element is put into such a container. It reports false for any
// other call.
func (w *writer) puts(x *ast.Call) bool {
	at, ok := x.Func.(*ast.Attribute)
	if !ok || !appends(at.Attr()) || len(x.Args()) != 1 {
		return false
	}
	name, ok := at.Value.(*ast.Name)
	if !ok || !w.locals[name.Id()] || !w.built(name.Id()) || w.e.facts[w.varFact(name.Id())]&exact == 0 {
		return false
	}
	key := w.elementText(x.Args()[0])
	if key == "" {
		key = "7"
	}
	w.expr(x.Args()[0])
	w.put(w.local(name.Id()) + "." + at.Attr() + "(" + key + ")")
	return true
}

func appends(method string) bool {
	return method == "append" || method == "appendleft" || method == "add"
}

// built reports whether a variable of the function is such a container: it begins empty,
// nothing but single elements is put into it, and a tracked location takes it.
func (w *writer) built(name string) bool {
	taken, plain := false, true
	is := func(x ast.Expr) bool {
		n, ok := x.(*ast.Name)
		return ok && n.Id() == name
	}
	ast.Inspect(w.fn.Node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Assign:
			if is(n.Value) && w.step(n, flow.Rebind) != nil {
				taken = true
			}
			for _, t := range n.Targets {
				plain = plain && (!is(t) || begins(n.Value))
			}
		case *ast.AugAssign:
			plain = plain && !is(n.Target)
		case *ast.Call:
			if at, ok := n.Func.(*ast.Attribute); ok && is(at.Value) {
				plain = plain && appends(at.Attr())
			}
		}
		return true
	})
	return taken && plain
}

// begins reports whether an expression is a new container without elements.
func begins(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.List:
		return len(x.Elts) == 0
	case *ast.Call:
		switch x.Callee() {
		case "list", "set", "deque":
			return len(x.Args()) == 0
		}
	}
	return false
}
