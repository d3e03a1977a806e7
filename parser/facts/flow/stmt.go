package flow

import (
	"maps"
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/program"
)

func (b *builder) block(body []ast.Stmt) {
	for i, st := range body {
		if b.dead() || b.stacked(st, body[i+1:]) {
			return
		}
		if rest := body[i+1:]; b.frame.onYield != nil && len(rest) > 0 && ast.Yields(st) {
			b.push(b.resumption(rest))
			b.statement(st)
			b.pop()
			continue
		}
		b.statement(st)
	}
}

func (b *builder) statement(st ast.Stmt) {
	saved := b.stmt
	b.stmt = st
	defer func() { b.stmt = saved }()
	switch n := st.(type) {
	case *ast.ExprStmt:
		b.expr(n.Value)
	case *ast.Assign:
		b.assign(n)
	case *ast.AnnAssign:
		if n.Value != nil {
			b.store(n.Target, b.expr(n.Value), n)
		}
	case *ast.AugAssign:
		b.augAssign(n)
	case *ast.Delete:
		for _, t := range n.Targets {
			b.delete(t, n)
		}
	case *ast.Return:
		b.returns(n)
	case *ast.If:
		b.ifStmt(n)
	case *ast.While:
		b.while(n)
	case *ast.For:
		b.forStmt(n)
	case *ast.With:
		b.with(n, 0)
	case *ast.Try:
		b.try(n)
	case *ast.Match:
		b.match(n)
	case *ast.Raise:
		b.raise(n)
	case *ast.Assert:
		b.assert(n)
	case *ast.Break:
		if c := b.jump(loopContext); c != nil {
			c.breaks = append(c.breaks, b.save())
		}
		b.pend = nil
	case *ast.Continue:
		switch c := b.jump(loopContext); {
		case c == nil:
		case c.turn:
			c.nexts = append(c.nexts, b.save())
		case c.head < 0:
			c.breaks = append(c.breaks, b.save())
		default:
			b.connect(c.head)
		}
		b.pend = nil
	case *ast.FunctionDef:
		if f := b.prog.FuncOf(n); f != nil {
			v := b.function(f, nil)
			b.bind(n.Name, v)
			if b.p.Taught.Thread(f) != "" {
				b.p.nested = append(b.p.nested, v)
			}
		}
	case *ast.ClassDef:
		if c := b.prog.ClassOf(n); c != nil {
			b.bind(n.Name, b.classValue(c))
		}
	case *ast.Import, *ast.ImportFrom, *ast.Global, *ast.Nonlocal, *ast.Pass, *ast.TypeAlias:
	}
}

func (b *builder) bind(name string, v *Value) { b.frame.own()[name] = v }

func (b *builder) returns(n *ast.Return) {
	if op, ok := n.Value.(*ast.BoolOp); ok && b.frame.Caller != nil && truthValued(op) {
		yes, no := b.cond(op)
		for _, way := range []struct {
			state
			val *Value
		}{{yes, b.boolean(true)}, {no, b.boolean(false)}} {
			b.restore(way.state)
			if !b.dead() {
				b.leave(way.val, n)
			}
		}
		return
	}
	v := b.none()
	if n.Value != nil {
		v = b.expr(n.Value)
	}
	if b.dead() {
		return
	}
	b.leave(v, n)
}

// truthValued reports whether an expression yields True or False.
func truthValued(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Compare:
		return true
	case *ast.UnaryOp:
		return e.Op == ast.Not
	case *ast.BoolOp:
		return !slices.ContainsFunc(e.Values, func(v ast.Expr) bool { return !truthValued(v) })
	}
	return false
}

// leave returns v from the current call.
func (b *builder) leave(v *Value, src ast.Node) {
	if b.frame.Caller == nil {
		b.emit(Node{Op: Return, Val: v}, src)
	}
	if c := b.jump(callContext); c != nil {
		c.returns = append(c.returns, outcome{pend: b.pend, locks: b.locks, val: v})
	}
	b.pend = nil
}

func (b *builder) ifStmt(n *ast.If) {
	yes, no := b.cond(n.Test)
	b.restore(yes)
	b.block(n.Body)
	yes = b.save()
	b.restore(no)
	b.block(n.Orelse)
	b.join(yes, b.save())
}

