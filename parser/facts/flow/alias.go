package flow

import (
	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/program"
)

// An attribute may hold a container or lock that another object keeps: a
// constructor stores manager.rows, or what the manager passes to it, or makes a
// Condition of a lock. Its location is then that of the other attribute, so that
// accesses through both are seen together, and locks are known to be the same.

// place is where a container or lock is kept: an attribute of objects of a class,
// or a module variable, whose class is nil.
type place struct {
	loc   *Location
	class *program.Class
}

// original returns the place that an attribute of class c is another name for,
// if it is. The attribute must be set once, in the constructor.
func (p *Program) original(c, owner *program.Class, name string, t *program.Type) (place, bool) {
	d, ok := p.onlyDef(owner, name)
	if !ok {
		return place{}, false
	}
	e := d.Value
	if t.Kind == program.Condition && lockOfCondition(e) != nil {
		e = lockOfCondition(e)
	}
	twin := twinOf(d)
	if n, ok := e.(*ast.Name); ok && twin == "" {
		// lock = Lock(); self.lock = lock; self.changed = Condition(lock)
		twin = storedAs(d.Func, n.Id())
	}
	if twin != "" && twin != name {
		if k := c.AttrOwner(twin); k != nil {
			if _, once := p.onlyDef(k, twin); once {
				l := p.attrLocation(c, twin)
				return place{l, p.keeper(c, twin)}, l != nil
			}
		}
	}
	at, ok := p.placeOf(e, d.Func, c)
	if !ok || at.loc.Type.Kind.Keyed() != t.Kind.Keyed() {
		return place{}, false
	}
	return at, true
}

// onlyDef returns the one assignment to an attribute, if it is in a constructor
// and no class of the family has another.
func (p *Program) onlyDef(owner *program.Class, name string) (program.Def, bool) {
	var only program.Def
	n := 0
	for _, c := range owner.Family() {
		if c.Attrs[name] == nil {
			continue
		}
		for _, d := range c.Attrs[name].Defs {
			only = d
			n++
		}
	}
	fine := n == 1 && only.Func != nil && constructor(only.Func) && only.Value != nil && only.Index < 0 && !only.Elem && !only.Enter
	return only, fine && !p.storedOutside(name)
}

// storedOutside reports whether some code stores to an attribute of that name of
// another object than self.
func (p *Program) storedOutside(name string) bool {
	return p.Index.Stores(name) > p.selfStores[name] || p.touching.set[name]
}

// countStores counts what storedOutside leaves out.
func (p *Program) countStores() {
	p.selfStores = map[string]int{}
	for _, c := range p.Index.Classes {
		for _, a := range c.Attrs {
			for _, d := range a.Defs {
				if d.Func != nil {
					p.selfStores[a.Name]++
				}
			}
		}
	}
}

// SetByConstructors returns the class whose constructors alone set an attribute of objects
// of a class, or nil.
func (p *Program) SetByConstructors(c *program.Class, name string) *program.Class {
	owner := c.AttrOwner(name)
	if owner == nil || owner.Dataclass || p.storedOutside(name) {
		return nil
	}
	for _, k := range owner.Family() {
		if k.Attrs[name] == nil {
			continue
		}
		for _, d := range k.Attrs[name].Defs {
			if d.Func == nil || d.Func.Name != "__init__" && d.Func.Name != "__post_init__" {
				return nil
			}
		}
	}
	return owner
}

// UsedAsValue reports whether some code uses an attribute of a name as a value, as a
// bound method that is handed on, or asks for it by getattr.
func (p *Program) UsedAsValue(name string) bool {
	return p.touching.methods[name] || p.touching.named[name]
}

// lockOfCondition returns the lock that a call of Condition is given, or nil.
func lockOfCondition(e ast.Expr) ast.Expr {
	call, ok := e.(*ast.Call)
	if !ok {
		return nil
	}
	for _, k := range call.Keywords() {
		if k.Arg() == "lock" {
			return k.Value
		}
	}
	if len(call.Args()) == 1 {
		return call.Args()[0]
	}
	return nil
}

