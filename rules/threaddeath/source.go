package threaddeath

import (
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/rule"
)

// asksSource reports whether an assert, or the test that a raise stands directly under, asks
// nothing but what the loop takes its items from, before it takes one: that it is alive, or
// not closed. A thread that ends once there is nothing to come does what it should. What it is
// asked afterwards may be about the item.
func (t *thread) asksSource(n *flow.Node) bool {
	head := &t.g.Nodes[t.head]
	source, at := t.source()
	if source == "" || n.Frame != head.Frame || n.Stmt == nil || n.Stmt.Pos() > at.Pos() {
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

// source returns the object whose method is the first in the loop that is called for a value,
// as text, and the statement that does so; "" if there is none.
func (t *thread) source() (string, ast.Stmt) {
	_, loop := evidence.LoopOf(&t.g.Nodes[t.head])
	for _, st := range loop {
		if as, ok := st.(*ast.Assign); ok {
			if t.takes(as) {
				return t.receiver(as.Value), as
			}
			break
		}
	}
	return "", nil
}

// takes reports whether a statement of the loop assigns what a queue or a call of unknown code yields.
func (t *thread) takes(as *ast.Assign) bool {
	return t.receives(as) || t.dequeue(as) != nil
}

// dequeue returns the step of a statement that takes an item from a queue of the program, or nil.
func (t *thread) dequeue(as *ast.Assign) *flow.Node {
	i := slices.IndexFunc(t.g.Nodes, func(n flow.Node) bool { return n.Op == flow.Dequeue && n.Stmt == as })
	if i < 0 {
		return nil
	}
	return &t.g.Nodes[i]
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
