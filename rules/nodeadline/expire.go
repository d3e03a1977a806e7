package nodeadline

import (
	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/patch"
	"github.com/kvrace/kvrace/rules/remedy"
	"github.com/kvrace/kvrace/rules/rule"
)

// expireFixes suggest how a poller that is given a request can fail one that has
// waited for long: with the sweep that others call, with the test that it makes for
// another status, or with a time that is kept beside the status.
func (c *check) expireFixes(p *flow.Entry, in *flow.Value) []rule.Fix {
	read := c.statusRead(p)
	if read == nil {
		return c.collectFix(p)
	}
	x := expiry{c: c, p: p, read: read, at: evidence.StatementIn(read, p.Func), ed: patch.NewEditor(p.Func.Module.AST)}
	x.key = remedy.KeyIn(p.Graph, p.Func, component.RootKey(read))
	if x.at == nil || x.key == "" {
		return nil
	}
	if in != nil {
		return x.widen(in)
	}
	if fix := x.sweep(); fix != nil {
		return fix
	}
	return x.expire()
}

// collectFix lets a hook that returns what is over take what has been registered too long
// ago as well, where the time of that is known.
func (c *check) collectFix(p *flow.Entry) []rule.Fix {
	if mentionsName(p.Func, "key") || mentionsName(p.Func, "since") {
		return nil
	}
	for i := range p.Graph.Nodes {
		n := &p.Graph.Nodes[i]
		if n.Fn != p.Func || n.Loc == nil || !c.st.IsDrained(n.Loc) || n.Stmt == nil {
			continue
		}
		e := remedy.Ending{Facts: c.st, Func: p.Func, Key: "key", In: n.Loc, Locks: remedy.HeldAt(p.Graph, p.Func, n.Stmt)}
		told := e.Lines()
		late, from := c.registeredAt(e, n.Loc)
		if len(told) != 1 || late == "" {
			return nil
		}
		ed := patch.NewEditor(p.Func.Module.AST)
		edits, err := ed.InsertBefore(n.Stmt,
			"for key, since in list("+from+".items()):", "\tif "+late+":", "\t\tdel "+from+"[key]", "\t\t"+told[0])
		if err != nil {
			return nil
		}
		if edits, err = remedy.ImportClock(ed, p.Func.Module, edits); err != nil {
			return nil
		}
		patch.Sort(edits)
		return []rule.Fix{{Description: "give back what has waited for long", Safety: report.SafetyReview, Edits: edits}}
	}
	return nil
}

// registeredAt returns a container of the key group of another one that keeps the time
// at which hooks have registered a request, and the condition under which that is too
// long ago.
func (c *check) registeredAt(e remedy.Ending, drained *flow.Location) (late, from string) {
	g := c.st.Comp.Group(drained)
	if g == nil {
		return "", ""
	}
	for _, l := range g.Locs {
		for _, a := range c.st.Comp.Accesses(l) {
			as, ok := a.Stmt.(*ast.Assign)
			if !ok || a.Op != flow.Put || l.Outer != nil || !evidence.IsHook(a.Entry) || !callsClock(as.Value) {
				continue
			}
			if sum, ok := as.Value.(*ast.BinOp); ok && sum.Op == ast.Add {
				return remedy.MonotonicTime + " > since", e.Container(l)
			}
			return remedy.MonotonicTime + " - since > " + requestLimit, e.Container(l)
		}
	}
	return "", ""
}

// statusRead returns the first look at the status by a poller, or nil.
func (c *check) statusRead(p *flow.Entry) *flow.Node {
	for i := range p.Graph.Nodes {
		n := &p.Graph.Nodes[i]
		if n.Op == flow.Read && c.st.IsMap(n.Loc) && n.Loc.Outer == nil && n.Loc.Type.Kind == program.Dict {
			return n
		}
	}
	return nil
}

// expiry builds the fixes for one poller.
type expiry struct {
	c    *check
	p    *flow.Entry
	read *flow.Node // of the status
	at   ast.Stmt   // of the poller, which leads to it
	key  string
	ed   *patch.Editor
}

