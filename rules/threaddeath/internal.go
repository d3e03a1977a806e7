package threaddeath

import (
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/rule"
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

// madeFor reports whether an assert compares an attribute of what a call has just made
// with what the call was given to make it, as the device of x.to(self.device).
func (t *thread) madeFor(branch, assert *flow.Node) bool {
	st, ok := assert.Stmt.(*ast.Assert)
	if !ok {
		return false
	}
	cmp, ok := st.Test.(*ast.Compare)
	if !ok || len(cmp.Ops) != 1 || branch.Val == nil || branch.Val.Kind != flow.Attribute || branch.Frame == nil {
		return false
	}
	at := t.g.Producer(branch.Val.Base)
	if at < 0 {
		return false
	}
	made := &t.g.Nodes[at]
	call, ok := made.Src.(*ast.Call)
	if !ok || made.Frame == nil || !made.Frame.Self.Same(branch.Frame.Self) {
		return false
	}
	given := slices.Clone(call.Args())
	for _, k := range call.Keywords() {
		given = append(given, k.Value)
	}
	return slices.ContainsFunc(given, func(e ast.Expr) bool {
		text := rule.Text(made, e)
		return text == rule.Text(assert, cmp.Left) || text == rule.Text(assert, cmp.Comparators[0])
	})
}

// ofOtherClass reports whether a step tells that an object is of none of some classes of
// the program: it is an assert of that, or what is left when all of them are tested.
func (t *thread) ofOtherClass(n *flow.Node) bool {
	if a, ok := n.Stmt.(*ast.Assert); ok && t.testsClass(a.Test, n.Fn) {
		return true
	}
	found := false
	for _, st := range n.Fn.Body() {
		ast.Inspect(st, func(x ast.Node) bool {
			if branch, ok := x.(*ast.If); ok && !found {
				found = t.endsDispatch(branch, n)
			}
			return !found
		})
	}
	return found
}

// endsDispatch reports whether the last else of an if statement has the statement of a
// step, and all of its tests are about classes of the program.
func (t *thread) endsDispatch(branch *ast.If, n *flow.Node) bool {
	for t.testsClass(branch.Test, n.Fn) {
		if slices.Contains(branch.Orelse, n.Stmt) {
			return true
		}
		if len(branch.Orelse) != 1 {
			return false
		}
		next, ok := branch.Orelse[0].(*ast.If)
		if !ok {
			return false
		}
		branch = next
	}
	return false
}

// testsClass reports whether an expression is an isinstance test for classes of the program.
func (t *thread) testsClass(e ast.Expr, f *program.Func) bool {
	call, ok := e.(*ast.Call)
	if !ok || len(call.Args()) != 2 {
		return false
	}
	if fn, ok := call.Func.(*ast.Name); !ok || fn.Id() != "isinstance" {
		return false
	}
	classes := []ast.Expr{call.Args()[1]}
	if tuple, ok := classes[0].(*ast.Tuple); ok {
		classes = tuple.Elts
	}
	return !slices.ContainsFunc(classes, func(c ast.Expr) bool { return t.index.Resolve(c, f, f.Module).Class == nil })
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

// isLength reports whether an expression is the length of a variable, or a variable that
// takes nothing else.
func isLength(e ast.Expr, f *program.Func) bool {
	switch e := e.(type) {
	case *ast.Call:
		fn, ok := e.Func.(*ast.Name)
		if !ok || fn.Id() != "len" || len(e.Args()) != 1 {
			return false
		}
		_, local := e.Args()[0].(*ast.Name)
		return local // and not part of an item or of the object
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

// caughtAround reports whether a function that the loop calls on the way to a step is decorated
// by a class of the program that catches what it raises where it calls it.
func (t *thread) caughtAround(n *flow.Node) bool {
	home := t.g.Nodes[t.head].Frame
	for fr := n.Frame; fr != nil && fr != home; fr = fr.Caller {
		def, ok := fr.Fn.Node.(*ast.FunctionDef)
		if !ok {
			continue
		}
		for _, e := range def.DecoratorList {
			call, made := e.(*ast.Call)
			if made {
				e = call.Func
			}
			c := t.index.Resolve(e, fr.Fn.Outer, fr.Fn.Module).Class
			if c == nil {
				continue
			}
			if call := c.Method("__call__"); call != nil && t.catchesCall(c, call, made) {
				return true
			}
		}
	}
	return false
}

// catchesCall reports whether the method that stands for what a class decorates calls that, and
// each time in a try with a handler that takes every exception and does not raise again. What is
// decorated is kept by __init__, or given to the method itself where a call makes the decorator.
func (t *thread) catchesCall(c *program.Class, method *program.Func, made bool) bool {
	caught, calls := 0, 0
	count := func(block []ast.Stmt, to *int) {
		for _, st := range block {
			ast.Inspect(st, func(x ast.Node) bool {
				if call, ok := x.(*ast.Call); ok && decorated(c, method, call.Func, made) {
					*to++
				}
				return true
			})
		}
	}
	count(method.Body(), &calls)
	for _, st := range method.Body() {
		ast.Inspect(st, func(x ast.Node) bool {
			try, ok := x.(*ast.Try)
			if !ok || !slices.ContainsFunc(try.Handlers, func(h *ast.ExceptHandler) bool { return evidence.TakesAll(t.index, method, h) && !ast.Raises(h.Body) }) {
				return true
			}
			count(try.Body, &caught)
			return false
		})
	}
	return calls > 0 && caught == calls
}

// decorated reports whether an expression in a method of a decorator stands for what it
// decorates: an attribute that takes a parameter of __init__, a variable for that, or a
// parameter of the method where a call makes the decorator.
func decorated(c *program.Class, method *program.Func, e ast.Expr, made bool) bool {
	switch e := e.(type) {
	case *ast.Attribute:
		owner := c.AttrOwner(e.Attr())
		if self, ok := e.Value.(*ast.Name); !ok || made || len(method.Params) == 0 || self.Id() != method.Params[0].Name || owner == nil {
			return false
		}
		return slices.ContainsFunc(owner.Attrs[e.Attr()].Defs, func(d program.Def) bool {
			name, ok := d.Value.(*ast.Name)
			return ok && d.Func != nil && d.Func.Name == "__init__" && given(d.Func, name.Id())
		})
	case *ast.Name:
		if made {
			return given(method, e.Id())
		}
		v := method.Scope.Own(e.Id())
		if v == nil || v.Param != nil || len(v.Defs) != 1 {
			return false
		}
		at, ok := v.Defs[0].Value.(*ast.Attribute)
		return ok && decorated(c, method, at, made)
	}
	return false
}

// given reports whether a name is a parameter of a method beside the object itself.
func given(method *program.Func, name string) bool {
	p := method.Param(name)
	return p != nil && p.Index > 0 && p.Variadic == program.Single
}
