package remedy

import (
	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/patch"
	"github.com/kvrace/kvrace/rules/rule"
)

// StoreFirst suggests to move a store of a constant before another one, where one
// function makes both: late is the one that comes too early now.
func StoreFirst(late, first component.Access, description string) []rule.Fix {
	if late.Fn != first.Fn || late.Entry != first.Entry || first.Val == nil || first.Val.Kind != flow.Const {
		return nil
	}
	ed := patch.NewEditor(late.Mod.AST)
	edits, err := ed.MoveBefore(late.Stmt, first.Stmt)
	switch section := emptied(first); {
	case section == nil:
	case len(late.Locks) == 0:
		edits, err = ed.MoveBefore(late.Stmt, section) // with its lock
	default:
		var gone []patch.Edit
		if edits, err = ed.InsertBefore(late.Stmt, evidence.Lines(first.Mod, first.Stmt)...); err == nil {
			gone, err = ed.Delete(section)
			edits = append(edits, gone...)
		}
	}
	if err != nil {
		return nil
	}
	return []rule.Fix{{Description: description, Safety: report.SafetyReview, Edits: edits}}
}

// emptied returns the critical section of which the statement of a step is all, or nil.
func emptied(a component.Access) ast.Stmt {
	block, owner := evidence.Block(a.Fn.Body(), a.Stmt)
	with, ok := owner.(*ast.With)
	if !ok || len(block) != 1 || len(with.Items) != 1 || with.Items[0].OptionalVars != nil || Commented(a.Mod, int(with.Pos()), int(with.End())) {
		return nil
	}
	for i := range a.Entry.Graph.Nodes {
		if n := &a.Entry.Graph.Nodes[i]; n.Op == flow.Acquire && n.Src == with.Items[0].ContextExpr {
			return with
		}
	}
	return nil
}

// CanWait reports whether a statement that removes an entry does the same behind another one:
// names and attributes in it stay what they are, nothing up to there uses a variable that
// it sets, and nothing asks for entries or stores one.
func CanWait(g *flow.Graph, d *flow.Node, f *program.Func, del, until ast.Stmt) bool {
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Loc == nil || n.Loc.Root() != d.Loc.Root() || n == d {
			continue
		}
		if st := evidence.StatementIn(n, f); st != nil && st.Pos() >= del.End() && st.End() <= until.End() {
			return false
		}
	}
	used, bound := map[string]bool{}, map[string]bool{}
	ast.Inspect(del, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.Name:
			used[x.Id()] = true
			bound[x.Id()] = bound[x.Id()] || x.Ctx() != ast.Load
		case *ast.Attribute:
			used["."+x.Attr()] = true
		}
		return true
	})
	same := true
	for _, st := range f.Body() {
		ast.Inspect(st, func(n ast.Node) bool {
			if n.End() <= del.End() || n.Pos() >= until.End() {
				return false
			}
			switch x := n.(type) {
			case *ast.Name:
				same = same && (x.Ctx() == ast.Load || !used[x.Id()]) && !bound[x.Id()]
			case *ast.Attribute:
				same = same && (x.Ctx() == ast.Load || !used["."+x.Attr()])
			case *ast.Global, *ast.Nonlocal, *ast.ExceptHandler, *ast.Import, *ast.ImportFrom, *ast.Match:
				same = same && n.Pos() < del.End() // it binds some name
			}
			return same
		})
	}
	return same
}

// Unit returns the statement of a removal, with what makes it tolerant: a test for the entry
// or a try statement of which it is all, with nothing on the other side.
func Unit(d *flow.Node) ast.Stmt {
	block, owner := evidence.Block(d.Fn.Body(), d.Stmt)
	if len(block) != 1 {
		return d.Stmt
	}
	switch st := owner.(type) {
	case *ast.If:
		cmp, ok := st.Test.(*ast.Compare)
		key, container := evidence.KeyExpr(d), ContainerOf(d.Src)
		if ok && len(cmp.Ops) == 1 && cmp.Ops[0] == ast.In && len(st.Orelse) == 0 && key != nil && container != nil &&
			rule.Text(d, cmp.Left) == rule.Text(d, key) && rule.Text(d, cmp.Comparators[0]) == rule.Text(d, container) {
			return st
		}
	case *ast.Try:
		if len(st.Body) == 1 && st.Body[0] == d.Stmt && len(st.Orelse) == 0 && len(st.Finalbody) == 0 && passes(st.Handlers) {
			return st
		}
	}
	return d.Stmt
}

// passes reports whether handlers do nothing.
func passes(handlers []*ast.ExceptHandler) bool {
	for _, h := range handlers {
		if len(h.Body) != 1 {
			return false
		}
		if _, ok := h.Body[0].(*ast.Pass); !ok {
			return false
		}
	}
	return true
}