// constantTrue reports whether a loop condition is a true literal.
func constantTrue(e ast.Expr) bool {
	c, ok := e.(*ast.Constant)
	return ok && (c.Kind() == ast.True || c.Kind() == ast.Int && c.Value() != "0")
}

func (b *builder) while(n *ast.While) {
	b.havoc(n.Body, n.Test)
	mode := Mode(0)
	if constantTrue(n.Test) {
		mode = Forever
	}
	head := b.emit(Node{Op: LoopHead, Mode: mode}, n)
	c := &context{kind: loopContext, head: head}
	var done state
	if mode == Forever {
		done = b.save()
		done.pend = nil
	} else {
		var body state
		body, done = b.cond(n.Test)
		b.restore(body)
	}
	b.push(c)
	b.block(n.Body)
	b.pop()
	b.connect(head)
	b.restore(done)
	b.block(n.Orelse)
	b.join(append(c.breaks, b.save())...)
}

// havoc forgets the variables that a loop assigns, since the walk enters its
// body for any iteration. A variable keeps its value when the loop cannot
// change it.
func (b *builder) havoc(body []ast.Stmt, also ...ast.Expr) {
	names := b.p.assignedIn(body)
	if set := map[string]bool{}; len(also) > 0 {
		maps.Copy(set, names)
		for _, e := range also {
			if e != nil {
				assigned(e, set)
			}
		}
		names = set
	}
	for name := range names {
		if v := b.frame.env[name]; v != nil {
			other := b.opaque(looseType(v.Type), name)
			b.holds(other, v)
			b.bind(name, other)
		}
	}
}

// looseType is the type of a variable that is assigned again: what it holds
// now says little about None.
func looseType(t *program.Type) *program.Type {
	if t.Kind == program.None {
		return program.UnknownType()
	}
	return t
}

// assignedIn returns the variables that the statements of a block bind.
func (p *Program) assignedIn(body []ast.Stmt) map[string]bool {
	if len(body) == 0 {
		return nil
	}
	names, ok := p.assigned[body[0]]
	if !ok {
		names = map[string]bool{}
		for _, st := range body {
			assigned(st, names)
		}
		p.assigned[body[0]] = names
	}
	return names
}

// assigned collects the variables that a statement or expression binds.
func assigned(root ast.Node, names map[string]bool) {
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Name:
			if n.Ctx() != ast.Load {
				names[n.Id()] = true
			}
		case *ast.FunctionDef:
			names[n.Name] = true
			return false
		case *ast.ClassDef, *ast.Lambda:
			return false
		case *ast.ExceptHandler:
			if n.Name != "" {
				names[n.Name] = true
			}
		case *ast.MatchAs:
			if n.Name != "" {
				names[n.Name] = true
			}
		}
		return true
	})
}

func (b *builder) forStmt(n *ast.For) {
	if call := b.prog.Again(n.Iter); call != nil && !n.Async {
		b.until(n, call)
		return
	}
	it := b.iterable(n.Iter)
	if n.Async {
		b.emit(Node{Op: Await, Mode: Async}, n.Iter)
	}
	b.havoc(n.Body, n.Target)
	b.loop(it, n.Target, n, func() { b.block(n.Body) }, n.Orelse)
}

// until lowers a loop over iter(f, end): it calls f again and again, and ends with what is
// equal to end.
func (b *builder) until(n *ast.For, call *ast.Call) {
	end := b.expr(n.Iter.(*ast.Call).Args()[1])
	b.havoc(n.Body, n.Target)
	head := b.emit(Node{Op: LoopHead, Mode: Forever}, n)
	c := &context{kind: loopContext, head: head}
	b.push(c)
	item := b.expr(call)
	test := TestEq
	if end.IsNone() {
		test, end = TestNone, nil
	}
	done, body := b.test(test, item, end, n.Iter)
	b.restore(body)
	b.store(n.Target, item, n)
	b.block(n.Body)
	b.pop()
	b.connect(head)
	b.restore(done)
	b.block(n.Orelse)
	b.join(append(c.breaks, b.save())...)
}

