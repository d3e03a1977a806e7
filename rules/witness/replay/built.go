package replay

import (
	"slices"
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
)

// This file follows the new containers that a function fills, one element after the
// other, and then puts in the place of a tracked one.

// puts writes that an element is put into such a container. It reports false for any
// other call.
func (w *writer) puts(x *ast.Call) bool {
	at, ok := x.Func.(*ast.Attribute)
	if !ok || !appends(at.Attr()) || len(x.Args()) != 1 {
		return false
	}
	name, ok := at.Value.(*ast.Name)
	if !ok || !w.locals[name.Id()] || !w.built(name.Id()) || w.e.facts[w.varFact(name.Id())]&exact == 0 {
		return false
	}
	key := w.elementText(x.Args()[0])
	if key == "" {
		key = "7"
	}
	w.expr(x.Args()[0])
	w.put(w.local(name.Id()) + "." + at.Attr() + "(" + key + ")")
	return true
}

func appends(method string) bool {
	return method == "append" || method == "appendleft" || method == "add"
}

// built reports whether a variable of the function is such a container: it begins empty,
// nothing but single elements is put into it, and a tracked location takes it, or a loop
// that does something to tracked state goes over it to which the schedule does not come: one
// in patched code.
func (w *writer) built(name string) bool {
	taken, plain := false, true
	is := func(x ast.Expr) bool {
		n, ok := x.(*ast.Name)
		return ok && n.Id() == name
	}
	ast.Inspect(w.fn.Node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Assign:
			if is(n.Value) && w.step(n, flow.Rebind) != nil {
				taken = true
			}
			for _, t := range n.Targets {
				plain = plain && (!is(t) || begins(n.Value))
			}
		case *ast.For:
			ast.Inspect(n.Target, func(x ast.Node) bool {
				e, ok := x.(ast.Expr)
				plain = plain && !(ok && is(e)) // what a loop has taken is not empty
				return true
			})
			taken = taken || is(n.Iter) && !w.asked(n) && !w.asked(n.Iter) && slices.ContainsFunc(n.Body, func(st ast.Stmt) bool { return w.touches(st) })
		case *ast.AugAssign:
			plain = plain && !is(n.Target)
		case *ast.Call:
			if at, ok := n.Func.(*ast.Attribute); ok && is(at.Value) {
				plain = plain && appends(at.Attr())
			}
		}
		return true
	})
	return taken && plain
}

// begins reports whether an expression is a new container without elements.
func begins(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.List:
		return len(x.Elts) == 0
	case *ast.Call:
		switch x.Callee() {
		case "list", "set", "deque":
			return len(x.Args()) == 0
		}
	}
	return false
}

// collected writes a container that is made from a comprehension over tracked state. It
// reports false for any other call.
func (w *writer) collected(x *ast.Call) (string, kinds, bool) {
	if len(x.Args()) != 1 || !w.touches(x.Args()[0]) {
		return "", 0, false
	}
	kind := ""
	switch w.e.index.Resolve(x.Func, w.fn, w.mod).External {
	case "list", "sorted":
		kind = "list"
	case "set", "frozenset":
		kind = "set"
	case "collections.deque":
		kind = "deque"
	default:
		return "", 0, false
	}
	var elt ast.Expr
	switch c := x.Args()[0].(type) {
	case *ast.GeneratorExp:
		elt = c.Elt
	case *ast.ListComp:
		elt = c.Elt
	case *ast.SetComp:
		elt = c.Elt
	default:
		return "", 0, false
	}
	text, k := w.comprehension(x, kind, elt, nil, ast.Generators(x.Args()[0]))
	return text, k, true
}

// quantified writes any() and all() of a condition that the slice knows, for each element
// of a tracked container, or of the truth of each of some containers.
func (w *writer) quantified(name string, of ast.Expr) (string, kinds, bool) {
	gens := ast.Generators(of)
	gen, ok := of.(*ast.GeneratorExp)
	if !ok || len(gens) != 1 {
		return "", 0, false
	}
	if texts := w.eachContainer(gen); texts != nil {
		join := map[string]string{"any": " or ", "all": " and "}[name]
		v, k := w.keep("("+strings.Join(texts, join)+")", exact)
		return v, k, true
	}
	if !w.touches(gens[0].Iter) {
		return "", 0, false
	}
	elt, compares := gen.Elt.(*ast.Compare)
	collectLocals(gens[0].Target, w.locals)
	v := w.temp() + "_"
	known := false
	lines := w.captured(func() {
		w.indent--
		w.put(v + " = " + boolean(name == "all"))
		w.loop(gens[0].Target, gens[0].Iter, gens[0], func() {
			known = compares && w.sameRequest(elt) != "" || w.touches(gen.Elt)
			for _, c := range gens[0].Ifs {
				w.put("if not " + paren(w.cond(c)) + ":")
				w.indent++
				w.put("continue")
				w.indent--
			}
			test := w.cond(gen.Elt)
			if name == "all" {
				test = "not " + paren(test)
			}
			w.put("if " + test + ":")
			w.indent++
			w.put(v + " = " + boolean(name == "any"))
			w.indent--
		}, nil)
		w.indent++
	})
	if !known {
		return "", 0, false
	}
	w.lines = append(w.lines, lines...)
	return v, exact, true
}

// eachContainer returns the truth of each container of a display that a generator
// expression goes over, or nil.
func (w *writer) eachContainer(gen *ast.GeneratorExp) []string {
	g := gen.Generators[0]
	target, ok := g.Target.(*ast.Name)
	elt, ok2 := gen.Elt.(*ast.Name)
	if !ok || !ok2 || target.Id() != elt.Id() || len(g.Ifs) > 0 {
		return nil
	}
	var items []ast.Expr
	switch x := g.Iter.(type) {
	case *ast.Tuple:
		items = x.Elts
	case *ast.List:
		items = x.Elts
	}
	var out []string
	for _, x := range items {
		if !w.isContainer(x) && w.step(x, flow.Size) == nil {
			return nil
		}
		out = append(out, w.cond(x))
	}
	return out
}

// brought returns what a container takes from one of which nothing is known: the request,
// where the schedule says so.
func (w *writer) brought(src ast.Node, n *flow.Node) string {
	site := w.site(src) + " brings"
	w.e.assumed[site] = true
	return "filled(Box(" + quote(n.Loc.String()) + ", " + quote(n.Loc.Type.Kind.String()) + ")) if t.assume(" + quote(site) + ") else None"
}
