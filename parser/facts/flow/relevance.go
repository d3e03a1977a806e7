package flow

import (
	"maps"
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/program"
)

// relevance knows which functions are worth lowering: those that name a tracked
// attribute or global, start something, or call such a function. It goes by
// names and errs on the side of lowering.
type relevance struct {
	attrs   map[string]bool // tracked attributes
	vars    map[string]bool // tracked globals
	funcs   map[*program.Func]bool
	byName  map[string]bool // names of relevant functions
	usesVar map[*program.Func]bool
	values  map[string]bool // names that are used as values, not called
	methods map[string]bool // attributes that are
	// bound are the methods that a method of some class uses as a value of self,
	// as the target of a thread: the classes by name.
	bound map[string][]*program.Class
	// named are the attributes that getattr reads by a constant name.
	named map[string]bool
	// starting are the functions that themselves start a thread of control.
	starting map[*program.Func]bool
}

// summary is what the body of one function mentions.
type summary struct {
	direct, vars bool
	starts       bool // a thread of control
	calls        []string
	self         string // its first parameter, when it is a method
}

func newRelevance(p *Program) relevance {
	r := relevance{
		attrs: map[string]bool{}, vars: map[string]bool{}, funcs: map[*program.Func]bool{},
		byName: map[string]bool{}, usesVar: map[*program.Func]bool{}, values: map[string]bool{}, methods: map[string]bool{}, bound: map[string][]*program.Class{},
		named: map[string]bool{}, starting: map[*program.Func]bool{},
	}
	for _, c := range p.Index.Classes {
		for _, name := range slices.Sorted(maps.Keys(c.Attrs)) {
			if p.attrLocation(c, name) != nil {
				r.attrs[name] = true
			}
		}
	}
	r.findGlobals(p)
	r.scanModules(p)
	sums := make(map[*program.Func]*summary, len(p.Index.Funcs))
	for _, f := range p.Index.Funcs {
		s := &summary{}
		if m := f.SelfFunc(); m != nil {
			s.self = m.Params[0].Name
		}
		sums[f] = s
		r.scan(f.Node, s)
		r.findBound(f)
		if s.direct || s.vars {
			r.funcs[f] = true
			r.byName[f.Name] = true
		}
		r.usesVar[f] = s.vars
		r.starting[f] = s.starts
	}
	for changed := true; changed; {
		changed = false
		for _, f := range p.Index.Funcs {
			if r.funcs[f] {
				continue
			}
			for _, c := range sums[f].calls {
				if r.byName[c] {
					r.funcs[f] = true
					r.byName[f.Name] = true
					changed = true
					break
				}
			}
		}
	}
	return r
}

// findBound records the methods that f uses as values of its self.
func (r *relevance) findBound(f *program.Func) {
	m := f.SelfFunc()
	if m == nil || f.Class == nil {
		return // nested functions are part of their method
	}
	self := m.Params[0].Name
	called := map[ast.Node]bool{}
	ast.Inspect(f.Node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Call:
			called[n.Func] = true
		case *ast.Assign:
			if _, ok := n.Targets[0].(*ast.Attribute); ok {
				called[n.Value] = true // kept for whoever calls it later
			}
		case *ast.Attribute:
			if name, ok := n.Value.(*ast.Name); ok && name.Id() == self && n.Ctx() == ast.Load && !called[n] {
				r.bound[n.Attr()] = append(r.bound[n.Attr()], m.Class)
			}
		}
		return true
	})
}

func (r *relevance) findGlobals(p *Program) {
	for _, m := range p.Index.Modules {
		for _, st := range m.AST.Body {
			a, ok := st.(*ast.Assign)
			if !ok {
				if an, ann := st.(*ast.AnnAssign); ann && an.Value != nil {
					r.global(p, m, an.Target)
				}
				continue
			}
			for _, t := range a.Targets {
				r.global(p, m, t)
			}
		}
	}
}

// scanModules scans the statements outside of functions.
func (r *relevance) scanModules(p *Program) {
	for _, m := range p.Index.Modules {
		for _, st := range m.AST.Body {
			switch st.(type) {
			case *ast.FunctionDef, *ast.ClassDef:
			default:
				r.scan(st, &summary{})
			}
		}
	}
}

