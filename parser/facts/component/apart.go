package component

import (
	"slices"

	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
)

// A part is an attribute of the objects of a class.
type part struct {
	of   *program.Class
	name string
}

// A content is what an attribute holds.
type content struct {
	class *program.Class
	own   bool // each object makes it for itself, and it stays
	alias bool // it is what another attribute holds, too
}

// noteParts finds out about the attributes on the way to an object.
func (g *grouping) noteParts(c *Component, v *flow.Value) {
	for ; v != nil && v.Kind == flow.Attribute && v.Base.Type.Class != nil; v = v.Base {
		g.notePart(c, part{v.Base.Type.Class, v.Name}, v.Type.Class)
	}
}

// noteOwner finds out whether the objects of a class make what they keep at a location.
func (g *grouping) noteOwner(c *Component, l *flow.Location) {
	if l = l.Root(); l.Owner != nil {
		g.notePart(c, part{l.Owner, l.Name}, nil)
	}
}

func (g *grouping) notePart(c *Component, at part, class *program.Class) {
	if _, known := c.parts[at]; known {
		return
	}
	what, known := g.parts[at]
	if !known {
		what = content{own: g.p.MakesOwn(at.of, at.name), alias: g.p.IsAlias(at.of, at.name)}
		g.parts[at] = what
	}
	what.class = class
	c.parts[at] = what
}

// Apart reports whether two steps on one location run in methods of objects that differ:
// they are called on two attributes, as self.loads.take() and self.saves.take(), or on
// what objects of two classes have each made for themselves, with what the location holds.
// An attribute can hold objects of several classes at different times; each is of one.
func (c *Component) Apart(a, b Access) bool {
	if a.Frame == nil || b.Frame == nil {
		return false
	}
	x, y := object{a.Frame.Self, a.Entry}, object{b.Frame.Self, b.Entry}
	if inOwner(a.Node) && inOwner(b.Node) && (x.notOf(y) || y.notOf(x)) {
		return true
	}
	flag := a.Op == flow.GetFlag || a.Op == flow.SetFlag // which is the object's own
	return c.differ(x, y, a.Loc != nil && (flag || c.owns(a.Loc)))
}

// An object is a value as an entrypoint knows it.
type object struct {
	v *flow.Value
	e *flow.Entry
}

func (o object) base() object { return object{o.v.Base, o.e} }

// notOf reports whether the object is that of its entrypoint, whose very class is known
// since the entrypoint is a hook of it, or a thread that it has started itself, and the
// other one is of none of the classes that this one is of.
func (o object) notOf(p object) bool {
	if o.v.Kind != flow.Param || o.e.Class == nil || o.v.Type.Class != o.e.Class || p.v.Type.Class == nil {
		return false
	}
	if slices.ContainsFunc(o.e.Spawns, func(s flow.SpawnSite) bool { return s.By == nil || s.By.Class != o.e.Class }) {
		return false
	}
	return !o.e.Class.IsSubclass(p.v.Type.Class)
}

// inOwner reports whether a step touches what the object keeps whose method it is in.
func inOwner(n *flow.Node) bool {
	if n.Loc == nil || n.Frame.Self == nil {
		return false
	}
	self, owner := n.Frame.Self.Type.Class, n.Loc.Root().Owner
	return self != nil && owner != nil && self.IsSubclass(owner) && n.On == self
}

// owns reports whether each object makes what it keeps at a location.
func (c *Component) owns(l *flow.Location) bool {
	l = l.Root()
	return l.Owner != nil && c.parts[part{l.Owner, l.Name}].own
}

func (c *Component) differ(x, y object, own bool) bool {
	if x.v == nil || y.v == nil || x.v.Kind != flow.Attribute || y.v.Kind != flow.Attribute {
		return false
	}
	h, k := x.v.Base.Type.Class, y.v.Base.Type.Class
	switch {
	case h == nil || k == nil:
		return false
	case x.v.Name != y.v.Name && h.Meets(k):
		return x.v.Type.Class == y.v.Type.Class && !c.parts[part{h, x.v.Name}].alias && !c.parts[part{k, y.v.Name}].alias
	case !own || !c.parts[part{h, x.v.Name}].own || !c.parts[part{k, y.v.Name}].own:
		return false
	}
	return !h.Meets(k) || x.base().notOf(y.base()) || y.base().notOf(x.base()) || c.differ(x.base(), y.base(), own)
}
