package program

import "github.com/kvrace/kvrace/parser/ast"

// TypeOf returns the type of an expression. Local variables are looked at
// without regard to the order of assignments.
func (p *Program) TypeOf(e ast.Expr, env Env) *Type {
	p.asking.Lock()
	defer p.asking.Unlock()
	return p.exprType(e, env)
}

// ParamType returns the type of a parameter of a function that runs on an
// instance of self: the instance itself, what the annotation says, or else
// what the calls in the constructors of self's bases pass.
func (p *Program) ParamType(prm *Param, self *Class) *Type {
	p.asking.Lock()
	defer p.asking.Unlock()
	types := p.memoOf(self)
	t := types.params[prm]
	if t == nil {
		cuts := p.cuts
		if t = p.paramType(prm, self); p.cuts == cuts {
			put(&types.params, prm, t)
		}
	}
	return t
}

// AttrType returns the type of attribute name of the instances of c.
func (p *Program) AttrType(c *Class, name string) *Type {
	p.asking.Lock()
	defer p.asking.Unlock()
	return p.typeOfAttr(c, name)
}

// ReturnType returns the type of what f returns on an instance of self.
func (p *Program) ReturnType(f *Func, self *Class) *Type {
	p.asking.Lock()
	defer p.asking.Unlock()
	types := p.memoOf(self)
	t := types.returns[f]
	if t == nil {
		cuts := p.cuts
		if t = p.returnType(f, self); p.cuts == cuts {
			put(&types.returns, f, t)
		}
	}
	return t
}

// Resolve returns what a name or dotted name refers to when f evaluates it; f
// is nil at module level of mod.
func (p *Program) Resolve(e ast.Expr, f *Func, mod *Module) Ref {
	p.asking.Lock()
	defer p.asking.Unlock()
	return p.resolve(e, f, mod)
}

// Calls returns the calls in the program whose callee is written with the
// given last name: name(...) or x.name(...), in the order of the modules.
func (p *Program) Calls(name string) []CallSite {
	p.asking.Lock()
	defer p.asking.Unlock()
	return p.callsOf(name)
}

// Annotation returns the type that an annotation names, evaluated by f (nil at
// module level).
func (p *Program) Annotation(e ast.Expr, f *Func, mod *Module) *Type {
	p.asking.Lock()
	defer p.asking.Unlock()
	return p.annotationType(e, f, mod)
}
