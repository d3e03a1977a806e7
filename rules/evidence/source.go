package evidence

import (
	"fmt"
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/parser/facts/status"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/rule"
)

// StatementIn returns the statement of function f that leads to a step: that of
// the step itself, or the call in f that it was inlined from. It returns nil
// when f has no part in it.
func StatementIn(n *flow.Node, f *program.Func) ast.Stmt {
	if n.Fn == f {
		return n.Stmt
	}
	for fr := n.Frame; fr != nil && fr.Caller != nil; fr = fr.Caller {
		if fr.Caller.Fn == f {
			return StatementAt(f, fr.Call)
		}
	}
	return nil
}

// StatementAt returns the innermost statement of f around a node.
func StatementAt(f *program.Func, n ast.Node) ast.Stmt {
	var found ast.Stmt
	for _, st := range f.Body() {
		ast.Inspect(st, func(x ast.Node) bool {
			if x.Pos() > n.Pos() || x.End() < n.End() {
				return false
			}
			if s, ok := x.(ast.Stmt); ok {
				found = s
			}
			return true
		})
	}
	return found
}

// Lines returns the source lines of a statement of a module, without the
// indentation of its first line.
func Lines(mod *program.Module, st ast.Stmt) []string {
	text := string(mod.AST.Text(st))
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	_, col := mod.AST.Position(st.Pos())
	for i := 1; i < len(lines); i++ {
		lines[i] = strings.TrimPrefix(lines[i], strings.Repeat(" ", col-1))
	}
	return lines
}

// SiblingsWithout returns the parallel classes whose counterpart of a step's
// function does not remove anything from a container of the same name on the
// way: evidence that the step can be done without.
func SiblingsWithout(st *status.Facts, d *flow.Node) []rule.Related {
	var out []rule.Related
	if st.Comp.Class == nil {
		return nil
	}
	for _, s := range Siblings(st.Comp.Class) {
		f := s.Method(methodName(d.Fn))
		if f == nil || f == outermost(d.Fn) || f.Class != s {
			continue
		}
		if !removesFrom(f, d.Loc.Root().Name) {
			out = append(out, rule.Related{
				Place: rule.AtName(f), Role: report.RoleSibling,
				Message: fmt.Sprintf("%s removes nothing from %s here", s.Qual, d.Loc.Root().Name),
			})
		}
	}
	return out
}

// outermost returns the method around a nested function.
func outermost(f *program.Func) *program.Func {
	for f.Outer != nil {
		f = f.Outer
	}
	return f
}

func methodName(f *program.Func) string { return outermost(f).Name }

// removesFrom reports whether a function removes an entry of an attribute with
// the given name.
func removesFrom(f *program.Func, name string) bool {
	found := false
	for _, st := range f.Body() {
		ast.Inspect(st, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Call:
				if m, ok := n.Func.(*ast.Attribute); ok && (m.Attr() == "pop" || m.Attr() == "discard" || m.Attr() == "remove") {
					at, ok := m.Value.(*ast.Attribute)
					found = found || ok && at.Attr() == name
				}
			case *ast.Delete:
				for _, t := range n.Targets {
					if sub, ok := t.(*ast.Subscript); ok {
						at, ok := sub.Value.(*ast.Attribute)
						found = found || ok && at.Attr() == name
					}
				}
			}
			return !found
		})
	}
	return found
}

// FirstRead returns the first place where a function reads an attribute with the
// given name, or nil.
func FirstRead(f *program.Func, name string) ast.Node {
	var found ast.Node
	for _, st := range f.Body() {
		ast.Inspect(st, func(n ast.Node) bool {
			if at, ok := n.(*ast.Attribute); ok && found == nil && at.Attr() == name && at.Ctx() == ast.Load {
				found = at
			}
			return found == nil
		})
	}
	return found
}

// ContainerExpr returns the expression of the container that a step touches, when
// it is an attribute.
func ContainerExpr(n *flow.Node) *ast.Attribute {
	var e ast.Expr
	switch src := n.Src.(type) {
	case *ast.Subscript:
		e = src.Value
	case *ast.Call:
		if m, ok := src.Func.(*ast.Attribute); ok {
			e = m.Value
		}
	case *ast.Compare:
		if len(src.Comparators) == 1 {
			e = src.Comparators[0]
		}
	case *ast.Delete:
		if sub, ok := src.Targets[0].(*ast.Subscript); ok && len(src.Targets) == 1 {
			e = sub.Value
		}
	}
	at, _ := e.(*ast.Attribute)
	return at
}

// OncePerFunction joins the findings of one shape in one function: the ways
// through a setter have one cause. The place is the first one in the source, and
// the others are named.
func OncePerFunction(list []rule.Finding) []rule.Finding {
	type cause struct{ file, function, shape string }
	of := func(f rule.Finding) cause { return cause{f.Mod.File, f.Function, f.Shape} }
	first := map[cause]rule.Place{}
	for _, f := range list {
		if p, ok := first[of(f)]; !ok || f.From < p.From {
			first[of(f)] = f.Place
		}
	}
	var out []rule.Finding
	last := map[cause]int{}
	for _, f := range list {
		if f.Place == first[of(f)] {
			last[of(f)] = len(out)
			out = append(out, f)
		}
	}
	for _, f := range list {
		if f.Place != first[of(f)] && !isNamed(out[last[of(f)]], f.Place) {
			at := &out[last[of(f)]]
			at.Related = append(at.Related, rule.Related{Place: f.Place, Role: report.RoleOther, Message: "the same here", Entry: f.Entry})
		}
	}
	return out
}

// isNamed reports whether a place is among those of a finding.
func isNamed(f rule.Finding, p rule.Place) bool {
	for _, r := range f.Related {
		if r.Place == p {
			return true
		}
	}
	return false
}
