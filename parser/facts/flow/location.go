package flow

import (
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/program"
)

// attrLocation returns the location of an attribute of the objects of c, or nil
// when the attribute is not tracked: it holds neither a container, a lock or a
// queue, nor a flag.
func (p *Program) attrLocation(c *program.Class, name string) *Location {
	key := attrKey{c, name}
	if l, ok := p.attrs[key]; ok {
		return l
	}
	p.locating++
	l := p.findAttr(c, name)
	p.locating--
	if l != nil || p.locating == 0 { // otherwise it may be about to be found
		p.attrs[key] = l
	}
	return l
}

// attrKey is an attribute of the objects of a class.
type attrKey struct {
	class *program.Class
	name  string
}

func (p *Program) findAttr(c *program.Class, name string) *Location {
	owner := c.AttrOwner(name)
	if owner == nil {
		return nil
	}
	id := owner.Module.Path + "." + owner.Qual + "." + name
	if l, ok := p.locs[id]; ok {
		return l
	}
	p.locs[id] = nil // while its type is found
	t := p.Index.AttrType(c, name)
	if !t.Kind.Keyed() && !located(t.Kind) && !p.isFlag(owner, name, t) {
		return nil
	}
	if at, ok := p.original(c, owner, name, t); ok && (t.Kind.Keyed() || located(t.Kind)) {
		p.aliases[attrKey{owner, name}] = at
		p.locs[id] = at.loc
		return at.loc
	}
	l := &Location{ID: id, Name: name, Owner: owner, Type: t}
	switch a := owner.Attrs[name]; {
	case len(a.Defs) > 0:
		l.Decl, l.DeclMod = a.Defs[0].Node, owner.Module
	case len(a.Outside) > 0:
		l.Decl, l.DeclMod = a.Outside[0].Node, a.Outside[0].Func.Module
	}
	l.Optional = p.unset(owner, name)
	p.register(l)
	l.Confined = p.Taught.Confined(owner, name)
	if lock := p.Taught.Guard(owner, name); lock != "" {
		l.Guard = p.taughtLock(lock, owner, owner.Module)
	}
	return l
}

// unset reports whether an attribute takes the constant None somewhere.
func (p *Program) unset(owner *program.Class, name string) bool {
	for _, c := range owner.Family() {
		if c.Attrs[name] == nil {
			continue
		}
		for _, d := range c.Attrs[name].Defs {
			if v, ok := d.Value.(*ast.Constant); ok && v.Kind() == ast.None {
				return true
			}
		}
	}
	return false
}

// onlyConstructed reports whether nobody but constructors assigns an attribute.
func (p *Program) onlyConstructed(owner *program.Class, name string) bool {
	for _, c := range owner.Family() {
		a := c.Attrs[name]
		if a == nil {
			continue
		}
		later := func(d program.Def) bool { return d.Func != nil && !constructor(d.Func) }
		if len(a.Outside) > 0 || slices.ContainsFunc(a.Defs, later) {
			return false
		}
	}
	return !p.storedOutside(name)
}

func (p *Program) register(l *Location) *Location {
	p.locs[l.ID] = l
	p.Locations = append(p.Locations, l)
	return l
}

// isFlag reports whether an attribute is a scalar that changes: it takes a
// constant somewhere, and is set more than once.
func (p *Program) isFlag(owner *program.Class, name string, t *program.Type) bool {
	switch t.Kind {
	case program.Unknown, program.None, program.Scalar, program.External:
	case program.Instance:
		// An enumeration or class of constants used as a type.
		if !constantsClass(t.Class) {
			return false
		}
	default:
		return false
	}
	consts, defs := 0, 0
	own := 0 // assignments to the attribute of self or in the class body
	for _, c := range owner.Family() {
		a := c.Attrs[name]
		if a == nil {
			continue
		}
		for _, d := range a.Defs {
			if d.Value == nil && d.Ann != nil {
				continue
			}
			defs++
			if d.Func != nil {
				own++
			}
			if p.constantDef(d, c) || turns(d, name) {
				consts++
			}
		}
		for _, d := range a.Outside {
			if p.constantDef(d, c) {
				consts++
			}
		}
	}
	return consts > 0 && (defs > 1 || p.Index.Stores(name) > own)
}

