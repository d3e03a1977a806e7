package remedy

import (
	"slices"
	"strings"

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
		edits, err := t.ed.ReplaceStmts([]ast.Stmt{src}, keeping(t.n, src, t.primary(sub.Value)+".pop("+t.arg(sub.Slice)+", None)")...)
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
	if len(call.Args()) != 1 || len(call.Keywords()) > 0 || len(commentsIn(t.n, call.Args()[0])) > 0 {
		return nil, report.SafetyReview
	}
	if _, ok := call.Args()[0].(*ast.Starred); ok {
		return nil, report.SafetyReview
	}
	at, ok := call.Func.(*ast.Attribute)
	if !ok {
		return t.popValue(call)
	}
	if at.Attr() == "remove" && t.n.Loc.Type.Kind == program.Set {
		return []patch.Edit{t.ed.ReplaceExpr(call.Func, t.primary(at.Value)+".discard")}, report.SafetySafe
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
	args := t.text(call.Args()[0]) + ", None"
	edit := t.ed.ReplaceExpr(call.Args()[0], args)
	if st, ok := t.n.Stmt.(*ast.ExprStmt); ok && st.Value == call {
		return []patch.Edit{edit}, report.SafetySafe
	}
	return t.tested(edit, call, t.text(call.Func)+"("+args+")")
}

func (t tolerating) read() ([]patch.Edit, report.Safety) {
	sub, ok := t.n.Src.(*ast.Subscript)
	if !ok || !isMap(t.n) || len(commentsIn(t.n, sub)) > 0 {
		return nil, report.SafetyReview
	}
	lookup := t.primary(sub.Value) + ".get(" + t.arg(sub.Slice) + ")"
	edit := t.ed.ReplaceExpr(sub, lookup)
	if t.compared(sub) {
		return []patch.Edit{edit}, report.SafetySafe
	}
	return t.tested(edit, sub, lookup)
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
	t := tolerating{n: n, ed: patch.NewEditor(n.Mod.AST)}
	leave := t.leaving(n.Stmt, sub.Slice)
	if leave == "" {
		return nil
	}
	edits, err := t.ed.InsertBefore(n.Stmt, keeping(n, sub,
		name+" = "+t.primary(sub.Value)+".get("+t.arg(sub.Slice)+")", "if "+name+" is None:", "\t"+leave)...)
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
	if !ast.Encloses(st.Test, sub) || !evaluated(st.Test, sub, nil) || len(commentsIn(n, sub)) > 0 {
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
	look := "(" + name + " := " + t.primary(sub.Value) + ".get(" + t.arg(sub.Slice) + ")) is not None"
	return []patch.Edit{t.ed.ReplaceExpr(st.Test, look+" and "+rest)}
}

// Getter returns the edits that let a function answer None for an absent entry, where all
// it does with the entry is to return it, and all who call it only compare what it returns.
func Getter(c *component.Component, n *flow.Node) []patch.Edit {
	sub, ok := n.Src.(*ast.Subscript)
	ret, returned := n.Stmt.(*ast.Return)
	if !ok || !returned || ret.Value != sub || n.Op != flow.Read || !isMap(n) || len(commentsIn(n, sub)) > 0 {
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
	return []patch.Edit{t.ed.ReplaceExpr(sub, t.primary(sub.Value)+".get("+t.arg(sub.Slice)+")")}
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

// tested adds a test of the variable that a statement assigns an expression to, which an
// edit replaces by another text: when it is None there is nothing to do.
func (t tolerating) tested(edit patch.Edit, x ast.Expr, with string) ([]patch.Edit, report.Safety) {
	st, ok := t.n.Stmt.(*ast.Assign)
	if !ok || len(st.Targets) != 1 || st.Value != x {
		return nil, report.SafetyReview
	}
	name, ok := st.Targets[0].(*ast.Name)
	if !ok {
		return nil, report.SafetyReview
	}
	leave := t.leaving(st, keyExpr(t.n))
	if leave == "" {
		return t.insteadOfTest(st, name.Id(), with)
	}
	more, err := t.ed.InsertAfter(st, "if "+name.Id()+" is None:", "\t"+leave)
	if err != nil {
		return nil, report.SafetyReview
	}
	edits := append(more, edit)
	patch.Sort(edits)
	return edits, report.SafetyReview
}

// insteadOfTest puts an assignment that begins the branch of a membership test before it,
// and tests what it yields:
//
//	if k in d:                    v = d.pop(k, None)
//	    v = d.pop(k)              if v is not None:
//	    ...                           ...
func (t tolerating) insteadOfTest(st *ast.Assign, name, with string) ([]patch.Edit, report.Safety) {
	guard := ifAround(t.n.Fn.Body(), st)
	if guard == nil || guard.Body[0] != ast.Stmt(st) || !t.testsFor(guard.Test) || !t.ownTo(guard, name) {
		return nil, report.SafetyReview
	}
	if len(guard.Body) == 1 && len(guard.Orelse) > 0 {
		return nil, report.SafetyReview
	}
	early := name + " = " + with
	if len(guard.Body) == 1 {
		out, err := t.ed.ReplaceStmts([]ast.Stmt{guard}, keeping(t.n, guard, early)...)
		if err != nil {
			return nil, report.SafetyReview
		}
		return out, report.SafetyReview
	}
	out, err := t.ed.InsertBefore(guard, keeping(t.n, st, early+commentAfter(t.n, st))...)
	if err != nil {
		return nil, report.SafetyReview
	}
	rest, err := t.ed.Delete(st)
	if err != nil {
		return nil, report.SafetyReview
	}
	out = append(append(out, t.ed.ReplaceExpr(guard.Test, name+" is not None")), rest...)
	patch.Sort(out)
	return out, report.SafetyReview
}

// ownTo reports whether a function uses a variable in the body of an if statement alone.
func (t tolerating) ownTo(guard *ast.If, name string) bool {
	if b, sc := t.n.Fn.Scope.Lookup(name); b == nil || sc != t.n.Fn.Scope || b.Param != nil {
		return false
	}
	own := true
	ast.Inspect(t.n.Fn.Node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Name:
			own = own && (n.Id() != name || ast.Covers(guard.Body, n))
		case *ast.Global:
			own = own && !slices.Contains(n.Names, name)
		case *ast.Nonlocal:
			own = own && !slices.Contains(n.Names, name)
		}
		return own
	})
	return own
}

// testsFor reports whether an expression is a membership test for the entry of the
// access alone.
func (t tolerating) testsFor(e ast.Expr) bool {
	cmp, ok := e.(*ast.Compare)
	if !ok || len(cmp.Ops) != 1 || cmp.Ops[0] != ast.In {
		return false
	}
	var container, key ast.Expr
	switch src := t.n.Src.(type) {
	case *ast.Subscript:
		container, key = src.Value, src.Slice
	case *ast.Call:
		at, ok := src.Func.(*ast.Attribute)
		if !ok {
			return false
		}
		container, key = at.Value, src.Args()[0]
	default:
		return false
	}
	return t.text(cmp.Comparators[0]) == t.text(container) && t.arg(cmp.Left) == t.arg(key)
}

// leaving returns the statement that does what comes next when the branch that a statement
// stands in is done: "return", or "continue" in a loop, or a return of something simple. It
// is "" where the function goes on with something else: who leaves there leaves that out. So
// does who leaves the branch of a test for the entry that has an else: what is to be done
// without the entry is there. A loop that turns for one key ends.
func (t tolerating) leaving(st ast.Stmt, key ast.Expr) string {
	next, _ := t.after(t.n.Fn.Body(), st, key, "return")
	return next
}

// after is leaving in a block that is followed by another statement; found reports
// whether the statement stands in the block.
func (t tolerating) after(block []ast.Stmt, st ast.Stmt, key ast.Expr, next string) (leave string, found bool) {
	for i, s := range block {
		if s == st {
			return t.sooner(block[:i], key, next), true
		}
		if !ast.Encloses(s, st) {
			continue
		}
		then := t.first(block[i+1:], next, place{block[:i], s, st})
		for _, b := range blocks(s) {
			if len(b) == 0 || !ast.Covers(b, st) {
				continue
			}
			at := then
			switch s := s.(type) {
			case *ast.For:
				if ast.Covers(s.Body, st) {
					at = "continue"
				}
			case *ast.While:
				if ast.Covers(s.Body, st) {
					at = t.turn(s, st, key)
				}
			case *ast.Try:
				if len(s.Orelse) > 0 && ast.Covers(s.Body, st) || len(s.Finalbody) > 0 && ast.Covers(s.Finalbody, st) {
					at = ""
				}
			case *ast.If:
				if len(s.Orelse) > 0 && t.asks(s.Test, key) {
					return "", true
				}
			case *ast.Match:
				for _, c := range s.Cases {
					if c.Guard != nil && ast.Covers(c.Body, st) && t.asks(c.Guard, key) {
						return "", true
					}
				}
			}
			return t.after(b, st, key, at)
		}
	}
	return "", false
}

// sooner is leaving after statements of the same block: where one of them asks for the entry
// and leaves, in the same way if that is all it does.
func (t tolerating) sooner(before []ast.Stmt, key ast.Expr, next string) string {
	for _, s := range slices.Backward(before) {
		x, ok := s.(*ast.If)
		if !ok || len(x.Orelse) > 0 || jumpAfter(x.Body) == nil || !t.asks(x.Test, key) {
			continue
		}
		switch jump := x.Body[0].(type) {
		case *ast.Return, *ast.Raise, *ast.Continue, *ast.Break:
			return rule.Text(t.n, jump)
		}
		return ""
	}
	return next
}

// turn is leaving at the end of the body of a loop: the next turn or, where the loop asks for
// a key that stays the same, or for nothing, and nothing in it does before the statement, the
// end of the loop.
func (t tolerating) turn(loop *ast.While, st ast.Stmt, key ast.Expr) string {
	_, endless := loop.Test.(*ast.Constant)
	switch {
	case len(loop.Orelse) > 0 || !lasts(key, loop) || !endless && !t.asks(loop.Test, key):
		return "continue"
	case ifAbout(loop.Body, st, func(e ast.Expr) bool { return t.asks(e, key) }):
		return "continue"
	}
	return "break"
}

// ifAbout reports whether a statement stands in an if statement among others whose test
// something holds for.
func ifAbout(body []ast.Stmt, st ast.Stmt, about func(ast.Expr) bool) bool {
	found := false
	for _, s := range body {
		ast.Inspect(s, func(n ast.Node) bool {
			if x, ok := n.(*ast.If); ok && x != st && ast.Encloses(x, st) {
				found = found || about(x.Test)
			}
			return !found
		})
	}
	return found
}

// asks reports whether an expression asks for the entry of the access: it names the
// container, tests for the key, or is a variable that keeps what does.
func (t tolerating) asks(e, key ast.Expr) bool {
	container, found := "", false
	switch src := t.n.Src.(type) {
	case *ast.Subscript:
		container = t.text(src.Value)
	case *ast.Call:
		if at, ok := src.Func.(*ast.Attribute); ok {
			container = t.text(at.Value)
		}
	}
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Compare:
			in := n.Ops[0] == ast.In || n.Ops[0] == ast.NotIn
			found = found || in && key != nil && t.arg(n.Left) == t.arg(key)
		case *ast.Name:
			if b, sc := t.n.Fn.Scope.Lookup(n.Id()); b != nil && sc == t.n.Fn.Scope && n.Id() != container {
				for _, d := range b.Defs {
					if d.Value != nil && !d.Elem && d.Value.Pos() < e.Pos() {
						found = found || t.asks(d.Value, key)
					}
				}
			}
		}
		if x, ok := n.(ast.Expr); ok && container != "" {
			found = found || t.text(x) == container
		}
		return !found
	})
	return found
}

