package flow

import (
	"maps"
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/program"
)

// A class can put its methods into a table, and keep that in an attribute or hand it to
// an object that it keeps there:
//
//	self.table = {"add": self.add, "drop": self.drop}
//	self.route = Router([(Add, self.add), (Drop, self.drop)])
//
// Who looks one up calls it. Where that can be seen, the call is followed (see dispatch and
// handedHere); where it cannot, whoever reads the attribute calls it at any time, as a
// framework calls a hook. Not seen are lambdas in tables, methods that are registered one by
// one by a call, and large tables that a thread of the program looks up in another object.

// A table is the methods that a class hands on in one attribute.
type table struct {
	class *program.Class // where the attribute is set
	attr  string
	// handed tells that an object gets the table when it is made, and keeps it.
	handed  bool
	methods []*program.Func
}

// tablesOf returns the tables that a class itself sets, by attribute.
func (p *Program) tablesOf(c *program.Class) []table {
	var out []table
	for _, name := range slices.Sorted(maps.Keys(c.Attrs)) {
		t := table{class: c, attr: name}
		for _, d := range c.Attrs[name].Defs {
			if d.Func == nil || d.Func.SelfClass() == nil || d.Elem || d.Index > 0 {
				continue
			}
			var names []string
			switch v := d.Value.(type) {
			case *ast.Dict, *ast.List, *ast.Tuple:
				names = selfNames(v, d.Func, nil)
			case *ast.Call:
				if starters[v.Callee()] {
					continue
				}
				for _, a := range v.Args() {
					names = displayedNames(a, d.Func, names)
				}
				for _, k := range v.Keywords() {
					names = displayedNames(k.Value, d.Func, names)
				}
				t.handed = t.handed || len(names) > 0
			}
			for _, n := range names {
				if f := c.Method(n); f != nil && f.Kind != program.Property && !slices.Contains(t.methods, f) {
					t.methods = append(t.methods, f)
				}
			}
		}
		if len(t.methods) > 0 {
			out = append(out, t)
		}
	}
	return out
}

// displayedNames adds the attributes of self in a display, or in the displays that a
// variable of the function is set to.
func displayedNames(e ast.Expr, f *program.Func, names []string) []string {
	switch e := e.(type) {
	case *ast.Dict, *ast.List, *ast.Tuple:
		return selfNames(e, f, names)
	case *ast.Name:
		if bind := f.Scope.Own(e.Id()); bind != nil {
			for _, d := range bind.Defs {
				switch d.Value.(type) {
				case *ast.Dict, *ast.List, *ast.Tuple:
					names = selfNames(d.Value, f, names)
				}
			}
		}
	}
	return names
}

// selfNames adds the attributes of self among the values of a display and of those in it.
func selfNames(e ast.Expr, f *program.Func, names []string) []string {
	var elts []ast.Expr
	switch e := e.(type) {
	case *ast.Dict:
		elts = e.Values
	case *ast.List:
		elts = e.Elts
	case *ast.Tuple:
		elts = e.Elts
	case *ast.Attribute:
		if f.OnSelf(e.Value) {
			return append(names, e.Attr())
		}
	}
	for _, x := range elts {
		names = selfNames(x, f, names)
	}
	return names
}

// allTables returns the tables of all classes; they are looked for once.
func (p *Program) allTables() map[*program.Class][]table {
	if p.tables == nil {
		p.tables = map[*program.Class][]table{}
		for _, c := range p.Index.Classes {
			if ts := p.tablesOf(c); len(ts) > 0 {
				p.tables[c] = ts
			}
		}
	}
	return p.tables
}

// handedTo returns the table that an object gets which is kept in an attribute of another
// one, or nil.
func (p *Program) handedTo(v *Value) *table {
	if v == nil || v.Kind != Attribute || v.Base == nil || v.Base.Type.Class == nil {
		return nil
	}
	home := v.Base.Type.Class.AttrOwner(v.Name)
	ts := p.allTables()[home]
	if i := slices.IndexFunc(ts, func(t table) bool { return t.attr == v.Name && t.handed }); i >= 0 {
		return &ts[i]
	}
	return nil
}

// maxHanded bounds the methods of a table whose call is followed where an object calls one
// that it was handed: each is lowered once more.
const maxHanded = 8

// follows reports whether a method of an object is followed since it may call what the
// object was handed.
func (b *builder) follows(self *Value) bool {
	t := b.p.handedTo(self)
	return t != nil && len(t.methods) <= maxHanded && slices.ContainsFunc(t.methods, b.p.touchesFunc)
}

// handedHere returns the methods that the object of the current function was handed, for the
// callee of a call that comes from what it keeps: self.known[tag], or a variable that was
// looked up there.
func (b *builder) handedHere(callee ast.Expr) []*Value {
	fn, self := b.frame.Fn, b.frame.Self
	if !b.follows(self) || fn.SelfClass() == nil {
		return nil
	}
	kept := func(e ast.Expr) bool { return e != nil && readsHanded(e, fn, self.Type.Class) }
	found := false
	switch e := callee.(type) {
	case *ast.Name:
		if bind := fn.Scope.Own(e.Id()); bind != nil {
			found = slices.ContainsFunc(bind.Defs, func(d program.Def) bool { return kept(d.Value) })
		}
	case *ast.Subscript, *ast.Call:
		found = kept(e)
	}
	if !found {
		return nil
	}
	var out []*Value
	for _, f := range b.p.handedTo(self).methods {
		f = b.override(f, self.Base)
		out = append(out, b.function(f, self.Base))
	}
	return out
}

