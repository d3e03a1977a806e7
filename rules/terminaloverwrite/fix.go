package terminaloverwrite

import (
	"fmt"
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/patch"
	"github.com/kvrace/kvrace/rules/remedy"
	"github.com/kvrace/kvrace/rules/rule"
)

// letThrough suggests to store a terminal status past the join.
func (c *check) letThrough(w component.Access, join, t *flow.Value) []rule.Fix {
	st, ok := w.Stmt.(*ast.Assign)
	if !ok || w.Src != st.Targets[0] && w.Src != ast.Node(st) {
		return nil
	}
	call, ok := st.Value.(*ast.Call)
	if !ok {
		return nil
	}
	given := ""
	for _, a := range call.Args() {
		if n, ok := a.(*ast.Name); ok {
			given = n.Id()
		}
	}
	if given == "" {
		return nil
	}
	all := c.terminals(w)
	held := c.entry(w)
	if all == "" || held == "" {
		return nil
	}
	ed := patch.NewEditor(w.Mod.AST)
	value := fmt.Sprintf("%s if %s%s else %s", given, given, like(all), rule.Text(w.Node, st.Value))
	fixes := []rule.Fix{{
		Description: "store a terminal status whatever the entry holds", Safety: report.SafetyReview,
		Edits: []patch.Edit{ed.ReplaceExpr(st.Value, value)},
	}}
	if len(st.Targets) > 1 || remedy.Acts(st.Targets[0]) || remedy.Commented(w.Mod, int(st.Pos()), int(st.End())) {
		return fixes
	}
	// Where a success may come after a failure, the one must not replace the other either.
	edits, err := ed.ReplaceStmts([]ast.Stmt{st}, "if "+held+unlike(all)+":", "\t"+rule.Text(w.Node, st.Targets[0])+" = "+value)
	if err != nil {
		return fixes
	}
	return append(fixes, rule.Fix{
		Description: "store a terminal status whatever the entry holds, unless it holds one", Safety: report.SafetyReview, Edits: edits,
	})
}

// guardAt suggests to store only where the entry holds no terminal status.
func (c *check) guardAt(w component.Access, e end, spot evidence.Spot) []rule.Fix {
	held, all := c.entry(w), c.terminals(w)
	if held == "" || all == "" || spot.Stmt == nil || spot.Frame != w.Frame {
		return nil
	}
	ed := patch.NewEditor(w.Mod.AST)
	fix := rule.Fix{Description: "leave a request alone that has ended", Safety: report.SafetySafe}
	var err error
	if simple(spot.Stmt, w.Src) {
		fix.Edits, err = ed.WrapIf(held+unlike(all), spot.Stmt)
	} else if lines := split(w, spot.Stmt, held+unlike(all)); lines != nil {
		fix.Safety = report.SafetyReview
		fix.Edits, err = ed.ReplaceStmts([]ast.Stmt{spot.Stmt}, lines...)
	}
	if err != nil || fix.Edits == nil {
		return nil
	}
	return []rule.Fix{fix}
}

// split returns an assignment with the store under a condition, and before it what is done
// all the same: what computes the value, and other targets. It returns nil for a statement
// that cannot be taken apart.
func split(w component.Access, s ast.Stmt, condition string) []string {
	st, ok := s.(*ast.Assign)
	sub := subscript(w.Node)
	if !ok || sub == nil || remedy.Commented(w.Mod, int(st.Pos()), int(st.End())) {
		return nil
	}
	var others []string
	found := false
	for _, t := range st.Targets {
		if t == ast.Expr(sub) {
			found = true
			continue
		}
		if !remedy.Acts(t) {
			others = append(others, rule.Text(w.Node, t)+" = ")
		}
	}
	value := rule.Text(w.Node, st.Value)
	if !found || len(others) != len(st.Targets)-1 || remedy.Acts(sub) {
		return nil
	}
	var lines []string
	switch _, plain := st.Value.(*ast.Name); {
	case plain && len(others) > 0:
		lines = []string{strings.Join(others, "") + value}
	case plain || onlyLooksUp(w, sub, st.Value) && len(others) == 0:
	default:
		name := remedy.FreshVar(w.Fn, "value", "outcome", "status")
		if name == "" {
			return nil
		}
		lines = []string{strings.Join(others, "") + name + " = " + value}
		value = name
	}
	return append(lines, "if "+condition+":", "\t"+rule.Text(w.Node, sub)+" = "+value)
}

