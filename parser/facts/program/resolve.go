package program

import (
	"github.com/kvrace/kvrace/parser/ast"
)

// A Ref is what a name or dotted name refers to. At most one of Class, Func,
// Module and Var is set, or External holds the dotted name of something
// outside the program, such as threading.Thread; a name that nothing binds is
// taken for a builtin. The zero Ref is unknown.
type Ref struct {
	Class    *Class
	Func     *Func
	Module   *Module
	Var      *Binding
	VarScope *Scope
	External string
	// Member is a class-level attribute, such as a member of an enumeration.
	Member *Attr
}

// resolve is Resolve within an answer.
func (p *Program) resolve(e ast.Expr, f *Func, mod *Module) Ref {
	sc := mod.Scope
	if f != nil {
		sc = f.Scope
	}
	return p.resolveExpr(e, sc, mod)
}

func (p *Program) resolveExpr(e ast.Expr, sc *Scope, mod *Module) Ref {
	switch e := e.(type) {
	case *ast.Name:
		return p.resolveName(e.Id(), sc, mod)
	case *ast.Attribute:
		return p.member(p.resolveExpr(e.Value, sc, mod), e.Attr())
	}
	return Ref{}
}

func (p *Program) resolveName(name string, sc *Scope, mod *Module) Ref {
	b, home := sc.Lookup(name)
	if b == nil {
		if r := p.star(mod, name, 0); r != (Ref{}) {
			return r
		}
		return Ref{External: name}
	}
	return p.bound(b, home, 0)
}

// maxHops bounds chains of re-exports, which can be cyclic.
const maxHops = 12

func (p *Program) bound(b *Binding, home *Scope, hops int) Ref {
	switch {
	case hops > maxHops:
		return Ref{}
	case b.Class != nil:
		return Ref{Class: b.Class}
	case b.Func != nil:
		return Ref{Func: b.Func}
	case b.Import != nil:
		if b.imported == (Ref{}) {
			r := p.imported(b.Import, b.importer, hops)
			if hops > 0 { // perhaps too many
				return r
			}
			b.imported = r
		}
		return b.imported
	}
	return Ref{Var: b, VarScope: home}
}

// imported returns what an import in a module names.
func (p *Program) imported(im *Import, by *Module, hops int) Ref {
	if im.Name == "" {
		if m := p.module(im.Module, by); m != nil {
			return Ref{Module: m}
		}
		return Ref{External: im.Module}
	}
	if m := p.module(im.Module, by); m != nil {
		if r := p.moduleMember(m, im.Name, hops+1); r != (Ref{}) {
			return r
		}
	}
	if m := p.module(im.Module+"."+im.Name, by); m != nil {
		return Ref{Module: m}
	}
	return Ref{External: im.Module + "." + im.Name}
}

func (p *Program) moduleMember(m *Module, name string, hops int) Ref {
	if b := m.Scope.Own(name); b != nil {
		return p.bound(b, m.Scope, hops)
	}
	return p.star(m, name, hops)
}

// star looks a name up in the modules that mod imports with a star.
func (p *Program) star(mod *Module, name string, hops int) Ref {
	if hops > maxHops || mod == nil {
		return Ref{}
	}
	for _, n := range mod.Stars {
		if m := p.module(mod.relative(n), mod); m != nil && m != mod {
			if r := p.moduleMember(m, name, hops+1); r != (Ref{}) {
				return r
			}
		}
	}
	return Ref{}
}

func (p *Program) member(r Ref, attr string) Ref {
	switch {
	case r.External != "":
		return Ref{External: r.External + "." + attr}
	case r.Module != nil:
		if m := p.moduleMember(r.Module, attr, 0); m != (Ref{}) {
			return m
		}
		if sub := p.module(r.Module.Path+"."+attr, r.Module); sub != nil {
			return Ref{Module: sub}
		}
	case r.Class != nil:
		return r.Class.member(attr)
	}
	return Ref{}
}

// member returns what Class.attr refers to: a method, a nested class or a
// class-level attribute.
func (c *Class) member(attr string) Ref {
	if f := c.Method(attr); f != nil {
		return Ref{Func: f}
	}
	for _, k := range c.MRO {
		for _, nested := range k.Module.Classes {
			if nested.Qual == k.Qual+"."+attr {
				return Ref{Class: nested}
			}
		}
		if a := k.Attrs[attr]; a != nil && a.ClassLevel {
			return Ref{Member: a}
		}
	}
	return Ref{}
}

// A CallSite is a call expression and the function that contains it.
type CallSite struct {
	Module *Module
	Func   *Func // nil at module or class level
	Call   *ast.Call
}

// callsOf is Calls within an answer.
func (p *Program) callsOf(name string) []CallSite {
	if p.calls == nil {
		p.calls = map[string][]CallSite{}
		for _, m := range p.Modules {
			p.indexCalls(m)
		}
	}
	return p.calls[name]
}

func (p *Program) indexCalls(m *Module) {
	var visit func(n ast.Node, f *Func)
	visit = func(root ast.Node, f *Func) {
		ast.Inspect(root, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FunctionDef, *ast.Lambda:
				if g := p.funcOf[n]; g != nil && n != root {
					visit(n, g)
					return false
				}
			case *ast.Call:
				if name := n.Callee(); name != "" {
					p.calls[name] = append(p.calls[name], CallSite{m, f, n})
				}
			}
			return true
		})
	}
	for _, st := range m.AST.Body {
		if g := p.funcOf[st]; g != nil {
			visit(st, g)
			continue
		}
		visit(st, nil)
	}
}
