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
	// records are the classes without entrypoints of their own whose objects the
	// class keeps in attributes: their containers are its containers.
	records map[*program.Class]bool
	// variables are the containers of a module; nil for a class.
	variables map[*flow.Location]bool
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
	touched := make([][]*program.Class, len(p.Entries))
	for i, e := range p.Entries {
		touched[i] = touches(e)
	}
	acting := map[*program.Class]bool{}
	acts := func(c *program.Class) bool {
		a, known := acting[c]
		if !known {
			a = p.Acts(c)
			acting[c] = a
		}
		return a
	}
	var out []*Component
	seen := map[*program.Class]bool{}
	for _, e := range p.Entries {
		if e.Class == nil || seen[e.Class] {
			continue
		}
		seen[e.Class] = true
		if !inFocus(p, e.Class) {
			continue
		}
		if c := build(p, e.Class, touched, acts); c != nil {
			out = append(out, c)
		}
	}
	out = append(out, passive(p, touched, seen, acts, out)...)
	out = withoutHandles(out)
	sort.SliceStable(out, func(i, j int) bool { return less(out[i].Class, out[j].Class) })
	return out
}

// passive returns the components of the objects that do nothing themselves, such as
// those of a dataclass: others do it for them. That of an object is left out where it
// is part of one of the components that are there.
func passive(p *flow.Program, touched [][]*program.Class, seen map[*program.Class]bool, acts func(*program.Class) bool, there []*Component) []*Component {
	var out []*Component
	for _, k := range slices.Concat(touched...) {
		if seen[k] || len(k.Subclasses) > 0 {
			continue
		}
		seen[k] = true
		if !inFocus(p, k) {
			continue
		}
		if c := build(p, k, touched, acts); c != nil && !slices.ContainsFunc(there, c.within) {
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
func inFocus(p *flow.Program, c *program.Class) bool {
	if p.Focus == nil {
		return true
	}
	for _, k := range c.MRO {
		if p.Focus[k.Module.File] {
			return true
		}
	}
	for _, e := range p.Entries {
		for i := range e.Graph.Nodes {
			n := &e.Graph.Nodes[i]
			if n.On != nil && n.Loc != nil && n.Loc.Keyed() && p.Focus[n.Mod.File] && c.IsSubclass(n.On) {
				return true
			}
		}
	}
	return false
}

// withoutHandles drops the components whose class is a handle: all that its
// objects do is already part of the component of the object they refer to.
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
				own = true
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
			comp.looped = comp.looped || e.Role == flow.LoopTask || onLoop(e)
		}
	}
	comp.group(p)
	return comp
}

// ofVariable reports whether a location is a container in a variable of a module.
func ofVariable(l *flow.Location, m *program.Module) bool {
	return l.Keyed() && l.Owner == nil && l.Fn == nil && l.Mod == m
}

// touches returns the classes on whose objects an entrypoint uses a keyed
// container.
func touches(e *flow.Entry) []*program.Class {
	var out []*program.Class
	seen := map[*program.Class]bool{}
	for i := range e.Graph.Nodes {
		n := &e.Graph.Nodes[i]
		if n.On != nil && n.Loc != nil && n.Loc.Keyed() && !seen[n.On] {
			seen[n.On] = true
			out = append(out, n.On)
		}
	}
	return out
}

func build(p *flow.Program, c *program.Class, touched [][]*program.Class, acts func(*program.Class) bool) *Component {
	comp := &Component{Class: c, accesses: map[*flow.Location][]Access{}, groupOf: map[*flow.Location]*Group{}, records: records(p, c, acts)}
	own, passive := false, true
	handles := handlesOf(p, c, touched)
	for i, e := range p.Entries {
		if e.Class != nil && e.Class != c && c.IsSubclass(e.Class) {
			continue // runs on an object of the base class itself
		}
		reaches := false
		for _, k := range touched[i] {
			reaches = reaches || c.IsSubclass(k)
		}
		own = own || reaches && e.Class == c
		passive = passive && e.Class != c
		if reaches || e.Class == c || handles[e.Class] && concludesAlone(e) {
			comp.Entries = append(comp.Entries, e)
		}
	}
	if !own && !passive && !threaded(c, comp.Entries) {
		return nil
	}
	for _, e := range comp.Entries {
		comp.looped = comp.looped || e.Role == flow.LoopTask && len(e.Spawns) == 0 || e.Class == c && onLoop(e)
		for i := range e.Graph.Nodes {
			n := &e.Graph.Nodes[i]
			if n.Loc == nil || n.On != nil && n.Loc.Keyed() && !comp.keeps(n.On) {
				continue
			}
			comp.accesses[n.Loc] = append(comp.accesses[n.Loc], Access{e, int32(i), n})
		}
	}
	comp.group(p)
	return comp
}

// keeps reports whether the containers of an object of class k belong to the
// component: it is one of its class, or a record that such an object keeps.
func (c *Component) keeps(k *program.Class) bool { return c.Class.IsSubclass(k) || c.records[k] }

// records returns the classes of the objects that objects of class c keep in
// attributes, as far as they do nothing themselves: no entrypoint is theirs.
func records(p *flow.Program, c *program.Class, acts func(*program.Class) bool) map[*program.Class]bool {
	out := map[*program.Class]bool{}
	work := []*program.Class{c}
	for len(work) > 0 {
		k := work[0]
		work = work[1:]
		for _, base := range k.MRO {
			for name := range base.Attrs {
				t := p.Index.AttrType(k, name)
				if t.Kind != program.Instance {
					continue
				}
				for _, r := range t.Classes() {
					if !out[r] && !acts(r) {
						out[r] = true
						work = append(work, r)
					}
				}
			}
		}
	}
	return out
}

// handlesOf returns the other classes whose constructors reach the containers of
// an object of class c.
func handlesOf(p *flow.Program, c *program.Class, touched [][]*program.Class) map[*program.Class]bool {
	out := map[*program.Class]bool{}
	for i, e := range p.Entries {
		if e.Role != flow.Init || e.Class == nil || e.Class == c || c.IsSubclass(e.Class) {
			continue
		}
		for _, k := range touched[i] {
			if c.IsSubclass(k) {
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

// onLoop reports whether a hook schedules something on an event loop in the way
// that is allowed on its thread only.
func onLoop(e *flow.Entry) bool {
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
	var out []*flow.Location
	for _, e := range c.Entries {
		for i := range e.Graph.Nodes {
			n := &e.Graph.Nodes[i]
			if n.Loc != nil && n.Loc.Outer == l && !slices.Contains(out, n.Loc) {
				out = append(out, n.Loc)
			}
		}
	}
	return out
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
