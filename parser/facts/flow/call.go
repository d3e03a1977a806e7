package flow

import (
	"maps"
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/program"
)

// call lowers a call and returns its value.
func (b *builder) call(e *ast.Call) *Value {
	outs := b.callOutcomes(e)
	if len(outs) == 1 {
		b.pend, b.locks = outs[0].pend, outs[0].locks
		return outs[0].val
	}
	return b.mergeOutcomes(outs, b.typeOf(e), "")
}

// mergeOutcomes joins the ways a call returns.
func (b *builder) mergeOutcomes(outs []outcome, t *program.Type, name string) *Value {
	b.pend = nil
	if len(outs) == 0 {
		return b.opaque(t, name)
	}
	vals := make([]*Value, len(outs))
	same := true
	for i, o := range outs {
		vals[i] = o.val
		same = same && o.val == vals[0]
	}
	v := vals[0]
	var columns []column
	if !same {
		v, columns = b.either(name, vals)
		if v.Type.Kind == program.Unknown {
			v.Type = t
		}
	}
	locks := outs[0].locks
	var pend []dangling
	for i, o := range outs {
		s := state{pend: o.pend, locks: o.locks}
		for _, c := range columns {
			b.move(&s, c.phi, c.vals[i])
		}
		pend = append(pend, s.pend...)
		locks = commonLocks(locks, o.locks)
	}
	b.pend, b.locks = pend, locks
	return v
}

// A column is a Phi with the value that it has on each way.
type column struct {
	phi  *Value
	vals []*Value
}

// either returns what is one of several values, with the Phis that have to take them. For
// tuples of one length that is a tuple of such, so that what is known of their parts is
// known where it is taken apart.
func (b *builder) either(name string, vals []*Value) (*Value, []column) {
	for _, v := range vals {
		if v.Kind != Derived || v.Name != "tuple" || len(v.Args) == 0 || len(v.Args) != len(vals[0].Args) || counted(v.Args) < len(v.Args) {
			phi := b.phi(name, vals)
			return phi, []column{{phi, vals}}
		}
	}
	parts := make([]*Value, len(vals[0].Args))
	var columns []column
	for k := range parts {
		of := make([]*Value, len(vals))
		for i, v := range vals {
			of[i] = v.Args[k]
		}
		parts[k] = of[0]
		if slices.ContainsFunc(of, func(v *Value) bool { return v != of[0] }) {
			var more []column
			parts[k], more = b.either("", of)
			columns = append(columns, more...)
		}
	}
	return b.derived("tuple", vals[0].Type, parts...), columns
}

// here is the outcome of a call that was not inlined.
func (b *builder) here(v *Value) []outcome {
	return []outcome{{pend: b.pend, locks: b.locks, val: v}}
}

// callOutcomes lowers a call and returns each way in which it returns.
func (b *builder) callOutcomes(e *ast.Call) []outcome {
	at, ok := e.Func.(*ast.Attribute)
	if !ok {
		if each := quantified(e); each != nil {
			return b.here(b.truthOfEach(each))
		}
		return b.apply(b.expr(e.Func), e)
	}
	if program.IsSuper(at.Value) {
		return b.superCall(at.Attr(), e)
	}
	base := b.expr(at.Value)
	if outs, ok := b.methodCall(base, at.Attr(), e); ok {
		return outs
	}
	b.receivers[e] = base
	defer delete(b.receivers, e)
	return b.apply(b.attr(base, at.Attr(), at), e)
}

// quantified returns the elements whose truth any(x for x in (a, b)) or all() asks for, or nil
// for another call.
func quantified(e *ast.Call) []ast.Expr {
	if name := e.Callee(); name != "any" && name != "all" || len(e.Args()) != 1 || len(e.Keywords()) > 0 {
		return nil
	}
	gen, ok := e.Args()[0].(*ast.GeneratorExp)
	if !ok || len(gen.Generators) != 1 || len(gen.Generators[0].Ifs) > 0 {
		return nil
	}
	target, ok := gen.Generators[0].Target.(*ast.Name)
	elt, plain := gen.Elt.(*ast.Name)
	if !ok || !plain || target.Id() != elt.Id() {
		return nil
	}
	switch x := gen.Generators[0].Iter.(type) {
	case *ast.Tuple:
		return x.Elts
	case *ast.List:
		return x.Elts
	}
	return nil
}

