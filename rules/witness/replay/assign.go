package replay

import (
	"strconv"
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
)

func (w *writer) assign(n *ast.Assign) {
	if len(n.Targets) == 1 {
		t, ok := n.Targets[0].(*ast.Tuple)
		v, ok2 := n.Value.(*ast.Tuple)
		if ok && ok2 && len(t.Elts) == len(v.Elts) {
			var texts []string
			var ks []kinds
			for _, x := range v.Elts {
				text, k := w.expr(x)
				if k != unknown {
					was := text
					if text, k = w.keep(text, k); w.isContainer(x) {
						w.e.fact("box "+w.f.name+" "+was, exact)
						w.e.fact("box "+w.f.name+" "+text, exact)
					}
				}
				texts, ks = append(texts, text), append(ks, k)
			}
			for i, x := range t.Elts {
				w.store(x, texts[i], ks[i], v.Elts[i], n)
			}
			return
		}
	}
	text, k := w.expr(n.Value)
	if w.isContainer(n.Value) {
		w.e.fact("box "+w.f.name+" "+text, exact)
	}
	for _, t := range n.Targets {
		w.store(t, text, k, n.Value, n)
	}
}

// isContainer reports whether an expression is a tracked container itself, so that a
// variable that takes it keeps its content.
func (w *writer) isContainer(x ast.Expr) bool {
	at, ok := x.(*ast.Attribute)
	if !ok {
		return false
	}
	l := w.located(at)
	return l != nil && l.Keyed() && len(w.nodes(x)) == 0
}

// assignName binds a variable.
func (w *writer) assignName(name, text string, k kinds) {
	if w.declared[name] {
		return // of the module or of the function around; what is known of it stays so
	}
	w.locals[name] = true
	w.e.fact(w.varFact(name), k)
	for _, what := range []string{"elem", "seq", "box"} {
		if w.e.facts[what+" "+w.f.name+" "+text] != 0 {
			w.e.fact(what+" "+w.f.name+" "+name, exact)
		}
	}
	if w.e.facts[w.varFact(name)]&^unknown == 0 {
		return
	}
	if text != w.local(name) {
		w.put(w.local(name) + " = " + text)
	}
}

func (w *writer) setFlag(src ast.Node, n *flow.Node, text string, k kinds) {
	w.e.fact("loc "+n.Loc.ID, k)
	w.pause(src, n)
	if w.e.status[n.Loc] {
		w.put("replaced(" + w.ref(n.Loc) + ", " + text + ", " + quote(n.Loc.String()) + ")")
	}
	w.put(w.ref(n.Loc) + " = " + text)
}

func (w *writer) store(t ast.Expr, text string, k kinds, from ast.Expr, st ast.Stmt) {
	switch t := t.(type) {
	case *ast.Name:
		if l := w.localBox(t.Id()); l != nil {
			if n := w.step(st, flow.Rebind); n != nil && n.Mode&flow.Initial == 0 {
				w.rebind(st, n, text, k)
			}
			return
		}
		w.assignName(t.Id(), text, k)
	case *ast.Attribute:
		w.storeAttr(t, text, k, st)
	case *ast.Subscript:
		w.storeItem(t, text, k)
	case *ast.Tuple:
		w.unpack(t.Elts, text, k, st)
	case *ast.List:
		w.unpack(t.Elts, text, k, st)
	case *ast.Starred:
		w.store(t.Value, "UNKNOWN", unknown, nil, st)
	}
}

func (w *writer) unpack(elts []ast.Expr, text string, k kinds, st ast.Stmt) {
	for i, t := range elts {
		part, pk := "UNKNOWN", unknown
		if k == exact && strings.HasPrefix(text, "(") || w.e.facts["elem "+w.f.name+" "+text] != 0 && k == exact {
			part, pk = text+"["+strconv.Itoa(i)+"]", exact|unknown
		}
		if name, ok := t.(*ast.Name); ok {
			if i == 0 && w.e.facts["elem "+w.f.name+" "+text] != 0 {
				w.e.fact("elem "+w.f.name+" "+name.Id(), exact)
			}
		}
		w.store(t, part, pk, nil, st)
	}
}

func (w *writer) storeAttr(t *ast.Attribute, text string, k kinds, st ast.Stmt) {
	w.effects(t.Value)
	if n := w.step(st, flow.SetFlag); n != nil && n.Loc.Name == t.Attr() {
		w.setFlag(st, n, text, k)
		return
	}
	if n := w.step(st, flow.Rebind); n != nil && n.Loc.Name == t.Attr() {
		if n.Mode&flow.Initial != 0 {
			w.e.box(n.Loc)
			if w.e.s.fillsEarly(n.Loc) {
				w.put(w.ref(n.Loc) + " = Queue(" + quote(n.Loc.String()) + ")")
			}
			return
		}
		w.rebind(st, n, text, k)
	}
}

