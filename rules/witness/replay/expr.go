package replay

import (
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
)

// expr returns an expression as text, with what its value can be.
func (w *writer) expr(x ast.Expr) (string, kinds) {
	if x != nil {
		w.before(x)
	}
	text, k := w.plain(x)
	if x != nil {
		w.after(x)
	}
	return text, k
}

func (w *writer) plain(x ast.Expr) (string, kinds) {
	switch x := x.(type) {
	case nil:
		return "None", exact
	case *ast.Constant:
		return w.constant(x)
	case *ast.Name:
		return w.name(x)
	case *ast.Attribute:
		return w.attribute(x)
	case *ast.Subscript:
		return w.subscript(x)
	case *ast.Call:
		return w.call(x)
	case *ast.Compare:
		if len(x.Ops) == 1 && w.step(x, flow.Has) != nil {
			return w.has(x), exact
		}
		if w.decidable(x) {
			return w.cond(x), exact
		}
		if len(x.Ops) == 1 && w.branches(x) { // the schedule says what it is
			return w.keep(w.condition(x), exact)
		}
		w.expr(x.Left)
		for _, c := range x.Comparators {
			w.expr(c)
		}
		return "UNKNOWN", unknown
	case *ast.BoolOp:
		return w.boolValue(x)
	case *ast.UnaryOp:
		return w.unary(x)
	case *ast.BinOp:
		return w.binary(x)
	case *ast.IfExp:
		return w.ifExp(x)
	case *ast.NamedExpr:
		text, k := w.expr(x.Value)
		name := x.Target.(*ast.Name).Id()
		w.assignName(name, text, k)
		if w.e.facts[w.varFact(name)]&^unknown == 0 {
			return "UNKNOWN", unknown
		}
		return w.local(name), w.e.facts[w.varFact(name)]
	case *ast.Tuple:
		return w.tuple(x.Elts)
	case *ast.Dict:
		return w.display(x, "dict", nil, append(append([]ast.Expr{}, x.Keys...), x.Values...))
	case *ast.List:
		return w.display(x, "list", x.Elts, nil)
	case *ast.Set:
		return w.display(x, "set", x.Elts, nil)
	case *ast.Await:
		text, k := w.expr(x.Value)
		w.await(x)
		return text, k
	case *ast.ListComp:
		return w.comprehension(x, "list", x.Elt, nil, x.Generators)
	case *ast.SetComp:
		return w.comprehension(x, "set", x.Elt, nil, x.Generators)
	case *ast.DictComp:
		return w.comprehension(x, "dict", x.Key, x.Value, x.Generators)
	case *ast.GeneratorExp:
		return w.comprehension(x, "list", x.Elt, nil, x.Generators)
	case *ast.JoinedStr:
		for _, v := range x.Values {
			if fv, ok := v.(*ast.FormattedValue); ok {
				w.expr(fv.Value)
			}
		}
		return "THING", thing
	case *ast.Starred:
		w.expr(x.Value)
	case *ast.Yield:
		text, k := w.expr(x.Value)
		if w.yielded != nil {
			w.yielded(text, k)
			return "None", exact
		}
	case *ast.Slice:
		w.expr(x.Lower)
		w.expr(x.Upper)
		w.expr(x.Step)
	}
	return "UNKNOWN", unknown
}

// await writes the point at which other coroutines run.
func (w *writer) await(x ast.Node) {
	for _, n := range w.nodes(x) {
		if n.Op == flow.Await {
			site := w.site(x)
			w.e.awaits[site] = true
			w.put("yield " + quote(site))
			return
		}
	}
}

// yields notes that a step may wait, and lets other coroutines run then.
func (w *writer) yields(x ast.Node, n *flow.Node) {
	if n.Mode&flow.Async != 0 || n.Op == flow.Dequeue && w.fn.Async {
		w.e.awaits[w.site(x)] = true
	}
}

func (w *writer) constant(x *ast.Constant) (string, kinds) {
	switch x.Kind() {
	case ast.None, ast.True, ast.False:
		return x.Kind().String(), exact
	case ast.Int, ast.Float:
		return strings.ReplaceAll(x.Value(), "_", ""), exact
	case ast.Str:
		return quote(x.Value()), exact
	case ast.Bytes:
		return quote("b:" + x.Value()), exact
	}
	return "UNKNOWN", unknown
}

func (w *writer) tuple(elts []ast.Expr) (string, kinds) {
	if len(elts) == 0 {
		return "()", exact
	}
	parts := make([]string, len(elts))
	any := kinds(0)
	for i, x := range elts {
		var k kinds
		parts[i], k = w.expr(x)
		any |= k
	}
	if any&(exact|thing) == 0 && len(elts) > 0 {
		return "UNKNOWN", unknown
	}
	return "(" + strings.Join(parts, ", ") + ",)", exact
}