func (x expiry) ending() remedy.Ending {
	return remedy.Ending{
		Facts: x.c.st, Func: x.p.Func, Key: x.key, In: x.read.Loc,
		Locks: remedy.HeldAt(x.p.Graph, x.p.Func, x.at),
	}
}

// sweep calls the method of the class that fails what is late, which others call when
// something comes.
func (x expiry) sweep() []rule.Fix {
	k := x.p.Func.Class
	if k == nil || len(x.p.Func.Params) == 0 {
		return nil
	}
	for _, f := range k.MethodList() {
		if f == x.p.Func || len(f.Params) != 1 || f.Async || !readsClock(f) || !stores(f, x.read.Loc.Name) || x.ending().Blocks(f) {
			continue
		}
		edits, err := x.ed.InsertBefore(x.at, x.p.Func.Params[0].Name+"."+f.Name+"()")
		if err != nil {
			return nil
		}
		return []rule.Fix{{Description: "look for what is late here as well", Safety: report.SafetyReview, Edits: edits}}
	}
	return nil
}

// stores reports whether a method stores entries of a container of its object.
func stores(f *program.Func, name string) bool {
	found := false
	ast.Inspect(f.Node, func(n ast.Node) bool {
		as, ok := n.(*ast.Assign)
		if !ok {
			return !found
		}
		for _, t := range as.Targets {
			if sub, ok := t.(*ast.Subscript); ok {
				if at, ok := sub.Value.(*ast.Attribute); ok && at.Attr() == name {
					found = true
				}
			}
		}
		return !found
	})
	return found
}

// widen lets the test that the poller makes for another status before it looks at the
// clock accept a status as well.
func (x expiry) widen(in *flow.Value) []rule.Fix {
	name := remedy.Spelled(x.p.Func.Module, in)
	if name == "" {
		return nil
	}
	others := map[string]bool{}
	for _, v := range x.c.st.Values {
		if !v.Terminal && v.Const != in {
			others[remedy.Spelled(x.p.Func.Module, v.Const)] = true
		}
	}
	var fix []rule.Fix
	ast.Inspect(x.p.Func.Node, func(n ast.Node) bool {
		cond, ok := n.(*ast.If)
		if !ok || fix != nil {
			return fix == nil
		}
		ast.Inspect(cond.Test, func(n ast.Node) bool {
			cmp, ok := n.(*ast.Compare)
			if !ok || len(cmp.Ops) != 1 || cmp.Ops[0] != ast.Eq && cmp.Ops[0] != ast.Is {
				return true
			}
			text := func(e ast.Expr) string { return string(x.p.Func.Module.AST.Text(e)) }
			if have := text(cmp.Comparators[0]); others[have] && have != name {
				edit := x.ed.ReplaceExpr(cmp, text(cmp.Left)+" in ("+have+", "+name+")")
				fix = []rule.Fix{{Description: "look at the clock in this state as well", Safety: report.SafetyReview, Edits: []patch.Edit{edit}}}
			}
			return fix == nil
		})
		return fix == nil
	})
	return fix
}

// expire fails a pending request that is late, by a time that the program keeps for it
// or that the fix adds.
func (x expiry) expire() []rule.Fix {
	e := x.ending()
	container, failed, pending := e.Container(x.read.Loc), e.Failure(), e.Pending()
	if container == "" || failed == "" || pending == "" {
		return nil
	}
	late := x.lateByStamp(e)
	var edits []patch.Edit
	if late == "" {
		if late, edits = x.addStamp(e); late == "" {
			return nil
		}
	}
	more, err := x.ed.InsertBefore(x.at, e.Locked(x.read.Loc, []string{
		"if " + container + ".get(" + x.key + ") " + pending + " and " + late + ":",
		"\t" + container + "[" + x.key + "] = " + failed,
	})...)
	if err != nil {
		return nil
	}
	edits = append(edits, more...)
	if edits, err = remedy.ImportClock(x.ed, x.p.Func.Module, edits); err != nil {
		return nil
	}
	patch.Sort(edits)
	return []rule.Fix{{Description: "fail what has waited for long", Safety: report.SafetyReview, Edits: edits}}
}