// fillsEarly reports whether a constructor puts items into a queue, so that it matters
// when it makes the queue anew.
func (s *Script) fillsEarly(l *flow.Location) bool {
	for _, a := range s.problem.Actors {
		if a.Entry.Role != flow.Init || l.Type.Kind != program.Queue {
			continue
		}
		for i := range a.Entry.Graph.Nodes {
			if n := &a.Entry.Graph.Nodes[i]; n.Op == flow.Enqueue && n.Loc.ID == l.ID {
				return true
			}
		}
	}
	return false
}

// rebind writes the assignment of a container to its location.
func (w *writer) rebind(src ast.Node, n *flow.Node, text string, k kinds) {
	if n.Loc.Type.Kind == program.Queue { // a new one, as far as the analysis knows
		w.pause(src, n)
		w.put(w.ref(n.Loc) + " = Queue(" + quote(n.Loc.String()) + ")")
		return
	}
	if k&exact == 0 {
		refuse("%s takes a container of which nothing is known, %s", n.Loc, w.at)
	}
	w.pause(src, n)
	if left := w.step(src, flow.Del); left != nil {
		w.pass(src, "", left, "") // what the new content leaves out
	}
	if w.e.facts["seq "+w.f.name+" "+text] != 0 {
		refuse("%s takes a list of elements, %s", n.Loc, w.at)
	}
	ref := w.ref(n.Loc)
	w.put(ref + " = " + text)
	w.put(ref + ".name = " + quote(n.Loc.String()))
	w.put(ref + ".kind = " + quote(n.Loc.Type.Kind.String()))
}

func (w *writer) storeItem(t *ast.Subscript, text string, k kinds) {
	n := w.step(t, flow.Put)
	if n == nil {
		w.effects(t.Value)
		w.expr(t.Slice)
		return
	}
	c := w.container(n, t.Value)
	key := w.key(n, t.Slice)
	if k == unknown {
		text, k = "THING", thing
	}
	w.e.fact("loc "+n.Loc.ID, k)
	w.pauseFor(t, n, c, key)
	w.put(c + "[" + key + "] = " + text)
}

func (w *writer) delete(t ast.Expr, st *ast.Delete) {
	switch t := t.(type) {
	case *ast.Subscript:
		if n := w.step(st, flow.Del); n != nil {
			c := w.container(n, t.Value)
			key := w.key(n, t.Slice)
			w.pauseFor(st, n, c, key)
			w.put("del " + c + "[" + key + "]")
			return
		}
		w.expr(t.Value)
		w.expr(t.Slice)
	case *ast.Attribute:
		if n := w.step(st, flow.SetFlag); n != nil {
			w.setFlag(st, n, "None", exact)
		}
	}
}

func (w *writer) augAssign(n *ast.AugAssign) {
	text, k := w.expr(n.Value)
	switch t := n.Target.(type) {
	case *ast.Subscript:
		put := w.step(t, flow.Put)
		if put == nil {
			w.effects(t.Value)
			w.expr(t.Slice)
			return
		}
		c := w.container(put, t.Value)
		key := w.key(put, t.Slice)
		read := w.step(t, flow.Read)
		w.pauseFor(t, read, c, key)
		old, ok := w.keep(c+"["+key+"]", w.entryKinds(put))
		w.pauseFor(t, put, c, key)
		value, vk := w.updated(old, ok, text, k, n.Op)
		w.e.fact("loc "+put.Loc.ID, vk)
		w.put(c + "[" + key + "] = " + value)
	case *ast.Attribute:
		if set := w.step(n, flow.SetFlag); set != nil {
			old, ok := w.attribute(t)
			value, vk := w.updated(old, ok, text, k, n.Op)
			w.setFlag(n, set, value, vk)
			return
		}
		w.inPlace(n, t, text, k)
	case *ast.Name:
		if w.step(n, flow.PutAll, flow.DelAll) != nil {
			w.inPlace(n, t, text, k)
			return
		}
		w.assignName(t.Id(), "UNKNOWN", unknown)
	}
}

// updated returns the value of "old op= value".
func (w *writer) updated(old string, ok kinds, text string, k kinds, op ast.Operator) (string, kinds) {
	if ok == exact && k == exact && (op == ast.Add || op == ast.Sub) {
		return old + " " + signs[op] + " " + text, exact
	}
	return "THING", thing
}

// inPlace writes s |= x and the like.
func (w *writer) inPlace(n *ast.AugAssign, t ast.Expr, text string, k kinds) {
	step := w.step(n, flow.PutAll, flow.DelAll)
	if step == nil {
		return
	}
	c := w.container(step, t)
	w.pauseOn(n, step, c)
	if step.Op == flow.PutAll {
		if k != exact {
			text = w.brought(n, step)
		}
		w.put(c + ".update(" + text + ")")
		return
	}
	if k != exact {
		refuse("%s loses what the slice does not know, %s", step.Loc, w.at)
	}
	w.put(c + ".remove_all(" + text + ")")
}
