package flow

import (
	"maps"
	"slices"
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/program"
)

// This file knows the ways in which the standard library starts a thread of
// control, and the few other functions of it that matter here.

// spawnCall lowers a method call that starts, or waits for, a thread of
// control. It reports false for other methods.
func (b *builder) spawnCall(base *Value, method string, e *ast.Call) (*Value, bool) {
	switch method {
	case "start":
		if base.Kind == ThreadObj {
			b.emit(Node{Op: Spawn, Entry: base.more().spawn}, e)
			return b.none(), true
		}
		if base.Type.Kind == program.Thread || base.Type.Class != nil && isThreadClass(base.Type.Class) {
			b.emit(Node{Op: Spawn, Val: base, Entry: b.keptThread(e)}, e)
			return b.none(), true
		}
	case "join":
		if base.Kind == ThreadObj || base.Type.Kind == program.Thread || base.Type.Class != nil && isThreadClass(base.Type.Class) {
			mode := Mode(0)
			if len(e.Args())+len(e.Keywords()) > 0 {
				mode = Timeout
			}
			b.emit(Node{Op: Join, Val: base, Mode: mode, Entry: base.more().spawn}, e)
			return b.none(), true
		}
	case "submit":
		if base.Type.Class != nil && base.Type.Class.Method(method) != nil {
			return nil, false
		}
		v := b.spawnFirst(Pool, e, 0, "concurrent.futures.Future")
		b.p.submitted(e, b.soleWorker(e))
		b.runsOn(e, base)
		return v, true
	case "map":
		if base.Type.Kind == program.Executor {
			v := b.spawnMapped(e)
			b.runsOn(e, base)
			return v, true
		}
	case "add_done_callback":
		role := Callback
		if base.Type.Name == "asyncio.Task" {
			role = LoopTask
		}
		return b.spawnFirst(role, e, 0, ""), true
	case "call_soon_threadsafe", "call_soon":
		return b.spawnFirst(LoopTask, e, 0, ""), true
	case "call_later", "call_at":
		return b.spawnFirst(LoopTask, e, 1, ""), true
	case "create_task", "ensure_future", "run_until_complete":
		if base.Type.Class == nil {
			v := b.spawnFirst(LoopTask, e, 0, "asyncio.Task")
			b.runsOn(e, base)
			return v, true
		}
	case "run_in_executor":
		return b.spawnFirst(Pool, e, 1, "concurrent.futures.Future"), true
	case "shutdown":
		if base.Type.Kind == program.Executor {
			pos, kw := b.args(e)
			id := b.emit(Node{Op: Join, Val: base}, e)
			if wait := first(append(pos, kw["wait"])); wait == nil || !wait.IsBool(false) {
				b.poolEnds(id, base)
			}
			return b.none(), true
		}
	case "wait":
		if base.Type.Kind == program.Event && b.awaited != e {
			mode := Mode(0)
			if pos, kw := b.args(e); len(pos)+len(kw) > 0 {
				mode = Timeout
			}
			res := b.opaque(b.scalar(), "")
			b.emit(Node{Op: Wait, Mode: mode, Name: method, Val: base}, e)
			return res, true
		}
	case "result", "exception":
		if method == "result" && base.Type.Name == "concurrent.futures.Future" {
			mode := Mode(0)
			if len(e.Args())+len(e.Keywords()) > 0 {
				mode = Timeout
			}
			id := b.emit(Node{Op: Wait, Mode: mode, Name: method}, e)
			b.mayRaise(id, "*")
			b.waited(id, base)
			return b.opaque(nil, ""), true
		}
		if _, taken := b.heads[base]; taken || len(b.begun[base]) > 0 {
			pos, kw := b.args(e)
			b.receivers[e] = base
			v := b.unknownCall(e.Callee(), arguments(e, pos, kw), e)[0].val
			delete(b.receivers, e)
			b.waited(b.last(), base)
			return v, true
		}
	}
	return nil, false
}

// onLoop returns Async for the calls that asyncio allows on the thread of its loop
// only: who makes one runs there.
func onLoop(e *ast.Call) Mode {
	switch e.Callee() {
	case "call_soon", "call_later", "call_at", "create_task", "ensure_future":
		return Async
	}
	return 0
}

