package missedowner

import (
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/rules/patch"
	"github.com/kvrace/kvrace/rules/remedy"
)

// rebuilt repeats, for the missing place, the statements by which a loop rebuilds the
// other one: what begins the new content, the loop, and what puts it in place.
func (c *copier) rebuilt(loop *ast.For) []patch.Edit {
	var begin, end *ast.Assign
	ast.Inspect(c.f.Node, func(n ast.Node) bool {
		if as, ok := n.(*ast.Assign); ok && len(as.Targets) == 1 && c.text(as.Targets[0]) == c.from && as.Pos() > loop.End() && end == nil {
			end = as
		}
		return end == nil
	})
	if end == nil {
		return nil
	}
	kept, ok := end.Value.(*ast.Name)
	if !ok {
		return nil
	}
	ast.Inspect(c.f.Node, func(n ast.Node) bool {
		if as, ok := n.(*ast.Assign); ok && len(as.Targets) == 1 && as.Pos() < loop.Pos() && c.text(as.Targets[0]) == kept.Id() && empty(as.Value) {
			begin = as
		}
		return true
	})
	if begin == nil {
		return nil
	}
	stmts := remedy.Block(c.f.Body(), begin, end)
	if len(stmts) < 3 || stmts[0] != ast.Stmt(begin) || stmts[len(stmts)-1] != ast.Stmt(end) {
		return nil
	}
	if around := c.ifAny(stmts); around != nil {
		stmts = []ast.Stmt{around}
	}
	return c.copied(stmts)
}

// empty reports whether an expression is a new list or deque without elements.
func empty(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.List:
		return len(x.Elts) == 0
	case *ast.Call:
		return len(x.Args()) == 0 && (x.Callee() == "list" || x.Callee() == "deque")
	}
	return false
}

// ifAny returns the test whether the other place holds anything, where some statements
// are all that depends on it.
func (c *copier) ifAny(stmts []ast.Stmt) ast.Stmt {
	var found ast.Stmt
	ast.Inspect(c.f.Node, func(n ast.Node) bool {
		if st, ok := n.(*ast.If); ok && len(st.Orelse) == 0 && len(st.Body) == len(stmts) && st.Body[0] == stmts[0] && c.text(st.Test) == c.from {
			found = st
		}
		return found == nil
	})
	return found
}

// copied repeats statements behind themselves, for the missing place. What is asserted
// of an item, and what is deleted of it, belongs to the other place.
func (c *copier) copied(stmts []ast.Stmt) []patch.Edit {
	src := c.f.Module.AST.Source
	from, to := int(stmts[0].Pos()), int(stmts[len(stmts)-1].End())
	var b strings.Builder
	for _, st := range stmts {
		ast.Inspect(st, func(n ast.Node) bool {
			if loop, ok := n.(*ast.For); ok && c.is(loop.Iter) {
				for _, d := range ownOf(loop) {
					begin, end := int(d.Pos()), int(d.End())
					for begin > from && src[begin-1] != '\n' {
						begin--
					}
					for end < to && src[end] != '\n' {
						end++
					}
					b.Write(src[from:begin])
					from = min(end+1, to)
				}
			}
			return true
		})
	}
	b.Write(src[from:to])
	return c.behind(stmts[len(stmts)-1], stmts[0], b.String())
}

// ownOf returns the statements of a loop, in their order, that go by what only an item
// of its place has.
func ownOf(loop *ast.For) []ast.Stmt {
	item, ok := loop.Target.(*ast.Name)
	if !ok {
		return nil
	}
	var out []ast.Stmt
	var look func(block []ast.Stmt)
	look = func(block []ast.Stmt) {
		var own []ast.Stmt
		for _, st := range block {
			switch st := st.(type) {
			case *ast.Assert:
				if names(st.Test, "")[item.Id()] {
					own = append(own, st)
				}
			case *ast.Delete:
				if at, ok := st.Targets[0].(*ast.Attribute); ok && len(st.Targets) == 1 && names(at.Value, "")[item.Id()] {
					own = append(own, st)
				}
			case *ast.If:
				look(st.Body)
				look(st.Orelse)
			}
		}
		if len(own) < len(block) {
			out = append(out, own...)
		}
	}
	look(loop.Body)
	return out
}
