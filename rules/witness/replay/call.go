package replay

import (
	"slices"
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
)

func (w *writer) call(x *ast.Call) (string, kinds) {
	for _, n := range w.nodes(x) {
		if n.Loc != nil && w.e.tracked[n.Loc] {
			if text, k, ok := w.method(x, n); ok {
				return text, k
			}
		}
		switch n.Op {
		case flow.Acquire, flow.Release:
			if keepsLock(n.Lock) {
				w.lockCall(x, n)
				return "True", exact
			}
		}
	}
	if text, k, ok := w.inlined(x, x); ok {
		return text, k
	}
	if w.puts(x) {
		return "None", exact
	}
	if text, k, ok := w.collected(x); ok {
		return text, k
	}
	if text, k, ok := w.builtin(x); ok {
		return text, k
	}
	switch f := x.Func.(type) {
	case *ast.Attribute:
		w.effects(f.Value)
	case *ast.Subscript, *ast.Call:
		w.expr(f)
	}
	w.effectsOf(x)
	w.omit(x)
	env := program.Env{Module: w.mod, Func: w.fn, Self: w.f.key.self}
	t := w.e.index.TypeOf(x, env)
	if r := w.e.index.Resolve(x.Func, w.fn, w.mod); r.Class != nil {
		return "THING", thing
	}
	if t.Kind.Keyed() && w.makes(x) {
		v := w.temp()
		w.put(v + " = Box(" + quote(clip(textOf(w.mod, x))) + ", " + quote(t.Kind.String()) + w.factory(t) + ")")
		return v, exact
	}
	return "UNKNOWN", unknown
}

// makes reports whether a call is that of a type of containers, so that its
// result is new and empty, but for what it copies.
func (w *writer) makes(x *ast.Call) bool {
	r := w.e.index.Resolve(x.Func, w.fn, w.mod)
	switch r.External {
	case "dict", "set", "list", "collections.deque", "collections.defaultdict", "collections.Counter", "collections.OrderedDict":
		return len(x.Args()) == 0 || r.External == "collections.defaultdict" || r.External == "collections.deque" && len(x.Keywords()) > 0
	}
	return false
}

// factory returns the further argument of a Box that makes missing entries.
func (w *writer) factory(t *program.Type) string { return factoryOf(t) }

func factoryOf(t *program.Type) string {
	if t.Kind != program.DefaultDict {
		return ""
	}
	el := t.Element()
	switch {
	case el.Kind.Keyed():
		return ", lambda: Box(\"entry\", " + quote(el.Kind.String()) + ")"
	case el.Kind == program.Scalar:
		return ", lambda: 0"
	}
	return ", lambda: THING"
}

// effectsOf writes what the arguments of a call do.
func (w *writer) effectsOf(x *ast.Call) {
	for _, a := range x.Args() {
		w.expr(a)
	}
	for _, k := range x.Keywords() {
		w.expr(k.Value)
	}
}

// trivial are the builtin functions that nobody needs to know are left out.
var trivial = map[string]bool{
	"len": true, "int": true, "str": true, "list": true, "tuple": true, "set": true, "dict": true, "sorted": true, "hash": true,
	"range": true, "isinstance": true, "hasattr": true, "getattr": true, "bytes": true, "float": true, "bool": true, "repr": true,
}

// omit notes a call that the slice leaves out.
func (w *writer) omit(x *ast.Call) {
	for _, n := range w.nodes(x) {
		if n.Op == flow.Spawn || n.Op == flow.Clock {
			return
		}
	}
	if name, ok := x.Func.(*ast.Name); ok && trivial[name.Id()] {
		return
	}
	text := clip(textOf(w.mod, x.Func)) + "(...)"
	if at, ok := x.Func.(*ast.Attribute); ok {
		if _, ok := at.Value.(*ast.Call); ok {
			text = "(...)." + at.Attr() + "(...)"
		}
	}
	text = place(w.mod, x) + " " + text
	if !w.e.cut[text] {
		w.e.cut[text] = true
		w.e.cutOrder = append(w.e.cutOrder, text)
	}
}

