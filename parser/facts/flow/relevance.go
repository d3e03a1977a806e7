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
	// named are the attributes that getattr reads by a constant name, and set those that
	// setattr stores.
	named, set map[string]bool
	// starting are the functions that themselves start a thread of control.
	starting map[*program.Func]bool
	// releasing are the functions that themselves give something back.
	releasing map[*program.Func]bool
	giving    map[string]bool            // memo of gives
	callees   map[callIn]callee          // memo of calleeOf
	kin       map[[2]*program.Class]bool // memo of related
	lore      *taught.Lore
}

// summary is what some code mentions.
type summary struct {
	touches  bool // state that matters, or a function that is relevant
	starts   bool // a thread of control
	releases bool // something that was taken
	clock    bool
	self     string // the first parameter of the function, when it is a method
	// methods are those that the code stands in: what it reads of their object
	// without calling it is used as a value.
	methods []*program.Func

	callee, kept ast.Expr // no values: what is called, and kept for whoever calls it later
}

func newRelevance(p *Program) relevance {
	r := relevance{
		attrs: map[string]bool{}, places: map[string]bool{}, vars: map[string]bool{}, funcs: map[*program.Func]bool{},
		byName: map[string]bool{}, usesVar: map[*program.Func]bool{}, values: map[string]bool{}, methods: map[string]bool{}, bound: map[string][]*program.Class{},
		named: map[string]bool{}, set: map[string]bool{}, starting: map[*program.Func]bool{}, releasing: map[*program.Func]bool{}, giving: map[string]bool{}, lore: p.Taught,
		callees: map[callIn]callee{}, kin: map[[2]*program.Class]bool{},
	}
	sv := survey{p: p, r: &r, attrs: map[string]bool{}, globals: map[string]bool{}}
	for _, c := range p.Index.Classes {
		for _, name := range slices.Sorted(maps.Keys(c.Attrs)) {
			p.attrLocation(c, name)
			sv.attrs[name] = true
		}
	}
	sv.run()
	taken := findTakings(p, &r, sv.takings)
	r.findGlobals(p, taken.globals)
	for i := range sv.funcs {
		m := &sv.funcs[i]
		r.usesVar[m.f] = slices.ContainsFunc(m.globals, func(name string) bool { return r.vars[name] })
		r.starting[m.f], r.releasing[m.f] = m.starts, m.releases
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
	r.findFuncs(p, sv.funcs)
	return r
}

// findFuncs finds the functions that are worth lowering.
func (r *relevance) findFuncs(p *Program, mentions []mention) {
	var work []*program.Func
	add := func(f *program.Func) {
		for ; f != nil && !r.funcs[f]; f = f.Outer {
			r.funcs[f] = true
			r.byName[f.Name] = true
			work = append(work, f)
		}
	}
	tabled := map[*program.Func][]table{}
	for _, c := range p.Index.Classes {
		for _, t := range p.allTables()[c] {
			for _, f := range t.methods {
				tabled[f] = append(tabled[f], t)
			}
		}
	}
	for i := range mentions {
		if m := &mentions[i]; r.usesVar[m.f] || r.starting[m.f] || r.direct(p, m) {
			add(m.f)
		}
	}
	for len(work) > 0 {
		f := work[len(work)-1]
		work = work[:len(work)-1]
		names := []string{f.Name}
		if f.Class != nil && f.Name == "__init__" {
			names = append(names, descendants(f.Class)...)
		}
		for _, t := range tabled[f] {
			for i := range mentions {
				if m := &mentions[i]; !r.funcs[m.f] && looksUp(m, t) {
					add(m.f)
				}
			}
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

// looksUp reports whether a function reads the attribute of self that holds a table, as one
// does that calls what is in it.
func looksUp(m *mention, t table) bool {
	c := m.f.SelfClass()
	return c != nil && slices.ContainsFunc(m.attrs, func(at *ast.Attribute) bool {
		return at.Attr() == t.attr && at.Ctx() == ast.Load && m.f.OnSelf(at.Value) && (c.IsSubclass(t.class) || t.class.IsSubclass(c))
	})
}

// descendants returns the names of a class and of those that derive from it.
func descendants(c *program.Class) []string {
	var names []string
	for _, d := range c.Family() {
		names = append(names, d.Name)
	}
	return names
}

// A callIn is a call as a part of a function.
type callIn struct {
	call *ast.Call
	f    *program.Func
}

// A callee is what is known of the callee of a call: what its name means, the type of
// its receiver, or the class of which super() stands for a base.
type callee struct {
	name     bool
	ref      program.Ref
	receiver *program.Type
	super    bool
	class    *program.Class
}

// calleeOf returns what is known of the callee of a call. Many functions may have the
// name that is called, so it is found out once.
func (r *relevance) calleeOf(p *Program, s program.CallSite) callee {
	key := callIn{s.Call, s.Func}
	if known, ok := r.callees[key]; ok {
		return known
	}
	var c callee
	switch e := s.Call.Func.(type) {
	case *ast.Name:
		c.name, c.ref = true, p.Index.Resolve(e, s.Func, s.Module)
	case *ast.Attribute:
		if c.super = program.IsSuper(e.Value); c.super {
			c.class = s.Func.SelfClass()
		} else {
			c.receiver = r.receiver(p, e.Value, s.Func, s.Module)
		}
	}
	r.callees[key] = c
	return c
}

// mayCall reports whether the callee of a call can be f.
func (r *relevance) mayCall(p *Program, s program.CallSite, f *program.Func) bool {
	switch c := r.calleeOf(p, s); {
	case c.name && c.ref.Func != nil:
		return c.ref.Func == f
	case c.name && c.ref.Class != nil:
		return f.Class != nil && f.Name == "__init__" && r.related(c.ref.Class, f.Class)
	case c.name:
		return c.ref.External == ""
	case c.super:
		return c.class != nil && f.Class != nil && r.related(c.class, f.Class)
	case c.receiver != nil:
		switch t := c.receiver; t.Kind {
		case program.Unknown:
			return !containerMethods[f.Name]
		case program.Instance, program.ClassObject:
			return f.Class != nil && r.related(t.Class, f.Class)
		case program.ModuleObject:
			return f.Class == nil || f.Name == "__init__"
		default:
			return f.Class == nil && t.Kind == program.Function
		}
	}
	return true
}

// related is the memo of program.Class.Meets.
func (r *relevance) related(a, b *program.Class) bool {
	if a.IsSubclass(b) {
		return true
	}
	if len(a.Subclasses) == 0 {
		return false
	}
	pair := [2]*program.Class{a, b}
	found, known := r.kin[pair]
	if !known {
		found = a.Meets(b)
		r.kin[pair] = found
	}
	return found
}

// receiver returns the type of an expression in a function.
func (r *relevance) receiver(p *Program, e ast.Expr, f *program.Func, m *program.Module) *program.Type {
	return p.Index.TypeOf(e, program.Env{Module: m, Func: f, Self: f.SelfClass()})
}

// direct reports whether a function itself touches state that matters, or reads
// the clock or raises an exception for a class that does.
func (r *relevance) direct(p *Program, m *mention) bool {
	home := m.f.SelfClass()
	if m.raises && home != nil && r.near[home] && !m.f.Abstract || m.times && (home == nil || r.matters(home)) {
		return true
	}
	for _, n := range m.attrs {
		name := n.Attr()
		if !r.attrs[name] {
			continue
		}
		t := r.receiver(p, n.Value, m.f, m.f.Module)
		switch t.Kind {
		case program.Instance, program.ClassObject:
			if c := t.ClassWith(name); r.counts(c, p.attrLocation(c, name)) {
				return true
			}
		case program.Unknown:
			if r.places[name] {
				return true
			}
		}
	}
	return false
}

// findGlobals finds the module variables that hold a container from which
// elements are taken.
func (r *relevance) findGlobals(p *Program, taken map[string]bool) {
	for _, m := range p.Index.Modules {
		eachGlobal(m, func(name *ast.Name) {
			bind := m.Scope.Own(name.Id())
			if bind == nil {
				return
			}
			typ := p.Index.TypeOf(name, program.Env{Module: m})
			if taken[name.Id()] && typ.Kind.Keyed() && p.globalLocation(m, name.Id(), bind, typ) != nil {
				r.vars[name.Id()] = true
			}
		})
	}
}

// eachGlobal calls visit for the names that the statements of a module assign.
func eachGlobal(m *program.Module, visit func(*ast.Name)) {
	for _, st := range m.AST.Body {
		var targets []ast.Expr
		switch st := st.(type) {
		case *ast.Assign:
			targets = st.Targets
		case *ast.AnnAssign:
			if st.Value != nil {
				targets = []ast.Expr{st.Target}
			}
		}
		for _, t := range targets {
			if name, ok := t.(*ast.Name); ok {
				visit(name)
			}
		}
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
	ast.Inspect(root, func(n ast.Node) bool {
		r.see(n, s)
		return true
	})
}

// see adds what one node mentions.
func (r *relevance) see(n ast.Node, s *summary) {
	switch n := n.(type) {
	case *ast.Attribute:
		if len(r.attrs) > 0 {
			s.touches = s.touches || r.attrs[n.Attr()]
		}
		if n.Ctx() == ast.Load && ast.Expr(n) != s.callee && ast.Expr(n) != s.kept {
			for _, m := range s.methods {
				if isName(n.Value, m.Params[0].Name) {
					r.bound[n.Attr()] = append(r.bound[n.Attr()], m.Class)
				}
			}
		}
	case *ast.Name:
		if len(r.vars) > 0 {
			s.touches = s.touches || r.vars[n.Id()]
		}
	case *ast.Call:
		s.callee = n.Func // visited next
		name := n.Callee()
		starts, clock := starters[name], clocks[name]
		s.starts, s.clock = s.starts || starts, s.clock || clock
		s.touches = s.touches || starts || clock
		switch f := n.Func.(type) {
		case *ast.Name:
			switch attr, ok := constantName(n); {
			case !ok:
			case name == "getattr":
				r.named[attr] = true
			case name == "setattr":
				r.set[attr] = true
			}
			s.touches = s.touches || r.byName[name]
		case *ast.Attribute:
			s.releases = s.releases || r.gives(name)
			s.touches = s.touches || r.byName[name] && (!containerMethods[name] || s.isSelf(f.Value))
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
			s.kept = n.Value
		}
	}
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
	return s.touches
}

// touchesFunc reports whether a function touches shared state, itself or
// through what it calls.
func (p *Program) touchesFunc(f *program.Func) bool { return p.touching.funcs[f] }

// globals reports whether a function itself names a tracked global.
func (r *relevance) globals(f *program.Func) bool { return r.usesVar[f] }
