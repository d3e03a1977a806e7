package flow

import (
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/program"
)

// ownership says who can reach an object.
type ownership uint8

const (
	shared  ownership = iota // anybody
	made                     // the entrypoint has made it, and may have handed it on
	private                  // the entrypoint has made it, and nobody else knows it
)

// uses notes that the entrypoint reaches a location through an object, nil for none
// or for an unknown one.
func (b *builder) uses(l *Location, base *Value) {
	h := b.ownershipOf(base)
	if h != shared && (l.Owner == nil || ofClass(l) || !isOf(base, l.Owner)) {
		h = shared
	}
	if h != shared && l.Keyed() && (!b.p.makesPart(l.Owner, l.Name) || h == made && b.p.storedOutside(l.Name)) {
		h = shared // another object can have it, too
	}
	if b.g.owned == nil {
		b.g.owned = map[*Location]ownership{}
	}
	if before, known := b.g.owned[l]; !known || h < before {
		b.g.owned[l] = h
	}
}

func isOf(v *Value, owner *program.Class) bool {
	return slices.ContainsFunc(v.Type.Classes(), func(c *program.Class) bool { return c.IsSubclass(owner) })
}

// escapes notes that something else gets to know a value: the objects that the
// entrypoint has made are not private any more, and a container is anybody's.
func (b *builder) escapes(v *Value) {
	switch {
	case v == nil:
		return
	case v.Kind == Container:
		if b.g.owned[v.Loc] == shared {
			return
		}
		b.uses(v.Loc, nil)
	case v.Kind == Function:
		if b.ownershipOf(v.more().self) == shared && (v.Fn.Outer == nil || !b.sees(v.more().frame)) {
			return
		}
	case v.Kind == Derived:
		for _, part := range v.Args {
			b.escapes(part)
		}
		return
	case v.Type == nil || v.Type.Kind != program.Instance || b.ownershipOf(v) == shared:
		return
	}
	for x := range b.made {
		b.made[x] = made
	}
	for l, h := range b.g.owned {
		b.g.owned[l] = min(h, made)
	}
}

// sees reports whether a function that runs in a frame, or is declared in one that
// does, can name something that the entrypoint has made.
func (b *builder) sees(f *Frame) bool {
	for ; f != nil; f = f.closure {
		if b.ownershipOf(f.Self) != shared {
			return true
		}
		for _, v := range f.env {
			if v != nil && (v.Kind == Container && b.g.owned[v.Loc] != shared || b.ownershipOf(v) != shared) {
				return true
			}
		}
	}
	return false
}

// ownershipOf tells who can reach an object that the entrypoint has made, or that such an
// object has made for itself.
func (b *builder) ownershipOf(v *Value) ownership {
	elsewhere := false // other code may store to the attribute
	for v != nil && v.Kind == Attribute && v.Base.Type.Class != nil && b.p.makesPart(v.Base.Type.Class, v.Name) {
		elsewhere = elsewhere || b.p.storedOutside(v.Name)
		v = v.Base
	}
	if h := b.made[v]; h == private || !elsewhere {
		return h
	}
	return shared
}

// MakesOwn reports whether each object of a class makes what it keeps in an attribute,
// and nothing else is ever stored there.
func (p *Program) MakesOwn(c *program.Class, name string) bool {
	if !p.makesPart(c, name) || p.storedOutside(name) {
		return false
	}
	for _, k := range c.AttrOwner(name).Family() {
		if a := k.Attrs[name]; a != nil && ofBody(k, a) {
			return false
		}
	}
	return true
}

// IsAlias reports whether an attribute of objects of a class can hold what another
// attribute holds: it is set together with one, from one, or as part of something.
func (p *Program) IsAlias(c *program.Class, name string) bool {
	owner := c.AttrOwner(name)
	if owner == nil {
		return true
	}
	for _, k := range owner.Family() {
		if k.Attrs[name] == nil {
			continue
		}
		for _, d := range k.Attrs[name].Defs {
			if _, from := d.Value.(*ast.Attribute); from || d.Index >= 0 || twinOf(d) != "" {
				return true
			}
		}
	}
	return false
}

// makesPart reports whether the objects of a class make what they keep in an
// attribute.
func (p *Program) makesPart(c *program.Class, name string) bool {
	owner := c.AttrOwner(name)
	if owner == nil {
		return false
	}
	for _, k := range owner.Family() {
		a := k.Attrs[name]
		if a == nil {
			continue
		}
		for _, d := range a.Defs {
			if v, ok := d.Value.(*ast.Constant); ok && v.Kind() == ast.None || d.Value == nil && d.Ann != nil {
				continue
			}
			if d.Elem || d.Index >= 0 || !p.makesNew(d.Value, d.Func, k.Module) {
				return false
			}
		}
	}
	return true
}

