package replay

import (
	"slices"
	"strconv"
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
)

// writer writes the body of one function. Expressions become text; what they do
// to tracked state is written before the statement, each access after a yield.
type writer struct {
	e        *emitter
	f        *function
	fn       *program.Func
	mod      *program.Module
	locals   map[string]bool
	selfName string

	lines  []line
	indent int
	at     string
	temps  int
	tries  []*ast.Try // around the statement, those whose body it is in
	errs   []string   // variables of the handlers around
	stop   bool       // the block has ended in a jump
	// decided are the outcomes of conditions that the graphs have decided.
	decided map[ast.Node]bool
	key7    string // key of the access whose place is passed
}

func (w *writer) put(text string) {
	w.lines = append(w.lines, line{w.indent, text, w.at})
}

// captured runs f and returns the lines that it writes, one level deeper.
func (w *writer) captured(f func()) []line {
	saved, stop := w.lines, w.stop
	w.lines, w.stop = nil, false
	w.indent++
	f()
	w.indent--
	out := w.lines
	w.lines, w.stop = saved, stop
	return out
}

func (w *writer) temp() string {
	w.temps++
	return "v" + strconv.Itoa(w.temps)
}

func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r > '~':
			b.WriteByte('?')
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// unquote is the inverse of quote.
func unquote(s string) string {
	s = strings.TrimSuffix(strings.TrimPrefix(s, "\""), "\"")
	return strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(s)
}

// site returns the name of a place.
func (w *writer) site(n ast.Node) string { return w.e.s.sites.of(w.fn, n) }

// assume writes a question that the schedule answers.
func (w *writer) assume(n ast.Node) string {
	if yes, ok := w.decided[n]; ok {
		if yes {
			return "True"
		}
		return "False"
	}
	site := w.site(n)
	w.e.assumed[site] = true
	return "t.assume(" + quote(site) + ")"
}

// nodes returns the steps at a place.
func (w *writer) nodes(n ast.Node) []*flow.Node { return w.e.ops[w.f.key][n] }

// step returns the step on tracked state with one of some operations at a
// place, or nil.
func (w *writer) step(n ast.Node, ops ...flow.Op) *flow.Node {
	for _, x := range w.nodes(n) {
		if x.Loc == nil || !w.e.tracked[x.Loc] {
			continue
		}
		for _, op := range ops {
			if x.Op == op {
				return x
			}
		}
	}
	return nil
}

// pause writes the yield before an access, and what the place means to the
// property.
func (w *writer) pause(n ast.Node, step *flow.Node) { w.pauseOn(n, step, "") }

// pauseOn is pause for a step on the container of that text.
func (w *writer) pauseOn(n ast.Node, step *flow.Node, container string) {
	w.pauseFor(n, step, container, "7")
}

// pauseFor is pauseOn for a step on the entry of that key.
func (w *writer) pauseFor(n ast.Node, step *flow.Node, container, key string) {
	w.pass(n, " arrives", step, container)
	w.put("yield " + quote(w.site(n)))
	w.key7 = key
	w.pass(n, "", step, container)
	w.key7 = "7"
}

// positions returns the names of a place among the marks.
func (w *writer) positions(n ast.Node) []string {
	out := []string{"at " + w.site(n)}
	for _, was := range w.e.moved[n] {
		out = append(out, "at "+was)
	}
	return out
}

// pass writes what a place means to the property, if anything.
func (w *writer) pass(n ast.Node, suffix string, step *flow.Node, container string) {
	for i, position := range w.positions(n) {
		w.passAt(position+suffix, step, container, i > 0)
	}
}