// onlyLooksUp reports whether an expression calls nothing but get() of the container that a
// statement stores in, and what only looks at its arguments.
func onlyLooksUp(w component.Access, sub *ast.Subscript, x ast.Expr) bool {
	return !remedy.ActsBeside(x, func(call *ast.Call) bool {
		at, ok := call.Func.(*ast.Attribute)
		return ok && at.Attr() == "get" && rule.Text(w.Node, at.Value) == rule.Text(w.Node, sub.Value)
	})
}

// simple reports whether a statement does nothing but the store with the given source:
// it calls nothing else, which would not be called any more, and assigns nothing else.
func simple(s ast.Stmt, src ast.Node) bool {
	switch s := s.(type) {
	case *ast.Assign:
		return len(s.Targets) == 1 && !remedy.Acts(s)
	case *ast.AugAssign:
		return !remedy.Acts(s)
	case *ast.ExprStmt:
		call, ok := s.Value.(*ast.Call)
		if !ok || ast.Node(call) != src || remedy.Acts(call.Func) {
			return false
		}
		for _, a := range call.Args() {
			if remedy.Acts(a) {
				return false
			}
		}
		for _, k := range call.Keywords() {
			if remedy.Acts(k.Value) {
				return false
			}
		}
		return true
	}
	return false
}

// entry returns the text of a tolerant read of the entry of a write, or of the field that
// it sets.
func (c *check) entry(w component.Access) string {
	if at, ok := w.Src.(*ast.Attribute); ok && w.Op == flow.SetFlag {
		return rule.Text(w.Node, at)
	}
	if st, ok := w.Stmt.(*ast.Assign); ok && w.Op == flow.SetFlag && len(st.Targets) == 1 {
		return rule.Text(w.Node, st.Targets[0])
	}
	sub := subscript(w.Node)
	if sub == nil {
		return ""
	}
	return rule.Primary(w.Node, sub.Value) + ".get(" + rule.Arg(w.Node, sub.Slice) + ")"
}

// subscript returns the target of an assignment to an entry.
func subscript(n *flow.Node) *ast.Subscript {
	if s, ok := n.Src.(*ast.Subscript); ok {
		return s
	}
	if a, ok := n.Stmt.(*ast.Assign); ok {
		s, _ := a.Targets[0].(*ast.Subscript)
		return s
	}
	return nil
}

// terminals returns the terminal statuses as a tuple in the words of the
// module of a write, or "" when the module may not know their names.
func (c *check) terminals(w component.Access) string {
	var names []string
	for _, v := range c.st.Values {
		if !v.Terminal {
			continue
		}
		text := v.Const.String()
		if !mentions(w, v.Const, text) {
			return ""
		}
		names = append(names, text)
	}
	if len(names) == 0 {
		return ""
	}
	if len(names) == 1 {
		return names[0]
	}
	return "(" + strings.Join(names, ", ") + ")"
}

// like and unlike return the comparison with what terminals returns.
func like(all string) string {
	if strings.HasPrefix(all, "(") {
		return " in " + all
	}
	return " == " + all
}

func unlike(all string) string {
	if strings.HasPrefix(all, "(") {
		return " not in " + all
	}
	return " != " + all
}

// mentions reports whether the module of a write uses the text of a status, or
// the class of it.
func mentions(w component.Access, v *flow.Value, text string) bool {
	if v.Lit == ast.Str && v.Cls == nil {
		return true
	}
	if v.Cls != nil {
		text = v.Cls.Name
	}
	found := false
	ast.Inspect(w.Mod.AST, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Name:
			found = found || n.Id() == text
		case *ast.ClassDef:
			found = found || n.Name == text
		}
		return !found
	})
	return found
}
