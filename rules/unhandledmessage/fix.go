package unhandledmessage

import (
	"regexp"
	"strconv"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/patch"
	"github.com/kvrace/kvrace/rules/remedy"
	"github.com/kvrace/kvrace/rules/rule"
)

// parts is how a function writes the parts of the message that it handles.
type parts struct {
	fn    *program.Func
	whole string   // the variable of the message, if it keeps it as one
	names []string // else the variables of the parts
	after ast.Stmt // receives the message; nil when a caller does
	tests ast.Stmt // the first test
}

// part returns the i-th part of the message, or "".
func (p *parts) part(i int) string {
	if p.whole != "" {
		return p.whole + "[" + strconv.Itoa(i) + "]"
	}
	if i < len(p.names) {
		return p.names[i]
	}
	return ""
}

// partsOf returns how the function of a test writes the parts of the message, or nil.
func partsOf(t tag) *parts {
	p := &parts{fn: t.n.Fn, tests: t.n.Stmt}
	from := received(t.entry.Graph, t.n.Val)
	if from == nil {
		from = received(t.entry.Graph, t.n.Want)
	}
	if from == nil {
		return nil
	}
	if from.Fn == t.n.Fn {
		as, ok := from.Stmt.(*ast.Assign)
		if !ok || len(as.Targets) != 1 || as.Value != from.Src {
			return nil
		}
		p.after = as
		switch target := as.Targets[0].(type) {
		case *ast.Name:
			p.whole = target.Id()
		case *ast.Tuple:
			for _, x := range target.Elts {
				name, ok := x.(*ast.Name)
				if !ok {
					break // what follows is a list of the rest
				}
				p.names = append(p.names, name.Id())
			}
		}
	} else {
		p.whole = subject(t.n)
		if t.n.Fn.Param(p.whole) == nil {
			return nil
		}
	}
	if p.part(0) == "" {
		return nil
	}
	return p
}

// received returns the call from which a value is taken, or nil.
func received(g *flow.Graph, v *flow.Value) *flow.Node {
	if v == nil {
		return nil
	}
	if v.Kind == flow.Result {
		id := g.Producer(v)
		if id < 0 || g.Nodes[id].Op != flow.Call {
			return nil
		}
		n := &g.Nodes[id]
		if n.Target != nil {
			return received(g, n.Val) // what a function of the program makes of it
		}
		if from := received(g, n.Recv); from != nil {
			return from // what is decoded, or split
		}
		return n
	}
	if v.Kind == flow.Phi {
		for _, leaf := range v.Leaves() {
			if n := received(g, leaf); n != nil {
				return n
			}
		}
		return nil
	}
	for _, a := range v.Args {
		if n := received(g, a); n != nil {
			return n
		}
	}
	return received(g, v.Base)
}

// subject returns the variable whose first part a test looks at.
func subject(n *flow.Node) string {
	name := ""
	ast.Inspect(n.Src, func(x ast.Node) bool {
		if sub, ok := x.(*ast.Subscript); ok && name == "" {
			if v, ok := sub.Value.(*ast.Name); ok {
				name = v.Id()
			}
		}
		return name == ""
	})
	return name
}

// fixes suggests to handle the message: as the sibling does, where its words mean the
// same here, or else to conclude the request, if that is what the sibling does.
func (b *backend) fixes(t, at tag, sib *backend, known tag) []rule.Fix {
	here := partsOf(at)
	kind, key := sentAs(t.n)
	if here == nil || kind == "" {
		return nil
	}
	body := borrowed(here, partsOf(known), known)
	description := "handle the message as " + sib.st.Comp.Class.Name + " does"
	if body == nil {
		body, description = b.conclusion(here, key, sib, known), "conclude the request that the message names"
	}
	if body == nil {
		return nil
	}
	lines := []string{"if " + here.part(0) + " == " + kind + ":"}
	for _, line := range body {
		lines = append(lines, "\t"+line)
	}
	ed := patch.NewEditor(here.fn.Module.AST)
	var edits []patch.Edit
	var err error
	if here.after != nil {
		edits, err = ed.InsertAfter(here.after, append(lines, "\tcontinue")...)
	} else {
		edits, err = ed.InsertBefore(here.tests, append(lines, "\treturn")...)
	}
	if err != nil {
		return nil
	}
	return []rule.Fix{{Description: description, Safety: report.SafetyReview, Edits: edits}}
}

