package replay

import (
	"slices"
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/rules/witness"
)

// decidable reports whether the slice knows the outcome of a condition.
func (w *writer) decidable(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.BoolOp:
		return w.decidableAll(x.Values)
	case *ast.UnaryOp:
		return x.Op == ast.Not && w.decidable(x.Operand)
	case *ast.Compare:
		if len(x.Ops) != 1 {
			return false
		}
		if w.step(x, flow.Has) != nil {
			return true
		}
		return w.sameRequest(x) != "" || w.known(x.Left) && (w.known(x.Comparators[0]))
	case *ast.Call:
		n := w.step(x, flow.Has)
		return n != nil
	case *ast.Attribute: // a container is true when it has something
		l := w.located(x)
		return l != nil && l.Keyed() && (len(w.nodes(x)) == 0 || w.step(x, flow.Size) != nil)
	}
	return false
}

func (w *writer) decidableAll(xs []ast.Expr) bool {
	for _, x := range xs {
		if !w.decidable(x) {
			return false
		}
	}
	return true
}

// known reports whether the value of an expression is exact. It writes
// nothing.
func (w *writer) known(x ast.Expr) bool {
	lines, temps := w.lines, w.temps
	saved := w.e.changed
	_, k := w.expr(x)
	w.lines, w.temps = lines, temps
	w.e.changed = saved || w.e.changed
	return k&unknown == 0
}

// truthOf returns the test of a value in an if.
func (w *writer) truthOf(text string, k kinds, x ast.Expr) string {
	switch {
	case k == unknown:
		return w.assume(x)
	case k&unknown != 0:
		w.e.assumed[w.site(x)] = true
		return "t.true(" + text + ", " + quote(w.site(x)) + ")"
	case strings.HasPrefix(text, "t.") || text == "True" || text == "False":
		return text
	}
	return "truth(" + text + ")"
}

// cond returns a condition as text.
func (w *writer) cond(x ast.Expr) string {
	w.before(x)
	text := w.condition(x)
	w.after(x)
	return text
}

func (w *writer) condition(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.BoolOp:
		return w.boolCond(x)
	case *ast.UnaryOp:
		if x.Op == ast.Not {
			return "not " + paren(w.cond(x.Operand))
		}
	case *ast.Compare:
		return w.compare(x)
	}
	if n := w.step(x, flow.Size); n != nil {
		c := w.container(n, x)
		w.pauseOn(x, n, c)
		v, _ := w.keep("len("+c+") > 0", exact)
		return v
	}
	text, k := w.plain(x)
	return w.truthOf(text, k, x)
}

func (w *writer) boolCond(x *ast.BoolOp) string {
	op := " and "
	if x.Op == ast.Or {
		op = " or "
	}
	text := w.part(x.Values[0])
	for _, v := range x.Values[1:] {
		var next string
		lines := w.captured(func() { next = w.part(v) })
		if len(lines) == 0 {
			text = paren(text) + op + paren(next)
			continue
		}
		res := w.temp()
		w.put(res + " = " + text)
		if x.Op == ast.Or {
			w.put("if not " + res + ":")
		} else {
			w.put("if " + res + ":")
		}
		w.lines = append(w.lines, lines...)
		w.indent++
		w.put(res + " = " + next)
		w.indent--
		text = res
	}
	return text
}

// part returns a part of a condition as text, and writes what its outcome means to the
// property, if anything.
func (w *writer) part(x ast.Expr) string {
	if not, ok := x.(*ast.UnaryOp); ok && not.Op == ast.Not {
		return "not " + paren(w.part(not.Operand))
	}
	text := w.cond(x)
	if _, ok := x.(*ast.BoolOp); ok || !w.sided(x) {
		return text
	}
	res, _ := w.keep(text, exact)
	for _, holds := range []bool{true, false} {
		lines := w.captured(func() { w.side(x, holds) })
		if len(lines) == 0 {
			continue
		}
		if holds {
			w.put("if " + res + ":")
		} else {
			w.put("if not " + res + ":")
		}
		w.lines = append(w.lines, lines...)
	}
	return res
}

