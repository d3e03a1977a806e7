package flow

import (
	"cmp"
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/program"
)

// Most classes of a large program keep nothing that a race could spoil: tables
// that are filled once, options, tensors. A class is a subject when something
// can go wrong around its objects: elements are taken out of a container that it
// keeps, a container or flag keeps a status, something is given back, or a thread
// of control begins. Only subjects, the classes that share their state and
// what these call are lowered.

// subjects finds the subjects of a program, and around them the classes whose
// objects share their state.
type subjects struct {
	classes map[*program.Class]bool // subjects, and what derives from them
	// near are the classes whose entrypoints are lowered: subjects, and the classes
	// that keep one.
	near map[*program.Class]bool
	// records are the classes of what near classes keep in containers, and kept
	// those of what they keep in attributes.
	records, kept map[*program.Class]bool
}

func findSubjects(p *Program, taken *takings, r *relevance) subjects {
	s := subjects{classes: map[*program.Class]bool{}, near: map[*program.Class]bool{}, records: map[*program.Class]bool{}, kept: map[*program.Class]bool{}}
	own := map[*program.Class]bool{}
	for _, c := range p.Index.Classes {
		own[c] = isThreadClass(c)
		for name, a := range c.Attrs {
			l := p.attrLocation(c, name)
			switch {
			case l == nil:
			case l.Keyed():
				own[c] = own[c] || taken.takes(l) || replaced(a) || p.states(a)
			case !located(l.Type.Kind):
				own[c] = own[c] || p.verdict(a)
			}
		}
	}
	for _, f := range p.Index.Funcs {
		if c := f.SelfClass(); c != nil && (r.starting[f] || r.releasing[f]) {
			own[c] = true
		}
	}
	derived := func(c *program.Class, of map[*program.Class]bool) bool {
		for _, k := range c.MRO {
			if of[k] {
				return true
			}
		}
		return false
	}
	for _, c := range p.Index.Classes {
		if derived(c, own) {
			s.classes[c], s.near[c] = true, true
		}
	}
	for _, c := range p.Index.Classes {
		for _, k := range c.MRO {
			for name := range k.Attrs {
				t := p.Index.AttrType(c, name)
				if t.Kind != program.Instance {
					continue
				}
				for _, k := range append([]*program.Class{t.Class}, t.Others...) {
					s.near[c] = s.near[c] || derived(k, own)
				}
			}
		}
	}
	for _, c := range p.Index.Classes {
		if !s.near[c] {
			continue
		}
		for _, k := range c.MRO {
			for name := range k.Attrs {
				t := p.Index.AttrType(c, name)
				if t.Kind == program.Instance {
					s.kept[t.Class] = true
					for _, k := range t.Others {
						s.kept[k] = true
					}
					continue
				}
				for t.Kind.Keyed() || t.Kind == program.Queue {
					t = t.Element()
				}
				if t.Kind == program.Instance {
					s.records[t.Class] = true
				}
			}
		}
	}
	return s
}

// matters reports whether the state of the objects of a class is worth looking
// at.
func (s *subjects) matters(c *program.Class) bool {
	for _, k := range c.MRO {
		if s.near[k] || s.records[k] {
			return true
		}
	}
	return s.near[c]
}

// counts reports whether what an object of a class keeps at a location is worth
// looking at.
func (s *subjects) counts(c *program.Class, l *Location) bool {
	if l == nil {
		return false
	}
	if l.Keyed() || l.Type.Kind.IsLock() && c.Method("__enter__") != nil {
		for _, k := range c.MRO {
			if s.kept[k] {
				return true
			}
		}
	}
	return s.matters(c)
}

// replaced reports whether a container gives way to another one after the
// constructor: to a filtered copy of itself or, if elements are added to it, in a
// function that looks at the former one and hands it on.
func replaced(a *program.Attr) bool {
	for _, d := range a.Defs {
		switch {
		case d.Func == nil || constructor(d.Func):
		case d.Value != nil && reads(d.Value, a.Name):
			return true
		case len(a.Defs) > 1 && len(a.Elems) > 0 && reads(d.Func.Node, a.Name):
			return true
		}
	}
	return false
}

// verdict reports whether a flag tells more than yes or no: its class sets it to
// two constants beside the truth values and None.
func (p *Program) verdict(a *program.Attr) bool {
	var first string
	for _, d := range a.Defs {
		id := p.statusConst(d)
		if id != "" && first != "" && id != first {
			return true
		}
		first = cmp.Or(first, id)
	}
	return false
}

