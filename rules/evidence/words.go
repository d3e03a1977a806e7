package evidence

import (
	"sort"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/rules/rule"
)

// KeyText returns the key of an access as the source writes it.
func KeyText(n *flow.Node) string {
	if e := KeyExpr(n); e != nil {
		return rule.Text(n, e)
	}
	if k := component.RootKey(n); k != nil {
		return k.String()
	}
	return ""
}

// KeyArg is [KeyText] as an argument or an operand: a tuple gets parentheses.
func KeyArg(n *flow.Node) string {
	if e := KeyExpr(n); e != nil {
		return rule.Arg(n, e)
	}
	return KeyText(n)
}

// KeyExpr returns the expression of the root key of an access.
func KeyExpr(n *flow.Node) ast.Expr {
	switch src := n.Src.(type) {
	case *ast.Subscript:
		return rootSlice(src)
	case *ast.Call:
		if at, ok := src.Func.(*ast.Attribute); ok {
			if sub, ok := at.Value.(*ast.Subscript); ok {
				return rootSlice(sub)
			}
		}
		if args := src.Args(); len(args) > 0 && args[0].Pos() >= src.Func.End() {
			if one, ok := args[0].(*ast.Set); ok && len(one.Elts) == 1 && n.Op == flow.Del {
				return one.Elts[0] // difference_update({key})
			}
			return args[0] // that of a method which is called elsewhere is not written
		}
	case *ast.Assign:
		if n.Op == flow.Del {
			return leftOut(src.Value)
		}
	case *ast.Compare:
		return src.Left
	case *ast.Delete:
		for _, t := range src.Targets {
			if sub, ok := t.(*ast.Subscript); ok {
				return rootSlice(sub)
			}
		}
	}
	return nil
}

// leftOut returns what the condition of a filtered copy compares its elements with.
func leftOut(copied ast.Expr) (key ast.Expr) {
	ast.Inspect(copied, func(x ast.Node) bool {
		g, ok := x.(*ast.Comprehension)
		if !ok || len(g.Ifs) != 1 {
			return key == nil
		}
		cmp, ok := g.Ifs[0].(*ast.Compare)
		if !ok {
			return false
		}
		key = cmp.Left
		ast.Inspect(g.Target, func(t ast.Node) bool {
			a, ok := t.(*ast.Name)
			b, left := cmp.Left.(*ast.Name)
			if ok && left && a.Id() == b.Id() {
				key = cmp.Comparators[0]
			}
			return true
		})
		return false
	})
	return key
}

func rootSlice(s *ast.Subscript) ast.Expr {
	for {
		inner, ok := s.Value.(*ast.Subscript)
		if !ok {
			return s.Slice
		}
		s = inner
	}
}

// Access returns the container and key of a step in the words of the source:
// d[k].
func Access(n *flow.Node) string {
	name := n.Loc.Root().Name
	if k := KeyText(n); k != "" {
		return name + "[" + k + "]"
	}
	return name
}

// Stored returns what a step stores, and where: "FAILED is stored in status".
func Stored(n *flow.Node) string {
	if n.Val != nil && n.Val.Kind == flow.Const {
		return n.Val.Name + " is stored"
	}
	if n.Op == flow.Put && n.Loc.Type.Kind.Keyed() && n.Val != nil && n.Val.Same(n.Key) {
		return "it is added to " + n.Loc.Root().Name
	}
	return n.Loc.Root().Name + " is set"
}

// AccessPlace returns the place of an access, the whole statement of a del.
func AccessPlace(n *flow.Node) rule.Place { return rule.AtStep(n) }

// Distinct returns the strings without repetitions, in order.
func Distinct(list []string) []string {
	seen := map[string]bool{}
	var out []string
	for _, s := range list {
		if s != "" && !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

// byLine sorts accesses by file and position.
func byLine(list []component.Access) {
	sort.SliceStable(list, func(i, j int) bool {
		a, b := list[i].Node, list[j].Node
		if a.Mod != b.Mod {
			return a.Mod.File < b.Mod.File
		}
		return a.Src.Pos() < b.Src.Pos()
	})
}
