package replay

import (
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/rules/witness"
)

func (w *writer) attribute(x *ast.Attribute) (string, kinds) {
	if len(w.e.callees[w.f.key][x]) > 0 { // a property
		w.effects(x.Value)
	}
	if text, k, ok := w.inlined(x, nil); ok {
		return text, k
	}
	if n := w.step(x, flow.GetFlag); n != nil {
		w.pause(x, n)
		return w.keep(w.ref(n.Loc), w.e.facts["loc "+n.Loc.ID])
	}
	if l := w.located(x); l != nil && (l.Keyed() || l.Type.Kind == program.Queue) {
		return w.ref(l), exact
	}
	if text, k := w.reference(x); k == exact {
		return text, k
	}
	w.expr(x.Value)
	return "UNKNOWN", unknown
}

// keep puts a value into a variable, so that it is taken at this very step.
func (w *writer) keep(text string, k kinds) (string, kinds) {
	if k&^unknown == 0 {
		k |= unknown
	}
	v := w.temp()
	w.put(v + " = " + text)
	return v, k
}

// container returns the text of the container that a step works on: the
// location, or what the expression before the method or subscript yields.
func (w *writer) container(n *flow.Node, recv ast.Expr) string {
	l := n.Loc
	if l.Outer == nil {
		if name, ok := recv.(*ast.Name); ok && w.locals[name.Id()] && w.localBox(name.Id()) == nil && w.e.facts[w.varFact(name.Id())]&exact != 0 {
			return w.local(name.Id())
		}
		w.effects(recv)
		return w.ref(l)
	}
	if !l.Keyed() {
		w.effects(recv)
		return w.ref(l)
	}
	text, k := w.expr(recv)
	if k&exact == 0 {
		refuse("%s holds a container of which nothing is known, %s", l, w.at)
	}
	return text
}

// effects writes what an expression that is a path to a container does on the
// way.
func (w *writer) effects(x ast.Expr) {
	if a, ok := x.(*ast.Attribute); ok {
		if w.step(a, flow.GetFlag) == nil {
			w.effects(a.Value)
			return
		}
	}
	if _, ok := x.(*ast.Name); ok || x == nil {
		return
	}
	w.expr(x)
}

// key returns the key of an access.
func (w *writer) key(n *flow.Node, x ast.Expr) string {
	switch {
	case n.Key != nil && n.Key.Kind == flow.Const && w.e.sole(n):
		w.expr(x)
	case n.Key != nil && n.Key.Kind == flow.Const:
		if text, k := w.expr(x); k == exact {
			return text
		}
		return "OTHER"
	case dynamic(n.Key):
		text := w.elementText(x)
		if name, ok := x.(*ast.Name); ok && w.places[name.Id()] != "" {
			text = w.places[name.Id()]
		}
		if _, called := x.(*ast.Call); called && n.Key.Kind == flow.Result && n.Key.Loc == nil {
			text = "" // what a call makes of an element is not that element
		}
		if text != "" && witness.NamesAnother(n) {
			text, _ = w.keep("another("+text+")", exact)
		}
		if text != "" {
			return text
		}
		w.expr(x)
		return "7"
	}
	if w.e.s.others[w.e.s.sites.of(n.Fn, n.Src)] {
		if text := w.elementText(x); text != "" {
			return text // whatever the variable holds
		}
	}
	if _, ok := x.(*ast.Name); !ok {
		w.expr(x)
	}
	return "7"
}

// sole reports whether the constant key of a step is the only one under which the slice finds
// containers in its location, so that it is the key of others that is not known: the
// search tells containers in containers apart by no key.
func (e *emitter) sole(n *flow.Node) bool {
	if !n.Loc.Type.Element().Kind.Keyed() {
		return false
	}
	others := false
	for _, places := range e.ops {
		for _, nodes := range places {
			for _, x := range nodes {
				if x.Loc != n.Loc || x.Key == nil {
					continue
				}
				if x.Key.Kind == flow.Const && x.Key.ID() != n.Key.ID() {
					return false
				}
				others = others || x.Key.Kind != flow.Const
			}
		}
	}
	return others
}

// dynamic reports whether a key depends on what a loop or a removal took.
func dynamic(v *flow.Value) bool {
	if v == nil {
		return false
	}
	switch v.Kind {
	case flow.Element:
		return true
	case flow.Result, flow.Phi:
		return v.Kind == flow.Result
	case flow.Attribute:
		return v.Base != nil && v.Base.Kind != flow.Container && dynamic(v.Base)
	case flow.Derived:
		for _, a := range v.Args {
			if dynamic(a) {
				return true
			}
		}
	}
	return false
}

// elementText returns the variable that holds the request of a key expression,
// or "".
func (w *writer) elementText(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Name:
		if w.locals[x.Id()] && w.e.facts[w.varFact(x.Id())]&exact != 0 && w.e.facts["elem "+w.f.name+" "+x.Id()] != 0 {
			if w.e.facts[w.varFact(x.Id())]&unknown != 0 {
				return "which(" + w.local(x.Id()) + ")" // it takes something else elsewhere
			}
			return w.local(x.Id())
		}
	case *ast.Attribute:
		return w.elementText(x.Value)
	case *ast.Subscript:
		return w.elementText(x.Value)
	case *ast.Call:
		for _, a := range x.Args() {
			if t := w.elementText(a); t != "" {
				return t
			}
		}
	case *ast.Tuple:
		for _, a := range x.Elts {
			if t := w.elementText(a); t != "" {
				return t
			}
		}
	}
	return ""
}

func (w *writer) subscript(x *ast.Subscript) (string, kinds) {
	if n := w.step(x, flow.Read); n != nil {
		c := w.container(n, x.Value)
		key := w.key(n, x.Slice)
		w.pauseFor(x, n, c, key)
		if n.Mode&(flow.Strict|flow.Upsert) == 0 {
			return w.keep(c+".get("+key+")", w.entryKinds(n)|exact)
		}
		return w.keep(c+"["+key+"]", w.entryKinds(n))
	}
	base, k := w.expr(x.Value)
	w.expr(x.Slice)
	if c, ok := x.Slice.(*ast.Constant); ok && c.Kind() == ast.Int && k == exact && strings.HasPrefix(base, "(") {
		return base + "[" + c.Value() + "]", exact | unknown
	}
	return "UNKNOWN", unknown
}

// entryKinds returns what the entries of the location of a step can be.
func (w *writer) entryKinds(n *flow.Node) kinds {
	k := w.e.facts["loc "+n.Loc.ID]
	if el := n.Loc.Type.Element(); el.Kind.Keyed() {
		k |= exact
	}
	switch n.Loc.Type.Kind {
	case program.Counter, program.Set, program.List, program.Deque:
		k |= exact
	case program.DefaultDict:
		k |= exact
	}
	if k == 0 {
		k = unknown
	}
	return k
}

func (w *writer) has(x *ast.Compare) string {
	n := w.step(x, flow.Has)
	recv := x.Comparators[0]
	if call, ok := recv.(*ast.Call); ok { // d.keys()
		if at, ok := call.Func.(*ast.Attribute); ok {
			recv = at.Value
		}
	}
	key := w.key(n, x.Left)
	c := w.container(n, recv)
	w.pauseFor(x, n, c, key)
	op := " in "
	if x.Ops[0] == ast.NotIn {
		op = " not in "
	}
	v, _ := w.keep(key+op+c, exact)
	return v
}