// states reports whether a container keeps constants that can be statuses.
func (p *Program) states(a *program.Attr) bool {
	return slices.ContainsFunc(a.Elems, func(d program.Def) bool { return p.statusConst(d) != "" })
}

// statusConst returns the constant that a definition in a function gives, if it
// can be a status: a string, a number or a member of a class.
func (p *Program) statusConst(d program.Def) string {
	if d.Func == nil {
		return ""
	}
	switch v := d.Value.(type) {
	case *ast.Constant:
		if v.Kind() == ast.Str || v.Kind() == ast.Int {
			return v.Value()
		}
	case *ast.Attribute:
		if p.Index.Resolve(v, d.Func, d.Func.Module).Member != nil {
			return v.Attr()
		}
	}
	return ""
}

// reads reports whether code reads an attribute of that name.
func reads(code ast.Node, attr string) bool {
	found := false
	ast.Inspect(code, func(n ast.Node) bool {
		if at, ok := n.(*ast.Attribute); ok && at.Attr() == attr && at.Ctx() == ast.Load {
			found = true
		}
		return !found
	})
	return found
}

// takers are the methods that take something out of a container.
var takers = map[string]bool{
	"pop": true, "popitem": true, "popleft": true, "remove": true, "discard": true, "clear": true,
	"difference_update": true, "intersection_update": true, "subtract": true, "__delitem__": true,
}

// takings finds what elements are taken from: directly, through a variable, a
// parameter or the result of a call. Where the type of an object is unknown, it
// goes by the name of the attribute and errs on the side of too many.
type takings struct {
	p         *Program
	r         *relevance
	locations map[*Location]bool
	names     map[string]bool // of attributes of objects of unknown type
	globals   map[string]bool // names of variables that are no locals

	byName  map[string][]*program.Func
	results map[*program.Func]bool // functions whose result is taken from
	work    []taking
	alias   map[*program.Func]map[string][]ast.Expr // memo of aliases
	asked   map[parameter]bool                      // what passed has looked at
}

// A parameter of a function, by its position.
type parameter struct {
	f     *program.Func
	index int
	loose bool
}

// A taking is an expression of a function that stands for a container from which
// something is taken. For one of the work that is left it is what the container comes
// from: an attribute, a call or a name.
type taking struct {
	f *program.Func
	e ast.Expr
	// loose marks an operation that does not name what it takes: pop() and clear()
	// of a list, which serves as a buffer then.
	loose bool
}

func findTakings(p *Program, r *relevance, all []taking) *takings {
	t := &takings{
		p: p, r: r, locations: map[*Location]bool{}, names: map[string]bool{}, globals: map[string]bool{},
		byName: map[string][]*program.Func{}, results: map[*program.Func]bool{},
		alias: map[*program.Func]map[string][]ast.Expr{}, asked: map[parameter]bool{},
	}
	for _, f := range p.Index.Funcs {
		t.byName[f.Name] = append(t.byName[f.Name], f)
	}
	for _, x := range all {
		t.taken(x.f, x.e, x.loose)
	}
	for len(t.work) > 0 {
		s := t.work[len(t.work)-1]
		t.work = t.work[:len(t.work)-1]
		t.mark(s)
	}
	return t
}

// takes reports whether elements are taken from an attribute.
func (t *takings) takes(l *Location) bool { return t.locations[l] || t.names[l.Name] }

func (t *takings) mark(s taking) {
	switch e := s.e.(type) {
	case *ast.Name:
		t.globals[e.Id()] = true
	case *ast.Attribute:
		typ := t.r.receiver(t.p, e.Value, s.f, s.f.Module)
		switch typ.Kind {
		case program.Instance, program.ClassObject:
			if l := t.p.attrLocation(typ.ClassWith(e.Attr()), e.Attr()); l != nil && !(s.loose && l.Type.Kind == program.List) {
				t.locations[l] = true
				if l.Owner == nil {
					t.globals[l.Name] = true // kept in an attribute, too
				}
			}
		case program.ModuleObject:
			t.globals[e.Attr()] = true
		case program.Unknown:
			t.names[e.Attr()] = t.names[e.Attr()] || !s.loose
		}
	case *ast.Call:
		for _, f := range t.byName[e.Callee()] {
			if !t.results[f] && t.r.mayCall(t.p, program.CallSite{Module: s.f.Module, Func: s.f, Call: e}, f) {
				t.results[f] = true
				t.resultTaken(f)
			}
		}
	}
}