// first returns a statement that does what a block begins with, next for an empty one, or
// "", for who leaves at a place in the statement before the block.
func (t tolerating) first(block []ast.Stmt, next string, at place) string {
	if len(block) == 0 {
		return next
	}
	switch s := block[0].(type) {
	case *ast.Continue:
		return "continue"
	case *ast.Break:
		return "break"
	case *ast.Pass:
		return t.first(block[1:], next, at)
	case *ast.Return:
		switch {
		case s.Value == nil:
			return "return"
		case isCheap(s.Value) && t.bound(s.Value, at):
			return "return " + t.text(s.Value)
		}
	}
	return ""
}

// A place is a statement in another one, that stands in a block after others.
type place struct {
	before []ast.Stmt
	in, st ast.Stmt
}

// bound reports whether the local variables in an expression have the value at a place that
// they have after the statement around it when the branch of the place is left out: they are
// parameters, or what comes before in the block assigns them, and nothing on the way does.
func (t tolerating) bound(e ast.Expr, at place) bool {
	ok := true
	ast.Inspect(e, func(n ast.Node) bool {
		name, is := n.(*ast.Name)
		if !is {
			return ok
		}
		b, sc := t.n.Fn.Scope.Lookup(name.Id())
		if b == nil || sc != t.n.Fn.Scope {
			return ok // of the module, or of a function around
		}
		sure := b.Param != nil
		for _, s := range at.before {
			if a, is := s.(*ast.Assign); is && slices.ContainsFunc(a.Targets, func(x ast.Expr) bool { return named(x, name.Id()) }) {
				sure = true
			}
		}
		ok = ok && sure && !bindsBefore(at.in, at.st, name.Id()) && !slices.ContainsFunc(b.Defs, func(d program.Def) bool {
			_, gone := d.Node.(*ast.Delete)
			return gone
		})
		return ok
	})
	return ok
}