// truthOfEach looks at the size of each container among some expressions, although the first
// may settle the answer.
func (b *builder) truthOfEach(each []ast.Expr) *Value {
	for _, x := range each {
		if v := b.expr(x); keyed(v) {
			b.sizeOf(v, x)
		}
	}
	return b.opaque(b.scalar(), "")
}

// methodCall lowers a call on a tracked object or of a well-known method of
// the standard library. It reports false when the method is none of these.
func (b *builder) methodCall(base *Value, method string, e *ast.Call) ([]outcome, bool) {
	switch {
	case base.Kind == Container && base.Loc.Keyed():
		if v, ok := b.containerCall(base, method, e); ok {
			return b.here(v), true
		}
	case base.Type.Kind == program.Queue:
		if v, ok := b.queueCall(base, method, e); ok {
			return b.here(v), true
		}
	case base.Type.Kind.IsLock() || base.Type.Kind == program.AsyncLock:
		if v, ok := b.lockCall(base, method, e); ok {
			return b.here(v), true
		}
	case base.Kind == Object && len(b.items[base]) > 0 && len(e.Args()) == 0:
		if v := b.itemsOf(base, method, e); v != nil {
			return b.here(v), true
		}
	case base.Kind == View && method == "copy":
		return b.here(b.snapshot(base, e)), true
	}
	if v, ok := b.spawnCall(base, method, e); ok {
		return b.here(v), true
	}
	if logging[method] && len(e.Args()) > 0 && base.Kind != Container && base.Type.Class == nil {
		return b.here(b.none()), true
	}
	return nil, false
}

// logging are the methods of the standard library's loggers. They are taken to
// have no effect and not to fail.
var logging = map[string]bool{
	"debug": true, "info": true, "warning": true, "warn": true, "error": true, "exception": true, "critical": true,
	"log": true, "warning_once": true, "info_once": true, "debug_once": true,
}

// Logs reports whether a method of that name is taken for one of a logger.
func Logs(method string) bool { return logging[method] }

func (b *builder) lockCall(lock *Value, method string, e *ast.Call) (*Value, bool) {
	switch method {
	case "acquire", "__enter__", "__aenter__":
		mode := Mode(0)
		if lock.Type.Kind == program.AsyncLock {
			mode = Async
		}
		b.emit(Node{Op: Acquire, Lock: lock, Mode: mode}, e)
		b.locks = append(b.locks[:len(b.locks):len(b.locks)], lock)
		if len(e.Args())+len(e.Keywords()) > 0 {
			got := b.opaque(b.scalar(), "")
			if b.tried == nil {
				b.tried = map[*Value]*Value{}
			}
			b.tried[got] = lock
			return got, true
		}
	case "release", "__exit__", "__aexit__":
		mode := Mode(0)
		if lock.Type.Kind == program.AsyncLock {
			mode = Async
		}
		b.emit(Node{Op: Release, Lock: lock, Mode: mode}, e)
		b.locks = withoutLock(b.locks, lock)
	case "wait", "wait_for":
		mode := Mode(0)
		if len(e.Args())+len(e.Keywords()) > b2i(method == "wait_for") {
			mode = Timeout
		}
		b.emit(Node{Op: Wait, Lock: lock, Mode: mode, Name: method}, e)
	case "notify", "notify_all", "locked":
	default:
		return nil, false
	}
	return b.opaque(nil, ""), true
}

func b2i(v bool) int {
	if v {
		return 1
	}
	return 0
}

func withoutLock(locks []*Value, lock *Value) []*Value {
	for i := len(locks) - 1; i >= 0; i-- {
		if locks[i] == lock {
			return append(locks[:i:i], locks[i+1:]...)
		}
	}
	return locks
}

// lockOf returns the lock that a value is, or nil.
func lockOf(v *Value) *Value {
	if v.Type.Kind.IsLock() || v.Type.Kind == program.AsyncLock {
		return v
	}
	return nil
}

