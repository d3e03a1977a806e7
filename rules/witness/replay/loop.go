package replay

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
)

func constantTrue(e ast.Expr) bool {
	c, ok := e.(*ast.Constant)
	return ok && (c.Kind() == ast.True || c.Kind() == ast.Int && c.Value() != "0")
}

func (w *writer) while(n *ast.While) {
	input := w.e.s.inputs[w.site(n)]
	forever := constantTrue(n.Test)
	lines := w.captured(func() {
		if input {
			w.put("yield " + quote(w.site(n)))
		}
		w.pass(n, "", nil, "")
		if !input {
			w.put("yield GOES_ON")
		}
		if !forever {
			w.put("if not " + paren(w.cond(n.Test)) + ":")
			w.indent++
			w.side(n.Test, false)
			w.put("break")
			w.indent--
			w.side(n.Test, true)
		}
		w.block(n.Body)
	})
	if len(n.Orelse) > 0 {
		refuse("a while loop has an else branch, %s", w.at)
	}
	if !input && !acts(lines) {
		if forever {
			w.put("yield " + quote(w.site(n)))
			w.put("t.ret = None")
			w.put(w.leave())
			w.stop = true
		}
		return
	}
	w.put("while True:")
	w.lines = append(w.lines, lines...)
	w.stop = forever && !breaks(lines, w.indent+1)
}

// breaks reports whether lines contain a break of the loop around them.
func breaks(lines []line, _ int) bool {
	for _, l := range lines {
		if l.text == "break" {
			return true
		}
	}
	return false
}

// acts reports whether lines do more than go round.
func acts(lines []line) bool {
	for _, l := range lines {
		t := l.text
		switch {
		case t == "break", t == "continue", t == "pass", t == "yield GOES_ON", t == "else:", strings.HasPrefix(t, "if "):
		case strings.HasPrefix(t, "v") && assignsPure(t):
		default:
			return true
		}
	}
	return false
}

func joined(lines []line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.text)
		b.WriteByte('\n')
	}
	return b.String()
}

// until writes a loop over iter(f, end), which calls f in each turn.
func (w *writer) until(src *ast.For, call *ast.Call, body func()) {
	input := w.e.s.inputs[w.site(src)]
	w.put("while True:")
	w.lines = append(w.lines, w.captured(func() {
		if input {
			w.put("yield " + quote(w.site(src)))
		}
		w.pass(src, "", nil, "")
		if !input {
			w.put("yield GOES_ON")
		}
		item, k := w.expr(call)
		end, ke := w.expr(src.Iter.(*ast.Call).Args()[1])
		site, test := quote(w.site(src.Iter)), ""
		switch {
		case k == exact && ke == exact:
			test = item + " == " + end
		case k&^unknown != 0 && end == "None":
			test = "t.none(" + item + ", " + site + ")"
		case k&^unknown != 0 && ke == exact:
			test = "t.same(" + item + ", " + end + ", " + site + ")"
		default:
			test = w.assume(src.Iter)
		}
		w.e.assumed[w.site(src.Iter)] = true
		w.put("if " + test + ":")
		w.indent++
		w.put("break")
		w.indent--
		w.store(src.Target, item, k, call, src)
		body()
	})...)
	w.stop = false
	if len(src.Orelse) > 0 {
		refuse("a loop over iter() has an else branch, %s", w.at)
	}
}

// loop writes a for loop or one part of a comprehension.
func (w *writer) loop(target, iter ast.Expr, src ast.Node, body func(), orelse []ast.Stmt) {
	if st, ok := src.(*ast.For); ok && !st.Async {
		if call := w.e.index.Again(iter); call != nil {
			w.until(st, call, body)
			return
		}
	}
	if each := w.shelves(iter); each != nil && len(w.nodes(src)) == 0 {
		w.turns(each, target, body, orelse)
		return
	}
	base, what := w.iterated(iter)
	var live *flow.Node
	for _, at := range []ast.Node{iter, base} {
		if live == nil && at != nil {
			live = w.step(at, flow.Next)
		}
	}
	if live != nil {
		w.walk(live, target, iter, base, what, body, orelse)
		return
	}
	text, k := w.expr(iter)
	if k == exact && (w.e.facts["seq "+w.f.name+" "+text] != 0 || w.isSeq(iter, text)) {
		w.each(target, text, func() { w.pass(src, "", nil, ""); body() })
		w.pass(src, "", nil, "")
		w.otherwise(orelse)
		return
	}
	name, ok := iter.(*ast.Name)
	if k == exact && (w.e.facts["box "+w.f.name+" "+text] != 0 || ok && w.locals[name.Id()] && w.built(name.Id())) {
		w.each(target, text+".part(\"keys\")", body)
		w.otherwise(orelse)
		return
	}
	for _, at := range []ast.Node{iter, base} { // a live iteration has its steps at what it walks over
		if at != nil && w.takesNext(at) {
			src = at
		}
	}
	w.guess(target, src, body, orelse)
}