// turns reports whether a definition sets an attribute to the opposite of what it is.
func turns(d program.Def, name string) bool {
	not, ok := d.Value.(*ast.UnaryOp)
	if !ok || not.Op != ast.Not {
		return false
	}
	at, ok := not.Operand.(*ast.Attribute)
	return ok && at.Attr() == name
}

// constantsClass reports whether a class is a list of constants.
func constantsClass(c *program.Class) bool {
	if len(c.Methods) > 0 && !c.Enum() {
		return false
	}
	n := 0
	for _, a := range c.Attrs {
		if a.ClassLevel && len(a.Defs) == 1 && a.Defs[0].Value != nil {
			n++
		}
	}
	return n > 1
}

// moduleOf returns the module that a definition of an attribute of c stands in.
func moduleOf(d program.Def, c *program.Class) *program.Module {
	if d.Func != nil {
		return d.Func.Module
	}
	return c.Module
}

func (p *Program) constantDef(d program.Def, c *program.Class) bool {
	switch v := d.Value.(type) {
	case *ast.Constant:
		return true
	case *ast.Attribute:
		return p.Index.Resolve(v, d.Func, moduleOf(d, c)).Member != nil
	case *ast.UnaryOp:
		_, ok := v.Operand.(*ast.Constant)
		return ok
	case *ast.Call:
		// field(default=None)
		for _, k := range v.Keywords() {
			if k.Arg() == "default" {
				_, ok := k.Value.(*ast.Constant)
				return ok
			}
		}
	}
	return false
}

// globalLocation returns the location of a module variable, or nil when it is
// not tracked.
func (p *Program) globalLocation(mod *program.Module, name string, bind *program.Binding, t *program.Type) *Location {
	if bind.Name != "" {
		name = bind.Name
	}
	id := mod.Path + ":" + name
	if l, ok := p.locs[id]; ok {
		return l
	}
	if !t.Kind.Keyed() && !located(t.Kind) {
		p.locs[id] = nil
		return nil
	}
	if t.Kind == program.Condition && len(bind.Defs) == 1 {
		if lock, ok := lockOfCondition(bind.Defs[0].Value).(*ast.Name); ok {
			if of, sc := mod.Scope.Lookup(lock.Id()); of != nil && sc == mod.Scope && lock.Id() != name {
				if l := p.globalLocation(mod, lock.Id(), of, p.Index.TypeOf(lock, program.Env{Module: mod})); l != nil {
					p.locs[id] = l
					return l
				}
			}
		}
	}
	l := &Location{ID: id, Name: name, Mod: mod, Type: t}
	if len(bind.Defs) > 0 {
		l.Decl, l.DeclMod = bind.Defs[0].Node, mod
	}
	p.register(l)
	l.Confined = p.Taught.GlobalConfined(mod, name)
	if lock := p.Taught.GlobalGuard(mod, name); lock != "" {
		l.Guard = p.taughtLock(lock, nil, mod)
	}
	return l
}

// localLocation returns the location of a local variable that a nested
// function shares.
func (p *Program) localLocation(f *program.Func, name string, t *program.Type, decl ast.Node) *Location {
	id := f.Module.Path + ":" + f.Qual + "." + name
	if l := p.locs[id]; l != nil {
		return l
	}
	return p.register(&Location{ID: id, Name: name, Fn: f, Mod: f.Module, Type: t, Decl: decl, DeclMod: f.Module})
}

// nestedLocation returns the location of the values of type t in outer.
func (p *Program) nestedLocation(outer *Location, t *program.Type) *Location {
	id := outer.ID + "[]"
	if l := p.locs[id]; l != nil {
		return l
	}
	return p.register(&Location{ID: id, Name: outer.Name, Owner: outer.Owner, Mod: outer.Mod, Fn: outer.Fn, Type: t, Outer: outer, Decl: outer.Decl, DeclMod: outer.DeclMod})
}

// capturedBy returns the local variables of f that nested functions use.
func (p *Program) capturedBy(f *program.Func) map[string]bool {
	if m, ok := p.captured[f]; ok {
		return m
	}
	m := map[string]bool{}
	for _, st := range f.Body() {
		ast.Inspect(st, func(n ast.Node) bool {
			switch n.(type) {
			case *ast.FunctionDef, *ast.Lambda:
				ast.Inspect(n, func(in ast.Node) bool {
					if name, ok := in.(*ast.Name); ok {
						m[name.Id()] = true
					}
					return true
				})
				return false
			}
			return true
		})
	}
	p.captured[f] = m
	return m
}
