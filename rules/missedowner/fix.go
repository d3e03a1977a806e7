package missedowner

import (
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/patch"
	"github.com/kvrace/kvrace/rules/rule"
)

// likewise suggests to treat a missing place as a method treats another one, the
// first that can be told apart: a loop over it is repeated, a condition on it is
// asked of the missing place as well. Places are written without the object, as in
// waiting or queue.parked.
func likewise(f *program.Func, others []string, missing string) []rule.Fix {
	self := f.Params[0].Name
	ed := patch.NewEditor(f.Module.AST)
	for _, other := range others {
		if other == missing {
			continue
		}
		c := copier{f: f, ed: ed, from: self + "." + other, to: self + "." + missing}
		if edits := c.edits(); edits != nil {
			return []rule.Fix{{
				Description: "do with " + missing + " what is done with " + other, Safety: report.SafetyReview, Edits: edits,
			}}
		}
	}
	return nil
}

// A copier repeats what a method does with one place for another one.
type copier struct {
	f        *program.Func
	ed       *patch.Editor
	from, to string
}

func (c *copier) edits() []patch.Edit {
	var found []patch.Edit
	ast.Inspect(c.f.Node, func(n ast.Node) bool {
		if found != nil {
			return false
		}
		switch n := n.(type) {
		case *ast.For:
			switch {
			case !c.is(n.Iter):
			case c.rebuilds(n):
				found = c.rebuilt(n)
			default:
				found = c.after(n)
			}
		case *ast.If:
			if c.mentions(n.Test) {
				found = c.asked(n)
			}
		case *ast.AugAssign:
			if c.mentions(n.Value) {
				found = c.after(n)
			}
		case *ast.Return:
			if n.Value != nil && c.mentions(n.Value) {
				found = c.condition(n.Value)
			}
		}
		return true
	})
	return found
}

// rebuilds reports whether a loop collects what the place holds from then on: what
// another place holds does not belong there.
func (c *copier) rebuilds(loop *ast.For) bool {
	found := false
	ast.Inspect(c.f.Node, func(n ast.Node) bool {
		as, ok := n.(*ast.Assign)
		if !ok || found || len(as.Targets) != 1 || c.text(as.Targets[0]) != c.from {
			return !found
		}
		kept, ok := as.Value.(*ast.Name)
		if !ok {
			return true
		}
		for _, st := range loop.Body {
			ast.Inspect(st, func(x ast.Node) bool {
				if name, ok := x.(*ast.Name); ok && name.Id() == kept.Id() {
					found = true
				}
				return !found
			})
		}
		return !found
	})
	return found
}

// asked lets a test that finds the request in the other place find it in the missing one
// as well, and repeats what is done to the other place then. What fails where the request
// is not must not run for the other place: a test of its own asks there.
func (c *copier) asked(n *ast.If) []patch.Edit {
	part, all := n.Test, false
	if b, ok := n.Test.(*ast.BoolOp); ok {
		all = b.Op == ast.And
		for _, v := range b.Values {
			if c.mentions(v) {
				part = v
			}
		}
	}
	test, ok := part.(*ast.Compare)
	if !ok || len(test.Ops) != 1 || test.Ops[0] != ast.In && test.Ops[0] != ast.IsNot || strings.Contains(c.text(part), ":=") {
		return nil
	}
	for _, st := range n.Body {
		if c.within(st) && !c.tolerant(st) {
			return c.again(n)
		}
	}
	text := c.text(part) + " or " + c.replaced(c.text(part))
	if all {
		text = "(" + text + ")"
	}
	edits := []patch.Edit{c.ed.ReplaceExpr(part, text)}
	for _, st := range n.Body {
		if !c.within(st) {
			continue
		}
		more := c.after(st)
		if more == nil {
			return nil
		}
		edits = append(edits, more...)
	}
	patch.Sort(edits)
	return edits
}

// again repeats a test and what follows it behind the whole if, unless that ends with what
// is done when nothing was found, or handles the missing place itself.
func (c *copier) again(n *ast.If) []patch.Edit {
	for at := n; len(at.Orelse) > 0; {
		next, ok := at.Orelse[0].(*ast.If)
		if !ok || len(at.Orelse) > 1 {
			return nil
		}
		at = next
	}
	for _, st := range n.Body {
		if c.within(st) && !c.removes(st) {
			return nil // what the places hold may differ
		}
	}
	found := false
	ast.Inspect(n, func(x ast.Node) bool {
		if at, ok := x.(*ast.Attribute); ok {
			found = found || c.text(at) == c.to
		}
		return !found
	})
	first := string(c.f.Module.AST.Text(n))[:n.Body[len(n.Body)-1].End()-n.Pos()]
	switch {
	case found:
		return nil
	case strings.HasPrefix(first, "elif"):
		return c.oneMore(n)
	}
	return c.behind(n, n, first)
}

// oneMore asks for the missing place behind the last elif of a chain, as one elif of it does
// for the other place.
func (c *copier) oneMore(n *ast.If) []patch.Edit {
	var first *ast.If
	ast.Inspect(c.f.Node, func(x ast.Node) bool {
		at, ok := x.(*ast.If)
		for ok && first == nil && at != n && len(at.Orelse) == 1 {
			if at, ok = at.Orelse[0].(*ast.If); at == n {
				first = x.(*ast.If)
			}
		}
		return first == nil
	})
	if first == nil {
		return nil
	}
	lines := []string{"elif " + c.replaced(c.text(n.Test)) + ":"}
	for _, st := range n.Body {
		lines = append(lines, "\t"+c.replaced(c.text(st)))
	}
	if strings.Contains(strings.Join(lines, ""), "\n") {
		return nil
	}
	edits, err := c.ed.InsertAfter(first, lines...)
	if err != nil {
		return nil
	}
	return edits
}