func (w *writer) lockCall(x *ast.Call, n *flow.Node) {
	lock := w.lock(n.Lock)
	if n.Op == flow.Release {
		w.put(lock + ".release(t)")
		return
	}
	w.pass(x, " arrives", nil, "")
	w.put("yield " + quote(w.site(x)))
	w.yields(x, n)
	w.pass(x, "", nil, "")
	w.put("yield from " + lock + ".acquire(t)")
}

// lock returns the variable of a lock.
func (w *writer) lock(v *flow.Value) string {
	name := identifier(v.Loc.Name)
	if v.Loc.Owner != nil {
		name = snake(w.e.objectFor(v.Loc.Owner).class.Name) + name
	}
	if slots := v.Slots(); slots != "" && w.e.chosen(v.Loc) {
		name += "_" + identifier(slots)
	}
	reentrant := v.Type.Kind == program.Condition || strings.HasSuffix(v.Type.Name, "RLock")
	w.e.locks[name] = reentrant
	return "shared." + name
}

// chosen reports whether constants choose each lock that is taken out of a container.
func (e *emitter) chosen(l *flow.Location) bool {
	for _, places := range e.ops {
		for _, nodes := range places {
			for _, n := range nodes {
				if n.Op == flow.Acquire && n.Lock != nil && n.Lock.Loc == l && n.Lock.Slots() == "" {
					return false
				}
			}
		}
	}
	return true
}

// method writes a call on a tracked container or queue.
func (w *writer) method(x *ast.Call, n *flow.Node) (string, kinds, bool) {
	at, _ := x.Func.(*ast.Attribute)
	if at == nil {
		at = w.methodValue(x.Func, n)
	}
	switch n.Op {
	case flow.Iter:
		text, k := w.snapshot(x, n)
		return text, k, true
	case flow.Size:
		arg := ast.Expr(nil)
		if at != nil {
			arg = at.Value
		} else if len(x.Args()) > 0 {
			arg = x.Args()[0]
		}
		c := w.container(n, arg)
		w.pauseOn(x, n, c)
		text, k := w.keep("len("+c+")", exact)
		if name, ok := x.Func.(*ast.Name); ok && name.Id() == "bool" {
			return text + " > 0", k, true
		}
		return text, k, true
	case flow.GetFlag:
		w.pause(x, n)
		text, k := w.keep(w.ref(n.Loc), w.e.facts["loc "+n.Loc.ID])
		return text, k, true
	case flow.SetFlag:
		if len(x.Args()) == 3 {
			text, k := w.expr(x.Args()[2])
			w.setFlag(x, n, text, k)
			return "None", exact, true
		}
		return "", 0, false
	case flow.Has: // the bound form is not a step of a call
		return "", 0, false
	}
	if at == nil {
		return "", 0, false
	}
	switch n.Op {
	case flow.Enqueue:
		return w.enqueue(x, at, n)
	case flow.Dequeue:
		return w.dequeue(x, at, n)
	case flow.TaskDone:
		return "None", exact, true
	}
	c := w.container(n, at.Value)
	text, k := w.operation(x, at, n, c)
	return text, k, true
}

// methodValue returns the method of a container that a variable holds, as in take =
// self.d.pop, where the container stays the same; or nil.
func (w *writer) methodValue(f ast.Expr, n *flow.Node) *ast.Attribute {
	name, ok := f.(*ast.Name)
	if !ok || n.Op == flow.Iter || n.Op == flow.Size {
		return nil
	}
	b, _ := w.fn.Scope.Lookup(name.Id())
	if b == nil || len(b.Defs) != 1 || b.Defs[0].Index >= 0 || w.e.rebound(n.Loc) {
		return nil
	}
	at, _ := b.Defs[0].Value.(*ast.Attribute)
	return at
}

// rebound reports whether a location comes to hold another container.
func (e *emitter) rebound(l *flow.Location) bool {
	for _, places := range e.ops {
		for _, nodes := range places {
			for _, n := range nodes {
				if n.Loc == l && n.Op == flow.Rebind && n.Mode&flow.Initial == 0 {
					return true
				}
			}
		}
	}
	return false
}

