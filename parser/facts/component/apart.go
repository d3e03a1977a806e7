package component

import (
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
func (c *Component) Apart(a, b *flow.Node) bool {
	if a.Frame == nil || b.Frame == nil {
		return false
	}
	return c.differ(a.Frame.Self, b.Frame.Self, a.Loc != nil && c.owns(a.Loc))
}

// owns reports whether each object makes what it keeps at a location.
func (c *Component) owns(l *flow.Location) bool {
	l = l.Root()
	return l.Owner != nil && c.parts[part{l.Owner, l.Name}].own
}

func (c *Component) differ(x, y *flow.Value, own bool) bool {
	if x == nil || y == nil || x.Kind != flow.Attribute || y.Kind != flow.Attribute {
		return false
	}
	h, k := x.Base.Type.Class, y.Base.Type.Class
	switch {
	case h == nil || k == nil:
		return false
	case x.Name != y.Name && h.Meets(k):
		return x.Type.Class == y.Type.Class && !c.parts[part{h, x.Name}].alias && !c.parts[part{k, y.Name}].alias
	case !own || !c.parts[part{h, x.Name}].own || !c.parts[part{k, y.Name}].own:
		return false
	}
	return !h.Meets(k) || c.differ(x.Base, y.Base, own)
}
