package threaddeath

import (
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/rule"
)

// asksSource reports whether an assert, or the test that a raise stands directly under, asks
// nothing but what the loop takes its items from, and looks at no item: that it is alive, or
// not closed. A thread that ends once there is nothing to come does what it should.
func (t *thread) asksSource(n *flow.Node) bool {
	head := &t.g.Nodes[t.head]
	source := t.source()
	if source == "" || n.Frame == nil || !n.Frame.Self.Same(head.Frame.Self) {
		return false
	}
	if st, ok := n.Stmt.(*ast.Assert); ok {
		return t.about(n, st.Test, source)
	}
	found := false
	for _, st := range n.Fn.Body() {
		ast.Inspect(st, func(x ast.Node) bool {
			if branch, ok := x.(*ast.If); ok && (slices.Contains(branch.Body, n.Stmt) || slices.Contains(branch.Orelse, n.Stmt)) {
				found = t.about(n, branch.Test, source)
			}
			return !found
		})
	}
	return found
}

// source returns the object whose method yields the items of the loop, as text: the first that
// is called for a value, or what a loop over iter(f, end) calls. It is "" where that is none of
// an object that is there before the loop.
func (t *thread) source() string {
	head := &t.g.Nodes[t.head]
	_, loop := evidence.LoopOf(head)
	if f, ok := head.Src.(*ast.For); ok {
		if call, ok := f.Iter.(*ast.Call); ok && len(call.Args()) > 0 {
			if at, ok := call.Args()[0].(*ast.Attribute); ok {
				return rule.Text(head, at.Value)
			}
		}
		return ""
	}
	for _, st := range loop {
		as, ok := st.(*ast.Assign)
		if !ok {
			continue
		}
		if t.takes(as) {
			return t.receiver(as.Value)
		}
		return ""
	}
	return ""
}

// takes reports whether a statement of the loop assigns what a queue or a call of unknown code yields.
func (t *thread) takes(as *ast.Assign) bool {
	return t.receives(as) || slices.ContainsFunc(t.g.Nodes, func(n flow.Node) bool { return n.Op == flow.Dequeue && n.Stmt == as })
}

// about reports whether a test asks an object, written as text, and nothing else than constants.
func (t *thread) about(n *flow.Node, e ast.Expr, object string) bool {
	switch e := e.(type) {
	case *ast.UnaryOp:
		return e.Op == ast.Not && t.about(n, e.Operand, object)
	case *ast.BoolOp:
		return !slices.ContainsFunc(e.Values, func(x ast.Expr) bool { return !t.about(n, x, object) })
	case *ast.Compare:
		asked := false
		for _, x := range append([]ast.Expr{e.Left}, e.Comparators...) {
			if _, constant := x.(*ast.Constant); constant {
				continue
			}
			if !t.about(n, x, object) {
				return false
			}
			asked = true
		}
		return asked
	case *ast.Call:
		at, ok := e.Func.(*ast.Attribute)
		return ok && len(e.Args())+len(e.Keywords()) == 0 && t.about(n, at, object)
	case *ast.Attribute:
		return rule.Text(n, e.Value) == object || t.about(n, e.Value, object)
	}
	return false
}