// sided reports whether the property speaks of a side of a condition.
func (w *writer) sided(x ast.Expr) bool {
	return slices.ContainsFunc(w.positions(x), func(p string) bool {
		return len(w.e.s.marks[p+testHolds])+len(w.e.s.marks[p+testFails]) > 0
	})
}

// compare returns a comparison as text.
func (w *writer) compare(x *ast.Compare) string {
	if w.step(x, flow.Has) != nil {
		return w.has(x)
	}
	if len(x.Ops) != 1 {
		w.expr(x.Left)
		for _, c := range x.Comparators {
			w.expr(c)
		}
		return w.assume(x)
	}
	op, right := x.Ops[0], x.Comparators[0]
	if text := w.sameRequest(x); text != "" {
		return text
	}
	l, lk := w.expr(x.Left)
	if op == ast.In || op == ast.NotIn {
		return w.among(x, l, lk, right)
	}
	r, rk := w.expr(right)
	if lk == unknown || rk == unknown {
		if eq := op == ast.Eq || op == ast.Is; (eq || op == ast.NotEq || op == ast.IsNot) && (w.isTag(x.Left) || w.isTag(right)) {
			return map[bool]string{true: "True", false: "False"}[eq]
		}
		return w.assume(x)
	}
	site := quote(w.site(x))
	plain := (lk|rk)&(unknown|thing) == 0
	if (lk|rk)&unknown != 0 || !plain {
		w.e.assumed[w.site(x)] = true
	}
	switch op {
	case ast.Is, ast.IsNot, ast.Eq, ast.NotEq:
		not := op == ast.IsNot || op == ast.NotEq
		if r == "None" {
			if lk&unknown != 0 {
				return w.negated("none", l, "", site, not)
			}
			delete(w.e.assumed, w.site(x))
			if not {
				return l + " is not None"
			}
			return l + " is None"
		}
		if plain {
			sign := " == "
			if not {
				sign = " != "
			}
			return l + sign + r
		}
		return w.negated("same", l, r, site, not)
	case ast.Lt, ast.Gt, ast.LtE, ast.GtE:
		if plain {
			return l + " " + map[ast.CmpOp]string{ast.Lt: "<", ast.Gt: ">", ast.LtE: "<=", ast.GtE: ">="}[op] + " " + r
		}
		if op == ast.Lt {
			return "t.less(" + l + ", " + r + ", " + site + ")"
		}
		return w.assume(x)
	}
	return w.assume(x)
}

// sameRequest returns the test whether what a loop has taken is that of the request,
// whose key a variable is; "" for another comparison.
func (w *writer) sameRequest(x *ast.Compare) string {
	sign := map[ast.CmpOp]string{ast.Eq: " == ", ast.NotEq: " != "}[x.Ops[0]]
	if sign == "" || len(x.Ops) != 1 {
		return ""
	}
	for _, side := range [2][2]ast.Expr{{x.Left, x.Comparators[0]}, {x.Comparators[0], x.Left}} {
		name, ok := side[1].(*ast.Name)
		if _, plain := side[0].(*ast.Name); !ok || !plain || !w.isKey(name.Id()) {
			continue
		}
		el, key := w.elementText(side[0]), w.elementText(name)
		if key == "" {
			key = "7"
		}
		if el != "" {
			return el + sign + key
		}
	}
	return ""
}

// isKey reports whether a variable is the key of accesses of its function.
func (w *writer) isKey(name string) bool {
	for src, nodes := range w.e.ops[w.f.key] {
		var key ast.Expr
		switch x := src.(type) {
		case *ast.Subscript:
			key = x.Slice
		case *ast.Compare:
			key = x.Left
		case *ast.Call:
			if len(x.Args()) > 0 {
				key = x.Args()[0]
			}
		}
		k, ok := key.(*ast.Name)
		if !ok || k.Id() != name {
			continue
		}
		for _, n := range nodes {
			if n.Key != nil && n.Key.Kind != flow.Const && n.Loc != nil && w.e.tracked[n.Loc] && n.Frame.Fn == w.fn {
				return true
			}
		}
	}
	return false
}