func named(e ast.Expr, name string) bool {
	x, ok := e.(*ast.Name)
	return ok && x.Id() == name
}

// bindsBefore reports whether a name may be bound or deleted in a statement before another
// one in it.
func bindsBefore(s ast.Stmt, st ast.Stmt, name string) bool {
	found := false
	ast.Inspect(s, func(n ast.Node) bool {
		if n.Pos() >= st.End() {
			return false
		}
		switch n := n.(type) {
		case *ast.Name:
			found = found || n.Id() == name && n.Ctx() != ast.Load
		case *ast.ExceptHandler:
			found = found || n.Name == name
		case *ast.FunctionDef:
			found = found || n.Name == name
		case *ast.ClassDef:
			found = found || n.Name == name
		case *ast.Import, *ast.ImportFrom, *ast.MatchAs, *ast.MatchStar, *ast.MatchMapping:
			found = true // some name
		}
		return !found
	})
	return found
}

func (t tolerating) text(e ast.Expr) string    { return rule.Text(t.n, e) }
func (t tolerating) arg(e ast.Expr) string     { return rule.Arg(t.n, e) }
func (t tolerating) primary(e ast.Expr) string { return rule.Primary(t.n, e) }

func isMap(n *flow.Node) bool {
	k := n.Loc.Type.Kind
	return k == program.Dict || k == program.DefaultDict || k == program.Counter
}

// commentsIn returns the comments in a node of a step's module.
func commentsIn(n *flow.Node, x ast.Node) []string {
	var out []string
	for _, c := range n.Mod.AST.Comments {
		if ast.Encloses(x, c) {
			out = append(out, string(n.Mod.AST.Text(c)))
		}
	}
	return out
}

// commentAfter returns the comment that ends the line of a statement, with what stands before
// it, or "".
func commentAfter(n *flow.Node, st ast.Stmt) string {
	line, _, _ := strings.Cut(string(n.Mod.AST.Source[st.End():]), "\n")
	if rest := strings.TrimLeft(line, " \t"); strings.HasPrefix(rest, "#") {
		return strings.TrimRight(line, "\r")
	}
	return ""
}

// keeping puts the comments in a node that lines replace before these.
func keeping(n *flow.Node, x ast.Node, lines ...string) []string {
	return append(commentsIn(n, x), lines...)
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
