// Package component groups entrypoints around the object whose state they
// share.
//
// A component belongs to one concrete class that keeps containers: the manager
// of a backend, a queue, a connector. Its entrypoints are those of the class
// itself and those of the classes that reach it through a stored reference, such
// as the handles of single requests. The variables of a module are the state of an
// object, too, as far as its functions use them. Containers that are indexed by the
// same value form a key group.
package component

import (
	"slices"
	"sort"
	"sync"

	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
)

// A Component is one class with the entrypoints that touch its state.
type Component struct {
	Class   *program.Class // see [program.Program.ModuleClass] for that of a module
	Entries []*flow.Entry  // in the order of flow.Program
	Groups  []*Group       // in the order of their first location

	accesses map[*flow.Location][]Access
	groupOf  map[*flow.Location]*Group
	looped   bool
	onLoop   map[*flow.Entry]bool // hooks that only tasks of an event loop call
	// records are the classes without entrypoints of their own whose objects the
	// class keeps in attributes: their containers are its containers.
	records map[*program.Class]bool
	// variables are the containers of a module; nil for a class.
	variables map[*flow.Location]bool
	program   *flow.Program
	parts     map[part]content // attributes on the way to objects whose methods run
	holds     sync.Map         // see heldThrough
	findInner sync.Once
	inner     map[*flow.Location][]*flow.Location // see Inner; set by findInner
}

// A Group is a set of containers that are indexed by the same key.
type Group struct {
	Locs []*flow.Location // in the order of flow.Program
}

// An Access is one step of one entrypoint.
type Access struct {
	Entry *flow.Entry
	ID    int32
	*flow.Node
}

// Build returns the components of a program, in the order of their classes.
func Build(p *flow.Program) []*Component {
	g := newGrouping(p)
	var out []*Component
	seen := map[*program.Class]bool{}
	for _, e := range p.Entries {
		if e.Class == nil || seen[e.Class] {
			continue
		}
		seen[e.Class] = true
		if !g.inFocus(e.Class) {
			continue
		}
		if c := g.build(e.Class); c != nil {
			out = append(out, c)
		}
	}
	out = append(out, g.passive(seen, out)...)
	out = withoutHandles(out)
	sort.SliceStable(out, func(i, j int) bool { return less(out[i].Class, out[j].Class) })
	return out
}

// grouping is what tells which entrypoints belong together.
type grouping struct {
	p *flow.Program
	// of are the entrypoints, as positions in the program, by the class they run on,
	// and users those by the classes on whose objects they use a keyed container.
	of, users map[*program.Class][]int
	used      []*program.Class        // the keys of users, in the order of their first use
	focused   map[*program.Class]bool // those that code in the focus uses
	acting    map[*program.Class]bool // memo of acts
	// holders are the numbers of attributes that hold objects of a class, elements the
	// classes of what containers hold; nil until single is asked.
	holders  map[*program.Class]int
	elements map[*program.Class]bool
	parts    map[part]content           // see Component
	runs     map[*program.Func]*runners // nil until calledOnLoop is asked
}

func newGrouping(p *flow.Program) *grouping {
	g := &grouping{
		p: p, of: map[*program.Class][]int{}, users: map[*program.Class][]int{},
		focused: map[*program.Class]bool{}, acting: map[*program.Class]bool{},
		parts: map[part]content{},
	}
	for at, e := range p.Entries {
		g.of[e.Class] = append(g.of[e.Class], at)
		for i := range e.Graph.Nodes {
			n := &e.Graph.Nodes[i]
			if n.On == nil || n.Loc == nil || !n.Loc.Keyed() {
				continue
			}
			users := g.users[n.On]
			if users == nil {
				g.used = append(g.used, n.On)
			}
			if len(users) == 0 || users[len(users)-1] != at {
				g.users[n.On] = append(users, at)
			}
			if p.Focus[n.Mod.File] {
				g.focused[n.On] = true
			}
		}
	}
	return g
}

// acts is the memo of flow.Program.Acts.
func (g *grouping) acts(c *program.Class) bool {
	a, known := g.acting[c]
	if !known {
		a = g.p.Acts(c)
		g.acting[c] = a
	}
	return a
}

// passive returns the components of the objects that do nothing themselves, such as
// those of a dataclass: others do it for them. That of an object is left out where it
// is part of one of the components that are there.
func (g *grouping) passive(seen map[*program.Class]bool, there []*Component) []*Component {
	var out []*Component
	for _, k := range g.used {
		if seen[k] || len(k.Subclasses) > 0 || !g.inFocus(k) || !g.single(k) {
			continue
		}
		if c := g.build(k); c != nil && !slices.ContainsFunc(there, c.within) {
			out = append(out, c)
		}
	}
	return out
}