func (b *builder) queueCall(q *Value, method string, e *ast.Call) (*Value, bool) {
	switch method {
	case "put", "put_nowait":
		v := b.none()
		for i, a := range e.Args() {
			if x := b.expr(a); i == 0 {
				v = x
			}
		}
		b.emit(Node{Op: Enqueue, On: q.Cls, Loc: q.Loc, Path: q.Path(), Val: v}, e)
		return b.none(), true
	case "get", "get_nowait":
		mode := Mode(0)
		if method == "get_nowait" || len(e.Keywords()) > 0 || len(e.Args()) > 0 {
			mode = Timeout
		}
		res := b.result(q.Type.Element(), "")
		id := b.emit(Node{Op: Dequeue, Mode: mode, On: q.Cls, Loc: q.Loc, Path: q.Path(), Res: res}, e)
		if mode == Timeout {
			b.mayRaise(id, "Empty")
		}
		return res, true
	case "task_done":
		b.emit(Node{Op: TaskDone, On: q.Cls, Loc: q.Loc, Path: q.Path()}, e)
		return b.none(), true
	case "join":
		b.emit(Node{Op: Wait, Name: "join"}, e)
		return b.none(), true
	case "qsize", "empty", "full":
		b.emit(Node{Op: Size, On: q.Cls, Loc: q.Loc, Path: q.Path()}, e)
		return b.opaque(b.scalar(), ""), true
	}
	return nil, false
}

func (b *builder) superCall(method string, e *ast.Call) []outcome {
	self := b.frame.Self
	home := b.frame.Fn.SelfFunc()
	if self == nil || home == nil || self.Type.Class == nil {
		b.args(e)
		return b.unknownCall("super()."+method, nil, e)
	}
	f := self.Type.Class.MethodAfter(home.Class, method)
	if f == nil {
		b.args(e)
		return b.unknownCall("super()."+method, nil, e)
	}
	return b.applyFunc(f, self, nil, nil, nil, e)
}

// args lowers the arguments of a call.
func (b *builder) args(e *ast.Call) (pos []*Value, kw map[string]*Value) {
	pos = b.spread(e.Args())
	for _, k := range e.Keywords() {
		v := b.expr(k.Value)
		if k.Arg() != "" {
			if kw == nil {
				kw = map[string]*Value{}
			}
			kw[k.Arg()] = v
			continue
		}
		for _, it := range b.items[v] { // **{"target": run}
			if it.key != nil && it.key.Kind == Const && it.key.Lit == ast.Str {
				if kw == nil {
					kw = map[string]*Value{}
				}
				kw[it.key.Name] = it.val
			}
		}
	}
	return pos, kw
}

// spread returns the values of expressions, some of which may be starred.
func (b *builder) spread(elts []ast.Expr) []*Value {
	vals := make([]*Value, 0, len(elts))
	for _, x := range elts {
		v := b.expr(x)
		if _, ok := x.(*ast.Starred); ok {
			if v.Kind == Derived && v.Name == "tuple" {
				vals = append(vals, v.Args...)
				continue
			}
			held := v
			v = b.opaque(nil, "")
			v.change().many = true
			b.holds(v, held)
		}
		vals = append(vals, v)
	}
	return vals
}

// counted returns how many values are known to be at their positions: those before the first
// starred one.
func counted(pos []*Value) int {
	if i := slices.IndexFunc(pos, func(v *Value) bool { return v.more().many }); i >= 0 {
		return i
	}
	return len(pos)
}

// arguments returns all arguments of a call: those that have no name, and then the
// others in the order in which they are written.
func arguments(e *ast.Call, pos []*Value, kw map[string]*Value) []*Value {
	all := pos[:len(pos):len(pos)]
	for _, k := range e.Keywords() {
		if v := kw[k.Arg()]; v != nil {
			all = append(all, v)
		}
	}
	return all
}