// A shelf is an element of a display over which a loop goes: a container, or a tuple with one.
type shelf struct {
	elt ast.Expr
	loc string
}

// A turn of a loop over a display is that of one of its containers.
type turn struct {
	loc  string
	each []shelf
}

// others reports whether a step is on the container of another turn.
func (t turn) others(n *flow.Node) bool {
	return n.Loc != nil && n.Loc.ID != t.loc && slices.ContainsFunc(t.each, func(s shelf) bool { return s.loc == n.Loc.ID })
}

// shelves returns the elements of a display of containers, which the access program takes one
// by one, or nil:
//
//	for queue in (self.waiting, self.running):
func (w *writer) shelves(iter ast.Expr) []shelf {
	elts := displayed(iter)
	if name, ok := iter.(*ast.Name); ok {
		if b, _ := w.fn.Scope.Lookup(name.Id()); b != nil && len(b.Defs) == 1 && b.Defs[0].Index < 0 && !b.Defs[0].Elem && !b.Defs[0].Enter {
			elts = displayed(b.Defs[0].Value)
		}
	}
	var out []shelf
	for _, x := range elts {
		loc := w.shelved(x)
		for _, part := range displayed(x) {
			if loc == "" {
				loc = w.shelved(part)
			}
		}
		if loc == "" {
			return nil
		}
		out = append(out, shelf{x, loc})
	}
	if len(out) < 2 || len(out) > flow.MostTurns {
		return nil
	}
	return out
}

// displayed returns the elements of a tuple or list.
func displayed(x ast.Expr) []ast.Expr {
	switch x := x.(type) {
	case *ast.Tuple:
		return x.Elts
	case *ast.List:
		return x.Elts
	}
	return nil
}

// shelved returns the location of a container with keys that an attribute holds, in the
// slice or not, or "".
func (w *writer) shelved(x ast.Expr) string {
	at, ok := x.(*ast.Attribute)
	if !ok {
		return ""
	}
	id, l := w.spot(at)
	if l != nil && l.Keyed() || l == nil && id != "" && w.e.index.TypeOf(x, program.Env{Module: w.mod, Func: w.fn, Self: w.f.key.self}).Kind.Keyed() {
		return id
	}
	return ""
}

// turns writes a loop over a display of containers: its body once for each of them, with the
// steps on that one.
func (w *writer) turns(each []shelf, target ast.Expr, body func(), orelse []ast.Stmt) {
	texts, ks := make([]string, len(each)), make([]kinds, len(each))
	for i, s := range each {
		texts[i], ks[i] = w.expr(s.elt)
	}
	saved := w.inTurn
	defer func() { w.inTurn = saved }()
	var bodies [][]line
	for i, s := range each {
		w.inTurn = append(slices.Clip(saved), turn{s.loc, each})
		w.indent++
		bodies = append(bodies, w.captured(func() {
			w.store(target, texts[i], ks[i], s.elt, nil)
			body()
		}))
		w.indent--
	}
	if !slices.ContainsFunc(bodies, acts) && !slices.ContainsFunc(bodies, func(b []line) bool { return strings.Contains(joined(b), "return") }) {
		return
	}
	v := w.temp() + "_"
	w.put("for " + v + " in range(" + strconv.Itoa(len(each)) + "):")
	w.indent++
	for i, b := range bodies {
		w.put("if " + v + " == " + strconv.Itoa(i) + ":")
		w.suite(b)
	}
	w.indent--
	w.otherwise(orelse)
}