// within reports whether all that happens in a component is part of another one, whose
// object keeps the object of c.
func (c *Component) within(keeper *Component) bool {
	if !keeper.records[c.Class] {
		return false
	}
	for _, e := range c.Entries {
		if !slices.Contains(keeper.Entries, e) {
			return false
		}
	}
	return true
}

// inFocus reports whether the component of a class matters to the files that the
// program was built for: it, or one of its bases, is declared there, or code
// there uses its containers.
func (g *grouping) inFocus(c *program.Class) bool {
	return g.p.Focus == nil || slices.ContainsFunc(c.MRO, func(k *program.Class) bool {
		return g.p.Focus[k.Module.File] || g.focused[k]
	})
}

// withoutHandles drops the components whose class is a handle: all that its
// objects do is already part of the component of the object they refer to. One that
// keeps containers and does nothing itself is none: others work on it.
func withoutHandles(comps []*Component) []*Component {
	owners := map[*flow.Entry]int{}
	for _, c := range comps {
		for _, e := range c.Entries {
			if e.Class != c.Class {
				owners[e]++
			}
		}
	}
	var out []*Component
	for _, c := range comps {
		inside, own := true, false
		for _, e := range c.Entries {
			if e.Class == c.Class {
				own = own || e.Role != flow.Init || len(c.Groups) == 0
				inside = inside && owners[e] > 0
			}
		}
		inside = inside && own
		if !inside {
			out = append(out, c)
		}
	}
	return out
}

func less(a, b *program.Class) bool {
	if a.Module != b.Module {
		return a.Module.File < b.Module.File
	}
	return a.Node.Pos() < b.Node.Pos()
}

// OfModules returns the components of modules: the containers that a module keeps in
// its variables, where functions of the module use them and not only objects. They are
// for whoever wants to see them: nobody knows which functions of a module are called
// from elsewhere, and under which locks, so that rules would say too much.
func OfModules(p *flow.Program) []*Component {
	var out []*Component
	for _, m := range p.Index.Modules {
		if p.Focus != nil && !p.Focus[m.File] {
			continue
		}
		if c := ofModule(p, m); c != nil {
			out = append(out, c)
		}
	}
	return out
}

func ofModule(p *flow.Program, m *program.Module) *Component {
	comp := &Component{
		Class: p.Index.ModuleClass(m), accesses: map[*flow.Location][]Access{}, groupOf: map[*flow.Location]*Group{},
		variables: map[*flow.Location]bool{},
	}
	for _, e := range p.Entries {
		if e.Class != nil || e.Func.Module != m {
			continue
		}
		for i := range e.Graph.Nodes {
			if l := e.Graph.Nodes[i].Loc; l != nil && ofVariable(l.Root(), m) {
				comp.variables[l.Root()] = true
			}
		}
	}
	if len(comp.variables) == 0 {
		return nil
	}
	for _, e := range p.Entries {
		touched := false
		for i := range e.Graph.Nodes {
			n := &e.Graph.Nodes[i]
			if n.Loc != nil && comp.variables[n.Loc.Root()] {
				touched = true
				comp.accesses[n.Loc] = append(comp.accesses[n.Loc], Access{e, int32(i), n})
			}
		}
		if touched {
			comp.Entries = append(comp.Entries, e)
			comp.looped = comp.looped || e.Role == flow.LoopTask || schedules(e)
		}
	}
	comp.group(p)
	return comp
}

// ofVariable reports whether a location is a container in a variable of a module.
func ofVariable(l *flow.Location, m *program.Module) bool {
	return l.Keyed() && l.Owner == nil && l.Fn == nil && l.Mod == m
}