// override returns the method that a call of f on an object runs.
func (b *builder) override(f *program.Func, self *Value) *program.Func {
	if own := self.Type.Class.Method(f.Name); own != nil {
		return own
	}
	return f
}

// readsHanded reports whether an expression of a method reads an attribute that the
// constructor sets to what it is handed.
func readsHanded(e ast.Expr, f *program.Func, c *program.Class) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		at, ok := n.(*ast.Attribute)
		if !ok || !f.OnSelf(at.Value) || c == nil {
			return !found
		}
		home := c.AttrOwner(at.Attr())
		if home == nil {
			return !found
		}
		for _, d := range home.Attrs[at.Attr()].Defs {
			if d.Func == nil || d.Func.Name != "__init__" || d.Value == nil {
				continue
			}
			ast.Inspect(d.Value, func(n ast.Node) bool {
				name, ok := n.(*ast.Name)
				found = found || ok && !d.Func.OnSelf(name) && d.Func.Param(name.Id()) != nil
				return !found
			})
		}
		return !found
	})
	return found
}

// addHandlers makes hooks of the methods in tables that nothing calls as far as can be seen:
// who reads the attribute calls them. Where a thread of the program does, they run on that
// thread, which is no hook; such a table is left alone.
func (p *Program) addHandlers(wanted func(*program.Class) bool) {
	tables := p.allTables()
	if len(tables) == 0 {
		return
	}
	type method struct {
		f *program.Func
		c *program.Class
	}
	lowered := map[method]bool{}
	for _, fr := range p.frames {
		if fr.Self != nil && fr.Self.Type.Class != nil {
			lowered[method{fr.Fn, fr.Self.Type.Class}] = true
		}
	}
	for _, e := range p.Entries {
		lowered[method{e.Func, e.Class}] = true
	}
	for _, c := range p.Index.Classes {
		if p.isTest(c.Module) || !p.touching.near[c] || !wanted(c) {
			continue
		}
		for _, k := range c.MRO {
			for _, t := range tables[k] {
				missing := slices.DeleteFunc(p.handlers(t, c), func(f *program.Func) bool { return lowered[method{f, c}] })
				if len(missing) == 0 {
					continue
				}
				role, ok := p.callsTable(t, c)
				if !ok {
					continue
				}
				for _, f := range missing {
					lowered[method{f, c}] = true
					as := role
					if f.Async {
						as = LoopTask
					}
					p.newEntry(f, c, as, nil, nil, nil)
				}
			}
		}
	}
}

// handlers returns the methods of a table, as an object of a class has them, that touch what
// matters.
func (p *Program) handlers(t table, c *program.Class) []*program.Func {
	var out []*program.Func
	for _, f := range t.methods {
		if own := c.Method(f.Name); own != nil && p.touchesFunc(own) && !own.Abstract && !own.Trivial() {
			out = append(out, own)
		}
	}
	return out
}

// callsTable returns the role of what calls the methods of a table of objects of a class: a
// hook, or a task where one does as well; false where a thread of the program does.
func (p *Program) callsTable(t table, c *program.Class) (Role, bool) {
	readers := map[*program.Func]bool{}
	var work []*program.Func
	add := func(f *program.Func) {
		for ; f != nil && !readers[f]; f = f.Outer {
			readers[f] = true
			work = append(work, f)
		}
	}
	for _, k := range t.class.Family() {
		for _, f := range k.MethodList() {
			if reads(f.Node, t.attr) {
				add(f)
			}
		}
	}
	for _, k := range c.MRO {
		for _, f := range k.MethodList() {
			if reads(f.Node, t.attr) {
				add(f)
			}
		}
	}
	for len(work) > 0 {
		f := work[len(work)-1]
		work = work[:len(work)-1]
		for _, s := range p.Index.Calls(f.Name) {
			if s.Func != nil && !readers[s.Func] && !p.isTest(s.Module) && p.touching.mayCall(p, s, f) {
				add(s.Func)
			}
		}
	}
	role := Caller
	for _, e := range p.Entries {
		if !readers[e.Func] {
			continue
		}
		switch {
		case e.Role == Init || e.Role == Caller || e.Process:
		case e.Role == LoopTask:
			role = LoopTask
		default:
			return 0, false
		}
	}
	return role, true
}

// Handler reports whether a method is in a table of its class, and no method of the class
// calls it by its name: it runs when a message asks for it.
func (p *Program) Handler(f *program.Func) bool {
	if f.Class == nil {
		return false
	}
	inTable := false
	for _, k := range append(f.Class.Family(), f.Class.MRO...) {
		for _, t := range p.allTables()[k] {
			inTable = inTable || slices.ContainsFunc(t.methods, func(m *program.Func) bool { return m.Name == f.Name })
		}
	}
	return inTable && !slices.ContainsFunc(p.Index.Calls(f.Name), func(s program.CallSite) bool {
		at, ok := s.Call.Func.(*ast.Attribute)
		return ok && s.Func.OnSelf(at.Value) && selfClassRelated(s.Func, f.Class)
	})
}