// loop lowers a loop over it: its head, the taking of an element, the body and
// the else branch.
func (b *builder) loop(it iteration, target ast.Expr, src ast.Node, body func(), orelse []ast.Stmt) {
	if each := shelves(it); each != nil {
		b.turns(each, target, src, body, orelse)
		return
	}
	head := b.beginLoop(it, src)
	done := b.save()
	if len(done.pend) > 0 {
		done.pend = []dangling{{from: head, kind: False}}
		b.pend = []dangling{{from: head, kind: True}}
	}
	c := &context{kind: loopContext, head: head}
	b.push(c)
	el := b.elementOf(it)
	if head >= 0 {
		b.nodes[head].Val = el
	}
	b.takes(head, el)
	b.exhausted(head, it.value)
	b.store(target, el, src)
	body()
	b.pop()
	b.connect(head)
	b.restore(done)
	b.block(orelse)
	b.join(append(c.breaks, b.save())...)
}

// MostTurns is how many containers a loop over a display of them takes one by one.
const MostTurns = 4

// shelves returns the elements of the display that an iteration walks over, where each
// is another container, or a tuple with one:
//
//	for queue in (self.waiting, self.running):
func shelves(it iteration) []*Value {
	v := it.value
	if it.base != nil || it.parts != nil || v == nil || len(v.Args) < 2 || len(v.Args) > MostTurns {
		return nil
	}
	if v.Kind != Object && (v.Kind != Derived || v.Name != "tuple") {
		return nil
	}
	for _, x := range v.Args {
		if !keyed(x) && (x.Kind != Derived || x.Name != "tuple" || !slices.ContainsFunc(x.Args, keyed)) {
			return nil
		}
	}
	return v.Args
}

// keyed reports whether a value is a container that is used with keys.
func keyed(v *Value) bool { return v.Kind == Container && v.Loc.Keyed() }

// turns lowers a loop over a few known values: its body once for each of them.
func (b *builder) turns(each []*Value, target ast.Expr, src ast.Node, body func(), orelse []ast.Stmt) {
	var breaks []state
	for _, v := range each {
		c := &context{kind: loopContext, head: -1, turn: true}
		b.push(c)
		b.store(target, v, src)
		body()
		b.pop()
		breaks = append(breaks, c.breaks...)
		b.join(append(c.nexts, b.save())...)
	}
	b.block(orelse)
	b.join(append(breaks, b.save())...)
}

// beginLoop emits the steps that every iteration starts at. For a live
// iteration that is a step which fails when the container has changed its
// size.
func (b *builder) beginLoop(it iteration, src ast.Node) int32 {
	if it.live && it.base != nil {
		mode := Live
		if it.comprehension {
			mode |= Comprehension
		}
		if it.backward {
			mode |= Backward
		}
		b.emit(Node{Op: Iter, Mode: mode, On: it.base.Cls, Loc: it.base.Loc, Path: it.base.Path()}, it.src)
		head := b.emit(Node{Op: Next, Mode: mode, On: it.base.Cls, Loc: it.base.Loc, Path: it.base.Path()}, it.src)
		if it.base.Type.Kind != program.List {
			b.mayRaise(head, "RuntimeError")
		}
		return head
	}
	return b.emit(Node{Op: LoopHead}, src)
}

// suppressed returns the exceptions that a context manager of the standard library
// swallows, as contextlib.suppress does; nil for any other.
func (b *builder) suppressed(e ast.Expr) []ast.Expr {
	call, ok := e.(*ast.Call)
	if !ok || b.prog.Resolve(call.Func, b.frame.Fn, b.frame.Fn.Module).External != "contextlib.suppress" {
		return nil
	}
	return call.Args()
}

// suppress lowers the rest of a with statement as the body of a try statement
// whose handler does nothing.
func (b *builder) suppress(n *ast.With, i int, excs []ast.Expr) {
	before := b.save()
	c := &context{kind: tryContext}
	b.push(c)
	b.with(n, i+1)
	b.pop()
	within := b.save()
	ends := []state{within}
	caught, rest := b.split(c.excs, &ast.ExceptHandler{Type: &ast.Tuple{Elts: excs}})
	if len(caught) > 0 {
		b.restore(state{pend: caught, env: handlerEnv(before, within, n.Body, b), locks: c.locks})
		ends = append(ends, b.save())
	}
	for _, d := range rest {
		b.propagate(d)
	}
	b.join(ends...)
}