// apply calls a value.
func (b *builder) apply(fn *Value, e *ast.Call) []outcome {
	switch fn.Kind {
	case Function:
		return b.applyFunc(fn.Fn, fn.more().self, fn.more().frame, fn.Args, fn.more().kwarg, e)
	case Class:
		return b.construct(fn.Cls, e)
	case Phi:
		if outs, ok := b.applyAny(fn, e); ok {
			return outs
		}
	case Attribute: // pop = self.rows.pop
		if fn.Base.Kind == Container && b.receivers[e] != fn.Base {
			if outs, ok := b.methodCall(fn.Base, fn.Name, e); ok {
				return outs
			}
		}
	}
	if fn.Type.Referred() && len(e.Args()) == 0 {
		return b.here(fn)
	}
	if fn.Type.Kind == program.External {
		if v, ok := b.library(fn.Type.Name, e); ok {
			return b.here(v)
		}
	}
	if fn.Type.Kind == program.Instance && fn.Type.Class != nil && b.follows(fn) {
		if f := fn.Type.Class.Method("__call__"); f != nil {
			return b.applyFunc(f, fn, nil, nil, nil, e)
		}
	}
	if handlers := b.dispatchTable(e.Func); handlers != nil {
		return b.dispatch(handlers, e)
	}
	if handlers := b.handedHere(e.Func); handlers != nil {
		return b.dispatch(handlers, e)
	}
	pos, kw := b.args(e)
	outs := b.unknownCall(e.Callee(), arguments(e, pos, kw), e)
	if fields := b.namedTuple(e); fields != nil {
		b.record(outs[0].val, fields, pos, kw)
	}
	return outs
}

// applyAny calls one of several functions.
func (b *builder) applyAny(fn *Value, e *ast.Call) ([]outcome, bool) {
	var fns []*Value
	for _, l := range fn.Leaves() {
		if l.Kind == Function {
			fns = append(fns, l)
		}
	}
	if len(fns) == 0 || len(fns) > 4 {
		return nil, false
	}
	return b.dispatch(fns, e), true
}

// dispatch calls one of several functions, whichever.
func (b *builder) dispatch(fns []*Value, e *ast.Call) []outcome {
	var outs []outcome
	for i, f := range fns {
		if i == len(fns)-1 {
			return append(outs, b.apply(f, e)...)
		}
		yes, no := b.test(TestUnknown, f, nil, e)
		b.restore(yes)
		outs = append(outs, b.apply(f, e)...)
		b.restore(no)
	}
	return outs
}

// dispatchTable returns the functions of a dictionary of handlers, for the
// callee self.table[tag] or self.table.get(tag).
func (b *builder) dispatchTable(e ast.Expr) []*Value {
	var table ast.Expr
	switch e := e.(type) {
	case *ast.Subscript:
		table = e.Value
	case *ast.Call:
		if at, ok := e.Func.(*ast.Attribute); ok && at.Attr() == "get" {
			table = at.Value
		}
	case *ast.Name:
		if bind, _ := b.frame.Fn.Scope.Lookup(e.Id()); bind != nil {
			for _, d := range bind.Defs {
				if fns := b.dispatchOf(d.Value); fns != nil {
					return fns
				}
			}
		}
		return nil
	}
	if table == nil {
		return nil
	}
	return b.tableValues(table)
}

func (b *builder) dispatchOf(e ast.Expr) []*Value {
	if _, name := e.(*ast.Name); name || e == nil {
		return nil
	}
	return b.dispatchTable(e)
}

// tableValues returns the functions among the values of a dict display that an
// attribute or variable is set to.
func (b *builder) tableValues(table ast.Expr) []*Value {
	var defs []program.Def
	switch t := table.(type) {
	case *ast.Attribute:
		if b.frame.Self == nil || b.frame.Self.Type.Class == nil {
			return nil
		}
		for _, k := range b.frame.Self.Type.Class.MRO {
			if a := k.Attrs[t.Attr()]; a != nil {
				defs = append(defs, a.Defs...)
			}
		}
	case *ast.Name:
		if bind, _ := b.frame.Fn.Scope.Lookup(t.Id()); bind != nil {
			defs = bind.Defs
		}
	}
	return b.displayed(defs)
}