func (w *writer) enqueue(x *ast.Call, at *ast.Attribute, n *flow.Node) (string, kinds, bool) {
	item, k := "None", exact
	for i, a := range x.Args() {
		if t, kd := w.expr(a); i == 0 {
			item, k = t, kd
		}
	}
	c := w.container(n, at.Value)
	if k == unknown {
		item, k = "THING", thing
	}
	w.e.fact("loc "+n.Loc.ID, k)
	w.pauseOn(x, n, c)
	w.put(c + ".put(" + item + ")")
	return "None", exact, true
}

func (w *writer) dequeue(x *ast.Call, at *ast.Attribute, n *flow.Node) (string, kinds, bool) {
	w.effectsOf(x)
	c := w.container(n, at.Value)
	w.pauseOn(x, n, c)
	w.yields(x, n)
	if n.Mode&flow.Timeout != 0 {
		w.put("if len(" + c + ".items) == 0:")
		w.indent++
		w.put("raise " + w.exception("Empty") + "(" + quote("no item") + ")")
		w.indent--
		text, k := w.keep(c+".take()", w.queueKinds(n))
		return text, k, true
	}
	w.put("yield from " + c + ".get()")
	text, k := w.keep("t.ret", w.queueKinds(n))
	return text, k, true
}

func (w *writer) queueKinds(n *flow.Node) kinds {
	if k := w.e.facts["loc "+n.Loc.ID]; k != 0 {
		return k
	}
	return unknown
}

// operation writes a method of a container.
func (w *writer) operation(x *ast.Call, at *ast.Attribute, n *flow.Node, c string) (string, kinds) {
	arg := func(i int) ast.Expr {
		if i < len(x.Args()) {
			return x.Args()[i]
		}
		return nil
	}
	def := arg(1)
	for _, k := range x.Keywords() {
		if k.Arg() == "default" {
			def = k.Value
		}
	}
	switch n.Op {
	case flow.Read:
		key := w.key(n, arg(0))
		text, k := w.expr(def)
		w.pauseFor(x, n, c, key)
		if n.Mode&flow.Strict != 0 { // move_to_end
			return w.keep(c+"["+key+"]", w.entryKinds(n))
		}
		if text == "None" {
			return w.keep(c+".get("+key+")", w.entryKinds(n)|exact)
		}
		return w.keep(c+".get("+key+", "+text+")", w.entryKinds(n)|k)
	case flow.Del:
		return w.removal(x, at, n, c, def)
	case flow.Put:
		return w.insertion(x, at, n, c)
	case flow.Clear:
		w.pauseOn(x, n, c)
		w.put(c + ".clear()")
	case flow.PutAll:
		return w.extend(x, n, c, "update")
	case flow.DelAll:
		return w.extend(x, n, c, "remove_all")
	default:
		refuse("%s is used in a way that the slice does not know, %s", n.Loc, w.at)
	}
	return "None", exact
}

func (w *writer) extend(x *ast.Call, n *flow.Node, c, method string) (string, kinds) {
	if len(x.Args()) == 0 {
		refuse("%s is changed by keywords, %s", n.Loc, w.at)
	}
	var text string
	var k kinds
	if made, of, value := w.fromKeys(x.Args()[0]); made {
		text, k = w.keep(of+".fromkeys("+value+")", exact)
	} else {
		text, k = w.expr(x.Args()[0])
	}
	if k != exact {
		text = "None"
		if method == "remove_all" {
			refuse("%s loses what the slice does not know, %s", n.Loc, w.at)
		}
	}
	w.pauseOn(x, n, c)
	if k != exact {
		text = w.brought(x, n)
	}
	w.put(c + "." + method + "(" + text + ")")
	return "None", exact
}

// fromKeys returns the container whose keys a call dict.fromkeys(c, x) takes over, and the
// value of each.
func (w *writer) fromKeys(x ast.Expr) (made bool, of, value string) {
	call, ok := x.(*ast.Call)
	if !ok || call.Callee() != "fromkeys" || len(call.Args()) != 2 {
		return false, "", ""
	}
	at, ok := call.Args()[0].(*ast.Attribute)
	if !ok {
		return false, "", ""
	}
	l := w.located(at)
	if l == nil || l.Outer != nil || !l.Keyed() {
		return false, "", ""
	}
	value, k := w.expr(call.Args()[1])
	return k == exact, w.ref(l), value
}