// each writes a loop over what is there already.
func (w *writer) each(target ast.Expr, text string, body func()) {
	if _, ok := target.(*ast.Tuple); !ok {
		w.put("for " + w.target(target, true) + " in " + text + ":")
		w.under(body)
		return
	}
	v := w.temp() + "_"
	w.put("for " + v + " in " + text + ":")
	w.under(func() {
		w.put(w.target(target, true) + " = " + spread(target, v))
		body()
	})
}

// spread returns an element as several variables take it: of what a list holds, only
// the request is known.
func spread(target ast.Expr, text string) string {
	if t, ok := target.(*ast.Tuple); ok {
		return "spread(" + text + ", " + strconv.Itoa(len(t.Elts)) + ")"
	}
	return text
}

// isSeq reports whether a loop walks over a variable that holds a copy.
func (w *writer) isSeq(x ast.Expr, text string) bool {
	return w.e.facts["seq "+w.f.name+" "+text] != 0
}

// iterated strips enumerate, iter, reversed and the views of a container from what a loop
// walks over.
func (w *writer) iterated(x ast.Expr) (base ast.Expr, what string) {
	what = "keys"
	if call, ok := x.(*ast.Call); ok {
		if at, ok := call.Func.(*ast.Attribute); ok && len(call.Args()) == 0 {
			switch at.Attr() {
			case "keys", "values", "items":
				return at.Value, at.Attr()
			}
		}
		if name, ok := call.Func.(*ast.Name); ok && len(call.Args()) > 0 {
			switch name.Id() {
			case "iter", "reversed", "enumerate":
				b, what := w.iterated(call.Args()[0])
				if b == nil {
					b = call.Args()[0]
				}
				if name.Id() != "iter" {
					what = name.Id() + " " + what
				}
				return b, what
			}
		}
	}
	return x, what
}

// walk writes a live iteration over a tracked container.
func (w *writer) walk(n *flow.Node, target, iter, base ast.Expr, what string, body func(), orelse []ast.Stmt) {
	counted := strings.HasPrefix(what, "enumerate ")
	what = strings.TrimPrefix(what, "enumerate ")
	what, back := strings.CutPrefix(what, "reversed ")
	c := w.container(n, base)
	src := n.Src
	begin := w.step(src, flow.Iter)
	if begin == nil {
		begin = n
	}
	w.pauseOn(src, begin, c)
	next := w.marked(src, n)
	it := w.temp() + "_"
	if back {
		next += ", back=True"
	}
	w.put(it + " = " + c + ".walk(" + quote(what) + next + ")")
	mark := ""
	for _, p := range w.positions(src) {
		if p += " raises"; len(w.e.s.marks[p]) > 0 {
			w.e.seenMarks[p] = true
			mark = quote(p)
		}
	}
	w.put("while (yield " + quote(w.site(src)) + ") is None and " + it + ".more(" + mark + "):")
	lines := w.captured(func() {
		t := target
		if tup, ok := target.(*ast.Tuple); ok && counted && len(tup.Elts) == 2 {
			t = tup.Elts[1]
			if i, ok := tup.Elts[0].(*ast.Name); ok {
				saved := w.places
				w.places = maps.Clone(saved)
				if w.places == nil {
					w.places = map[string]string{}
				}
				w.places[i.Id()] = it + ".key"
				defer func() { w.places = saved }()
			}
		}
		w.put(w.target(t, true) + " = " + spread(t, it+".value"))
		body()
	})
	w.lines = append(w.lines, lines...)
	w.otherwise(orelse)
}

// under writes the body of a loop.
func (w *writer) under(body func()) {
	lines := w.captured(body)
	w.suite(lines)
}

func (w *writer) otherwise(orelse []ast.Stmt) {
	if len(orelse) == 0 {
		return
	}
	lines := w.captured(func() { w.block(orelse) })
	if len(lines) > 0 {
		w.put("else:")
		w.suite(lines)
	}
}

// takesNext reports whether a live iteration takes its elements at a place.
func (w *writer) takesNext(at ast.Node) bool {
	return slices.ContainsFunc(w.nodes(at), func(n *flow.Node) bool { return n.Op == flow.Next })
}