// lateByStamp returns the condition under which a request is late by a time that is
// stored where its status is; "" when there is none.
func (x expiry) lateByStamp(e remedy.Ending) string {
	for _, first := range x.beginnings() {
		for i := range first.Entry.Graph.Nodes {
			n := &first.Entry.Graph.Nodes[i]
			if n.Op != flow.Put || n.Loc == x.read.Loc || n.Loc.Outer != nil || !n.Key.Same(first.Key) {
				continue
			}
			as, ok := n.Stmt.(*ast.Assign)
			stamp := e.Container(n.Loc)
			if !ok || stamp == "" || !callsClock(as.Value) {
				continue
			}
			got := stamp + ".get(" + x.key + ", float(\"inf\"))"
			if sum, ok := as.Value.(*ast.BinOp); ok && sum.Op == ast.Add {
				return remedy.MonotonicTime + " > " + got
			}
			return remedy.MonotonicTime + " - " + got + " > " + requestLimit
		}
	}
	return ""
}

// callsClock reports whether an expression asks for the monotonic time.
func callsClock(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if call, ok := n.(*ast.Call); ok && call.Callee() == "monotonic" {
			found = true
		}
		return !found
	})
	return found
}

// beginnings returns the steps that store the first status of a request.
func (x expiry) beginnings() []component.Access {
	var out []component.Access
	for _, a := range x.c.st.Comp.Accesses(x.read.Loc) {
		if a.Op == flow.Put && a.Key != nil && evidence.Registers(x.c.st, a) {
			out = append(out, a)
		}
	}
	return out
}

// addStamp adds a container with the time at which each request is late: where its
// status is stored first, and where that is removed. It returns the condition under
// which a request is late.
func (x expiry) addStamp(e remedy.Ending) (late string, edits []patch.Edit) {
	l := x.read.Loc
	decl := remedy.Declaration(l)
	name := remedy.FreshAttr(l.Owner, "deadlines", "give_up_at", "fails_at")
	if decl == nil || name == "" {
		return "", nil
	}
	object := e.Container(l)
	object = object[:len(object)-len(l.Name)]
	seen := map[ast.Stmt]bool{}
	add := func(n *flow.Node, text string, insert func(ed *patch.Editor, st ast.Stmt, lines ...string) ([]patch.Edit, error)) bool {
		if seen[n.Stmt] {
			return true
		}
		seen[n.Stmt] = true
		more, err := insert(patch.NewEditor(n.Mod.AST), n.Stmt, text)
		edits = append(edits, more...)
		return err == nil
	}
	before := func(ed *patch.Editor, st ast.Stmt, lines ...string) ([]patch.Edit, error) {
		return ed.InsertBefore(st, lines...)
	}
	after := func(ed *patch.Editor, st ast.Stmt, lines ...string) ([]patch.Edit, error) {
		return ed.InsertAfter(st, lines...)
	}
	begun := false
	for _, a := range x.beginnings() {
		own := remedy.ObjectText(a.Node)
		if own == "" || !add(a.Node, own+"."+name+"["+evidence.KeyArg(a.Node)+"] = "+remedy.MonotonicTime+" + "+requestLimit, before) || a.Mod != x.p.Func.Module {
			return "", nil
		}
		begun = true
	}
	for _, a := range x.c.st.Comp.Accesses(l) {
		if a.Op != flow.Del || a.Key == nil {
			continue
		}
		own := remedy.ObjectText(a.Node)
		if own == "" || !add(a.Node, own+"."+name+".pop("+evidence.KeyArg(a.Node)+", None)", after) {
			return "", nil
		}
	}
	if !begun || !add(&flow.Node{Mod: moduleOf(x, l), Stmt: decl}, remedy.SelfOf(l)+"."+name+" = {}", after) {
		return "", nil
	}
	return remedy.MonotonicTime + " > " + object + name + ".get(" + x.key + ", float(\"inf\"))", edits
}

func moduleOf(x expiry, l *flow.Location) *program.Module {
	if l.DeclMod != nil {
		return l.DeclMod
	}
	return x.p.Func.Module
}