// build returns the component of a class, or nil if what it does is none.
func (g *grouping) build(c *program.Class) *Component {
	if g.nodes(c) {
		return nil
	}
	comp := &Component{Class: c, accesses: map[*flow.Location][]Access{}, groupOf: map[*flow.Location]*Group{}, records: g.records(c), parts: map[part]content{}, program: g.p}
	candidates := slices.Clone(g.of[c])
	reaches := map[int]bool{}
	for _, k := range c.MRO {
		candidates = append(candidates, g.users[k]...)
		for _, at := range g.users[k] {
			reaches[at] = true
		}
	}
	handles := g.handles(c)
	for h := range handles {
		candidates = append(candidates, g.of[h]...)
	}
	slices.Sort(candidates)
	own, passive := false, true
	for _, at := range slices.Compact(candidates) {
		e := g.p.Entries[at]
		if e.Class != nil && e.Class != c && c.IsSubclass(e.Class) {
			continue // runs on an object of the base class itself
		}
		own = own || reaches[at] && e.Class == c
		passive = passive && e.Class != c
		if reaches[at] || e.Class == c || handles[e.Class] && concludesAlone(e) {
			comp.Entries = append(comp.Entries, e)
		}
	}
	if !own && !passive && !threaded(c, comp.Entries) {
		return nil
	}
	for _, e := range comp.Entries {
		comp.looped = comp.looped || e.Role == flow.LoopTask && len(e.Spawns) == 0 || e.Class == c && schedules(e)
		var self *flow.Value
		for i := range e.Graph.Nodes {
			n := &e.Graph.Nodes[i]
			if n.Loc == nil || n.On != nil && n.Loc.Keyed() && !comp.keeps(n.On) {
				continue
			}
			if n.Frame != nil && n.Frame.Self != self {
				self = n.Frame.Self
				g.noteParts(comp, self)
			}
			if comp.accesses[n.Loc] == nil {
				g.noteOwner(comp, n.Loc)
			}
			comp.accesses[n.Loc] = append(comp.accesses[n.Loc], Access{e, int32(i), n})
		}
	}
	if slices.ContainsFunc(comp.Entries, isLoopTask) {
		comp.looped = comp.looped || g.calledOnLoop(c, comp.Entries)
		comp.onLoop = g.hooksOnLoop(comp.Entries)
	}
	comp.group(g.p)
	return comp
}

func isLoopTask(e *flow.Entry) bool { return e.Role == flow.LoopTask }

// single reports whether what is done to objects of a class is done to one object: one
// attribute of the program holds such objects, and at most one call makes them.
func (g *grouping) single(c *program.Class) bool {
	if g.holders == nil {
		g.findHolders()
	}
	made := 0
	for _, s := range g.p.Index.Calls(c.Name) {
		if g.p.Index.Resolve(s.Call.Func, s.Func, s.Module).Class == c {
			made++
		}
	}
	return g.holders[c] == 1 && !g.elements[c] && made <= 1
}

// findHolders counts the attributes that hold objects of each class, and finds the
// classes of what containers hold.
func (g *grouping) findHolders() {
	g.holders, g.elements = map[*program.Class]int{}, map[*program.Class]bool{}
	for _, k := range g.p.Index.Classes {
		for name := range k.Attrs {
			t := g.p.Index.AttrType(k, name)
			if t.Kind == program.Instance {
				for _, c := range t.Classes() {
					g.holders[c]++
				}
			}
			for t.Kind.Keyed() || t.Kind == program.Queue {
				t = t.Element()
				for _, c := range t.Classes() {
					g.elements[c] = true
				}
			}
		}
	}
}

// nodes reports whether objects of a class keep others of it in a container, as the
// nodes of a tree do, and nothing runs on them by itself: which of them a step is about
// is not known then.
func (g *grouping) nodes(c *program.Class) bool {
	for _, at := range g.of[c] {
		if e := g.p.Entries[at]; e.Role != flow.Init && e.Role != flow.Caller {
			return false
		}
	}
	for _, k := range c.MRO {
		for name := range k.Attrs {
			t := g.p.Index.AttrType(c, name)
			if t.Kind.Keyed() && !k.Attrs[name].ClassLevel && slices.Contains(t.Element().Classes(), c) {
				return true
			}
		}
	}
	return false
}

// keeps reports whether the containers of an object of class k belong to the
// component: it is one of its class, or a record that such an object keeps.
func (c *Component) keeps(k *program.Class) bool { return c.Class.IsSubclass(k) || c.records[k] }

// records returns the classes of the objects that objects of class c keep in
// attributes, as far as they do nothing themselves: no entrypoint is theirs.
func (g *grouping) records(c *program.Class) map[*program.Class]bool {
	out := map[*program.Class]bool{}
	work := []*program.Class{c}
	for len(work) > 0 {
		k := work[0]
		work = work[1:]
		for _, base := range k.MRO {
			for name := range base.Attrs {
				t := g.p.Index.AttrType(k, name)
				if t.Kind != program.Instance {
					continue
				}
				for _, r := range t.Classes() {
					if !out[r] && !g.acts(r) {
						out[r] = true
						work = append(work, r)
					}
				}
			}
		}
	}
	return out
}