// resultTaken notes that something takes from what a function returns.
func (t *takings) resultTaken(f *program.Func) {
	outer := f
	for outer.Outer != nil {
		outer = outer.Outer
	}
	for _, r := range f.Returns {
		for _, e := range sources(r, t.aliases(outer)) {
			t.work = append(t.work, taking{f, e, false})
		}
	}
}

// aliases returns what the variables of a function, and of those nested in it,
// stand for.
func (t *takings) aliases(f *program.Func) map[string][]ast.Expr {
	if alias, ok := t.alias[f]; ok {
		return alias
	}
	alias := map[string][]ast.Expr{}
	t.alias[f] = alias
	assign := func(target ast.Node, from []ast.Expr) {
		if len(from) == 0 {
			return
		}
		ast.Inspect(target, func(n ast.Node) bool {
			if v, ok := n.(*ast.Name); ok && len(alias[v.Id()]) < maxSources {
				alias[v.Id()] = append(alias[v.Id()], from...)
			}
			return true
		})
	}
	ast.Inspect(f.Node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Assign:
			for _, x := range n.Targets {
				if _, attr := x.(*ast.Attribute); !attr {
					assign(x, sources(n.Value, alias))
				}
			}
		case *ast.NamedExpr:
			assign(n.Target, sources(n.Value, alias))
		case *ast.For:
			assign(n.Target, sources(n.Iter, alias))
		}
		return true
	})
	return alias
}

// taken notes that a function takes from what an expression stands for.
func (t *takings) taken(f *program.Func, e ast.Expr, loose bool) {
	for _, x := range sources(e, t.aliases(f)) {
		v, name := x.(*ast.Name)
		if !name {
			t.work = append(t.work, taking{f, x, loose})
			continue
		}
		if i := slices.IndexFunc(f.Params, func(p *program.Param) bool { return p.Name == v.Id() }); i >= 0 {
			t.passed(f, i, loose)
			continue
		}
		t.globals[v.Id()] = true
	}
}

// maxSources bounds what one variable is taken to stand for.
const maxSources = 16

// passed marks what calls hand to a parameter of f.
func (t *takings) passed(f *program.Func, param int, loose bool) {
	key := parameter{f, param, loose}
	if t.asked[key] {
		return
	}
	t.asked[key] = true
	bound := 0
	if f.IsMethod() {
		bound = 1
	}
	for _, s := range t.p.Index.Calls(f.Name) {
		if s.Func == nil || !t.r.mayCall(t.p, s, f) {
			continue
		}
		if arg := program.Argument(s.Call, f.Params[param], bound); arg != nil {
			t.taken(s.Func, arg, loose)
		}
	}
}

// sources returns the attributes, calls and names that an expression takes its
// value from, looking through subscripts, methods and variables.
func sources(e ast.Expr, alias map[string][]ast.Expr) []ast.Expr {
	switch e := e.(type) {
	case *ast.Name:
		if from, ok := alias[e.Id()]; ok {
			return from
		}
		return []ast.Expr{e}
	case *ast.Attribute:
		return []ast.Expr{e}
	case *ast.Subscript:
		return sources(e.Value, alias)
	case *ast.Starred:
		return sources(e.Value, alias)
	case *ast.Await:
		return sources(e.Value, alias)
	case *ast.NamedExpr:
		return sources(e.Value, alias)
	case *ast.BoolOp:
		return allSources(e.Values, alias)
	case *ast.IfExp:
		return allSources([]ast.Expr{e.Body, e.Orelse}, alias)
	case *ast.Tuple:
		return allSources(e.Elts, alias)
	case *ast.List:
		return allSources(e.Elts, alias)
	case *ast.Call:
		if at, ok := e.Func.(*ast.Attribute); ok {
			if containerMethods[at.Attr()] {
				return sources(at.Value, alias)
			}
			return []ast.Expr{e}
		}
		if v, ok := e.Func.(*ast.Name); ok && (v.Id() == "enumerate" || v.Id() == "zip" || v.Id() == "reversed" || v.Id() == "iter") {
			return allSources(e.Args(), alias)
		}
		return []ast.Expr{e}
	}
	return nil
}

func allSources(es []ast.Expr, alias map[string][]ast.Expr) []ast.Expr {
	var out []ast.Expr
	for _, e := range es {
		out = append(out, sources(e, alias)...)
	}
	return out
}