// isTag reports whether an expression is the constant that the messages of the problem
// begin with.
func (w *writer) isTag(x ast.Expr) bool {
	c, ok := x.(*ast.Constant)
	return ok && (c.Kind() == ast.Str || c.Kind() == ast.Bytes) && w.e.s.problem.Tag != "" && c.Value() == w.e.s.problem.Tag
}

// negated writes a test of the runtime whose answer in the schedule is that of
// the source: where the source says "not", the runtime must not invert an
// assumed answer.
func (w *writer) negated(test, a, b, site string, not bool) string {
	args := a
	if b != "" {
		args += ", " + b
	}
	if not {
		return "t.not_" + test + "(" + args + ", " + site + ")"
	}
	return "t." + test + "(" + args + ", " + site + ")"
}

// among returns "x in (a, b)" as text.
func (w *writer) among(x *ast.Compare, l string, lk kinds, right ast.Expr) string {
	r, rk := w.expr(right)
	if lk == exact && rk == exact && strings.HasPrefix(r, "(") {
		op := " in "
		if x.Ops[0] == ast.NotIn {
			op = " not in "
		}
		return l + op + r
	}
	if lk&(exact|thing) != 0 && rk == exact && strings.HasPrefix(r, "(") {
		w.e.assumed[w.site(x)] = true
		not := ""
		if x.Ops[0] == ast.NotIn {
			not = "not_"
		}
		return "t." + not + "among(" + l + ", " + r + ", " + quote(w.site(x)) + ")"
	}
	return w.assume(x)
}

// reached reports whether the graphs have a step within statements.
func (w *writer) reached(body []ast.Stmt) bool {
	if len(body) == 0 {
		return false
	}
	from, to := body[0].Pos(), body[len(body)-1].End()
	for at := range w.e.ops[w.f.key] {
		if from <= at.Pos() && at.End() <= to {
			return true
		}
	}
	return false
}

// reachedBehind reports whether the graphs have a step of the function behind a
// statement.
func (w *writer) reachedBehind(st ast.Stmt) bool {
	for at := range w.e.ops[w.f.key] {
		if at.Pos() >= st.End() {
			return true
		}
	}
	return false
}

// hint notes how conditions go that the graphs have decided, since nothing can
// change them: the other side has no steps. Yes and no tell whether the graphs
// have steps where the condition holds, and where it does not.
func (w *writer) hint(x ast.Expr, yes, no bool) {
	switch x := x.(type) {
	case *ast.UnaryOp:
		if x.Op == ast.Not {
			w.hint(x.Operand, no, yes)
			return
		}
	case *ast.BoolOp:
		for i, v := range x.Values {
			later := false
			for _, u := range x.Values[i+1:] {
				later = later || w.touches(u) || w.branches(u)
			}
			if x.Op == ast.And {
				w.hint(v, yes || later, no)
			} else {
				w.hint(v, yes, no || later)
			}
		}
		return
	}
	if w.branches(x) || yes == no {
		return
	}
	if w.decided == nil {
		w.decided = map[ast.Node]bool{}
	}
	w.decided[x] = yes
}

// branches reports whether the graphs have a branch on an expression.
func (w *writer) branches(x ast.Expr) bool {
	return slices.ContainsFunc(w.nodes(x), func(n *flow.Node) bool { return n.Op == flow.Branch })
}

// never reports whether a condition is assumed not to hold whenever the
// schedule asks for it, so that what depends on it can be left out. Where any
// outcome is possible after the schedule, nothing is left out.
func (w *writer) never(test string) bool {
	if w.e.s.problem.Property == witness.NoPin {
		return false
	}
	site, ok := strings.CutPrefix(test, "t.assume(")
	if !ok || !balanced(test) {
		return false
	}
	site = unquote(strings.TrimSuffix(site, ")"))
	for key, got := range w.e.s.answers {
		if siteOf(key) == site && slices.Contains(got, true) {
			return false
		}
	}
	return true
}