// spawnFirst starts the function that is argument i of a call, with the
// arguments after it, and returns a value of the given external type.
func (b *builder) spawnFirst(role Role, e *ast.Call, i int, t string) *Value {
	pos, kw := b.args(e)
	if i < len(pos) {
		known := false
		for _, fn := range b.callables(pos[i]) {
			if ent := b.entry(fn, role, pos[i+1:], kw); ent != nil {
				b.spawn(ent, e, onLoop(e))
				known = true
			}
		}
		if !known {
			id := b.emit(Node{Op: Call, Mode: onLoop(e), Name: e.Callee()}, e)
			b.mayRaise(id, "*")
		}
	}
	if t == "" {
		return b.none()
	}
	v := b.newValue(Object, &program.Type{Kind: program.External, Name: t}, "")
	b.hands(v, e)
	return v
}

// soleWorker returns what identifies the executor of a call of submit, if that has one
// worker: the attribute of self to which the class gives one, and only one, executor.
func (b *builder) soleWorker(e *ast.Call) string {
	at, _ := e.Func.(*ast.Attribute)
	if at == nil {
		return ""
	}
	attr, ok := at.Value.(*ast.Attribute)
	c := b.frame.Fn.SelfClass()
	if !ok || c == nil || !b.frame.Fn.OnSelf(attr.Value) {
		return ""
	}
	owner := c.AttrOwner(attr.Attr())
	if owner == nil {
		return ""
	}
	for _, d := range owner.Attrs[attr.Attr()].Defs {
		call, ok := d.Value.(*ast.Call)
		if !ok || !oneWorker(call) || b.p.Index.AttrType(c, attr.Attr()).Kind != program.Executor {
			return ""
		}
	}
	return owner.Module.File + ":" + owner.Qual + "." + attr.Attr()
}

// oneWorker reports whether a call of ThreadPoolExecutor asks for one worker.
func oneWorker(call *ast.Call) bool {
	var n ast.Expr
	if len(call.Args()) > 0 {
		n = call.Args()[0]
	}
	for _, k := range call.Keywords() {
		if k.Arg() == "max_workers" {
			n = k.Value
		}
	}
	c, ok := n.(*ast.Constant)
	return ok && c.Kind() == ast.Int && c.Value() == "1"
}

// submitted notes on which executor with one worker the entrypoints of a call of
// submit run; pool is "" where it can have several.
func (p *Program) submitted(e *ast.Call, pool string) {
	for _, ent := range p.Entries {
		if !slices.ContainsFunc(ent.Spawns, func(s SpawnSite) bool { return s.Src == e }) {
			continue
		}
		ent.elsewhere = ent.elsewhere || pool == "" || ent.Serial != "" && ent.Serial != pool
		if ent.Serial = pool; ent.elsewhere {
			ent.Serial = ""
		}
	}
}

// spawnMapped starts the function of Executor.map, once for each element.
func (b *builder) spawnMapped(e *ast.Call) *Value {
	pos, _ := b.args(e)
	if len(pos) > 0 {
		for _, fn := range pos[0].Leaves() {
			if ent := b.entry(fn, Pool, nil, nil); ent != nil {
				b.spawn(ent, e, 0)
			}
		}
	}
	v := b.opaque(nil, "")
	b.hands(v, e)
	b.yieldsAll(v, nil)
	return v
}