// passAt writes that the step is at a position; moved says that it was another
// step which the finding names.
func (w *writer) passAt(position string, step *flow.Node, container string, moved bool) {
	ms := w.e.s.marks[position]
	if step != nil {
		ms = slices.DeleteFunc(slices.Clone(ms), func(m mark) bool {
			return m.at != "" && (step.Loc == nil || step.Loc.ID != m.at || step.Op != m.op && !moved)
		})
	}
	if len(ms) == 0 {
		return
	}
	w.e.seenMarks[position] = true
	box := "None"
	if step != nil && step.Loc != nil && w.e.tracked[step.Loc] {
		switch {
		case step.Loc.Type.Kind == program.Queue:
			box = w.ref(step.Loc)
		case !step.Loc.Keyed():
			box = "Box(" + quote(step.Loc.Name) + ", \"flag\")"
		case step.Loc.Outer == nil:
			box = w.ref(step.Loc)
		case container != "":
			box = container
		default:
			for _, m := range ms {
				if m.needs != "" && m.loc == "" {
					refuse("a step of the finding depends on what is inside of an entry, %s", w.at)
				}
			}
		}
	}
	switch w.key7 {
	case "7", "":
		w.put("at(t, " + quote(position) + ", " + box + ")")
	case "OTHER": // what happens to another request does not count
	default:
		w.put("if " + w.key7 + " == 7:")
		w.indent++
		w.put("at(t, " + quote(position) + ", " + box + ")")
		w.indent--
	}
}

// passValue writes what the return of a value means to the property.
func (w *writer) passValue(n ast.Node, value string) {
	for _, position := range w.positions(n) {
		if len(w.e.s.marks[position]) > 0 {
			w.e.seenMarks[position] = true
			w.put("at(t, " + quote(position) + ", None, " + value + ")")
		}
	}
}

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

// thrown returns the class of an assumed exception: one that the handler catches
// where the thread goes on.
func (w *writer) thrown(r raise) string {
	if r.exc != "*" || r.ends || len(w.tries) == 0 {
		return w.exception(r.exc)
	}
	for i := len(w.tries) - 1; i >= 0; i-- {
		for _, h := range w.tries[i].Handlers {
			if w.hasPlace(h, r.to) {
				return w.oneOf(h)
			}
		}
	}
	if hs := w.tries[len(w.tries)-1].Handlers; len(hs) > 0 {
		return w.oneOf(hs[0])
	}
	return w.exception(r.exc)
}

// oneOf returns a class that a handler catches.
func (w *writer) oneOf(h *ast.ExceptHandler) string {
	switch t := h.Type.(type) {
	case nil:
		return "Exception"
	case *ast.Tuple:
		if len(t.Elts) > 0 {
			return w.exception(className(t.Elts[0]))
		}
	}
	return w.exception(className(h.Type))
}

// hasPlace reports whether the graphs have a step of that place within a
// handler.
func (w *writer) hasPlace(h *ast.ExceptHandler, site string) bool {
	for at := range w.e.ops[w.f.key] {
		if h.Pos() <= at.Pos() && at.End() <= h.End() && w.site(at) == site {
			return true
		}
	}
	return false
}

// before writes that a thread comes to a step outside of tracked state.
func (w *writer) before(x ast.Node) {
	if len(w.e.s.marks) == 0 {
		return
	}
	for _, n := range w.nodes(x) {
		if !w.pauses(n) {
			w.pass(x, " arrives", n, "")
			return
		}
	}
}

// pauses reports whether a step is an access before which the program yields.
func (w *writer) pauses(n *flow.Node) bool { return n.Loc != nil && w.e.tracked[n.Loc] }