// within reports whether a statement mentions the place.
func (c *copier) within(st ast.Stmt) bool {
	found := false
	ast.Inspect(st, func(n ast.Node) bool {
		if at, ok := n.(*ast.Attribute); ok && c.text(at) == c.from {
			found = true
		}
		return !found
	})
	return found
}

// tolerant reports whether a statement removes something from the place that need not be
// there.
func (c *copier) tolerant(st ast.Stmt) bool {
	name, args := c.called(st)
	return name == "discard" && args == 1 || name == "pop" && args == 2
}

// removes reports whether a statement does nothing but remove something from the place.
func (c *copier) removes(st ast.Stmt) bool {
	if del, ok := st.(*ast.Delete); ok && len(del.Targets) == 1 {
		sub, ok := del.Targets[0].(*ast.Subscript)
		return ok && c.text(sub.Value) == c.from
	}
	name, args := c.called(st)
	return c.tolerant(st) || args == 1 && (name == "remove" || name == "pop")
}

// called returns the method of the place that a statement calls, and how many arguments
// it gives.
func (c *copier) called(st ast.Stmt) (string, int) {
	e, ok := st.(*ast.ExprStmt)
	if !ok {
		return "", 0
	}
	call, ok := e.Value.(*ast.Call)
	if !ok || len(call.Keywords()) > 0 {
		return "", 0
	}
	at, ok := call.Func.(*ast.Attribute)
	if !ok || c.text(at.Value) != c.from {
		return "", 0
	}
	return at.Attr(), len(call.Args())
}

// is reports whether an iterable is the place, or a copy of it.
func (c *copier) is(e ast.Expr) bool {
	if call, ok := e.(*ast.Call); ok && len(call.Args()) == 1 {
		if name, ok := call.Func.(*ast.Name); ok && name.Id() == "list" {
			e = call.Args()[0]
		}
	}
	return c.text(e) == c.from
}

func (c *copier) mentions(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if at, ok := n.(*ast.Attribute); ok && c.text(at) == c.from {
			found = true
		}
		return !found
	})
	return found
}

func (c *copier) text(n ast.Node) string { return string(c.f.Module.AST.Text(n)) }

// after repeats a statement behind itself. Lines of the copy are indented by tabs,
// as an Editor takes them.
func (c *copier) after(st ast.Stmt) []patch.Edit {
	return c.behind(st, st, c.text(st))
}

// behind puts text behind a statement, with the missing place for the other one. The
// text is written as where another statement stands.
func (c *copier) behind(st, as ast.Stmt, text string) []patch.Edit {
	indent, err := c.ed.Indent(as)
	if err != nil {
		return nil
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		line = strings.TrimSuffix(line, "\r")
		if i > 0 {
			line = strings.TrimPrefix(line, indent)
		}
		tabs := ""
		for strings.HasPrefix(line, c.ed.IndentUnit()) {
			tabs, line = tabs+"\t", strings.TrimPrefix(line, c.ed.IndentUnit())
		}
		lines[i] = tabs + c.replaced(line)
	}
	edits, err := c.ed.InsertAfter(st, lines...)
	if err != nil {
		return nil
	}
	return edits
}

// replaced puts the missing place for the other one, where it stands as a whole.
func (c *copier) replaced(text string) string {
	var b strings.Builder
	for {
		before, after, ok := strings.Cut(text, c.from)
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		if after != "" && (after[0] == '_' || after[0] >= '0' && after[0] <= '9' || after[0] >= 'A' && after[0] <= 'Z' || after[0] >= 'a' && after[0] <= 'z') {
			b.WriteString(c.from)
		} else {
			b.WriteString(c.to)
		}
		text = after
	}
}

// condition asks the same of the missing place as one operand of a condition asks
// of the other one. A display of places gets one more.
func (c *copier) condition(e ast.Expr) []patch.Edit {
	if item := c.displayed(e); item != nil {
		return []patch.Edit{c.ed.ReplaceExpr(item, c.from+", "+c.to)}
	}
	op, part := joins(e), e
	if b, ok := e.(*ast.BoolOp); ok {
		for _, v := range b.Values {
			if c.mentions(v) {
				part = v
			}
		}
	}
	text := c.text(part)
	if op == "" || strings.Contains(text, "\n") {
		return nil
	}
	return []patch.Edit{c.ed.ReplaceExpr(part, text+op+c.replaced(text))}
}

// displayed returns the place as an item of a tuple or list, or nil.
func (c *copier) displayed(e ast.Expr) ast.Expr {
	var found ast.Expr
	look := func(items []ast.Expr) {
		for _, x := range items {
			if c.text(x) == c.from {
				found = x
			}
		}
	}
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Tuple:
			look(n.Elts)
		case *ast.List:
			look(n.Elts)
		}
		return found == nil
	})
	return found
}

// joins returns the operator that adds a place to a condition: that nothing is left
// holds when it does of all, that something is left when it does of any.
func joins(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BoolOp:
		if e.Op == ast.Or {
			return " or "
		}
		return " and "
	case *ast.UnaryOp:
		return " and "
	case *ast.Compare:
		if len(e.Ops) == 1 && (e.Ops[0] == ast.Eq || e.Ops[0] == ast.Is) {
			return " and "
		}
		return " or "
	case *ast.Call:
		if name, ok := e.Func.(*ast.Name); ok && name.Id() == "all" {
			return " and "
		}
		return " or "
	}
	return ""
}
