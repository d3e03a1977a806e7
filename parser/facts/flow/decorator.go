package flow

import (
	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/program"
)

// A decorator may put a function between a method and its callers, one that
// takes a lock, say:
//
//	def locked(method):
//	    def inner(self, *args):
//	        with self.lock:
//	            return method(self, *args)
//	    return inner
//
// A call of the method is then lowered as a call of inner, where the name method
// stands for what is decorated.

// wrapper returns the function that the innermost decorator of f puts in its
// place, and the parameter that stands for f there; nil when there is none that
// touches shared state.
func (p *Program) wrapper(f *program.Func) (inner *program.Func, name string) {
	d, ok := f.Node.(*ast.FunctionDef)
	if !ok || len(d.DecoratorList) == 0 {
		return nil, ""
	}
	if w, ok := p.wrappers[f]; ok {
		return w.inner, w.name
	}
	for i := len(d.DecoratorList) - 1; i >= 0 && inner == nil; i-- {
		dec := p.Index.Resolve(d.DecoratorList[i], f.Outer, f.Module).Func
		if dec != nil && len(dec.Params) == 1 && dec.Class == nil {
			inner, name = p.innerOf(dec), dec.Params[0].Name
		}
	}
	if p.wrappers == nil {
		p.wrappers = map[*program.Func]wrapping{}
	}
	p.wrappers[f] = wrapping{inner, name}
	return inner, name
}

type wrapping struct {
	inner *program.Func
	name  string
}

// innerOf returns the function that a decorator returns, if it calls what is
// decorated and touches shared state itself.
func (p *Program) innerOf(dec *program.Func) *program.Func {
	var found *program.Func
	for _, st := range dec.Body() {
		d, ok := st.(*ast.FunctionDef)
		if !ok {
			continue
		}
		f := p.Index.FuncOf(d)
		if f == nil || !p.touchesFunc(f) || f.Generator || f.Async || !calls(d, dec.Params[0].Name) {
			continue
		}
		for _, r := range dec.Returns {
			if n, ok := r.(*ast.Name); ok && n.Id() == d.Name {
				found = f
			}
		}
	}
	return found
}

// calls reports whether a function calls a name.
func calls(d *ast.FunctionDef, name string) bool {
	found := false
	ast.Inspect(d, func(n ast.Node) bool {
		if c, ok := n.(*ast.Call); ok {
			v, ok := c.Func.(*ast.Name)
			found = found || ok && v.Id() == name
		}
		return !found
	})
	return found
}

// wrapped lowers a call of a decorated function, or reports false when nothing
// that matters is put around it.
func (b *builder) wrapped(f *program.Func, self *Value, pos []*Value, kw map[string]*Value, e ast.Node) ([]outcome, bool) {
	inner, name := b.p.wrapper(f)
	if inner == nil || b.frame.Fn == inner {
		return nil, false
	}
	if self != nil {
		pos = append([]*Value{self}, pos...)
	}
	b.frames++
	closure := &Frame{Fn: inner.Outer, env: map[string]*Value{name: b.function(f, nil)}, serial: b.frames, wraps: f}
	return b.inline(inner, nil, closure, pos, kw, e), true
}

// wrappedEntry lowers an entrypoint that is decorated: its frame stands for the
// call from outside.
func (b *builder) wrappedEntry(f *program.Func) bool {
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