// makesNew reports whether an expression yields an object that nothing else knows: a
// display, or a new object of a class or of a container of the standard library.
func (p *Program) makesNew(e ast.Expr, f *program.Func, mod *program.Module) bool {
	switch e := e.(type) {
	case *ast.Dict, *ast.List, *ast.Set, *ast.DictComp, *ast.ListComp, *ast.SetComp:
		return true
	case *ast.Call:
		if f != nil {
			mod = f.Module
		}
		r := p.Index.Resolve(e.Func, f, mod)
		if r.External == "dataclasses.field" {
			for _, k := range e.Keywords() {
				if k.Arg() == "default_factory" {
					r = p.Index.Resolve(k.Value, f, mod)
				}
			}
		}
		return r.Class != nil && plain(r.Class) || program.NewContainer(r.External)
	}
	return false
}

// plain reports whether each call of a class makes a new object: no decorator or
// metaclass stands in between.
func plain(c *program.Class) bool {
	for _, k := range c.MRO {
		if k.Node == nil || k.Method("__new__") != nil || slices.ContainsFunc(k.Node.Keywords, func(w *ast.Keyword) bool { return w.Arg() == "metaclass" }) {
			return false
		}
		if len(k.Node.DecoratorList) > 0 && !k.Dataclass {
			return false
		}
	}
	return true
}

// ofClass reports whether all objects of a class share what is at a location: its
// body makes it.
func ofClass(l *Location) bool {
	a := l.Owner.Attrs[l.Name]
	return a != nil && ofBody(l.Owner, a)
}

// ofBody reports whether the body of a class makes what its objects have as an
// attribute.
func ofBody(c *program.Class, a *program.Attr) bool {
	return a.ClassLevel && slices.ContainsFunc(a.Defs, func(d program.Def) bool {
		_, field := d.Value.(*ast.Call)
		return d.Func == nil && d.Value != nil && !(c.Dataclass && d.Ann != nil && field)
	})
}

// ownershipOfNew tells who can reach the new object that a call yields.
func (b *builder) ownershipOfNew(c *program.Class, e *ast.Call) ownership {
	as, ok := b.stmt.(*ast.Assign)
	if !ok || as.Value != ast.Expr(e) || len(as.Targets) != 1 || !b.p.keepsToItself(c) {
		return made
	}
	n, ok := as.Targets[0].(*ast.Name)
	if !ok || b.frame.Fn.Scope.Own(n.Id()) == nil || !onlyAsBase(b.frame.Fn, n.Id(), c) {
		return made
	}
	return private
}

// keepsToItself reports whether no method of a class hands its object on, not even
// as a bound method.
func (p *Program) keepsToItself(c *program.Class) bool {
	if p.selfContained == nil {
		p.selfContained = map[*program.Class]bool{}
	}
	known, ok := p.selfContained[c]
	if ok {
		return known
	}
	known = true
	for _, k := range c.MRO {
		if len(k.External) > 0 {
			known = false
		}
		for _, f := range k.MethodList() {
			if known && f.SelfFunc() == f && f.Kind != program.StaticMethod && f.Kind != program.ClassMethod {
				known = onlyAsBase(f, f.Params[0].Name, c)
			}
		}
	}
	p.selfContained[c] = known
	return known
}

// onlyAsBase reports whether a function uses a variable, which holds an object of a
// class, only to call methods and for attributes that are none, which it leaves alone
// unless it is a method.
func onlyAsBase(f *program.Func, name string, c *program.Class) bool {
	fine := true
	base := map[ast.Node]bool{}
	called := map[ast.Node]bool{}
	for _, st := range f.Body() {
		ast.Inspect(st, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FunctionDef, *ast.Lambda:
				// What runs later may run elsewhere.
				ast.Inspect(n, func(n ast.Node) bool {
					if x, ok := n.(ast.Expr); ok && isName(x, name) {
						fine = false
					}
					return fine
				})
				return false
			case *ast.Call:
				called[n.Func] = true
			case *ast.Attribute:
				if isName(n.Value, name) {
					base[n.Value] = true
					m := c.Method(n.Attr())
					within := f.Class != nil && c.IsSubclass(f.Class)
					fine = fine && (called[n] || m == nil || m.Kind == program.Property) && (within || n.Ctx() == ast.Load)
				}
			case *ast.Name:
				if isName(n, name) && n.Ctx() == ast.Load && !base[n] {
					fine = false
				}
			}
			return fine
		})
	}
	return fine
}

// Makes reports whether a location, wherever the entrypoint uses it, is that of an
// object which the entrypoint has made: each run of it has its own.
func (g *Graph) Makes(l *Location) bool { return g.owned[l.Root()] != shared }

// Private reports whether nobody but one run of the entrypoint can reach what it uses
// at a location.
func (g *Graph) Private(l *Location) bool { return g.owned[l.Root()] == private }