// after writes what a step does beside its value: it starts a thread, or
// raises in the schedule.
func (w *writer) after(x ast.Node) {
	nodes := w.nodes(x)
	if len(nodes) == 0 {
		return
	}
	site := w.site(x)
	for _, n := range nodes {
		if n.Op == flow.Spawn && n.Entry != nil {
			w.put("t.spawn(" + quote(n.Entry.Name()) + ")")
			break
		}
	}
	if !slices.ContainsFunc(nodes, w.pauses) {
		w.pass(x, "", nodes[0], "")
	}
	exc, ok := w.e.s.raises[site]
	if !ok {
		return
	}
	class := w.thrown(exc)
	for _, n := range nodes {
		if n.Op != flow.Branch && assumesRaise(n) && (n.Loc == nil || !w.e.tracked[n.Loc]) {
			site += " raises"
			w.e.assumed[site] = true
			w.put("if t.assume(" + quote(site) + "):")
			w.indent++
			w.pass(x, " raises", n, "")
			w.put("raise " + class + "(" + quote("assumed") + ")")
			w.indent--
			return
		}
	}
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
		return local(name), w.e.facts[w.varFact(name)]
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
		w.expr(x.Value)
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

func (w *writer) varFact(name string) string { return "var " + w.f.name + " " + name }

func (w *writer) name(x *ast.Name) (string, kinds) {
	if x.Id() == w.selfName {
		return "self", exact
	}
	if w.locals[x.Id()] {
		if l := w.localBox(x.Id()); l != nil {
			return w.ref(l), exact
		}
		k := w.e.facts[w.varFact(x.Id())]
		if k&^unknown == 0 {
			return "UNKNOWN", unknown
		}
		return local(x.Id()), k
	}
	return w.reference(x)
}

// localBox returns the location of a variable that nested functions share.
func (w *writer) localBox(name string) *flow.Location {
	for f := w.fn; f != nil; f = f.Outer {
		if l := w.e.byID[f.Module.Path+":"+f.Qual+"."+name]; l != nil {
			return l
		}
	}
	return nil
}

// reference returns what a global name or dotted name stands for.
func (w *writer) reference(x ast.Expr) (string, kinds) {
	if n, ok := x.(*ast.Name); ok {
		if l := w.localBox(n.Id()); l != nil {
			return w.ref(l), exact
		}
	}
	return w.e.resolved(w.e.index.Resolve(x, w.fn, w.mod), 0)
}

// resolved returns the text of a constant that a name refers to.
func (e *emitter) resolved(r program.Ref, depth int) (string, kinds) {
	switch {
	case depth > 3:
	case r.Member != nil:
		return e.member(r.Member)
	case r.Var != nil && r.VarScope != nil && r.VarScope.Func == nil:
		mod := e.index.ModuleOf(r.VarScope)
		if mod == nil {
			break
		}
		if l := e.byID[mod.Path+":"+r.Var.Name]; l != nil {
			e.box(l)
			return "shared." + attrName(l), exact
		}
		if len(r.Var.Defs) == 1 && !r.Var.Defs[0].Elem {
			return e.defined(r.Var.Defs[0], mod, depth)
		}
	}
	return "UNKNOWN", unknown
}

// defined returns the constant that a module variable is set to, alone or with
// others from a tuple or range.
func (e *emitter) defined(d program.Def, mod *program.Module, depth int) (string, kinds) {
	if d.Index < 0 {
		return e.literal(d.Value, mod, depth)
	}
	switch v := d.Value.(type) {
	case *ast.Tuple:
		if d.Index < len(v.Elts) {
			return e.literal(v.Elts[d.Index], mod, depth)
		}
	case *ast.Call:
		if fn, ok := v.Func.(*ast.Name); ok && fn.Id() == "range" && len(v.Args()) == 1 {
			return strconv.Itoa(d.Index), exact
		}
	}
	return "UNKNOWN", unknown
}

// literal returns a constant expression of a module.
func (e *emitter) literal(x ast.Expr, mod *program.Module, depth int) (string, kinds) {
	switch x := x.(type) {
	case *ast.Constant:
		w := writer{e: e}
		return w.constant(x)
	case *ast.Name, *ast.Attribute:
		return e.resolved(e.index.Resolve(x, nil, mod), depth+1)
	case *ast.Tuple:
		if len(x.Elts) == 0 {
			return "()", exact
		}
		var parts []string
		for _, el := range x.Elts {
			text, k := e.literal(el, mod, depth+1)
			if k != exact {
				return "UNKNOWN", unknown
			}
			parts = append(parts, text)
		}
		return "(" + strings.Join(parts, ", ") + ",)", exact
	}
	return "UNKNOWN", unknown
}

// member returns a member of a class of constants, and notes that the program
// needs it.
func (e *emitter) member(a *program.Attr) (string, kinds) {
	c := a.Class
	if l := e.byID[c.Module.Path+"."+c.Qual+"."+a.Name]; l != nil {
		e.box(l)
		return e.owner(l) + "." + attrName(l), exact
	}
	if len(a.Defs) == 0 {
		return "UNKNOWN", unknown
	}
	lit := ""
	plainEnum := c.HasExternalBase("enum.Enum", "enum.StrEnum")
	switch v := a.Defs[0].Value.(type) {
	case *ast.Constant:
		w := writer{e: e}
		lit, _ = w.constant(v)
	case *ast.UnaryOp:
		if op, ok := v.Operand.(*ast.Constant); ok && v.Op == ast.USub {
			lit = "-" + op.Value()
		}
	case *ast.Call:
		lit = autoNumber(a)
	}
	if lit == "" {
		return "UNKNOWN", unknown
	}
	if plainEnum {
		lit = quote(c.Name + "." + a.Name) // its members are true, whatever their value
	}
	name := identifier(c.Qual)
	if reserved[name] {
		name += "_"
	}
	if e.consts[name] == nil {
		e.consts[name] = map[string]string{}
	}
	member := identifier(a.Name)
	e.consts[name][member] = lit
	return name + "." + member, exact
}

// autoNumber returns the number that auto() gives to a member.
func autoNumber(a *program.Attr) string {
	n := 0
	for _, st := range a.Class.Node.Body {
		as, ok := st.(*ast.Assign)
		if !ok || len(as.Targets) != 1 {
			continue
		}
		name, ok := as.Targets[0].(*ast.Name)
		if !ok {
			continue
		}
		n++
		if name.Id() == a.Name {
			return strconv.Itoa(n)
		}
	}
	return ""
}

// box notes that a location has to exist.
func (e *emitter) box(l *flow.Location) { e.boxes[l] = true }

// ref returns a location in words of the function.
func (w *writer) ref(l *flow.Location) string {
	w.e.box(l)
	o := w.e.owner(l)
	if w.selfName != "" && w.f.key.self != nil && o == w.e.objectFor(w.f.key.self).name {
		o = "self"
	}
	return o + "." + attrName(l)
}

// classOf returns the class of an object that an expression yields, or nil.
func (w *writer) classOf(x ast.Expr) *program.Class {
	if n, ok := x.(*ast.Name); ok && n.Id() == w.selfName && w.f.key.self != nil {
		return w.f.key.self
	}
	env := program.Env{Module: w.mod, Func: w.fn, Self: w.f.key.self}
	t := w.e.index.TypeOf(x, env)
	if t.Class != nil {
		return t.Class
	}
	return nil
}

// located returns the tracked location that an attribute is.
func (w *writer) located(x *ast.Attribute) *flow.Location {
	c := w.classOf(x.Value)
	if c == nil {
		return nil
	}
	o := c.AttrOwner(x.Attr())
	if o == nil {
		return nil
	}
	return w.e.byID[o.Module.Path+"."+o.Qual+"."+x.Attr()]
}

func (w *writer) attribute(x *ast.Attribute) (string, kinds) {
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
			return local(name.Id())
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
	case n.Key != nil && n.Key.Kind == flow.Const:
		if text, k := w.expr(x); k == exact {
			return text
		}
		return "OTHER"
	case dynamic(n.Key):
		if text := w.elementText(x); text != "" {
			return text
		}
		w.expr(x)
		return "7"
	}
	if _, ok := x.(*ast.Name); !ok {
		w.expr(x)
	}
	return "7"
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
			return local(x.Id())
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
		w.expr(x.Operand)
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
		return w.known(x.Left) && (w.known(x.Comparators[0]))
	case *ast.Call:
		n := w.step(x, flow.Has)
		return n != nil
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
	text := w.cond(x.Values[0])
	for _, v := range x.Values[1:] {
		var next string
		lines := w.captured(func() { next = w.cond(v) })
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
	l, lk := w.expr(x.Left)
	if op == ast.In || op == ast.NotIn {
		return w.among(x, l, lk, right)
	}
	r, rk := w.expr(right)
	if lk == unknown || rk == unknown {
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