func (w *writer) removal(x *ast.Call, at *ast.Attribute, n *flow.Node, c string, def ast.Expr) (string, kinds) {
	if n.Mode&flow.AnyKey != 0 {
		end := "-1"
		if at.Attr() == "popleft" || n.Loc.Type.Kind == program.Set {
			end = "0"
		} else if len(x.Args()) > 0 || len(x.Keywords()) > 0 {
			end = "0"
		}
		w.effectsOf(x)
		w.pauseOn(x, n, c)
		part := "[0]"
		if at.Attr() == "popitem" {
			part = ""
		}
		text, k := w.keep(c+".take("+end+")"+part, exact)
		w.e.fact("elem "+w.f.name+" "+text, exact)
		return text, k
	}
	key := w.key(n, x.Args()[0])
	text, k := "", kinds(0)
	if at.Attr() == "pop" && def != nil {
		text, k = w.expr(def)
		text = ", " + text
	}
	w.pauseFor(x, n, c, key)
	call := c + "." + at.Attr() + "(" + key + text + ")"
	if at.Attr() == "discard" || at.Attr() == "remove" {
		w.put(call)
		return "None", exact
	}
	return w.keep(call, w.entryKinds(n)|k)
}

func (w *writer) insertion(x *ast.Call, at *ast.Attribute, n *flow.Node, c string) (string, kinds) {
	switch at.Attr() {
	case "setdefault":
		key := w.key(n, x.Args()[0])
		text, k := "None", exact
		if len(x.Args()) > 1 {
			text, k = w.expr(x.Args()[1])
		}
		if k == unknown {
			text, k = "THING", thing
		}
		w.e.fact("loc "+n.Loc.ID, k)
		w.pauseFor(x, n, c, key)
		return w.keep(c+".setdefault("+key+", "+text+")", w.entryKinds(n))
	case "insert":
		w.expr(x.Args()[0])
		key := w.key(n, x.Args()[1])
		w.pauseFor(x, n, c, key)
		w.put(c + ".appendleft(" + key + ")")
	default:
		key := w.key(n, x.Args()[0])
		w.pauseFor(x, n, c, key)
		w.put(c + "." + at.Attr() + "(" + key + ")")
	}
	return "None", exact
}

// snapshot writes a copy of a container: list(d), sorted(d.items()), d.copy().
func (w *writer) snapshot(x *ast.Call, n *flow.Node) (string, kinds) {
	what, recv := "keys", ast.Expr(nil)
	inner := ast.Expr(x)
	if at, ok := x.Func.(*ast.Attribute); ok && (at.Attr() == "copy" || at.Attr() == "union" || at.Attr() == "difference" || at.Attr() == "intersection") {
		inner = at.Value
		w.effectsOf(x)
	} else if len(x.Args()) > 0 {
		inner = x.Args()[0]
	}
	recv = inner
	if call, ok := inner.(*ast.Call); ok {
		if at, ok := call.Func.(*ast.Attribute); ok {
			switch at.Attr() {
			case "keys", "values", "items":
				what, recv = at.Attr(), at.Value
			}
		}
	}
	c := w.container(n, recv)
	w.pauseOn(x, n, c)
	name := x.Callee()
	if name == "set" || name == "dict" || name == "copy" {
		v, k := w.keep(c+".copy()", exact)
		return v, k
	}
	v, k := w.keep(c+".parts("+quote(what)+")", exact)
	w.e.fact("seq "+w.f.name+" "+v, exact)
	switch name {
	case "sum", "max", "min", "any", "all", "len":
		return "UNKNOWN", unknown
	}
	return v, k
}