// twinOf returns the first attribute of self that an assignment sets, if it sets
// several, as self.a = self.b = Lock() does; otherwise "".
func twinOf(d program.Def) string {
	a, ok := d.Node.(*ast.Assign)
	if !ok || len(a.Targets) < 2 {
		return ""
	}
	for _, t := range a.Targets {
		if at, ok := t.(*ast.Attribute); ok && d.Func.OnSelf(at.Value) {
			return at.Attr()
		}
	}
	return ""
}

// storedAs returns the first attribute of self in which a function stores a
// variable that it assigns once, or a parameter that it does not assign, or "".
func storedAs(f *program.Func, name string) string {
	if bind := f.Scope.Own(name); bind == nil || len(bind.Defs)+b2i(bind.Param != nil) != 1 {
		return ""
	}
	for _, st := range f.Body() {
		a, ok := st.(*ast.Assign)
		if !ok {
			continue
		}
		if v, ok := a.Value.(*ast.Name); !ok || v.Id() != name {
			continue
		}
		for _, t := range a.Targets {
			if at, ok := t.(*ast.Attribute); ok && f.OnSelf(at.Value) {
				return at.Attr()
			}
		}
	}
	return ""
}

// placeOf returns the place that an expression of a function, on an object of
// class c, names: an attribute of an object, a module variable, or a parameter
// of the constructor for which all callers pass the same place.
func (p *Program) placeOf(e ast.Expr, f *program.Func, c *program.Class) (place, bool) {
	env := program.Env{Module: f.Module, Func: f, Self: c}
	switch e := e.(type) {
	case *ast.Attribute:
		t := p.Index.TypeOf(e.Value, env)
		if t.Kind != program.Instance {
			return place{}, false
		}
		k := t.ClassWith(e.Attr())
		if l := p.attrLocation(k, e.Attr()); l != nil && (l.Keyed() || located(l.Type.Kind)) {
			return place{l, p.keeper(k, e.Attr())}, true
		}
	case *ast.Name:
		b, sc := f.Scope.Lookup(e.Id())
		switch {
		case b == nil:
		case b.Param != nil && b.Param.Func == f && len(b.Defs) == 0:
			return p.passed(b.Param, c)
		case sc.Func == nil && b.Param == nil:
			mod := p.Index.ModuleOf(sc)
			if mod == nil {
				break
			}
			l := p.globalLocation(mod, e.Id(), b, p.Index.TypeOf(e, env))
			return place{l, nil}, l != nil
		}
	}
	return place{}, false
}

// passed returns the place that every call of a class's constructor passes for a
// parameter.
func (p *Program) passed(prm *program.Param, c *program.Class) (place, bool) {
	if c.Method("__init__") != prm.Func {
		return place{}, false
	}
	var at place
	for _, s := range p.Index.Calls(c.Name) {
		r := p.Index.Resolve(s.Call.Func, s.Func, s.Module)
		if r.Class != c {
			continue
		}
		arg := program.Argument(s.Call, prm, 1)
		if arg == nil || s.Func == nil {
			return place{}, false
		}
		if _, name := arg.(*ast.Name); name {
			return place{}, false // one step is enough
		}
		a, ok := p.placeOf(arg, s.Func, s.Func.SelfClass())
		if !ok || at.loc != nil && at.loc != a.loc {
			return place{}, false
		}
		at = a
	}
	return at, at.loc != nil
}

// keeper returns the class of the object that keeps what an attribute of class c
// holds: c, unless the attribute is another name for a place elsewhere.
func (p *Program) keeper(c *program.Class, name string) *program.Class {
	if owner := c.AttrOwner(name); owner != nil {
		if at, ok := p.aliases[attrKey{owner, name}]; ok {
			return at.class
		}
	}
	return c
}

// isAlias reports whether an attribute of class c is another name for a place.
func (p *Program) isAlias(c *program.Class, name string) bool {
	owner := c.AttrOwner(name)
	_, ok := p.aliases[attrKey{owner, name}]
	return ok
}
