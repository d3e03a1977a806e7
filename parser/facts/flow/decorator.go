package flow

import (
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/program"
)

// A decorator may put a function between a method and its callers, one that
// takes a lock, say, or logs what the method raises:
//
//	def locked(method):
//	    def inner(self, *args):
//	        with self.lock:
//	            return method(self, *args)
//	    return inner
//
// A call of the method is then lowered as a call of inner, where the name method
// stands for what is decorated. The decorator may be made by a call, as
// @locked("lock"), and it may be a context manager, @exclusive().

// A wrapping is what a decorator puts in the place of a function: inner, in which
// the parameter name of the decorator stands for the function, or a with statement
// over manager.
type wrapping struct {
	inner   *program.Func
	name    string
	manager *program.Func
	made    *ast.Call // the call that makes the decorator, or nil
	once    bool      // all it does is to catch what the function raises, which ends then
}

func (w wrapping) none() bool { return w.inner == nil && w.manager == nil }

// wrapper returns what the innermost decorator of f that touches shared state puts
// in its place.
func (p *Program) wrapper(f *program.Func) wrapping {
	d, ok := f.Node.(*ast.FunctionDef)
	if !ok || len(d.DecoratorList) == 0 {
		return wrapping{}
	}
	if w, ok := p.wrappers[f]; ok {
		return w
	}
	var w wrapping
	for i := len(d.DecoratorList) - 1; i >= 0 && w.none(); i-- {
		w = p.decoration(d.DecoratorList[i], f)
	}
	if p.wrappers == nil {
		p.wrappers = map[*program.Func]wrapping{}
	}
	p.wrappers[f] = w
	return w
}

// decoration returns what one decorator of f does.
func (p *Program) decoration(e ast.Expr, f *program.Func) wrapping {
	call, made := e.(*ast.Call)
	if made {
		e = call.Func
	}
	dec := p.Index.Resolve(e, f.Outer, f.Module).Func
	switch {
	case dec == nil || dec.Class != nil:
	case !made:
		return p.innerOf(dec, f)
	case dec.Kind == program.ContextManager:
		if len(call.Args())+len(call.Keywords()) == 0 && len(dec.Params) == 0 && !f.Async && (p.touchesFunc(dec) || p.locks(dec) || catches(dec, isYield)) {
			return wrapping{manager: dec, once: !p.touchesFunc(dec) && !p.locks(dec)}
		}
	default:
		for _, n := range nestedFuncs(dec) {
			if inner := p.Index.FuncOf(n); inner != nil && returned(dec, n.Name) {
				if w := p.innerOf(inner, f); !w.none() {
					w.made = call
					return w
				}
			}
		}
	}
	return wrapping{}
}

// innerOf returns the function that a decorator returns, if it calls what is
// decorated, and touches shared state, takes a lock or catches an exception itself.
func (p *Program) innerOf(dec, f *program.Func) wrapping {
	if len(dec.Params) == 0 {
		return wrapping{}
	}
	name := dec.Params[0].Name
	for _, d := range nestedFuncs(dec) {
		inner := p.Index.FuncOf(d)
		if inner == nil || inner.Generator || inner.Async != f.Async || !calls(d, name) || !returned(dec, d.Name) {
			continue
		}
		matters := p.touchesFunc(inner) || p.locks(inner)
		if matters || catches(inner, func(n ast.Node) bool { return callsName(n, name) }) {
			return wrapping{inner: inner, name: name, once: !matters && !hasLoop(inner)}
		}
	}
	return wrapping{}
}

func nestedFuncs(f *program.Func) []*ast.FunctionDef {
	var out []*ast.FunctionDef
	for _, st := range f.Body() {
		if d, ok := st.(*ast.FunctionDef); ok {
			out = append(out, d)
		}
	}
	return out
}

// returned reports whether a function returns what a name stands for, or what a call
// makes of it, as functools.wraps(method)(inner) does.
func returned(f *program.Func, name string) bool {
	is := func(e ast.Expr) bool {
		n, ok := e.(*ast.Name)
		return ok && n.Id() == name
	}
	for _, r := range f.Returns {
		found := false
		ast.Inspect(r, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Call:
				for _, a := range n.Args() {
					found = found || is(a)
				}
				found = found || is(n.Func)
			case *ast.Name:
				found = found || ast.Node(n) == ast.Node(r) && is(n)
			case *ast.IfExp:
				found = found || is(n.Body) && is(n.Orelse)
				return false
			}
			return !found
		})
		if !found {
			return false
		}
	}
	return len(f.Returns) > 0
}

// locks reports whether a function takes a lock of the module.
func (p *Program) locks(f *program.Func) bool {
	isLock := func(e ast.Expr) bool {
		k := p.Index.TypeOf(e, program.Env{Module: f.Module, Func: f}).Kind
		return k.IsLock() || k == program.AsyncLock
	}
	found := false
	ast.Inspect(f.Node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.With:
			for _, item := range n.Items {
				found = found || isLock(item.ContextExpr) || isGetattr(item.ContextExpr) || p.isParam(item.ContextExpr, f)
			}
		case *ast.Call:
			if at, ok := n.Func.(*ast.Attribute); ok && at.Attr() == "acquire" {
				found = found || isLock(at.Value) || p.isParam(at.Value, f)
			}
		}
		return !found
	})
	return found
}

