package missedowner

import (
	"slices"
	"sort"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
)

// object is what the methods of a class do with the places in which requests
// wait: the containers, queues and slots that its objects hold.
type object struct {
	prog    *program.Program
	flow    *flow.Program // nil for an object that another one holds
	class   *program.Class
	owners  []string
	isOwner map[string]bool
	queues  map[string]bool
	slots   map[string]bool
	objects map[string]bool // places that are objects with containers of their own
	methods []*method
	moves   []move
	puts    []move // from is empty
}

// method is one method, with what it mentions.
type method struct {
	fn       *program.Func
	self     string
	mentions map[string]bool // places
	calls    []string        // methods of the same object
	takes    map[string]bool // places that it takes items from
	moves    bool            // items from one place to another
	puts     bool            // items into a place
	notes    []string        // attributes that it puts an argument into
	looked   map[string]bool // places in which it looks for an argument
	drops    map[string]bool // places that it empties or takes something out of
	lastTake map[string]ast.Pos
	acts     bool // calls something for what it has found
	taint    map[string]map[string]bool
	given    map[string]bool // names of arguments, and of what is made from them
}

// move is a statement that puts an item from one place into another.
type move struct {
	from, to string
	fn       *program.Func
	at       ast.Node
	names    map[string]bool // of the item
	fresh    bool            // the item comes from none of the places
}

// newObject collects what the methods of a class and its bases do.
func newObject(p *program.Program, c *program.Class) *object {
	o := &object{prog: p, class: c, isOwner: map[string]bool{}, queues: map[string]bool{}, slots: map[string]bool{}, objects: map[string]bool{}}
	o.findOwners()
	if len(o.owners) < 2 {
		return o
	}
	done := map[string]bool{}
	for _, k := range c.MRO {
		for _, f := range k.MethodList() {
			if f.SelfFunc() == f && !done[f.Name] && f.Name != "__init__" {
				done[f.Name] = true
				o.methods = append(o.methods, o.read(f))
			}
		}
	}
	return o
}

// findOwners collects the attributes that can hold requests.
func (o *object) findOwners() {
	records := o.records()
	for _, k := range o.class.MRO {
		for name, a := range k.Attrs {
			if o.isOwner[name] || records[name] {
				continue
			}
			t := o.prog.AttrType(o.class, name)
			switch {
			case t.Kind.Keyed(), t.Kind == program.Queue:
			case t.Kind == program.Instance && holds(o.prog, t.Class):
				o.objects[name] = true
			case slot(a):
				o.slots[name] = true
			default:
				continue
			}
			o.isOwner[name] = true
			o.queues[name] = t.Kind == program.Queue
			o.owners = append(o.owners, name)
		}
	}
	sort.Strings(o.owners)
}

// records returns the attributes whose entries have names that the code knows: such a
// dictionary is a record, of settings for instance, and holds no requests.
func (o *object) records() map[string]bool {
	out := map[string]bool{}
	for _, k := range o.class.MRO {
		for _, f := range k.MethodList() {
			ast.Inspect(f.Node, func(n ast.Node) bool {
				var of, key ast.Expr
				switch n := n.(type) {
				case *ast.Subscript:
					of, key = n.Value, n.Slice
				case *ast.Call:
					at, ok := n.Func.(*ast.Attribute)
					if !ok || len(n.Args()) == 0 || at.Attr() != "get" && at.Attr() != "pop" && at.Attr() != "setdefault" {
						return true
					}
					of, key = at.Value, n.Args()[0]
				}
				if c, ok := key.(*ast.Constant); ok && c.Kind() == ast.Str {
					if name := f.SelfAttr(of); name != "" {
						out[name] = true
					}
				}
				return true
			})
		}
	}
	return out
}

// holds reports whether objects of a class keep a container of their own.
func holds(p *program.Program, c *program.Class) bool {
	if c == nil {
		return false
	}
	for _, k := range c.MRO {
		for name := range k.Attrs {
			if p.AttrType(c, name).Kind.Keyed() {
				return true
			}
		}
	}
	return false
}

// empties reports whether a method of an object that is a place takes something
// out of the object.
func (o *object) empties(a, method string) bool {
	t := o.prog.AttrType(o.class, a)
	if t.Class == nil || t.Class.Method(method) == nil {
		return false
	}
	found := false
	ast.Inspect(t.Class.Method(method).Node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Attribute:
			found = found || n.Ctx() == ast.Store
		case *ast.Call:
			at, ok := n.Func.(*ast.Attribute)
			found = found || ok && removing[at.Attr()]
		}
		return !found
	})
	return found
}

// slot reports whether an attribute holds one item or None.
func slot(a *program.Attr) bool {
	none, other := false, false
	for _, d := range a.Defs {
		if c, ok := d.Value.(*ast.Constant); ok && c.Kind() == ast.None {
			none = true
			continue
		}
		switch d.Value.(type) {
		case *ast.Call, *ast.Subscript:
			other = true
		}
	}
	return none && other && len(a.Defs) > 1
}