// inlined writes the call of a function of the program that the graphs
// contain. It reports false for any other.
func (w *writer) inlined(x ast.Node, call *ast.Call) (string, kinds, bool) {
	callees := w.e.callees[w.f.key][x]
	if len(callees) == 0 {
		return "", 0, false
	}
	k := callees[0]
	if manager, fn, ok := decorated(callees); ok {
		if k = fn; !w.e.managed(fn) {
			v, kd := w.temp(), kinds(0)
			w.manage(manager, nil, func(string, kinds) {
				var text string
				text, kd = w.invoke(call, fn)
				w.put(v + " = " + text)
			})
			return v, kd, true
		}
	} else if len(callees) > 1 {
		text, kd := w.callOneOf(x, call, callees)
		return text, kd, true
	}
	if k.fn.Kind == program.ContextManager {
		refuse("%s is a context manager of the program, %s", clip(textOf(w.mod, x)), w.at)
	}
	text, kd := w.invoke(call, k)
	return text, kd, true
}

// callOneOf writes the call of one of several functions; the schedule tells which.
func (w *writer) callOneOf(x ast.Node, call *ast.Call, callees []funcKey) (string, kinds) {
	var picked []*program.Func
	for _, n := range w.nodes(x) {
		if picks(n) != "" && !slices.Contains(picked, n.Val.Fn) {
			picked = append(picked, n.Val.Fn)
		}
	}
	of := func(f *program.Func) []funcKey {
		var out []funcKey
		for _, k := range callees {
			if k.fn == f || f == nil && !slices.Contains(picked, k.fn) {
				out = append(out, k)
			}
		}
		return out
	}
	if len(picked) == 0 || len(of(nil)) > 1 {
		refuse("%s calls one of several functions, %s", clip(textOf(w.mod, x)), w.at)
	}
	res, kd := w.temp(), kinds(0)
	w.put(res + " = UNKNOWN")
	calls := func(ks []funcKey) {
		for _, k := range ks {
			text, of := w.invoke(call, k)
			w.put(res + " = " + text)
			kd |= of
		}
		if len(ks) == 0 {
			w.put("pass")
		}
	}
	for _, f := range picked {
		site := w.site(x) + " calls " + f.Qual
		w.e.assumed[site] = true
		w.put("if t.assume(" + quote(site) + "):")
		w.indent++
		calls(of(f))
		w.indent--
		w.put("else:")
		w.indent++
	}
	calls(of(nil))
	w.indent -= len(picked)
	return res, kd | unknown
}

// invoke writes the call of a function; without a call expression it has no arguments.
func (w *writer) invoke(call *ast.Call, k funcKey) (string, kinds) {
	var args map[string]argument
	if call != nil {
		args = w.arguments(call, k)
	}
	f := w.e.function(k)
	for name, a := range args {
		w.e.fact("var "+f.name+" "+name, a.kinds)
		if a.element {
			w.e.fact("elem "+f.name+" "+name, exact)
		}
	}
	if !f.live() {
		return "None", w.e.facts["ret "+f.name]
	}
	text := "yield from " + f.name + "(t, " + w.receiver(k)
	for _, p := range f.params {
		if a, ok := args[p]; ok {
			if a.kinds&exact == 0 && w.e.facts["elem "+f.name+" "+p] != 0 {
				a.text = "7" // others hand on what a loop took; here it is the request itself
			}
			text += ", " + a.text
		} else {
			text += ", UNKNOWN"
		}
	}
	w.put(text + ")")
	ret := w.e.facts["ret "+f.name]
	if ret == 0 {
		ret = exact
	}
	return w.keep("t.ret", ret)
}

// receiver returns the object that a function runs on.
func (w *writer) receiver(k funcKey) string {
	if k.self == nil {
		return "None"
	}
	o := w.e.objectFor(k.self).name
	if w.selfName != "" && w.f.key.self != nil && o == w.e.objectFor(w.f.key.self).name {
		return w.self()
	}
	return o
}

// argument is what a parameter is bound to.
type argument struct {
	text    string
	kinds   kinds
	element bool
}