func (b *builder) with(n *ast.With, i int) {
	if i == len(n.Items) {
		b.block(n.Body)
		return
	}
	item := n.Items[i]
	if excs := b.suppressed(item.ContextExpr); excs != nil {
		b.suppress(n, i, excs)
		return
	}
	v := b.expr(item.ContextExpr)
	if b.dead() {
		return
	}
	lock := lockOf(v)
	if lock == nil {
		if n.Async {
			b.emit(Node{Op: Await, Mode: Async}, item.ContextExpr)
		}
		if item.OptionalVars != nil {
			b.store(item.OptionalVars, b.entered(v), n)
		}
		if isExitStack(v) {
			b.stacks[v] = n.Body[len(n.Body)-1]
		}
		if isPool(v) {
			end := Node{Op: Nop}
			if n.Async { // others of the loop run until the tasks are over
				end = Node{Op: Await, Mode: Async}
			}
			b.protected(func() { b.with(n, i+1) }, func() { b.poolEnds(b.emit(end, item.ContextExpr), v) })
			return
		}
		b.withManager(v, n, i)
		return
	}
	b.locked(lock, n.Async, item.ContextExpr, func() { b.with(n, i+1) })
}

// locked runs body while lock is held.
func (b *builder) locked(lock *Value, async bool, src ast.Node, body func()) {
	mode := Mode(0)
	if async {
		mode = Async
	}
	outer := b.locks
	b.emit(Node{Op: Acquire, Lock: lock, Mode: mode}, src)
	b.locks = append(outer[:len(outer):len(outer)], lock)
	b.protected(body, func() {
		b.emit(Node{Op: Release, Lock: lock, Mode: mode}, src)
		b.locks = outer
	})
}

// protected runs body and, on every way out of it, cleanup.
func (b *builder) protected(body, cleanup func()) {
	c := &context{kind: cleanupContext, cleanup: cleanup}
	held := b.locks
	b.push(c)
	body()
	b.pop()
	if !b.dead() {
		cleanup()
	}
	after := b.save()
	for _, exc := range distinctExcs(c.excs) {
		b.restore(state{pend: withExc(c.excs, exc), env: b.save().env, locks: held})
		cleanup()
		for _, d := range b.pend {
			d.exc = exc
			b.propagate(d)
		}
	}
	b.restore(after)
}

// distinctExcs returns the exception classes of edges, in order of appearance.
func distinctExcs(ds []dangling) []string {
	var out []string
	seen := map[string]bool{}
	for _, d := range ds {
		if !seen[d.exc] {
			seen[d.exc] = true
			out = append(out, d.exc)
		}
	}
	return out
}

func withExc(ds []dangling, exc string) []dangling {
	var out []dangling
	for _, d := range ds {
		if d.exc == exc {
			out = append(out, d)
		}
	}
	return out
}

func (b *builder) try(n *ast.Try) {
	if len(n.Finalbody) == 0 {
		b.tryExcept(n)
		return
	}
	b.protected(func() { b.tryExcept(n) }, func() { b.block(n.Finalbody) })
}

func (b *builder) tryExcept(n *ast.Try) {
	if len(n.Handlers) == 0 {
		b.block(n.Body)
		b.block(n.Orelse)
		return
	}
	before := b.save()
	c := &context{kind: tryContext}
	b.push(b.resumption(n.Orelse))
	b.push(c)
	b.block(n.Body)
	b.pop()
	b.pop()
	within := b.save()
	b.block(n.Orelse)
	ends := []state{b.save()}
	rest := c.excs
	for _, h := range n.Handlers {
		var caught []dangling
		caught, rest = b.split(rest, h)
		if len(caught) == 0 {
			continue
		}
		b.restore(state{pend: caught, env: handlerEnv(before, within, n.Body, b), locks: c.locks})
		if h.Name != "" {
			b.bind(h.Name, b.opaque(nil, h.Name))
		}
		b.excs = append(b.excs, excName(caught))
		b.block(h.Body)
		b.excs = b.excs[:len(b.excs)-1]
		ends = append(ends, b.save())
	}
	for _, d := range rest {
		b.propagate(d)
	}
	b.join(ends...)
}