// sentAs returns the tag of a message and the part behind it, as the sender writes
// them.
func sentAs(n *flow.Node) (kind string, key ast.Expr) {
	ast.Inspect(n.Src, func(x ast.Node) bool {
		var elts []ast.Expr
		switch x := x.(type) {
		case *ast.List:
			elts = x.Elts
		case *ast.Tuple:
			elts = x.Elts
		}
		if len(elts) > 1 && kind == "" {
			if k, ok := elts[0].(*ast.Constant); ok {
				kind, key = rule.Text(n, k), elts[1]
			}
		}
		return kind == ""
	})
	return kind, key
}

// borrowed returns the statements by which a sibling handles a message, in words of
// another function; nil when they mention what that function does not know.
func borrowed(here, there *parts, known tag) []string {
	st, ok := known.n.Stmt.(*ast.If)
	if !ok || there == nil || (here.whole == "") != (there.whole == "") {
		return nil
	}
	body := st.Body
	switch body[len(body)-1].(type) {
	case *ast.Continue, *ast.Return:
		body = body[:len(body)-1]
	}
	if len(body) == 0 || !understood(here, there, body) {
		return nil
	}
	var lines []string
	for _, s := range body {
		for _, line := range evidence.Lines(there.fn.Module, s) {
			lines = append(lines, rename(line, here, there))
		}
	}
	return lines
}

// rename puts the words of one function for the parts of a message in place of those
// of another.
func rename(line string, here, there *parts) string {
	swap := func(from, to string) {
		if from != to && from != "" {
			line = regexp.MustCompile(`\b`+regexp.QuoteMeta(from)+`\b`).ReplaceAllString(line, to)
		}
	}
	swap(there.whole, here.whole)
	for i, name := range there.names {
		swap(name, here.part(i))
	}
	return line
}

// understood reports whether a function of another class can say what some statements
// say: they work on the message and on attributes that both classes have from one
// base.
func understood(here, there *parts, body []ast.Stmt) bool {
	a, b := here.fn.SelfFunc(), there.fn.SelfFunc()
	if a == nil || b == nil || a.Class == nil || b.Class == nil || len(a.Params) == 0 || len(b.Params) == 0 || a.Params[0].Name != b.Params[0].Name {
		return false
	}
	words := map[string]bool{there.whole: true, b.Params[0].Name: true}
	for i, name := range there.names {
		words[name] = i < len(here.names)
	}
	ok := true
	for _, st := range body {
		ast.Inspect(st, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Name:
				ok = ok && words[n.Id()]
			case *ast.Attribute:
				if x, is := n.Value.(*ast.Name); is && x.Id() == b.Params[0].Name {
					ok = ok && shared(a.Class, b.Class, n.Attr())
				}
			case *ast.Lambda, *ast.Break:
				ok = false
			}
			return ok
		})
	}
	return ok
}

// shared reports whether two classes have an attribute or method from one base.
func shared(a, b *program.Class, name string) bool {
	if o := a.AttrOwner(name); o != nil {
		return o == b.AttrOwner(name)
	}
	m := a.Method(name)
	return m != nil && m == b.Method(name)
}

// conclusion returns the lines that conclude the request which a message names in its
// second part, when the sibling concludes it.
func (b *backend) conclusion(here *parts, key ast.Expr, sib *backend, known tag) []string {
	text := here.part(1)
	if text == "" || !concludes(sib, known) {
		return nil
	}
	switch x := key.(type) {
	case *ast.Name, *ast.Attribute:
	case *ast.Call:
		if !encodesNumber(x) {
			return nil
		}
		text = "int(" + text + ".decode())"
	default:
		return nil
	}
	return remedy.Ending{Facts: b.st, Func: here.fn, Key: text}.Lines()
}

// encodesNumber reports whether an expression is str(x).encode(...).
func encodesNumber(x *ast.Call) bool {
	at, ok := x.Func.(*ast.Attribute)
	if !ok || at.Attr() != "encode" {
		return false
	}
	inner, ok := at.Value.(*ast.Call)
	if !ok {
		return false
	}
	name, ok := inner.Func.(*ast.Name)
	return ok && name.Id() == "str"
}

// concludes reports whether a backend concludes a request where it has recognized a
// message.
func concludes(b *backend, known tag) bool {
	g := known.entry.Graph
	for i := range g.Nodes {
		if &g.Nodes[i] != known.n {
			continue
		}
		for _, e := range known.n.Succ {
			if e.Kind != flow.True {
				continue
			}
			it := evidence.IterationAround(g, int32(i), nil)
			return it.From(e.To, func(_ int32, n *flow.Node, _ flow.Facts) bool { return b.st.MayConclude(n) }) != nil
		}
	}
	return false
}
