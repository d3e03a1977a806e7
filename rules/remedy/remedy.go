// Package remedy builds the edits that several rules suggest: to hold a lock, to
// take an absent entry into account, to walk over a copy.
package remedy

import (
	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/patch"
	"github.com/kvrace/kvrace/rules/rule"
)

// Hold returns the edits that hold a lock from one node of a function to
// another. The lock is written beside the container of the access n: it is kept
// in the same object. It returns nil when there is no such place, when some caller of
// the function holds the lock already, or when the statements do what nobody
// should do under a lock: take one, wait, or call unknown code.
func Hold(c *component.Component, lock *flow.Location, g *flow.Graph, n *flow.Node, fn *program.Func, from, to ast.Node) []patch.Edit {
	text := LockText(lock, n)
	stmts := Block(fn.Body(), from, to)
	if text == "" || stmts == nil || heldByCaller(c, lock, n.Loc, fn) || busy(g, fn, stmts) || suspends(stmts) {
		return nil
	}
	edits, err := patch.NewEditor(fn.Module.AST).WrapWith(text, stmts...)
	if err != nil {
		return nil
	}
	return edits
}

// heldByCaller reports whether an access in a function runs under a lock on some
// way to it.
func heldByCaller(c *component.Component, lock, l *flow.Location, fn *program.Func) bool {
	for _, a := range c.Accesses(l) {
		if a.Fn != fn {
			continue
		}
		for _, held := range a.Locks {
			if held.Loc == lock {
				return true
			}
		}
	}
	return false
}

// LockText returns how a lock is written where a step accesses a container of
// the same object: the container's expression with the name of the lock.
func LockText(lock *flow.Location, n *flow.Node) string {
	if lock.Outer != nil || n.Loc.Outer != nil {
		return ""
	}
	switch x := ContainerOf(n.Src).(type) {
	case *ast.Attribute:
		a, b := lock.Owner, n.Loc.Owner
		if a != nil && b != nil && (a.IsSubclass(b) || b.IsSubclass(a)) {
			return rule.Text(n, x.Value) + "." + lock.Name
		}
	case *ast.Name:
		if lock.Owner == nil && n.Loc.Owner == nil && lock.Mod == n.Loc.Mod {
			return lock.Name
		}
	}
	return ""
}

// ContainerOf returns the expression of the container that the source of a step
// accesses, or nil.
func ContainerOf(src ast.Node) ast.Expr {
	switch x := src.(type) {
	case *ast.Subscript:
		return x.Value
	case *ast.Call:
		if at, ok := x.Func.(*ast.Attribute); ok {
			return at.Value
		}
	case *ast.Compare:
		if len(x.Comparators) == 1 {
			return viewed(x.Comparators[0])
		}
	case *ast.Delete:
		if len(x.Targets) == 1 {
			if sub, ok := x.Targets[0].(*ast.Subscript); ok {
				return sub.Value
			}
		}
	case *ast.Assign:
		if len(x.Targets) == 1 {
			return x.Targets[0]
		}
	case *ast.AugAssign:
		return x.Target
	case ast.Expr:
		return viewed(x)
	}
	return nil
}

// viewed returns d for d.keys(), d.values() and d.items(), and other expressions
// as they are.
func viewed(e ast.Expr) ast.Expr {
	if call, ok := e.(*ast.Call); ok && len(call.Args()) == 0 {
		if at, ok := call.Func.(*ast.Attribute); ok && (at.Attr() == "keys" || at.Attr() == "values" || at.Attr() == "items") {
			return at.Value
		}
	}
	return e
}

// busy reports whether some statements of a function acquire a lock, wait or
// call unknown code, themselves or in what they call.
func busy(g *flow.Graph, fn *program.Func, stmts []ast.Stmt) bool {
	return holdsUp(g, fn, stmts, true)
}

// waits is busy without the calls.
func waits(g *flow.Graph, fn *program.Func, stmts []ast.Stmt) bool {
	return holdsUp(g, fn, stmts, false)
}

func holdsUp(g *flow.Graph, fn *program.Func, stmts []ast.Stmt, calls bool) bool {
	for i := range g.Nodes {
		n := &g.Nodes[i]
		switch n.Op {
		case flow.Acquire, flow.Wait, flow.Sleep, flow.Join, flow.Dequeue:
		case flow.Call:
			if !calls || n.Target == nil && builtin[n.Name] {
				continue
			}
		default:
			continue
		}
		if st := evidence.StatementIn(n, fn); st != nil && ast.Covers(stmts, st) {
			return true
		}
	}
	return false
}

// builtin are calls of unknown code that do not take long.
var builtin = map[string]bool{"int": true, "float": true, "unpack": true, "next": true, "decode": true, "encode": true, "split": true}

// suspends reports whether statements await or yield, where no lock of a thread
// may be held.
func suspends(stmts []ast.Stmt) bool {
	found := false
	for _, st := range stmts {
		ast.Inspect(st, func(n ast.Node) bool {
			switch n.(type) {
			case *ast.Await, *ast.Yield, *ast.YieldFrom:
				found = true
			}
			return !found
		})
	}
	return found
}

// Block returns the statements of the innermost block that contains two nodes,
// from the one around the first to the one around the last; nil when there is
// none.
func Block(body []ast.Stmt, from, to ast.Node) []ast.Stmt {
	first, last := -1, -1
	for i, st := range body {
		if ast.Encloses(st, from) {
			first = i
		}
		if ast.Encloses(st, to) {
			last = i
		}
	}
	if first < 0 || last < 0 {
		return nil
	}
	if first > last {
		first, last = last, first
	}
	if first == last {
		for _, inner := range blocks(body[first]) {
			if out := Block(inner, from, to); out != nil {
				return out
			}
		}
	}
	return body[first : last+1]
}

// blocks returns the blocks of a statement. The else of an elif is none of its
// own: what is there belongs to the whole statement.
func blocks(st ast.Stmt) [][]ast.Stmt {
	switch n := st.(type) {
	case *ast.If:
		return [][]ast.Stmt{n.Body, n.Orelse}
	case *ast.For:
		return [][]ast.Stmt{n.Body, n.Orelse}
	case *ast.While:
		return [][]ast.Stmt{n.Body, n.Orelse}
	case *ast.With:
		return [][]ast.Stmt{n.Body}
	case *ast.FunctionDef:
		return [][]ast.Stmt{n.Body}
	case *ast.Try:
		out := [][]ast.Stmt{n.Body, n.Orelse, n.Finalbody}
		for _, h := range n.Handlers {
			out = append(out, h.Body)
		}
		return out
	case *ast.Match:
		var out [][]ast.Stmt
		for _, c := range n.Cases {
			out = append(out, c.Body)
		}
		return out
	}
	return nil
}