// excName is the class that a handler re-raises.
func excName(ds []dangling) string {
	if names := distinctExcs(ds); len(names) == 1 {
		return names[0]
	}
	return "*"
}

// handlerEnv is what the variables hold when a handler begins: what they held
// before the try, and for those the body sets, what it sets if they had no
// value, since otherwise the handler could not use them.
func handlerEnv(before, within state, body []ast.Stmt, b *builder) map[string]*Value {
	set := b.p.assignedIn(body)
	env := make(map[string]*Value, len(before.env))
	for k, v := range before.env {
		if set[k] && within.env[k] != v {
			env[k] = b.opaque(looseType(v.Type), k)
			continue
		}
		env[k] = v
	}
	for k, v := range within.env {
		if before.env[k] == nil {
			env[k] = v
		}
	}
	return env
}

// split returns the exceptions that a handler catches, and those that go on. A
// call of unknown code may raise anything, so it can do both.
func (b *builder) split(ds []dangling, h *ast.ExceptHandler) (caught, rest []dangling) {
	names, all := b.handlerClasses(h)
	for _, d := range ds {
		switch {
		case all:
			caught = append(caught, d)
		case d.exc == "*":
			caught = append(caught, d)
			rest = append(rest, d)
		case b.catches(names, d.exc):
			caught = append(caught, d)
		default:
			rest = append(rest, d)
		}
	}
	return caught, rest
}

func (b *builder) handlerClasses(h *ast.ExceptHandler) (names []string, all bool) {
	if h.Type == nil {
		return nil, true
	}
	names = b.caughtClasses(h.Type, b.frame.Fn, 0)
	if slices.Contains(names, "Exception") || slices.Contains(names, "BaseException") {
		return nil, true
	}
	return names, false
}

// maxTuples bounds how far the tuples of exception classes that variables hold are followed.
const maxTuples = 4

// caughtClasses returns the classes that an expression behind except names, in a function or,
// with nil, in its module; "*" for what is only known when the program runs, which can be any.
func (b *builder) caughtClasses(e ast.Expr, fn *program.Func, depth int) []string {
	if t, ok := e.(*ast.Tuple); ok {
		var names []string
		for _, elt := range t.Elts {
			names = append(names, b.caughtClasses(elt, fn, depth)...)
		}
		return names
	}
	var defs []program.Def
	if attr, c := fn.SelfAttr(e), fn.SelfClass(); attr != "" && c != nil {
		if owner := c.AttrOwner(attr); owner != nil {
			defs = owner.Attrs[attr].Defs
		}
	} else if v := b.prog.Resolve(e, fn, fn.Module).Var; v == nil {
		return []string{b.excClass(e)}
	} else if v.Param == nil {
		defs = v.Defs
	}
	if len(defs) != 1 || defs[0].Value == nil || defs[0].Index >= 0 || depth == maxTuples {
		return []string{"*"}
	}
	if defs[0].Func == nil { // of a module or class
		return b.caughtClasses(defs[0].Value, fn, depth+1)
	}
	return b.caughtClasses(defs[0].Value, defs[0].Func, depth+1)
}

// excClass returns the name of an exception class: the qualified name of one
// in the program, or the last part of a dotted name.
func (b *builder) excClass(e ast.Expr) string {
	if call, ok := e.(*ast.Call); ok {
		e = call.Func
	}
	r := b.prog.Resolve(e, b.frame.Fn, b.frame.Fn.Module)
	if r.Class != nil {
		return r.Class.Qual
	}
	switch e := e.(type) {
	case *ast.Name:
		return e.Id()
	case *ast.Attribute:
		return e.Attr()
	}
	return "*"
}

// superclasses of the builtin exceptions that steps raise.
var superclasses = map[string][]string{
	"KeyError":          {"LookupError"},
	"IndexError":        {"LookupError"},
	"UnicodeError":      {"ValueError"},
	"ModuleNotFound":    {"ImportError"},
	"RecursionError":    {"RuntimeError"},
	"NotImplementedErr": {"RuntimeError"},
}