// arguments evaluates the arguments of a call.
func (w *writer) arguments(x *ast.Call, k funcKey) map[string]argument {
	var pos []argument
	out := map[string]argument{}
	arg := func(a ast.Expr) argument {
		if t := w.elementText(a); t != "" {
			if _, name := a.(*ast.Name); !name {
				w.expr(a)
			}
			return argument{t, exact, true}
		}
		text, kd := w.expr(a)
		return argument{text: text, kinds: kd}
	}
	if at, ok := x.Func.(*ast.Attribute); ok && !program.IsSuper(at.Value) {
		w.effects(at.Value)
	}
	for _, a := range x.Args() {
		pos = append(pos, arg(a))
	}
	for _, kw := range x.Keywords() {
		a := arg(kw.Value)
		if kw.Arg() != "" {
			out[kw.Arg()] = a
		}
	}
	params := k.fn.Params
	if k.fn.SelfFunc() == k.fn && len(params) > 0 {
		if at, ok := x.Func.(*ast.Attribute); !ok || w.e.index.Resolve(at.Value, w.fn, w.mod).Class == nil {
			params = params[1:]
		}
	}
	i := 0
	for _, p := range params {
		if _, ok := out[p.Name]; ok {
			continue
		}
		switch {
		case p.Variadic == program.Single && i < len(pos):
			out[p.Name] = pos[i]
			i++
		case p.Default != nil:
			text, kd := w.e.literal(p.Default, k.fn.Module, 0)
			out[p.Name] = argument{text: text, kinds: kd}
		default:
			out[p.Name] = argument{text: "UNKNOWN", kinds: unknown}
		}
	}
	return out
}

// builtin writes the builtin functions that the slice knows.
func (w *writer) builtin(x *ast.Call) (string, kinds, bool) {
	name, ok := x.Func.(*ast.Name)
	if !ok || w.locals[name.Id()] {
		return "", 0, false
	}
	switch name.Id() {
	case "max", "min":
		if len(x.Args()) != 2 {
			return "", 0, false
		}
		a, ka := w.expr(x.Args()[0])
		b, kb := w.expr(x.Args()[1])
		if ka == exact && kb == exact {
			v, k := w.keep(name.Id()+"("+a+", "+b+")", exact)
			return v, k, true
		}
		return "UNKNOWN", unknown, true
	case "any", "all":
		if len(x.Args()) == 1 {
			return w.quantified(name.Id(), x.Args()[0])
		}
	case "int", "str", "bool":
		if len(x.Args()) == 1 {
			if t := w.elementText(x.Args()[0]); t != "" {
				return t, exact, true
			}
		}
	}
	return "", 0, false
}

// comprehension writes a comprehension over tracked state as a loop.
func (w *writer) comprehension(x ast.Expr, kind string, elt, val ast.Expr, gens []*ast.Comprehension) (string, kinds) {
	if !w.touches(x) {
		return "UNKNOWN", unknown
	}
	out := w.temp()
	w.put(out + " = Box(" + quote(clip(textOf(w.mod, x))) + ", " + quote(kind) + ")")
	var loop func(gens []*ast.Comprehension)
	loop = func(gens []*ast.Comprehension) {
		if len(gens) == 0 {
			key := w.elementText(elt)
			text, k := w.expr(elt)
			if key == "" {
				key = "7"
				if k == exact && number(elt) {
					key = text
				}
			}
			if kind == "dict" {
				value, k := w.expr(val)
				if k == unknown {
					value = "THING"
				}
				w.put(out + ".keys_.append(" + key + ")")
				w.put(out + ".values_.append(" + value + ")")
				return
			}
			w.put(out + ".append(" + key + ")")
			return
		}
		g := gens[0]
		w.loop(g.Target, g.Iter, g, func() {
			for _, c := range g.Ifs {
				w.put("if not " + paren(w.cond(c)) + ":")
				w.indent++
				w.put("continue")
				w.indent--
			}
			loop(gens[1:])
		}, nil)
	}
	for _, g := range gens {
		collectLocals(g.Target, w.locals)
	}
	loop(gens)
	w.e.fact("box "+w.f.name+" "+out, exact)
	return out, exact
}

// touches reports whether an expression has a step on tracked state, or calls a
// function that has.
func (w *writer) touches(x ast.Node) bool {
	found := false
	ast.Inspect(x, func(n ast.Node) bool {
		if found {
			return false
		}
		found = len(w.e.callees[w.f.key][n]) > 0
		for _, s := range w.nodes(n) {
			found = found || s.Loc != nil && w.e.tracked[s.Loc]
		}
		return !found
	})
	return found
}