// library lowers the call of a function of the standard library, by its dotted
// name. It reports false for one that it does not know.
func (b *builder) library(name string, e *ast.Call) (*Value, bool) {
	switch name {
	case "threading.Thread", "multiprocessing.Process":
		pos, kw := b.args(e)
		target := kw["target"]
		if target == nil && len(pos) > 1 {
			target = pos[1]
		}
		t := b.threadOf(target, kw, e)
		if ent := t.more().spawn; ent != nil {
			ent.startAs(name == "multiprocessing.Process")
		}
		return t, true
	case "_thread.start_new_thread", "_thread.start_joinable_thread":
		pos, _ := b.args(e)
		var args []*Value
		if len(pos) > 1 && pos[1].Kind == Derived && pos[1].Name == "tuple" {
			args = pos[1].Args
		}
		if len(pos) > 0 {
			for _, fn := range b.callables(pos[0]) {
				if ent := b.entry(fn, ThreadOf, args, nil); ent != nil {
					b.spawn(ent, e, 0)
				}
			}
		}
		return b.opaque(b.scalar(), ""), true
	case "threading.Timer":
		pos, kw := b.args(e)
		target := kw["function"]
		if target == nil && len(pos) > 1 {
			target = pos[1]
		}
		if target != nil {
			if ent := b.entry(target, Callback, nil, nil); ent != nil {
				return b.threadValue(ent, e, b.repeated()), true
			}
		}
		return b.object(e), true
	case "collections.deque", "collections.OrderedDict":
		return b.copyOf(name, e), true
	case "functools.partial":
		pos, kw := b.args(e)
		if len(pos) > 0 && (pos[0].Kind == Function || pos[0].Kind == Attribute && pos[0].Base.Kind == Container) {
			fn := *pos[0]
			fn.Args = append(fn.Args[:len(fn.Args):len(fn.Args)], pos[1:]...)
			fn.change().kwarg = kw
			fn.id = b.opaque(nil, "").id
			return &fn, true
		}
		return b.object(e), true
	case "asyncio.create_task", "asyncio.ensure_future", "asyncio.run_coroutine_threadsafe", "asyncio.run":
		return b.spawnFirst(LoopTask, e, 0, "asyncio.Task"), true
	case "asyncio.to_thread":
		return b.spawnFirst(Pool, e, 0, "asyncio.Task"), true
	case "concurrent.futures.wait", "asyncio.wait":
		return b.waits(name, e), true
	case "concurrent.futures.as_completed", "asyncio.as_completed":
		pos, kw := b.args(e)
		res := b.unknownCall(name, arguments(e, pos, kw), e)[0].val
		if name == "asyncio.as_completed" {
			b.holds(res, first(pos)) // whoever takes one awaits it
		} else {
			b.yieldsAll(res, first(pos))
		}
		return res, true
	case "asyncio.gather", "asyncio.wait_for", "asyncio.shield":
		return b.runCoroutines(e), true
	case "time.time", "time.monotonic", "time.perf_counter", "time.time_ns", "time.monotonic_ns", "time.perf_counter_ns":
		res := b.result(b.scalar(), "now")
		b.emit(Node{Op: Clock, Res: res}, e)
		return res, true
	case "time.sleep":
		b.args(e)
		b.emit(Node{Op: Sleep}, e)
		return b.none(), true
	}
	if strings.Contains(name, ".") {
		return nil, false
	}
	return b.builtin(name, e)
}

