package component

import (
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
)

// A Setting is what an attribute must be for a step to be reached, one that is not
// changed while requests run, such as the mode of a process.
type Setting struct {
	Of    *program.Class // the class that sets it
	Name  string
	Value string // the ID of the constant that it is compared with, "" for its truth
	Holds bool

	sort ast.ConstKind  // of the constant
	cls  *program.Class // of which the constant is a member
	base *flow.Value    // whose attribute it is; nil where the thread of the step is started
}

// excludes reports whether two settings cannot both be.
func (s Setting) excludes(o Setting) bool {
	switch {
	case s.Of != o.Of || s.Name != o.Name:
		return false
	case s.Value == o.Value:
		return s.Holds != o.Holds
	}
	// Two strings, or two members of one class, are not equal; 1 and True are.
	alike := s.cls != nil && s.cls == o.cls || s.cls == nil && o.cls == nil && s.sort == ast.Str && o.sort == ast.Str
	return s.Value != "" && o.Value != "" && s.Holds && o.Holds && alike
}

// Exclude reports whether no object has all of the settings.
func Exclude(a, b []Setting) bool {
	return slices.ContainsFunc(a, func(s Setting) bool { return slices.ContainsFunc(b, s.excludes) })
}

// SettingsOf returns the settings without which a step is not reached, those under
// which its thread is started included.
func (c *Component) SettingsOf(e *flow.Entry, id int32) []Setting {
	const starts = 3 // threads that start threads
	var out []Setting
	for i := range starts {
		for _, s := range c.settingsIn(e.Graph, id) {
			if i > 0 {
				s.base = nil
			}
			out = append(out, s)
		}
		if len(e.Spawns) != 1 || e.Spawns[0].By == nil {
			break
		}
		at := slices.IndexFunc(e.Spawns[0].By.Graph.Nodes, func(n flow.Node) bool { return n.Op == flow.Spawn && n.Entry == e })
		if at < 0 {
			break
		}
		e, id = e.Spawns[0].By, int32(at)
	}
	return out
}

func (c *Component) settingsIn(g *flow.Graph, id int32) []Setting {
	type settling int32 // a step
	return flow.Once(g, settling(id), func() []Setting { return findSettings(c.program, g, id) })
}

func findSettings(p *flow.Program, g *flow.Graph, id int32) []Setting {
	type deciding struct { // whether a step is reached by one side of a branch alone
		branch, step int32
		kind         flow.EdgeKind
	}
	var out []Setting
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Op != flow.Branch || n.Test != flow.TestTruth && n.Test != flow.TestEq {
			continue
		}
		owner := settledBy(p, n.Val)
		if owner == nil || !g.Passes(int32(i), id) {
			continue
		}
		s := Setting{Of: owner, Name: n.Val.Name, base: n.Val.Base}
		if n.Test == flow.TestEq {
			if n.Want == nil || n.Want.Kind != flow.Const {
				continue
			}
			s.Value, s.sort, s.cls = n.Want.ID(), n.Want.Lit, n.Want.Cls
		} else if n.Val.Type.Kind == program.Instance {
			continue // its truth may change
		}
		for _, e := range n.Succ {
			if e.Kind != flow.True && e.Kind != flow.False {
				continue
			}
			q := deciding{int32(i), id, e.Kind}
			if flow.Ask(g, q, func() bool { return passes(g, id, []side{{n, e}}) }) {
				s.Holds = e.Kind == flow.True
				out = append(out, s)
			}
		}
	}
	return out
}

// settledBy returns the class whose constructors alone set the attribute that a value
// is read from; nil for anything else, and for what a message has.
func settledBy(p *flow.Program, v *flow.Value) *program.Class {
	if v == nil || v.Kind != flow.Attribute || v.Base.Type.Class == nil {
		return nil
	}
	return p.SetByConstructors(v.Base.Type.Class, v.Name)
}

// inOtherModes reports whether two steps need the object of the component, or the one
// that has made it for itself, to be set in different ways.
func (c *Component) inOtherModes(e *flow.Entry, id int32, r Access) bool {
	n := &e.Graph.Nodes[id]
	if n.Loc == nil || r.Loc == nil || !c.owns(r.Loc) || !ofSelf(n) || !ofSelf(r.Node) {
		return false
	}
	mine := c.own(n, c.SettingsOf(e, id))
	return len(mine) > 0 && Exclude(mine, c.own(r.Node, c.SettingsOf(r.Entry, r.ID)))
}

// own returns those of the settings of a step that are about the object of the component,
// or about the one that has made it.
func (c *Component) own(n *flow.Node, all []Setting) []Setting {
	return slices.DeleteFunc(all, func(s Setting) bool { return !c.settles(s.Of) || s.base != nil && !c.madeBy(n.Frame, s.base) })
}

// madeBy reports whether a value is the object in whose method a step runs, or one of
// those that have made it, each for an attribute.
func (c *Component) madeBy(f *flow.Frame, object *flow.Value) bool {
	for v := f.Self; v != nil; v = v.Base {
		if v.Same(object) {
			return true
		}
		if v.Kind != flow.Attribute || v.Base.Type.Class == nil || !c.parts[part{v.Base.Type.Class, v.Name}].own {
			return false
		}
	}
	return false
}

// ofSelf reports whether a step names the container that it is on as an attribute of the
// object in whose method it runs.
func ofSelf(n *flow.Node) bool {
	if n.Frame == nil || n.Src == nil {
		return false
	}
	found, fine := false, true
	ast.Inspect(n.Src, func(x ast.Node) bool {
		if at, ok := x.(*ast.Attribute); ok && at.Attr() == n.Loc.Root().Name {
			found, fine = true, fine && n.Fn.OnSelf(at.Value)
		}
		return true
	})
	return found && fine
}

// settles reports whether the settings of objects of a class are those of the object of
// the component.
func (c *Component) settles(k *program.Class) bool {
	if c.Class.IsSubclass(k) {
		return true
	}
	for at, what := range c.parts {
		if what.own && at.of.IsSubclass(k) && what.class != nil && c.Class.IsSubclass(what.class) {
			return true
		}
	}
	return false
}