// displayed returns the functions among the values of the displays that define
// something.
func (b *builder) displayed(defs []program.Def) []*Value {
	var fns []*Value
	for _, d := range defs {
		var elts []ast.Expr
		switch display := d.Value.(type) {
		case *ast.Dict:
			elts = display.Values
		case *ast.List:
			elts = display.Elts
		case *ast.Tuple:
			elts = display.Elts
		}
		for _, v := range elts {
			switch v.(type) {
			case *ast.Attribute, *ast.Name, *ast.Lambda:
				if f := b.expr(v); f.Kind == Function {
					fns = append(fns, f)
				}
			}
		}
	}
	return fns
}

// unknownCall is a call of code that is not followed: it leaves tracked state
// alone and may raise anything.
func (b *builder) unknownCall(name string, args []*Value, e *ast.Call) []outcome {
	n := Node{Op: Call, Name: name, Recv: b.receivers[e]}
	if r := n.Recv; r != nil && r.Kind == Object && r.Type.Kind.Keyed() {
		b.changed(r, name, args)
	}
	if len(args) > 0 {
		n.Val = b.derived("args", nil, args...)
	}
	n.Res = b.result(b.typeOf(e), "")
	id := b.emit(n, e)
	b.mayRaise(id, "*")
	switch name {
	case "keys", "values", "items", "copy":
		b.holds(n.Res, n.Recv)
	}
	return b.here(n.Res)
}

// applyFunc calls a function of the program; bound and kwbound come from a
// partial.
func (b *builder) applyFunc(f *program.Func, self *Value, closure *Frame, bound []*Value, kwbound map[string]*Value, e *ast.Call) []outcome {
	awaited := b.awaited == e
	pos, kw := b.args(e)
	if len(bound) > 0 {
		pos = append(bound[:len(bound):len(bound)], pos...)
	}
	for k, v := range kwbound {
		if kw == nil {
			kw = map[string]*Value{}
		}
		if kw[k] == nil {
			kw[k] = v
		}
	}
	t := b.returnType(f, self, e)
	if f.Async && !awaited {
		v := b.newValue(Function, t, "coroutine")
		v.Fn, v.Args, v.extra = f, pos, &extra{self: self, frame: closure, kwarg: kw}
		return b.here(v)
	}
	if f.Kind == program.ContextManager {
		v := b.result(t, "")
		v.Fn, v.Args, v.extra = f, pos, &extra{self: self, frame: closure, kwarg: kw}
		return b.here(v)
	}
	if f.Trivial() {
		return b.here(b.none())
	}
	if b.canInline(f, arguments(e, pos, kw)) || b.follows(self) && b.fits(f) {
		if outs, ok := b.wrapped(f, self, pos, kw, e); ok {
			return outs
		}
		return b.inline(f, self, closure, pos, kw, e)
	}
	res := b.result(t, "")
	n := Node{Op: Call, Name: f.Name, Recv: self, Target: f, Res: res}
	if all := arguments(e, pos, kw); len(all) > 0 {
		n.Val = b.derived("args", nil, all...)
	}
	id := b.emit(n, e)
	b.mayRaise(id, "*")
	return b.here(res)
}

func (b *builder) returnType(f *program.Func, self *Value, e *ast.Call) *program.Type {
	var c *program.Class
	if self != nil {
		c = self.Type.Class
	}
	return b.prog.ReturnType(f, c)
}

// canInline reports whether a call is worth following: the function touches
// shared state, or is handed some.
func (b *builder) canInline(f *program.Func, args []*Value) bool {
	if !b.fits(f) {
		return false
	}
	if b.p.touchesFunc(f) || f.Class != nil && f.Class.Enum() && predicate(f) {
		return true
	}
	for _, a := range args {
		if a.Kind == Container || a.Kind == Function || enumOf(a) != nil && predicate(f) {
			return true
		}
	}
	return false
}

