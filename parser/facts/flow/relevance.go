package flow

import (
	"maps"
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/parser/facts/taught"
)

// relevance knows which functions are worth lowering: those that touch the state
// of a class that matters, start something, or call such a function. Receivers
// are resolved by their types; where these are unknown, it goes by names and errs
// on the side of lowering.
type relevance struct {
	subjects
	attrs   map[string]bool // tracked attributes
	places  map[string]bool // those that hold a lock or queue, or a container that loses elements
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
	// releasing are the functions that themselves give something back.
	releasing map[*program.Func]bool
	giving    map[string]bool // memo of gives
	lore      *taught.Lore
}

// summary is what the body of one function mentions.
type summary struct {
	direct, vars bool
	starts       bool // a thread of control
	releases     bool // something that was taken
	calls        []string
	self         string // its first parameter, when it is a method
	// bound is the parameter whose methods are recorded where they are values, and
	// of the class whose methods they are.
	bound string
	of    *program.Class
}

func newRelevance(p *Program) relevance {
	r := relevance{
		attrs: map[string]bool{}, places: map[string]bool{}, vars: map[string]bool{}, funcs: map[*program.Func]bool{},
		byName: map[string]bool{}, usesVar: map[*program.Func]bool{}, values: map[string]bool{}, methods: map[string]bool{}, bound: map[string][]*program.Class{},
		named: map[string]bool{}, starting: map[*program.Func]bool{}, releasing: map[*program.Func]bool{}, giving: map[string]bool{}, lore: p.Taught,
	}
	for _, c := range p.Index.Classes {
		for _, name := range slices.Sorted(maps.Keys(c.Attrs)) {
			p.attrLocation(c, name)
		}
	}
	taken := findTakings(p, &r)
	r.findGlobals(p, taken.globals)
	r.scanModules(p)
	for _, f := range p.Index.Funcs {
		s := &summary{}
		if m := f.SelfFunc(); m != nil && f.Class != nil { // nested functions are part of their method
			s.bound, s.of = m.Params[0].Name, m.Class
		}
		r.scan(f.Node, s)
		r.usesVar[f] = s.vars
		r.starting[f], r.releasing[f] = s.starts, s.releases
	}
	for _, f := range p.Taught.Functions() {
		r.starting[f] = true
	}
	r.subjects = findSubjects(p, taken, &r)
	for _, l := range p.Locations {
		if l.Owner == nil || !r.counts(l.Owner, l) {
			continue
		}
		r.attrs[l.Name] = true
		if taken.takes(l) || located(l.Type.Kind) {
			r.places[l.Name] = true
		}
	}
	for k, at := range p.aliases {
		if r.counts(k.class, at.loc) {
			r.attrs[k.name] = true
			r.places[k.name] = r.places[k.name] || taken.takes(at.loc) || located(at.loc.Type.Kind)
		}
	}
	r.findFuncs(p)
	return r
}

// findFuncs finds the functions that are worth lowering.
func (r *relevance) findFuncs(p *Program) {
	var work []*program.Func
	add := func(f *program.Func) {
		for ; f != nil && !r.funcs[f]; f = f.Outer {
			r.funcs[f] = true
			r.byName[f.Name] = true
			work = append(work, f)
		}
	}
	for _, f := range p.Index.Funcs {
		if r.usesVar[f] || r.starting[f] || r.direct(p, f) {
			add(f)
		}
	}
	for len(work) > 0 {
		f := work[len(work)-1]
		work = work[:len(work)-1]
		names := []string{f.Name}
		if f.Class != nil && f.Name == "__init__" {
			names = append(names, descendants(f.Class)...)
		}
		for _, name := range names {
			for _, s := range p.Index.Calls(name) {
				if s.Func != nil && !r.funcs[s.Func] && r.mayCall(p, s, f) {
					add(s.Func)
				}
			}
		}
	}
}

// descendants returns the names of a class and of those that derive from it.
func descendants(c *program.Class) []string {
	var names []string
	everyDescendant(c, func(d *program.Class) bool {
		names = append(names, d.Name)
		return true
	})
	return names
}

// everyDescendant calls visit with a class and what derives from it, each once,
// until visit returns false.
func everyDescendant(c *program.Class, visit func(*program.Class) bool) {
	seen := map[*program.Class]bool{c: true}
	work := []*program.Class{c}
	for len(work) > 0 {
		d := work[0]
		work = work[1:]
		if !visit(d) {
			return
		}
		for _, sub := range d.Subclasses {
			if !seen[sub] {
				seen[sub] = true
				work = append(work, sub)
			}
		}
	}
}

// mayCall reports whether the callee of a call can be f.
func (r *relevance) mayCall(p *Program, s program.CallSite, f *program.Func) bool {
	switch callee := s.Call.Func.(type) {
	case *ast.Name:
		ref := p.Index.Resolve(callee, s.Func, s.Module)
		switch {
		case ref.Func != nil:
			return ref.Func == f
		case ref.Class != nil:
			return f.Class != nil && f.Name == "__init__" && related(ref.Class, f.Class)
		}
		return ref.External == ""
	case *ast.Attribute:
		if program.IsSuper(callee.Value) {
			c := s.Func.SelfClass()
			return c != nil && f.Class != nil && related(c, f.Class)
		}
		t := r.receiver(p, callee.Value, s.Func, s.Module)
		switch t.Kind {
		case program.Unknown:
			return !containerMethods[f.Name]
		case program.Instance, program.ClassObject:
			return f.Class != nil && related(t.Class, f.Class)
		case program.ModuleObject:
			return f.Class == nil || f.Name == "__init__"
		}
		return f.Class == nil && t.Kind == program.Function
	}
	return true
}

