package remedy

import (
	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/patch"
	"github.com/kvrace/kvrace/rules/rule"
)

// Tolerant returns the edits that make a strict access accept an absent entry:
// d.pop(k, None) for del d[k], d.get(k) for a read whose value is only compared,
// and a test for None after d.get(k) in other assignments. It returns nil for
// other forms.
func Tolerant(n *flow.Node) ([]patch.Edit, report.Safety) {
	t := tolerating{n: n, ed: patch.NewEditor(n.Mod.AST)}
	switch n.Op {
	case flow.Del:
		return t.removal()
	case flow.Read:
		return t.read()
	}
	return nil, report.SafetyReview
}

type tolerating struct {
	n  *flow.Node
	ed *patch.Editor
}

func (t tolerating) removal() ([]patch.Edit, report.Safety) {
	switch src := t.n.Src.(type) {
	case *ast.Delete:
		if len(src.Targets) != 1 || !isMap(t.n) {
			return nil, report.SafetyReview
		}
		sub, ok := src.Targets[0].(*ast.Subscript)
		if !ok {
			return nil, report.SafetyReview
		}
		edits, err := t.ed.ReplaceStmts([]ast.Stmt{src}, t.text(sub.Value)+".pop("+t.text(sub.Slice)+", None)")
		if err != nil {
			return nil, report.SafetyReview
		}
		return edits, report.SafetySafe
	case *ast.Call:
		return t.popCall(src)
	}
	return nil, report.SafetyReview
}

func (t tolerating) popCall(call *ast.Call) ([]patch.Edit, report.Safety) {
	at, ok := call.Func.(*ast.Attribute)
	if !ok || len(call.Args()) != 1 {
		return nil, report.SafetyReview
	}
	if at.Attr() == "remove" && t.n.Loc.Type.Kind == program.Set {
		return []patch.Edit{t.ed.ReplaceExpr(call.Func, t.text(at.Value)+".discard")}, report.SafetySafe
	}
	if at.Attr() != "pop" || !isMap(t.n) {
		return nil, report.SafetyReview
	}
	edit := t.ed.ReplaceExpr(call.Args()[0], t.text(call.Args()[0])+", None")
	if st, ok := t.n.Stmt.(*ast.ExprStmt); ok && st.Value == call {
		return []patch.Edit{edit}, report.SafetySafe
	}
	return t.tested([]patch.Edit{edit}, call)
}

func (t tolerating) read() ([]patch.Edit, report.Safety) {
	sub, ok := t.n.Src.(*ast.Subscript)
	if !ok || !isMap(t.n) {
		return nil, report.SafetyReview
	}
	edit := t.ed.ReplaceExpr(sub, t.text(sub.Value)+".get("+t.text(sub.Slice)+")")
	if t.compared(sub) {
		return []patch.Edit{edit}, report.SafetySafe
	}
	return t.tested([]patch.Edit{edit}, sub)
}

// LookUp returns the edits that look an entry up before the statement with a strict read
// of it, and leave the function or go on with the next iteration when it is absent. It
// returns nil for other forms.
func LookUp(n *flow.Node) []patch.Edit {
	sub, ok := n.Src.(*ast.Subscript)
	if !ok || n.Op != flow.Read || !isMap(n) || n.Stmt == nil || sub.Ctx != ast.Load || !evaluated(n.Stmt, sub, nil) {
		return nil
	}
	name := entryName(n.Fn)
	switch n.Stmt.(type) {
	case *ast.While, *ast.With, *ast.FunctionDef:
		return nil
	}
	if name == "" {
		return nil
	}
	leave := "return"
	if inLoop(n.Fn.Body(), n.Stmt) {
		leave = "continue"
	}
	t := tolerating{n: n, ed: patch.NewEditor(n.Mod.AST)}
	edits, err := t.ed.InsertBefore(n.Stmt,
		name+" = "+t.text(sub.Value)+".get("+t.text(sub.Slice)+")", "if "+name+" is None:", "\t"+leave)
	if err != nil {
		return nil
	}
	edits = append(edits, t.ed.ReplaceExpr(sub, name))
	patch.Sort(edits)
	return edits
}

// compared reports whether an expression stands on the left of an equality in
// the statement, for which None does as well.
func (t tolerating) compared(x ast.Expr) bool {
	found := false
	ast.Inspect(t.n.Stmt, func(n ast.Node) bool {
		if c, ok := n.(*ast.Compare); ok && c.Left == x && len(c.Ops) == 1 && (c.Ops[0] == ast.Eq || c.Ops[0] == ast.Is) {
			found = true
		}
		return !found
	})
	return found
}

// tested adds a test of the variable that a statement assigns an expression to:
// when it is None there is nothing to do.
func (t tolerating) tested(edits []patch.Edit, x ast.Expr) ([]patch.Edit, report.Safety) {
	st, ok := t.n.Stmt.(*ast.Assign)
	if !ok || len(st.Targets) != 1 || st.Value != x {
		return nil, report.SafetyReview
	}
	name, ok := st.Targets[0].(*ast.Name)
	if !ok {
		return nil, report.SafetyReview
	}
	leave := "return"
	if inLoop(t.n.Fn.Body(), st) {
		leave = "continue"
	}
	more, err := t.ed.InsertAfter(st, "if "+name.Id()+" is None:", "\t"+leave)
	if err != nil {
		return nil, report.SafetyReview
	}
	edits = append(edits, more...)
	patch.Sort(edits)
	return edits, report.SafetyReview
}

func (t tolerating) text(e ast.Expr) string { return rule.Text(t.n, e) }

func isMap(n *flow.Node) bool {
	k := n.Loc.Type.Kind
	return k == program.Dict || k == program.DefaultDict || k == program.Counter
}

// inLoop reports whether a statement of a body is inside one of its loops.
func inLoop(body []ast.Stmt, st ast.Stmt) bool {
	for _, s := range body {
		if !contains(s, st) || s == st {
			continue
		}
		switch s.(type) {
		case *ast.For, *ast.While:
			return true
		}
		for _, b := range blocks(s) {
			if inLoop(b, st) {
				return true
			}
		}
	}
	return false
}
