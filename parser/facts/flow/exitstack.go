package flow

import (
	"github.com/kvrace/kvrace/parser/ast"
)

// A contextlib.ExitStack leaves what it was given when its with statement ends.
// Whatever a statement of that with gives to the stack is therefore lowered as
// a with or try statement around the statements after it:
//
//	with ExitStack() as stack:
//	    stack.enter_context(self.lock)    with self.lock:
//	    stack.callback(self.drop, k)          try: ... finally: self.drop(k)
//	    ...
//
// A stack that is filled in a branch or loop, or handed on, is not followed.

// isExitStack reports whether a value is a stack of context managers.
func isExitStack(v *Value) bool {
	return v.Type.Name == "contextlib.ExitStack()" || v.Type.Name == "contextlib.AsyncExitStack()"
}

// stacked lowers a statement that gives something to the stack of the with
// statement around it, and the statements after it. It reports false for any
// other statement.
func (b *builder) stacked(st ast.Stmt, rest []ast.Stmt) bool {
	call, target := stackCall(st)
	if call == nil || !b.fillsStack(call, st, rest) {
		return false
	}
	saved := b.stmt
	b.stmt = st
	defer func() { b.stmt = saved }()
	at := call.Func.(*ast.Attribute)
	r := ast.Range{Start: st.Pos(), Stop: st.End()}
	switch at.Attr() {
	case "enter_context", "enter_async_context":
		item := &ast.WithItem{Range: call.Range, ContextExpr: call.Args()[0], OptionalVars: target}
		b.with(&ast.With{Range: r, Async: at.Attr() == "enter_async_context", Items: []*ast.WithItem{item}, Body: rest}, 0)
	case "callback", "push_async_callback":
		undo := &ast.Call{Range: call.Range, Func: call.Args()[0]}
		undo.SetArgs(call.Args()[1:], call.Keywords())
		b.protected(func() { b.block(rest) }, func() { b.call(undo) })
	default:
		return false
	}
	return true
}

// stackCall returns the call of a method that is a statement of its own, or whose
// result a statement assigns, and what it is assigned to.
func stackCall(st ast.Stmt) (call *ast.Call, target ast.Expr) {
	var e ast.Expr
	switch st := st.(type) {
	case *ast.ExprStmt:
		e = st.Value
	case *ast.Assign:
		if len(st.Targets) == 1 {
			e, target = st.Value, st.Targets[0]
		}
	}
	if aw, ok := e.(*ast.Await); ok {
		e = aw.Value
	}
	call, ok := e.(*ast.Call)
	if !ok || len(call.Args()) == 0 {
		return nil, nil
	}
	if _, ok := call.Func.(*ast.Attribute); !ok {
		return nil, nil
	}
	return call, target
}

// fillsStack reports whether the receiver of a call is a stack, and the statement
// around it, followed by rest, part of the body of the with statement that empties
// the stack.
func (b *builder) fillsStack(call *ast.Call, st ast.Stmt, rest []ast.Stmt) bool {
	name, ok := call.Func.(*ast.Attribute).Value.(*ast.Name)
	if !ok {
		return false
	}
	stack := b.frame.env[name.Id()]
	if stack == nil || b.stacks[stack] == nil {
		return false
	}
	if len(rest) > 0 {
		st = rest[len(rest)-1]
	}
	return b.stacks[stack] == st
}