// display returns a new container. One with elements becomes some object,
// since only the elements of tracked containers are followed.
func (w *writer) display(x ast.Expr, kind string, elts, others []ast.Expr) (string, kinds) {
	for _, o := range others {
		if o != nil {
			w.expr(o)
		}
	}
	for _, el := range elts {
		w.expr(el)
	}
	box := "Box(" + quote(clip(textOf(w.mod, x))) + ", " + quote(kind) + ")"
	if len(elts)+len(others) > 0 {
		box = "filled(" + box + ")"
	}
	v := w.temp()
	w.put(v + " = " + box)
	return v, exact
}

func (w *writer) unary(x *ast.UnaryOp) (string, kinds) {
	if x.Op == ast.Not {
		if w.decidable(x.Operand) {
			return "not " + paren(w.cond(x.Operand)), exact
		}
		if text, k := w.expr(x.Operand); k == exact {
			return "not " + paren(w.truthOf(text, k, x.Operand)), exact
		}
		return "UNKNOWN", unknown
	}
	text, k := w.expr(x.Operand)
	if k == exact && x.Op == ast.USub {
		return "-" + text, exact
	}
	return "UNKNOWN", unknown
}

func (w *writer) binary(x *ast.BinOp) (string, kinds) {
	l, lk := w.expr(x.Left)
	r, rk := w.expr(x.Right)
	if lk != exact || rk != exact || strings.HasPrefix(l, "Box(") || strings.HasPrefix(r, "Box(") {
		return "UNKNOWN", unknown
	}
	switch x.Op {
	case ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod:
		if number(x.Left) || number(x.Right) {
			return "(" + l + " " + signs[x.Op] + " " + r + ")", exact
		}
	}
	return "UNKNOWN", unknown
}

// signs are the operators that the slice computes with.
var signs = map[ast.Operator]string{ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//", ast.Mod: "%"}

// number reports whether an expression is a number in the source, so that the
// other operand of an arithmetic operation is one.
func number(x ast.Expr) bool {
	c, ok := x.(*ast.Constant)
	return ok && c.Kind() == ast.Int
}

func paren(s string) string {
	if strings.ContainsAny(s, " ") && !balanced(s) {
		return "(" + s + ")"
	}
	return s
}

// balanced reports whether text is one parenthesized expression or call.
func balanced(s string) bool {
	if !strings.HasSuffix(s, ")") {
		return false
	}
	open := strings.IndexByte(s, '(')
	if open < 0 || strings.Contains(s[:open], " ") {
		return false
	}
	depth := 0
	for i := open; i < len(s); i++ {
		switch s[i] {
		case '(':
			depth++
		case ')':
			depth--
			if depth == 0 && i < len(s)-1 {
				return false
			}
		}
	}
	return true
}

// boolValue returns "a or b" as a value.
func (w *writer) boolValue(x *ast.BoolOp) (string, kinds) {
	if w.decidableAll(x.Values) {
		return w.cond(x), exact
	}
	first, k := w.expr(x.Values[0])
	for _, v := range x.Values[1:] {
		res := w.temp()
		var second string
		var k2 kinds
		test := w.truthOf(first, k, x.Values[0])
		lines := w.captured(func() { second, k2 = w.expr(v) })
		if len(lines) == 0 && k == unknown && k2 == unknown {
			continue
		}
		w.put(res + " = " + first)
		if x.Op == ast.Or {
			test = "not " + paren(test)
		}
		w.put("if " + test + ":")
		w.lines = append(w.lines, lines...)
		w.indent++
		w.put(res + " = " + second)
		w.indent--
		first, k = res, k|k2
	}
	return first, k
}

func (w *writer) ifExp(x *ast.IfExp) (string, kinds) {
	test := w.cond(x.Test)
	var a, b string
	var ka, kb kinds
	yes := w.captured(func() { a, ka = w.expr(x.Body) })
	no := w.captured(func() { b, kb = w.expr(x.Orelse) })
	if len(yes) == 0 && len(no) == 0 {
		if (ka|kb) == unknown && !strings.Contains(test, "assume") {
			return "UNKNOWN", unknown
		}
		v, _ := w.keep(a+" if "+test+" else "+b, ka|kb)
		return v, ka | kb
	}
	v := w.temp()
	w.put("if " + test + ":")
	w.lines = append(w.lines, yes...)
	w.indent++
	w.put(v + " = " + a)
	w.indent--
	w.put("else:")
	w.lines = append(w.lines, no...)
	w.indent++
	w.put(v + " = " + b)
	w.indent--
	return v, ka | kb
}
