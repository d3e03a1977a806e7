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
	if len(call.Args()) != 1 || len(call.Keywords()) > 0 {
		return nil, report.SafetyReview
	}
	at, ok := call.Func.(*ast.Attribute)
	if !ok {
		return t.popValue(call)
	}
	if at.Attr() == "remove" && t.n.Loc.Type.Kind == program.Set {
		return []patch.Edit{t.ed.ReplaceExpr(call.Func, t.text(at.Value)+".discard")}, report.SafetySafe
	}
	if at.Attr() != "pop" || !isMap(t.n) {
		return nil, report.SafetyReview
	}
	return t.withDefault(call)
}

// popValue is popCall for a method pop that is kept in a variable, be it of another
// function.
func (t tolerating) popValue(call *ast.Call) ([]patch.Edit, report.Safety) {
	name, ok := call.Func.(*ast.Name)
	if !ok || !isMap(t.n) || t.n.Mode&flow.AnyKey != 0 {
		return nil, report.SafetyReview
	}
	b, _ := t.n.Fn.Scope.Lookup(name.Id())
	if b == nil || len(b.Defs) != 1 || b.Defs[0].Index >= 0 {
		return nil, report.SafetyReview
	}
	if at, ok := b.Defs[0].Value.(*ast.Attribute); !ok || at.Attr() != "pop" {
		return nil, report.SafetyReview
	}
	return t.withDefault(call)
}

// withDefault gives pop a default.
func (t tolerating) withDefault(call *ast.Call) ([]patch.Edit, report.Safety) {
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
	if !ok || n.Op != flow.Read || !isMap(n) || n.Stmt == nil || sub.Ctx != ast.Load {
		return nil
	}
	name := entryName(n.Fn)
	if name == "" {
		return nil
	}
	switch st := n.Stmt.(type) {
	case *ast.While:
		return inTest(n, st, sub, name)
	case *ast.With, *ast.FunctionDef:
		return nil
	}
	if !evaluated(n.Stmt, sub, nil) {
		return nil
	}
	leave := leaving(n.Fn.Body(), n.Stmt, sub.Slice)
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

// inTest returns the edits that look an entry up in the condition of a loop which reads
// it first thing, and leave the loop when it is absent.
func inTest(n *flow.Node, st *ast.While, sub *ast.Subscript, name string) []patch.Edit {
	if !contains(st.Test, sub) || !evaluated(st.Test, sub, nil) {
		return nil
	}
	t := tolerating{n: n, ed: patch.NewEditor(n.Mod.AST)}
	text, from := n.Text(st.Test), int(sub.Pos()-st.Test.Pos())
	rest := text[:from] + name + text[from+len(n.Text(sub)):]
	switch x := st.Test.(type) {
	case *ast.IfExp, *ast.NamedExpr:
		rest = "(" + rest + ")"
	case *ast.BoolOp:
		if x.Op == ast.Or {
			rest = "(" + rest + ")"
		}
	}
	look := "(" + name + " := " + t.text(sub.Value) + ".get(" + t.text(sub.Slice) + ")) is not None"
	return []patch.Edit{t.ed.ReplaceExpr(st.Test, look+" and "+rest)}
}

// Getter returns the edits that let a function answer None for an absent entry, where all
// it does with the entry is to return it, and all who call it only compare what it returns.
func Getter(c *component.Component, n *flow.Node) []patch.Edit {
	sub, ok := n.Src.(*ast.Subscript)
	ret, returned := n.Stmt.(*ast.Return)
	if !ok || !returned || ret.Value != sub || n.Op != flow.Read || !isMap(n) {
		return nil
	}
	for _, a := range c.Accesses(n.Loc) {
		if a.Src != n.Src {
			continue
		}
		call, ok := frameCall(a.Frame)
		if !ok || a.Frame.Caller == nil {
			return nil
		}
		st := evidence.StatementIn(a.Node, a.Frame.Caller.Fn)
		if st == nil || !comparedIn(st, call) {
			return nil
		}
	}
	t := tolerating{n: n, ed: patch.NewEditor(n.Mod.AST)}
	return []patch.Edit{t.ed.ReplaceExpr(sub, t.text(sub.Value)+".get("+t.text(sub.Slice)+")")}
}

// compared reports whether an expression stands on the left of an equality in
// the statement, for which None does as well.
func (t tolerating) compared(x ast.Expr) bool { return comparedIn(t.n.Stmt, x) }

func comparedIn(st ast.Stmt, x ast.Expr) bool {
	found := false
	ast.Inspect(st, func(n ast.Node) bool {
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
	leave := leaving(t.n.Fn.Body(), st, keyExpr(t.n))
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

// leaving returns the statement that leaves what a statement of a body does for a key: the
// function, or the turn of the loop around it. A loop that turns for one key ends.
func leaving(body []ast.Stmt, st ast.Stmt, key ast.Expr) string {
	switch loop := loopAround(body, st).(type) {
	case nil:
		return "return"
	case *ast.While:
		if lasts(key, loop) {
			return "break"
		}
	}
	return "continue"
}

// loopAround returns the innermost loop around a statement of a body, or nil.
func loopAround(body []ast.Stmt, st ast.Stmt) ast.Stmt {
	for _, s := range body {
		if !contains(s, st) || s == st {
			continue
		}
		for _, b := range blocks(s) {
			if loop := loopAround(b, st); loop != nil {
				return loop
			}
		}
		switch s.(type) {
		case *ast.For, *ast.While:
			return s
		}
	}
	return nil
}

// lasts reports whether a key is made of variables that a loop leaves as they are.
func lasts(key ast.Expr, loop *ast.While) bool {
	ok, names := key != nil, map[string]bool{}
	if ok {
		ast.Inspect(key, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Name:
				names[n.Id()] = true
			case *ast.Attribute, *ast.Call, *ast.Subscript, *ast.Await:
				ok = false
			}
			return ok
		})
	}
	ast.Inspect(loop, func(n ast.Node) bool {
		if x, bound := n.(*ast.Name); bound && x.Ctx() != ast.Load && names[x.Id()] {
			ok = false
		}
		return ok
	})
	return ok
}