// fits reports whether a call can be followed: it is not too deep, and no recursion.
func (b *builder) fits(f *program.Func) bool {
	if f.Abstract || f.Generator {
		return false
	}
	if b.frame.depth >= b.depth {
		b.g.Truncated = b.g.Truncated || b.p.touchesFunc(f)
		return false
	}
	for fr := b.frame; fr != nil; fr = fr.Caller {
		if fr.Fn == f && !fr.shell {
			b.g.Truncated = true
			return false
		}
	}
	return true
}

// inline lowers the body of f at the current place.
func (b *builder) inline(f *program.Func, self *Value, closure *Frame, pos []*Value, kw map[string]*Value, e ast.Node) []outcome {
	fr := b.newFrame(f, self, closure, pos, kw)
	fr.Caller, fr.Call, fr.Mod, fr.depth = b.frame, e, b.frame.Fn.Module, b.frame.depth+1
	fr.Args = pos
	caller, stmt := b.frame, b.stmt
	b.frame = fr
	c := &context{kind: callContext}
	b.push(c)
	b.body(f)
	b.pop()
	b.frame, b.stmt = caller, stmt
	b.inlined = e
	return c.returns
}

// body lowers the statements of f in the current frame, up to its last return.
func (b *builder) body(f *program.Func) {
	if lam, ok := f.Node.(*ast.Lambda); ok {
		v := b.expr(lam.Body)
		if !b.dead() {
			b.leave(v, lam.Body)
		}
		return
	}
	b.block(f.Body())
	if !b.dead() {
		b.leave(b.none(), f.Node)
	}
}

// addFrame gives a frame its number.
func (b *builder) addFrame(fr *Frame) *Frame {
	b.frames++
	fr.serial = b.frames
	b.p.frames = append(b.p.frames, fr)
	return fr
}

// newFrame binds the parameters of f to arguments.
func (b *builder) newFrame(f *program.Func, self *Value, closure *Frame, pos []*Value, kw map[string]*Value) *Frame {
	fr := b.addFrame(&Frame{Fn: f, Self: self, closure: closure, env: make(map[string]*Value, len(f.Params))})
	if f.SelfFunc() != f {
		fr.Self = nil
		if closure != nil {
			fr.Self = closure.Self
		}
	} else if self != nil {
		pos = append([]*Value{self}, pos...)
	}
	if f.Kind == program.ClassMethod && self != nil {
		pos = append([]*Value{self}, pos...)
	}
	var selfClass *program.Class
	if fr.Self != nil {
		selfClass = fr.Self.Type.Class
	}
	next, known := 0, counted(pos)
	for _, p := range f.Params {
		v := kw[p.Name]
		switch {
		case p.Variadic == program.Args:
			if next < len(pos) {
				v = b.derived("tuple", &program.Type{Kind: program.Tuple}, pos[next:]...)
				next = len(pos)
			} else {
				v = b.derived("tuple", &program.Type{Kind: program.Tuple})
			}
		case p.Variadic == program.Kwargs:
			v = b.keywords(f, kw)
		case p.Variadic == program.Single && next < known:
			v = pos[next]
			next++
		case p.Variadic == program.Single && v == nil && known < len(pos):
			v = b.opaque(nil, p.Name)
			for _, a := range pos[known:] {
				b.holds(v, a)
			}
		}
		if v == nil && p.Default != nil {
			v = b.defaultValue(p)
		}
		t := b.prog.ParamType(p, selfClass)
		if v == nil {
			v = b.opaque(t, p.Name)
		} else if v.Type.Kind == program.Unknown && t.Kind != program.Unknown && (v.Kind == Opaque || v.Kind == Result || v.Kind == Derived || v.Kind == Element) {
			typed := *v
			typed.Type = t
			v = &typed
		}
		fr.env[p.Name] = v
	}
	if fr.Self == nil && len(f.Params) > 0 && f.SelfFunc() == f {
		fr.Self = fr.env[f.Params[0].Name]
	}
	return fr
}