// guess writes a loop over something unknown, which takes as many elements as
// the schedule says.
func (w *writer) guess(target ast.Expr, src ast.Node, body func(), orelse []ast.Stmt) {
	site := w.site(src)
	element, same := "", map[string]bool{}
	lines := w.captured(func() {
		if name, ok := target.(*ast.Name); ok {
			element = name.Id()
			w.locals[element] = true
			w.e.fact(w.varFact(element), exact)
			w.e.fact("elem "+w.f.name+" "+element, exact)
			w.put(w.local(element) + " = t.element(" + quote(site) + ")")
		} else {
			beside := w.beside(target, src)
			w.targets(target, func(name string) {
				if beside[name] {
					w.e.fact(w.varFact(name), unknown)
					w.put(w.local(name) + " = UNKNOWN")
					return
				}
				w.e.fact(w.varFact(name), exact)
				w.e.fact("elem "+w.f.name+" "+name, exact)
				text := " = t.element(" + quote(site) + ")"
				if element != "" { // the same element
					text = " = " + w.local(element)
					same[w.local(name)+text] = true
				} else {
					element = name
				}
				w.put(w.local(name) + text)
			})
		}
		w.takes(src, element)
		if w.takesNext(src) {
			w.pass(src, goesOn, nil, "")
		}
		body()
	})
	if !acts(dropElements(lines, same)) && !strings.Contains(joined(lines), "return") {
		return
	}
	w.e.assumed[site] = true
	ask := "assume"
	if w.e.s.handed[site] {
		ask = "comes"
	}
	w.put("while t." + ask + "(" + quote(site) + "):")
	w.indent++
	w.put("yield GOES_ON")
	w.indent--
	w.lines = append(w.lines, lines...)
	w.left(src)
	w.otherwise(orelse)
}

// beside returns the variables that a loop over zip() takes from something unknown, where
// others take requests.
func (w *writer) beside(target ast.Expr, src ast.Node) map[string]bool {
	var iter ast.Expr
	switch src := src.(type) {
	case *ast.For:
		iter = src.Iter
	case *ast.Comprehension:
		iter = src.Iter
	}
	call, ok := iter.(*ast.Call)
	several, tuple := target.(*ast.Tuple)
	if !ok || !tuple || call.Callee() != "zip" || len(call.Args()) != len(several.Elts) || !slices.ContainsFunc(call.Args(), func(x ast.Expr) bool { return w.touches(x) }) {
		return nil
	}
	out := map[string]bool{}
	for i, x := range call.Args() {
		if name, ok := several.Elts[i].(*ast.Name); ok && !w.touches(x) {
			out[name.Id()] = true
		}
	}
	return out
}

// dropElements leaves out the lines by which a loop takes an element, and those of a set.
func dropElements(lines []line, others map[string]bool) []line {
	var out []line
	for _, l := range lines {
		if !others[l.text] && !strings.Contains(l.text, " = t.element(") && !strings.HasSuffix(l.text, " = UNKNOWN") {
			out = append(out, l)
		}
	}
	return out
}

func (w *writer) targets(t ast.Expr, f func(name string)) {
	switch t := t.(type) {
	case *ast.Name:
		w.locals[t.Id()] = true
		f(t.Id())
	case *ast.Tuple:
		for _, x := range t.Elts {
			w.targets(x, f)
		}
	case *ast.List:
		for _, x := range t.Elts {
			w.targets(x, f)
		}
	case *ast.Starred:
		w.targets(t.Value, f)
	}
}

// target returns the variables that take an element.
func (w *writer) target(t ast.Expr, element bool) string {
	switch t := t.(type) {
	case *ast.Name:
		w.locals[t.Id()] = true
		w.e.fact(w.varFact(t.Id()), exact)
		if element {
			w.e.fact("elem "+w.f.name+" "+t.Id(), exact)
		}
		return w.local(t.Id())
	case *ast.Tuple:
		var parts []string
		for i, x := range t.Elts {
			if name, ok := x.(*ast.Name); ok && i > 0 {
				w.locals[name.Id()] = true
				w.e.fact(w.varFact(name.Id()), exact|thing)
				parts = append(parts, w.local(name.Id()))
				continue
			}
			parts = append(parts, w.target(x, element && i == 0))
		}
		return "(" + strings.Join(parts, ", ") + ",)"
	}
	refuse("a loop stores its elements somewhere else, %s", w.at)
	return ""
}