func (b *builder) catches(names []string, exc string) bool {
	for _, n := range names {
		if n == exc || n == "*" {
			return true
		}
		for _, s := range superclasses[exc] {
			if n == s {
				return true
			}
		}
		for _, c := range b.prog.Classes {
			if c.Qual == exc {
				for _, k := range c.MRO {
					if k.Qual == n || slices.Contains(k.External, n) {
						return true
					}
				}
			}
		}
	}
	return false
}

func (b *builder) raise(n *ast.Raise) {
	exc, mode := "*", Mode(0)
	if n.Exc == nil {
		mode = Reraise
		if len(b.excs) > 0 {
			exc = b.excs[len(b.excs)-1]
		}
	} else {
		if call, ok := n.Exc.(*ast.Call); ok {
			for _, a := range call.Args() {
				b.expr(a)
			}
		}
		exc = b.excClass(n.Exc)
	}
	id := b.emit(Node{Op: Raise, Name: exc, Mode: mode}, n)
	b.mayRaise(id, exc)
	b.pend = nil
}

func (b *builder) assert(n *ast.Assert) {
	yes, no := b.cond(n.Test)
	b.restore(no)
	id := b.emit(Node{Op: Assert, Name: "AssertionError"}, n)
	b.mayRaise(id, "AssertionError")
	b.restore(yes)
}

func (b *builder) match(n *ast.Match) {
	subject := b.expr(n.Subject)
	var ends []state
	for _, mc := range n.Cases {
		if b.dead() {
			break
		}
		yes, no := b.pattern(subject, mc.Pattern)
		b.restore(yes)
		if mc.Guard != nil {
			g, not := b.cond(mc.Guard)
			b.join(no, not)
			no = b.save()
			b.restore(g)
		}
		b.block(mc.Body)
		ends = append(ends, b.save())
		b.restore(no)
	}
	b.join(append(ends, b.save())...)
}

// pattern lowers the test whether a value matches.
func (b *builder) pattern(v *Value, pat ast.Pattern) (yes, no state) {
	switch pat := pat.(type) {
	case *ast.MatchValue:
		return b.test(TestEq, v, b.expr(pat.Value), pat)
	case *ast.MatchSingleton:
		if pat.Value == ast.None {
			return b.test(TestNone, v, nil, pat)
		}
		return b.test(TestEq, v, b.constant(ast.NewConstant(pat.Range, pat.Value, "")), pat)
	case *ast.MatchOr:
		var hits []state
		for _, alt := range pat.Patterns {
			yes, no := b.pattern(v, alt)
			hits = append(hits, yes)
			b.restore(no)
		}
		no := b.save()
		b.join(hits...)
		return b.save(), no
	case *ast.MatchAs:
		if pat.Pattern != nil {
			yes, no := b.pattern(v, pat.Pattern)
			yes.env = maps.Clone(yes.env)
			yes.env[pat.Name] = v
			return yes, no
		}
		if pat.Name != "" {
			b.bind(pat.Name, v)
		}
		yes := b.save()
		none := b.save()
		none.pend = nil
		return yes, none
	case *ast.MatchSequence:
		return b.sequencePattern(v, pat)
	}
	for name := range capturedNames(pat) {
		b.bind(name, b.opaque(nil, name))
	}
	return b.test(TestUnknown, v, nil, pat)
}

// sequencePattern matches the parts one by one; whether there are as many is
// not known.
func (b *builder) sequencePattern(v *Value, pat *ast.MatchSequence) (yes, no state) {
	yes, no = b.test(TestUnknown, v, nil, pat)
	fails := []state{no}
	b.restore(yes)
	for i, p := range pat.Patterns {
		if star, ok := p.(*ast.MatchStar); ok {
			if star.Name != "" {
				b.bind(star.Name, b.opaque(nil, star.Name))
			}
			continue
		}
		yes, no := b.pattern(b.part(v, i), p)
		fails = append(fails, no)
		b.restore(yes)
	}
	yes = b.save()
	b.join(fails...)
	return yes, b.save()
}

func capturedNames(pat ast.Pattern) map[string]bool {
	names := map[string]bool{}
	assigned(pat, names)
	return names
}