// keywords returns the dict of the keyword arguments that f has no parameters for,
// or nil when there are none.
func (b *builder) keywords(f *program.Func, kw map[string]*Value) *Value {
	var out *Value
	for _, name := range slices.Sorted(maps.Keys(kw)) {
		if slices.ContainsFunc(f.Params, func(p *program.Param) bool { return p.Name == name }) {
			continue
		}
		if out == nil {
			out = b.newValue(Object, &program.Type{Kind: program.Dict}, "")
		}
		b.items[out] = append(b.items[out], item{b.constant(ast.NewConstant(ast.Range{}, ast.Str, name)), kw[name]})
	}
	return out
}

// defaultValue returns the default of a parameter, if it is a literal.
func (b *builder) defaultValue(p *program.Param) *Value {
	if c, ok := p.Default.(*ast.Constant); ok {
		return b.constant(c)
	}
	if b.frame != nil {
		if at, ok := p.Default.(*ast.Attribute); ok {
			r := b.prog.Resolve(at, p.Func.Outer, p.Func.Module)
			if r.Member != nil {
				return b.member(r.Member.Class, r.Member.Name)
			}
		}
	}
	return nil
}

// construct lowers Class(...). The constructor of an object that nothing else
// knows yet is not followed.
func (b *builder) construct(c *program.Class, e *ast.Call) []outcome {
	pos, kw := b.args(e)
	t := b.prog.TypeOf(e, b.env())
	if isThreadClass(c) {
		return b.here(b.threadObject(c, pos, kw, e))
	}
	for _, v := range pos {
		b.handOn(v)
	}
	for _, v := range kw {
		b.handOn(v)
	}
	n := Node{Op: Call, Name: c.Name}
	if init := c.Method("__init__"); init != nil {
		n.Target = init
	}
	if all := arguments(e, pos, kw); len(all) > 0 {
		n.Val = b.derived("args", nil, all...)
	}
	id := b.emit(n, e)
	b.mayRaise(id, "*")
	if t.Kind == program.Unknown {
		t = program.NewInstance(c)
	}
	v := b.newValue(Object, t, "")
	b.record(v, b.p.fields(c), pos, kw)
	if b.made == nil {
		b.made = map[*Value]ownership{}
	}
	b.made[v] = b.ownershipOfNew(c, e)
	return b.here(v)
}

// withManager lowers the body of a with statement over something that is no
// lock: a generator function, an object with __enter__, or anything.
func (b *builder) withManager(v *Value, n *ast.With, i int) {
	body := func() { b.with(n, i+1) }
	if v.Kind == Result && v.Fn != nil {
		b.managed(v, n.Items[i].ContextExpr, body)
		return
	}
	c := v.Type.Class
	if c != nil && v.Type.Kind == program.Instance {
		enter, exit := c.Method("__enter__"), c.Method("__exit__")
		if n.Async {
			enter, exit = c.Method("__aenter__"), c.Method("__aexit__")
		}
		if enter != nil && exit != nil && b.canInline(enter, nil) && b.canInline(exit, nil) {
			src := n.Items[i].ContextExpr
			b.mergeOutcomes(b.inline(enter, v, nil, nil, nil, src), nil, "")
			b.protected(body, func() {
				b.mergeOutcomes(b.inline(exit, v, nil, nil, nil, src), nil, "")
			})
			return
		}
	}
	body()
}

// managed lowers a generator function that manages a with statement: the body
// of the statement runs where it yields.
func (b *builder) managed(v *Value, src ast.Node, body func()) {
	caller, stmt := b.frame, b.stmt
	fr := b.newFrame(v.Fn, v.more().self, v.more().frame, v.Args, v.more().kwarg)
	fr.Caller, fr.Call, fr.Mod, fr.depth = caller, src, caller.Fn.Module, caller.depth+1
	fr.onYield = func() {
		inner := b.frame
		b.frame = caller
		body()
		b.frame = inner
	}
	b.frame = fr
	c := &context{kind: callContext}
	b.push(c)
	b.body(v.Fn)
	b.pop()
	b.frame, b.stmt = caller, stmt
	b.mergeOutcomes(c.returns, nil, "")
}

// entered returns what "with v as x" binds.
func (b *builder) entered(v *Value) *Value {
	if v.Type.Kind == program.Instance || isPool(v) || isExitStack(v) {
		return v
	}
	return b.opaque(nil, "")
}