// builtin lowers the call of a builtin function.
func (b *builder) builtin(name string, e *ast.Call) (*Value, bool) {
	switch name {
	case "getattr":
		if len(e.Args()) >= 2 {
			if c, ok := e.Args()[1].(*ast.Constant); ok && c.Kind() == ast.Str {
				return b.attr(b.expr(e.Args()[0]), c.Value(), e), true
			}
			if n, ok := e.Args()[1].(*ast.Name); ok {
				if v := b.name(n); v.Kind == Const && v.Cls == nil && v.Lit == ast.Str {
					return b.attr(b.expr(e.Args()[0]), strings.TrimPrefix(v.id, `c"`), e), true
				}
			}
		}
	case "hasattr":
		return b.hasattr(e), true
	case "setattr":
		if len(e.Args()) == 3 {
			if c, ok := e.Args()[1].(*ast.Constant); ok && c.Kind() == ast.Str {
				b.storeAttr(ast.NewAttribute(e.Range, e.Args()[0], c.Value()), b.expr(e.Args()[2]), e, nil)
				return b.none(), true
			}
		}
	case "len", "bool":
		pos, _ := b.args(e)
		if len(pos) == 1 && pos[0].Kind == Container && pos[0].Loc.Keyed() {
			return b.sizeOf(pos[0], e), true
		}
		return b.derived(name, b.scalar(), pos...), true
	case "list", "tuple", "set", "frozenset", "sorted", "dict", "sum", "max", "min":
		return b.copyOf(name, e), true
	case "any", "all":
		pos, _ := b.args(e)
		if name == "all" {
			b.drained(first(pos), e)
		}
		return b.opaque(b.scalar(), ""), true
	case "next":
		pos, _ := b.args(e)
		v := b.opaque(nil, "")
		if len(pos) > 0 && (pos[0].Kind == Container || pos[0].Kind == View) {
			b.snapshot(pos[0], e)
			part := pos[0].Name
			if pos[0].Kind == Container {
				part = "elements"
			}
			v = b.elementOf(iteration{base: baseOf(pos[0]), part: part})
		}
		return v, true
	case "iter", "reversed":
		if len(e.Args()) == 1 {
			return b.expr(e.Args()[0]), true
		}
	case "int", "str", "float", "bytes", "repr", "hash", "abs", "round":
		pos, _ := b.args(e)
		if len(pos) == 1 && name == "int" && pos[0].HasInt {
			return b.integer(pos[0].Int), true
		}
		if len(pos) == 1 && enumOf(pos[0]) != nil {
			return b.derived(name, b.scalar(), pos...), true
		}
		if len(pos) == 1 && (pos[0].Kind == Const || pos[0].Type.Kind == program.Scalar || name == "str" || name == "repr") {
			return b.derived(name, b.scalar(), pos...), true
		}
		id := b.emit(Node{Op: Call, Name: name}, e)
		b.mayRaise(id, "ValueError")
		return b.derived(name, b.scalar(), pos...), true
	case "type":
		pos, _ := b.args(e)
		if len(pos) == 1 && pos[0].Type.Kind == program.Instance {
			return b.classValue(pos[0].Type.Class), true
		}
		return b.derived(name, b.scalar(), pos...), true
	case "isinstance", "issubclass", "callable", "id", "print", "range", "enumerate", "zip":
		pos, _ := b.args(e)
		t := b.scalar()
		if name == "range" || name == "enumerate" || name == "zip" {
			t = &program.Type{Kind: program.List, Elem: b.scalar()}
		}
		return b.derived(name, t, pos...), true
	}
	return nil, false
}

func baseOf(v *Value) *Value {
	if v.Kind == View {
		return v.Base
	}
	return v
}

// copyOf lowers list(x) and the like: an atomic snapshot of a container.
func (b *builder) copyOf(name string, e *ast.Call) *Value {
	pos, kw := b.args(e)
	if len(pos) == 0 {
		out := b.object(e)
		if name == "dict" {
			for _, k := range slices.Sorted(maps.Keys(kw)) {
				b.items[out] = append(b.items[out], item{b.constant(ast.NewConstant(e.Range, ast.Str, k)), kw[k]})
			}
		}
		return out
	}
	x := pos[0]
	if x.Kind == View || x.Kind == Container && x.Loc.Keyed() {
		snap := b.snapshot(x, e)
		if name == "sum" || name == "max" || name == "min" {
			return b.opaque(b.scalar(), "")
		}
		return snap
	}
	if name == "max" || name == "min" {
		b.drained(x, e)
		return b.derived(name, x.Type, pos...)
	}
	b.drained(x, e)
	out := b.newValue(Object, b.typeOf(e), "")
	b.holds(out, x)
	out.Base = x.Base
	if x.Kind == Container {
		out.Base = x
	}
	return out
}

// hasattr is decided by whether the class of the object ever sets the
// attribute.
func (b *builder) hasattr(e *ast.Call) *Value {
	pos, _ := b.args(e)
	if len(pos) == 2 && pos[1].Kind == Const && pos[0].Type.Class != nil {
		c := pos[0].Type.Class
		if c.AttrOwner(pos[1].Name) != nil || c.Method(pos[1].Name) != nil {
			return b.boolean(true)
		}
	}
	return b.opaque(b.scalar(), "")
}

// startAs notes that a function is started as a process or as a thread; one that is
// both is a thread beside others.
func (e *Entry) startAs(process bool) {
	e.threaded = e.threaded || !process
	e.Process = !e.threaded
}

