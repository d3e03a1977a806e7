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
}

// noteParts finds out about the attributes on the way to an object.
func (g *grouping) noteParts(v *flow.Value) {
	for ; v != nil && v.Kind == flow.Attribute && v.Base.Type.Class != nil; v = v.Base {
		at := part{v.Base.Type.Class, v.Name}
		if _, known := g.parts[at]; known {
			return
		}
		g.parts[at] = content{v.Type.Class, g.p.MakesOwn(at.of, at.name)}
	}
}

// Apart reports whether two steps run in methods of objects that differ: they are
// called on two attributes, as self.loads.take() and self.saves.take(), or on what
// objects of two classes have each made for themselves.
func (c *Component) Apart(a, b *flow.Node) bool {
	return a.Frame != nil && b.Frame != nil && c.differ(a.Frame.Self, b.Frame.Self)
}

func (c *Component) differ(x, y *flow.Value) bool {
	if x == nil || y == nil || x.Kind != flow.Attribute || y.Kind != flow.Attribute {
		return false
	}
	h, k := x.Base.Type.Class, y.Base.Type.Class
	switch {
	case h == nil || k == nil:
		return false
	case x.Name != y.Name && related(h, k):
		return x.Type.Class == y.Type.Class
	case !c.parts[part{h, x.Name}].own || !c.parts[part{k, y.Name}].own:
		return false
	}
	return !related(h, k) || c.differ(x.Base, y.Base)
}

// related reports whether one object can be of both classes.
func related(h, k *program.Class) bool {
	return h.IsSubclass(k) || slices.ContainsFunc(h.Subclasses, func(sub *program.Class) bool { return related(sub, k) })
}