// handles returns the other classes whose constructors reach the containers of an
// object of class c.
func (g *grouping) handles(c *program.Class) map[*program.Class]bool {
	out := map[*program.Class]bool{}
	for _, k := range c.MRO {
		for _, at := range g.users[k] {
			if e := g.p.Entries[at]; e.Role == flow.Init && e.Class != nil && !c.IsSubclass(e.Class) {
				out[e.Class] = true
			}
		}
	}
	return out
}

// concludesAlone reports whether a hook of a handle sets a flag of the handle to
// a constant: what it does for the request, though it touches no container.
func concludesAlone(e *flow.Entry) bool {
	if e.Role != flow.Caller && e.Role != flow.LoopTask {
		return false
	}
	for i := range e.Graph.Nodes {
		n := &e.Graph.Nodes[i]
		if n.Op == flow.SetFlag && n.Obj != nil && n.Obj.Kind == flow.Param && n.Val != nil && n.Val.Kind == flow.Const {
			return true
		}
	}
	return false
}

// schedules reports whether a hook schedules something on an event loop in the way
// that is allowed on its thread only.
func schedules(e *flow.Entry) bool {
	if e.Role != flow.Caller && e.Role != flow.Init {
		return false
	}
	for i := range e.Graph.Nodes {
		if n := &e.Graph.Nodes[i]; (n.Op == flow.Spawn || n.Op == flow.Call) && n.Mode&flow.Async != 0 {
			return true
		}
	}
	return false
}

// threaded reports whether an object of class c shares flags with a thread of its
// own.
func threaded(c *program.Class, entries []*flow.Entry) bool {
	for _, e := range entries {
		if e.Class != c || e.Role == flow.Caller || e.Role == flow.Init {
			continue
		}
		for i := range e.Graph.Nodes {
			if n := &e.Graph.Nodes[i]; n.Op == flow.SetFlag && n.On != nil && c.IsSubclass(n.On) {
				return true
			}
		}
	}
	return false
}

// Accesses returns the steps on a location, in the order of the entrypoints.
func (c *Component) Accesses(l *flow.Location) []Access { return c.accesses[l] }

// Inner returns the locations of the values of a container, in the order of
// their first use.
func (c *Component) Inner(l *flow.Location) []*flow.Location {
	c.findInner.Do(func() {
		c.inner = map[*flow.Location][]*flow.Location{}
		for _, e := range c.Entries {
			for i := range e.Graph.Nodes {
				n := &e.Graph.Nodes[i]
				if n.Loc == nil || n.Loc.Outer == nil {
					continue
				}
				if have := c.inner[n.Loc.Outer]; !slices.Contains(have, n.Loc) {
					c.inner[n.Loc.Outer] = append(have, n.Loc)
				}
			}
		}
	})
	return c.inner[l]
}

// Group returns the key group of a location, or nil.
func (c *Component) Group(l *flow.Location) *Group { return c.groupOf[l.Root()] }

// Has reports whether a location belongs to the group.
func (g *Group) Has(l *flow.Location) bool {
	for _, x := range g.Locs {
		if x == l {
			return true
		}
	}
	return false
}

// RootKey returns the key of the outermost container that a step goes through.
func RootKey(n *flow.Node) *flow.Value {
	if len(n.Path) > 0 {
		return n.Path[0]
	}
	return n.Key
}

// group unites the locations that one entrypoint indexes with one value.
func (c *Component) group(p *flow.Program) {
	parent := map[*flow.Location]*flow.Location{}
	var find func(l *flow.Location) *flow.Location
	find = func(l *flow.Location) *flow.Location {
		if parent[l] == nil {
			parent[l] = l
		}
		if parent[l] != l {
			parent[l] = find(parent[l])
		}
		return parent[l]
	}
	for _, e := range c.Entries {
		first := map[string]*flow.Location{}
		for i := range e.Graph.Nodes {
			n := &e.Graph.Nodes[i]
			if n.Loc == nil || !n.Loc.Keyed() || n.On != nil && !c.keeps(n.On) || c.variables != nil && !c.variables[n.Loc.Root()] {
				continue
			}
			root := find(n.Loc.Root())
			k := RootKey(n)
			if k == nil || k.Kind == flow.Const {
				continue
			}
			if other := first[k.ID()]; other != nil {
				parent[find(other)] = root
			}
			first[k.ID()] = root
		}
	}
	byRoot := map[*flow.Location]*Group{}
	for _, l := range p.Locations {
		if parent[l] == nil {
			continue
		}
		r := find(l)
		g := byRoot[r]
		if g == nil {
			g = &Group{}
			byRoot[r] = g
			c.Groups = append(c.Groups, g)
		}
		g.Locs = append(g.Locs, l)
		c.groupOf[l] = g
	}
}