func isGetattr(e ast.Expr) bool {
	call, ok := e.(*ast.Call)
	if !ok {
		return false
	}
	name, ok := call.Func.(*ast.Name)
	return ok && name.Id() == "getattr"
}

// isParam reports whether an expression is a parameter of a function around f, as
// the lock is that a decorator was made with.
func (p *Program) isParam(e ast.Expr, f *program.Func) bool {
	n, ok := e.(*ast.Name)
	if !ok {
		return false
	}
	bind, home := f.Scope.Lookup(n.Id())
	return bind != nil && bind.Param != nil && home.Func != f
}

// calls reports whether a function calls a name.
func calls(d *ast.FunctionDef, name string) bool {
	found := false
	ast.Inspect(d, func(n ast.Node) bool {
		found = found || callsName(n, name)
		return !found
	})
	return found
}

// callsName reports whether a node is a call of a name.
func callsName(n ast.Node, name string) bool {
	c, ok := n.(*ast.Call)
	if !ok {
		return false
	}
	v, ok := c.Func.(*ast.Name)
	return ok && v.Id() == name
}

func isYield(n ast.Node) bool {
	_, ok := n.(*ast.Yield)
	return ok
}

// hasLoop reports whether a function has a loop.
func hasLoop(f *program.Func) bool {
	found := false
	for _, st := range f.Body() {
		ast.Inspect(st, func(n ast.Node) bool {
			switch n.(type) {
			case *ast.While, *ast.For:
				found = true
			}
			return !found
		})
	}
	return found
}

// catches reports whether a function has a handler for the exceptions of a node that does not
// raise again: what it is put around ends otherwise then.
func catches(f *program.Func, is func(ast.Node) bool) bool {
	found := false
	for _, st := range f.Body() {
		ast.Inspect(st, func(n ast.Node) bool {
			try, ok := n.(*ast.Try)
			if !ok || !slices.ContainsFunc(try.Handlers, func(h *ast.ExceptHandler) bool { return !ast.Raises(h.Body) }) {
				return !found
			}
			for _, inner := range try.Body {
				ast.Inspect(inner, func(n ast.Node) bool {
					found = found || is(n)
					return !found
				})
			}
			return !found
		})
	}
	return found
}

// wrapped lowers a call of a decorated function, or reports false when nothing
// that matters is put around it.
func (b *builder) wrapped(f *program.Func, self *Value, pos []*Value, kw map[string]*Value, e ast.Node) ([]outcome, bool) {
	w := b.p.wrapper(f)
	if w.none() || b.frame.Fn == w.inner || b.managing(w.manager) {
		return nil, false
	}
	if w.manager != nil {
		var v *Value
		manager := b.result(nil, "")
		manager.Fn = w.manager
		b.managed(manager, e, func() { v = b.mergeOutcomes(b.inline(f, self, nil, pos, kw, e), nil, "") })
		if v == nil {
			v = b.none()
		}
		return b.here(v), true
	}
	if self != nil {
		pos = append([]*Value{self}, pos...)
	}
	closure := b.addFrame(&Frame{Fn: w.inner.Outer, wraps: f})
	closure.env = map[string]*Value{w.name: b.function(f, nil)}
	if w.made != nil {
		closure.closure = b.makerFrame(w, f)
	}
	return b.inline(w.inner, nil, closure, pos, kw, e), true
}

// managing reports whether the place is in the body of a with statement over a
// context manager that decorates what is called.
func (b *builder) managing(manager *program.Func) bool {
	if manager == nil {
		return false
	}
	for i := len(b.ctx) - 1; i >= 0; i-- {
		if c := b.ctx[i]; c.kind == callContext {
			return c.frame.Fn == manager
		}
	}
	return false
}

// makerFrame returns the frame of the call that made a decorator of f.
func (b *builder) makerFrame(w wrapping, f *program.Func) *Frame {
	maker := w.inner.Outer.Outer
	saved := b.frame
	b.frame = b.addFrame(&Frame{Fn: f, env: map[string]*Value{}})
	defer func() { b.frame = saved }()
	env := map[string]*Value{}
	set := func(p *program.Param, e ast.Expr) {
		switch e.(type) {
		case *ast.Constant, *ast.Name, *ast.Attribute:
			env[p.Name] = b.expr(e)
		}
	}
	for i, p := range maker.Params {
		if p.Default != nil {
			set(p, p.Default)
		}
		if args := w.made.Args(); i < len(args) && p.Variadic == program.Single {
			set(p, args[i])
		}
		for _, k := range w.made.Keywords() {
			if k.Arg() == p.Name {
				set(p, k.Value)
			}
		}
	}
	return b.addFrame(&Frame{Fn: maker, env: env})
}

// wrappedEntry lowers an entrypoint that is decorated: its frame stands for the
// call from outside. One whose exception is caught ends nevertheless.
func (b *builder) wrappedEntry(f *program.Func) bool {
	if b.p.wrapper(f).once {
		return false
	}
	var pos []*Value
	for _, p := range f.Params {
		if p.Variadic == program.Single {
			pos = append(pos, b.frame.env[p.Name])
		}
	}
	b.frame.shell = true
	outs, ok := b.wrapped(f, nil, pos, nil, f.Node)
	if !ok {
		b.frame.shell = false
		return false
	}
	v := b.mergeOutcomes(outs, nil, "")
	if !b.dead() {
		b.leave(v, f.Node)
	}
	return true
}