func isThreadClass(c *program.Class) bool {
	return c.HasExternalBase("threading.Thread", "multiprocessing.Process", "threading.Timer")
}

// threadOf returns the thread object of Thread(target=..., args=...).
func (b *builder) threadOf(target *Value, kw map[string]*Value, e *ast.Call) *Value {
	if target == nil {
		return b.object(e)
	}
	var args []*Value
	if a := kw["args"]; a != nil && a.Kind == Derived && a.Name == "tuple" {
		args = a.Args
	}
	for _, k := range e.Keywords() {
		if k.Arg() == "args" {
			if l, ok := k.Value.(*ast.List); ok {
				args = nil
				for _, x := range l.Elts {
					args = append(args, b.expr(x))
				}
			}
		}
	}
	named := map[string]*Value{}
	for _, k := range e.Keywords() {
		if d, ok := k.Value.(*ast.Dict); ok && k.Arg() == "kwargs" {
			for i, key := range d.Keys {
				if c, ok := key.(*ast.Constant); ok {
					named[c.Value()] = b.expr(d.Values[i])
				}
			}
		}
	}
	out := b.object(e)
	fns := b.callables(target)
	repeated := b.repeated() && len(fns) == 1 // a loop over several starts each once
	for _, fn := range fns {
		if ent := b.entry(fn, ThreadOf, args, named); ent != nil {
			out = b.threadValue(ent, e, repeated)
		}
	}
	return out
}

// threadValue returns a thread that has not started. The entrypoint is known
// from now on: the object may be started where this walk does not see it.
func (b *builder) threadValue(ent *Entry, e *ast.Call, repeated bool) *Value {
	b.p.spawned(ent, SpawnSite{Mod: b.frame.Fn.Module, Src: e, By: b.g.Entry, Looped: b.looped()}, repeated)
	v := b.newValue(ThreadObj, &program.Type{Kind: program.Thread, Name: "threading.Thread"}, "")
	v.change().spawn = ent
	return v
}

// threadObject returns an instance of a subclass of Thread.
func (b *builder) threadObject(c *program.Class, pos []*Value, kw map[string]*Value, e *ast.Call) *Value {
	run := c.Method("run")
	if run == nil {
		target := kw["target"]
		if target == nil {
			return b.object(e)
		}
		return b.threadOf(target, kw, e)
	}
	v := b.newValue(ThreadObj, program.NewInstance(c), "")
	ent := b.p.threadEntry(c, run)
	v.change().spawn = ent
	b.p.spawned(ent, SpawnSite{Mod: b.frame.Fn.Module, Src: e, By: b.g.Entry, Looped: b.looped()}, b.repeated())
	return v
}

// keepThread notes which thread an attribute holds from now on; nil for another thing than
// before, on some walk.
func (b *builder) keepThread(t *ast.Attribute, v *Value) {
	ent := v.more().spawn
	if v.Kind != ThreadObj {
		ent = nil
	}
	if ent == nil && len(b.threads) == 0 {
		return
	}
	if b.threads == nil {
		b.threads = map[threadAttr]*Entry{}
	}
	at := threadAttr{b.frame, string(b.frame.Fn.Module.AST.Text(t))}
	if had, ok := b.threads[at]; ok && had != ent {
		b.threads[at] = nil
		return
	}
	b.threads[at] = ent
}

// keptThread returns the entrypoint of the thread that a function has put into the
// attribute whose start it calls, or nil.
func (b *builder) keptThread(start *ast.Call) *Entry {
	at, ok := start.Func.(*ast.Attribute)
	if !ok {
		return nil
	}
	return b.threads[threadAttr{b.frame, string(b.frame.Fn.Module.AST.Text(at.Value))}]
}

// callables returns the functions that a value may be: its alternatives, and those
// that a dict of handlers holds in place of what is read from it.
func (b *builder) callables(v *Value) []*Value {
	var out []*Value
	for _, leaf := range v.Leaves() {
		if fns := b.handlers(leaf); fns != nil {
			out = append(out, fns...)
			continue
		}
		out = append(out, leaf)
	}
	return out
}

