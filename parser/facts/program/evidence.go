package program

import "github.com/kvrace/kvrace/parser/ast"

// maxCallSites bounds the calls that a parameter takes its type from: what many
// callers pass seldom has one type.
const maxCallSites = 12

// passedAtCalls returns the type that all calls of a function pass for a parameter,
// as far as they are known for calls of it; unknown if they do not agree.
func (p *Program) passedAtCalls(prm *Param) *Type {
	f := prm.Func
	sites := p.callsOf(f.Name)
	if len(sites) == 0 || len(sites) > maxCallSites || f.Name == "<lambda>" {
		return unknownType
	}
	key := busyKey{prm, nil}
	if p.busy[key] {
		p.cuts++
		return unknownType
	}
	p.busy[key] = true
	defer delete(p.busy, key)
	t := unknownType
	for _, s := range sites {
		bound, ok := p.callsFunc(s, f)
		if !ok {
			continue
		}
		arg := Argument(s.Call, prm, bound)
		if arg == nil {
			continue // its default
		}
		switch a := p.exprType(arg, Env{Module: s.Module, Func: s.Func, Self: s.Func.SelfClass()}); {
		case a.Kind == None:
		case a.Kind == Unknown, t.Kind != Unknown && t.Kind != a.Kind:
			return unknownType
		default:
			t = join(t, a)
		}
	}
	return t
}

// callsFunc reports whether a call runs a function, and how many of its parameters the
// call leaves out.
func (p *Program) callsFunc(s CallSite, f *Func) (bound int, ok bool) {
	at, attr := s.Call.Func.(*ast.Attribute)
	if !attr {
		return 0, p.resolve(s.Call.Func, s.Func, s.Module).Func == f
	}
	base := p.exprType(at.Value, Env{Module: s.Module, Func: s.Func, Self: s.Func.SelfClass()})
	switch {
	case base.Kind == ModuleObject:
		return 0, p.resolve(at, s.Func, s.Module).Func == f
	case base.Class == nil || f.Class == nil || base.ClassWith(f.Name).Method(f.Name) != f:
		return 0, false
	case f.Kind == StaticMethod || base.Kind == ClassObject && f.Kind != ClassMethod:
		return 0, true
	}
	return 1, true
}

// testedType returns the instance that the function tests a name for with isinstance;
// of several classes, whichever has the attribute that is asked for.
func (p *Program) testedType(name string, f *Func) *Type {
	if f == nil {
		return unknownType
	}
	t := unknownType
	for _, s := range p.isinstanceCalls(f) {
		args := s.Args()
		if len(args) != 2 || !isName(args[0], name) {
			continue
		}
		classes := []ast.Expr{args[1]}
		if tuple, ok := args[1].(*ast.Tuple); ok {
			classes = tuple.Elts
		}
		for _, c := range classes {
			if k := p.resolve(c, f, f.Module).Class; k != nil {
				t = join(t, NewInstance(k))
			}
		}
	}
	return t
}

// isinstanceCalls returns the calls of isinstance in a function.
func (p *Program) isinstanceCalls(f *Func) []*ast.Call {
	if p.instanceTests == nil {
		p.instanceTests = map[*Func][]*ast.Call{}
		for _, s := range p.callsOf("isinstance") {
			if _, plain := s.Call.Func.(*ast.Name); plain && s.Func != nil {
				p.instanceTests[s.Func] = append(p.instanceTests[s.Func], s.Call)
			}
		}
	}
	return p.instanceTests[f]
}