func (r *relevance) global(p *Program, m *program.Module, t ast.Expr) {
	name, ok := t.(*ast.Name)
	if !ok {
		return
	}
	bind := m.Scope.Own(name.Id())
	if bind == nil {
		return
	}
	typ := p.Index.TypeOf(name, program.Env{Module: m})
	if typ.Kind.Keyed() && p.globalLocation(m, name.Id(), bind, typ) != nil {
		r.vars[name.Id()] = true
	}
}

// starters are the names of calls that start a thread of control.
var starters = map[string]bool{
	"Thread": true, "Timer": true, "submit": true, "create_task": true, "run_in_executor": true,
	"run_coroutine_threadsafe": true, "add_done_callback": true, "call_soon_threadsafe": true, "ensure_future": true,
	"to_thread": true, "call_later": true,
}

// clocks are the names of calls that read the time.
var clocks = map[string]bool{"time": true, "monotonic": true, "perf_counter": true}

// containerMethods are method names that say nothing about the receiver, unless
// that is the object itself.
var containerMethods = map[string]bool{
	"get": true, "pop": true, "add": true, "append": true, "items": true, "keys": true, "values": true, "update": true,
	"remove": true, "discard": true, "clear": true, "copy": true, "extend": true, "setdefault": true, "join": true,
	"split": true, "format": true, "encode": true, "decode": true, "put": true, "insert": true, "close": true,
}

func (r *relevance) scan(root ast.Node, s *summary) {
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Attribute:
			s.direct = s.direct || r.attrs[n.Attr()]
		case *ast.Name:
			s.vars = s.vars || r.vars[n.Id()]
		case *ast.Call:
			switch f := n.Func.(type) {
			case *ast.Name:
				s.starts = s.starts || starters[f.Id()]
				s.direct = s.direct || starters[f.Id()] || clocks[f.Id()]
				if name, ok := constantName(n); ok && f.Id() == "getattr" {
					r.named[name] = true
				}
				s.calls = append(s.calls, f.Id())
			case *ast.Attribute:
				s.starts = s.starts || starters[f.Attr()]
				s.direct = s.direct || starters[f.Attr()] || clocks[f.Attr()]
				if !containerMethods[f.Attr()] || s.isSelf(f.Value) {
					s.calls = append(s.calls, f.Attr())
				}
			}
			r.markValues(n.Args()...)
			for _, k := range n.Keywords() {
				r.markValues(k.Value)
			}
		case *ast.Dict:
			r.markValues(n.Values...)
		case *ast.Tuple:
			r.markValues(n.Elts...)
		case *ast.List:
			r.markValues(n.Elts...)
		case *ast.Return:
			r.markValues(n.Value)
		case *ast.Assign:
			r.markValues(n.Value)
		}
		return true
	})
}

// constantName returns the second argument of a call when it is a string.
func constantName(e *ast.Call) (string, bool) {
	if len(e.Args()) < 2 {
		return "", false
	}
	c, ok := e.Args()[1].(*ast.Constant)
	if !ok || c.Kind() != ast.Str {
		return "", false
	}
	return c.Value(), true
}

func (s *summary) isSelf(e ast.Expr) bool {
	n, ok := e.(*ast.Name)
	return ok && n.Id() == s.self || program.IsSuper(e)
}

// markValues records the names and attributes that are used as values.
func (r *relevance) markValues(es ...ast.Expr) {
	for _, e := range es {
		switch e := e.(type) {
		case *ast.Attribute:
			r.methods[e.Attr()] = true
		case *ast.Name:
			r.values[e.Id()] = true
		}
	}
}

// touches reports whether an expression of a function mentions shared state.
func (p *Program) touches(e ast.Node, f *program.Func) bool {
	var s summary
	if m := f.SelfFunc(); m != nil {
		s.self = m.Params[0].Name
	}
	p.touching.scan(e, &s)
	if s.direct || s.vars {
		return true
	}
	for _, c := range s.calls {
		if p.touching.byName[c] {
			return true
		}
	}
	return false
}

// touchesFunc reports whether a function touches shared state, itself or
// through what it calls.
func (p *Program) touchesFunc(f *program.Func) bool { return p.touching.funcs[f] }

// globals reports whether a function itself names a tracked global.
func (r *relevance) globals(f *program.Func) bool { return r.usesVar[f] }