// handlers returns the functions of the display that an attribute of the object is
// set to, for an element or entry of what it holds; nil for anything else.
func (b *builder) handlers(v *Value) []*Value {
	if v.Kind != Element && v.Kind != Result || v.Loc == nil || v.Loc.Owner == nil || b.frame.Self == nil {
		return nil
	}
	if c := b.frame.Self.Type.Class; c == nil || !c.IsSubclass(v.Loc.Owner) {
		return nil
	}
	return b.displayed(v.Loc.Owner.Attrs[v.Loc.Name].Defs)
}

// entry returns the entrypoint that runs a function value, or nil when the
// value is no function of the program.
func (b *builder) entry(fn *Value, role Role, args []*Value, kw map[string]*Value) *Entry {
	if fn != nil && fn.Kind == Attribute && fn.Base.Kind == Container && b.readAs[fn.Base.id+"."+fn.Name] != nil {
		fn = b.methodValue(fn, max(1, len(fn.Args)+len(args)))
	}
	if fn == nil || fn.Kind != Function || fn.Fn == nil {
		return nil
	}
	if fn.Fn.Async {
		role = LoopTask
	}
	b.escapes(fn)
	for _, v := range args {
		b.escapes(v)
	}
	for _, v := range kw {
		b.escapes(v)
	}
	var c *program.Class
	bound := fn.more()
	if bound.self != nil {
		c = bound.self.Type.Class
	} else if bound.frame != nil && fn.Fn.Outer != nil && bound.frame.Self != nil {
		c = bound.frame.Self.Type.Class
	}
	return b.p.newEntry(fn.Fn, c, role, fn, append(fn.Args[:len(fn.Args):len(fn.Args)], args...), kw)
}

// spawn emits the step that starts an entrypoint.
func (b *builder) spawn(ent *Entry, e *ast.Call, mode Mode) {
	b.p.spawned(ent, SpawnSite{Mod: b.frame.Fn.Module, Src: e, By: b.g.Entry, Looped: b.looped(), OnAny: ent.Role == Pool}, b.repeated())
	b.emit(Node{Op: Spawn, Mode: mode, Entry: ent}, e)
}

// looped reports whether the current statement is in a loop of its entrypoint.
func (b *builder) looped() bool {
	for i := len(b.ctx) - 1; i >= 0; i-- {
		if b.ctx[i].kind == loopContext {
			return true
		}
	}
	return false
}

// repeated reports whether the current statement can run several times in the
// life of the object: in a loop, or in a function that is called again.
func (b *builder) repeated() bool {
	for i := len(b.ctx) - 1; i >= 0; i-- {
		switch b.ctx[i].kind {
		case loopContext:
			return true
		case callContext:
			if b.p.latches(b.ctx[i].frame.Fn) {
				return false
			}
		}
	}
	e := b.g.Entry
	return e.Many || e.Role != Init && !b.startsOnce()
}

// startsOnce reports whether the current statement runs once in the life of the
// object although its entrypoint is no constructor: in a thread, outside of its
// loops.
func (b *builder) startsOnce() bool {
	if b.g.Entry.Role == ThreadOf {
		return true
	}
	return b.constructing()
}

// latches reports whether a function tests an attribute in an if statement and
// assigns it as well, as one does that starts a thread only once:
//
//	if self.thread is None:
//	    self.thread = Thread(target=self.serve)
func (p *Program) latches(f *program.Func) bool {
	tested, set := map[string]bool{}, map[string]bool{}
	for _, st := range f.Body() {
		ast.Inspect(st, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FunctionDef, *ast.Lambda:
				return false
			case *ast.If:
				mentioned(n.Test, tested)
			case *ast.Assign:
				for _, t := range n.Targets {
					if at, ok := t.(*ast.Attribute); ok {
						set[at.Attr()] = true
					}
				}
			}
			return true
		})
	}
	for name := range tested {
		if set[name] {
			return true
		}
	}
	return false
}

// mentioned collects the attributes that a condition reads.
func mentioned(e ast.Expr, names map[string]bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		if at, ok := n.(*ast.Attribute); ok {
			names[at.Attr()] = true
		}
		return true
	})
}
