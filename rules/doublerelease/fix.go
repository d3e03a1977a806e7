package doublerelease

import (
	"slices"

	"fmt"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/patch"
	"github.com/kvrace/kvrace/rules/remedy"
	"github.com/kvrace/kvrace/rules/rule"
)

// fromFirst suggests to keep what a loop removes for another loop after it, which needs it
// and finds it removed:
//
//	for rid in ended:
//	    plan = self.plans.pop(rid)
//	    ...
//	for rid in ended:
//	    use(self.plans.pop(rid))
func fromFirst(first, second *flow.Node) []rule.Fix {
	pop, one := popped(first)
	again, two := popped(second)
	if pop == nil || again == nil || one == nil || two == nil || first.Fn != second.Fn || len(again.Args()) != 1 {
		return nil
	}
	if st, alone := second.Stmt.(*ast.ExprStmt); alone && st.Value == second.Src {
		return nil // nothing needs it
	}
	as, ok := first.Stmt.(*ast.Assign)
	if !ok || len(as.Targets) != 1 || as.Value != first.Src {
		return nil
	}
	name, ok := as.Targets[0].(*ast.Name)
	taken := remedy.FreshVar(first.Fn, "taken", "removed", "found")
	both := remedy.Block(first.Fn.Body(), one, two)
	if !ok || taken == "" || one.End() > two.Pos() || len(both) == 0 || both[0] != ast.Stmt(one) {
		return nil
	}
	ed := patch.NewEditor(first.Mod.AST)
	key, later := rule.Text(first, pop.Args()[0]), rule.Text(second, again.Args()[0])
	edits, err := ed.InsertBefore(one, taken+" = {}")
	if err != nil {
		return nil
	}
	kept, err := keep(ed, pop, as, one, taken+"["+key+"] = "+name.Id(), name.Id())
	if err != nil || kept == nil {
		return nil
	}
	edits = append(append(edits, kept...), ed.ReplaceExpr(again, taken+"["+later+"]"))
	if len(pop.Args()) == 2 { // there may have been none
		if !slices.Contains(two.Body, second.Stmt) {
			return nil
		}
		skip, err := ed.InsertBefore(second.Stmt, "if "+later+" not in "+taken+":", "\tcontinue")
		if err != nil {
			return nil
		}
		edits = append(edits, skip...)
	}
	patch.Sort(edits)
	return []rule.Fix{{Description: "keep what the first loop removes for the second one", Safety: report.SafetyReview, Edits: edits}}
}

// popped returns the call of pop that a step is and the loop around it that takes the key
// of the entry, or nil for each that there is not.
func popped(n *flow.Node) (*ast.Call, *ast.For) {
	call, ok := n.Src.(*ast.Call)
	if !ok || call.Callee() != "pop" || len(call.Args()) == 0 {
		return nil, nil
	}
	key, ok := call.Args()[0].(*ast.Name)
	if !ok {
		return nil, nil
	}
	var around *ast.For // the innermost loop
	for _, st := range n.Fn.Body() {
		ast.Inspect(st, func(x ast.Node) bool {
			if x.Pos() > call.Pos() || x.End() < call.End() {
				return false
			}
			switch x := x.(type) {
			case *ast.For:
				around = x
			case *ast.While:
				around = nil
			}
			return true
		})
	}
	if around == nil {
		return call, nil
	}
	if target, ok := around.Target.(*ast.Name); !ok || target.Id() != key.Id() {
		return call, nil
	}
	return call, around
}

// keep returns the edits that add a line after the statement by which a loop has removed
// an entry into a variable, for when there was one; nil where the removal does not tell.
func keep(ed *patch.Editor, pop *ast.Call, as *ast.Assign, loop *ast.For, line, name string) ([]patch.Edit, error) {
	if len(pop.Args()) == 1 {
		return ed.InsertAfter(as, line)
	}
	if none, ok := pop.Args()[1].(*ast.Constant); !ok || none.Kind() != ast.None {
		return nil, nil
	}
	for i, st := range loop.Body {
		if st != ast.Stmt(as) || i+1 == len(loop.Body) {
			continue
		}
		if test, ok := loop.Body[i+1].(*ast.If); ok && isNotNone(test.Test, name) {
			return ed.InsertBefore(test.Body[0], line)
		}
	}
	return ed.InsertAfter(as, "if "+name+" is not None:", "\t"+line)
}

// isNotNone reports whether a condition is that a variable is not None.
func isNotNone(x ast.Expr, name string) bool {
	cmp, ok := x.(*ast.Compare)
	if !ok || len(cmp.Ops) != 1 || cmp.Ops[0] != ast.IsNot {
		return false
	}
	left, ok := cmp.Left.(*ast.Name)
	right, none := cmp.Comparators[0].(*ast.Constant)
	return ok && none && left.Id() == name && right.Kind() == ast.None
}

// removeTolerantly suggests to remove the entry only if it is there, where nothing
// needs what is removed.
func removeTolerantly(n *flow.Node) []rule.Fix {
	del, ok := n.Src.(*ast.Delete)
	ed := patch.NewEditor(n.Mod.AST)
	if !ok {
		call, ok := n.Src.(*ast.Call)
		if st, alone := n.Stmt.(*ast.ExprStmt); !ok || len(call.Args()) != 1 || !alone || st.Value != n.Src {
			return nil
		}
		return []rule.Fix{{
			Description: "remove the entry if it is still there", Safety: report.SafetyReview,
			Edits: []patch.Edit{ed.ReplaceExpr(call.Args()[0], rule.Text(n, call.Args()[0])+", None")},
		}}
	}
	sub, ok := del.Targets[0].(*ast.Subscript)
	if !ok || len(del.Targets) != 1 {
		return nil
	}
	edits, err := ed.ReplaceStmts([]ast.Stmt{del}, fmt.Sprintf("%s.pop(%s, None)", rule.Primary(n, sub.Value), rule.Arg(n, sub.Slice)))
	if err != nil {
		return nil
	}
	return []rule.Fix{{Description: "remove the entry if it is still there", Safety: report.SafetyReview, Edits: edits}}
}

// dropSecond suggests to leave the second release out.
func dropSecond(n *flow.Node) []rule.Fix {
	st, ok := n.Stmt.(*ast.ExprStmt)
	if !ok || st.Value != n.Src {
		return nil
	}
	edits, err := patch.NewEditor(n.Mod.AST).Delete(st)
	if err != nil {
		return nil
	}
	return []rule.Fix{{Description: "leave it to the other release", Safety: report.SafetyReview, Edits: edits}}
}