// related reports whether one of two classes derives from the other, or a third
// one from both: an object of one can be an object of the other.
func related(a, b *program.Class) bool {
	if a.IsSubclass(b) {
		return true
	}
	found := false
	everyDescendant(a, func(c *program.Class) bool {
		found = c.IsSubclass(b)
		return !found
	})
	return found
}

// receiver returns the type of an expression in a function.
func (r *relevance) receiver(p *Program, e ast.Expr, f *program.Func, m *program.Module) *program.Type {
	return p.Index.TypeOf(e, program.Env{Module: m, Func: f, Self: f.SelfClass()})
}

// direct reports whether a function itself touches state that matters, or reads
// the clock or raises an exception for a class that does.
func (r *relevance) direct(p *Program, f *program.Func) bool {
	home := f.SelfClass()
	found := false
	ast.Inspect(f.Node, func(n ast.Node) bool {
		if found {
			return false
		}
		switch n := n.(type) {
		case *ast.FunctionDef, *ast.Lambda:
			if n != f.Node {
				return p.Index.FuncOf(n) == nil // looked at by itself
			}
		case *ast.Attribute:
			if r.attrs[n.Attr()] {
				t := r.receiver(p, n.Value, f, f.Module)
				switch t.Kind {
				case program.Instance, program.ClassObject:
					c := t.ClassWith(n.Attr())
					found = r.counts(c, p.attrLocation(c, n.Attr()))
				case program.Unknown:
					found = r.places[n.Attr()]
				}
			}
		case *ast.Raise:
			found = n.Exc != nil && home != nil && r.near[home] && !f.Abstract
		case *ast.Call:
			found = clocks[n.Callee()] && (home == nil || r.matters(home))
		}
		return !found
	})
	return found
}

// findGlobals finds the module variables that hold a container from which
// elements are taken.
func (r *relevance) findGlobals(p *Program, taken map[string]bool) {
	for _, m := range p.Index.Modules {
		for _, st := range m.AST.Body {
			a, ok := st.(*ast.Assign)
			if !ok {
				if an, ann := st.(*ast.AnnAssign); ann && an.Value != nil {
					r.global(p, m, an.Target, taken)
				}
				continue
			}
			for _, t := range a.Targets {
				r.global(p, m, t, taken)
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

func (r *relevance) global(p *Program, m *program.Module, t ast.Expr, taken map[string]bool) {
	name, ok := t.(*ast.Name)
	if !ok {
		return
	}
	bind := m.Scope.Own(name.Id())
	if bind == nil {
		return
	}
	typ := p.Index.TypeOf(name, program.Env{Module: m})
	if taken[name.Id()] && typ.Kind.Keyed() && p.globalLocation(m, name.Id(), bind, typ) != nil {
		r.vars[name.Id()] = true
	}
}

// starters are the names of calls that start a thread of control.
var starters = map[string]bool{
	"Thread": true, "Timer": true, "submit": true, "create_task": true, "run_in_executor": true,
	"run_coroutine_threadsafe": true, "add_done_callback": true, "call_soon_threadsafe": true, "ensure_future": true,
	"to_thread": true, "call_later": true, "call_soon": true, "call_at": true, "run_until_complete": true,
	"start_new_thread": true, "Process": true,
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

// gives reports whether a method of that name gives something back.
func (r *relevance) gives(name string) bool {
	yes, ok := r.giving[name]
	if !ok {
		_, verb := ReleaseVerb(name)
		_, told := r.lore.Takes("", name)
		yes = verb || told
		r.giving[name] = yes
	}
	return yes
}

func (r *relevance) scan(root ast.Node, s *summary) {
	var callee, kept ast.Expr // no values: what is called, and kept for whoever calls it later
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Attribute:
			s.direct = s.direct || r.attrs[n.Attr()]
			if s.of != nil && n.Ctx() == ast.Load && n != callee && n != kept && isName(n.Value, s.bound) {
				r.bound[n.Attr()] = append(r.bound[n.Attr()], s.of)
			}
		case *ast.Name:
			s.vars = s.vars || r.vars[n.Id()]
		case *ast.Call:
			callee = n.Func // visited next
			switch f := n.Func.(type) {
			case *ast.Name:
				s.starts = s.starts || starters[f.Id()]
				s.direct = s.direct || starters[f.Id()] || clocks[f.Id()]
				if name, ok := constantName(n); ok && f.Id() == "getattr" {
					r.named[name] = true
				}
				s.calls = append(s.calls, f.Id())
			case *ast.Attribute:
				s.releases = s.releases || r.gives(f.Attr())
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
			if _, ok := n.Targets[0].(*ast.Attribute); ok {
				kept = n.Value
			}
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