// sets returns the places between which items move, each set sorted.
func (o *object) sets() [][]string {
	parent := map[string]string{}
	var find func(string) string
	find = func(a string) string {
		if parent[a] == "" || parent[a] == a {
			return a
		}
		return find(parent[a])
	}
	touched := map[string]bool{}
	for _, m := range o.moves {
		touched[m.from], touched[m.to] = true, true
		parent[find(m.from)] = find(m.to)
	}
	by := map[string][]string{}
	for _, a := range o.owners {
		if touched[a] {
			by[find(a)] = append(by[find(a)], a)
		}
	}
	var out [][]string
	for _, a := range o.owners {
		if set := by[a]; set != nil {
			out = append(out, set)
		}
	}
	return out
}

// seen returns the places that a method looks in, itself or by calls of other
// methods of the object.
func (o *object) seen(m *method, depth int) map[string]bool {
	out := map[string]bool{}
	for a := range m.mentions {
		out[a] = true
	}
	if depth >= 3 {
		return out
	}
	for _, name := range m.calls {
		for _, n := range o.methods {
			if n.fn.Name == name && n != m {
				for a := range o.seen(n, depth+1) {
					out[a] = true
				}
			}
		}
	}
	return out
}

// leads reports whether items move on from a place to another one of a set.
func (o *object) leads(a string, set []string) bool {
	for _, m := range o.moves {
		if m.from == a && m.to != a && slices.Contains(set, m.to) {
			return true
		}
	}
	return false
}

// queueBefore reports whether a place is a queue, or an object that keeps items,
// whose items move to a place that is looked in.
func (o *object) queueBefore(a string, seen map[string]bool) bool {
	if !o.queues[a] && !(o.objects[a] && o.filled(a)) {
		return false
	}
	for _, m := range o.moves {
		if m.from == a && seen[m.to] && !o.queues[m.to] {
			return true
		}
	}
	return false
}

// isIndex reports whether a place is an index: whatever is put there is put into
// another place by the same method.
func (o *object) isIndex(a string, set []string) bool {
	some := false
	for _, p := range o.puts {
		if p.to != a {
			continue
		}
		some = true
		beside := false
		for _, q := range o.puts {
			beside = beside || q.fn == p.fn && q.to != a && slices.Contains(set, q.to) && overlap(p.names, q.names) && !alternatives(p.fn, p.at, q.at)
		}
		if !beside {
			return false
		}
	}
	return some
}

// together reports whether one method puts what is new both into a place and
// into one of those that are looked in: they are parts of one record.
// Parts of the two sides of a condition are, where either will do.
func (o *object) together(a string, seen map[string]bool, either bool) bool {
	for _, p := range o.puts {
		if p.to != a || !p.fresh {
			continue
		}
		for _, q := range o.puts {
			if q.fn == p.fn && q.fresh && q.to != a && seen[q.to] && (either || !alternatives(p.fn, p.at, q.at)) {
				return true
			}
		}
	}
	return false
}

// alternatives reports whether two statements of a function are on different
// sides of a condition.
func alternatives(f *program.Func, a, b ast.Node) bool {
	found := false
	ast.Inspect(f.Node, func(n ast.Node) bool {
		if s, ok := n.(*ast.If); ok {
			found = found || ast.Covers(s.Body, a) && ast.Covers(s.Orelse, b) || ast.Covers(s.Body, b) && ast.Covers(s.Orelse, a)
		}
		return !found
	})
	return found
}

// filled reports whether single items are put into a place.
func (o *object) filled(a string) bool {
	for _, p := range o.puts {
		if p.to != a {
			continue
		}
		switch at := p.at.(type) {
		case *ast.Call:
			return true
		case *ast.Assign:
			for _, t := range at.Targets {
				if _, ok := t.(*ast.Subscript); ok {
					return true
				}
			}
		}
	}
	return false
}

// sink reports whether items move to a place and nowhere from there.
func (o *object) sink(a string) bool {
	into := false
	for _, m := range o.moves {
		if m.from == a {
			return false
		}
		into = into || m.to == a
	}
	return into
}

// withinOne reports whether a place is filled and emptied by one method only.
func (o *object) withinOne(a string) bool {
	var only *program.Func
	if o.slots[a] {
		return false
	}
	for _, p := range o.puts {
		if p.to == a {
			if only != nil && only != p.fn {
				return false
			}
			only = p.fn
		}
	}
	if only == nil {
		return false
	}
	for _, m := range o.methods {
		if m.takes[a] && m.fn != only {
			return false
		}
		for _, p := range o.puts { // what is put there after the last look stays
			if p.to == a && m.fn == only && p.at.Pos() > m.lastTake[a] {
				return false
			}
		}
	}
	return true
}

// noted reports whether a method leaves a note of its argument in an attribute
// that is read where the items of a place are taken.
func (o *object) noted(m *method, a string) bool {
	for _, note := range m.notes {
		for _, n := range o.methods {
			if n != m && n.takes[a] && o.reads(n, note) {
				return true
			}
		}
	}
	return false
}

// reads reports whether a method, or one that it calls, mentions an attribute.
func (o *object) reads(m *method, attr string) bool {
	if o.seen(m, 0)[attr] {
		return true
	}
	found := false
	ast.Inspect(m.fn.Node, func(n ast.Node) bool {
		if at, ok := n.(*ast.Attribute); ok && at.Attr() == attr {
			found = true
		}
		return !found
	})
	return found
}

func overlap(a, b map[string]bool) bool {
	for k := range a {
		if b[k] {
			return true
		}
	}
	return false
}
