package component

import (
	"slices"

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
}

// excludes reports whether two settings cannot both be.
func (s Setting) excludes(o Setting) bool {
	switch {
	case s.Of != o.Of || s.Name != o.Name:
		return false
	case s.Value == o.Value:
		return s.Holds != o.Holds
	}
	return s.Value != "" && o.Value != "" && s.Holds && o.Holds
}

// Exclude reports whether no object has all of the settings.
func Exclude(a, b []Setting) bool {
	return slices.ContainsFunc(a, func(s Setting) bool { return slices.ContainsFunc(b, s.excludes) })
}

// SettingsOf returns the settings without which a step is not reached, those under
// which its thread is started included.
func SettingsOf(e *flow.Entry, id int32) []Setting {
	const starts = 3 // threads that start threads
	var out []Setting
	for range starts {
		out = append(out, settingsIn(e.Graph, id)...)
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

func settingsIn(g *flow.Graph, id int32) []Setting {
	type settling int32 // a step
	return flow.Once(g, settling(id), func() []Setting { return findSettings(g, id) })
}

func findSettings(g *flow.Graph, id int32) []Setting {
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
		owner := settledBy(n.Val)
		if owner == nil || !g.Passes(int32(i), id) {
			continue
		}
		s := Setting{Of: owner, Name: n.Val.Name}
		if n.Test == flow.TestEq {
			if n.Want == nil || n.Want.Kind != flow.Const {
				continue
			}
			s.Value = n.Want.ID()
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

// settledBy returns the class whose constructor alone sets the attribute that a value
// is read from; nil for anything else, and for what a message has.
func settledBy(v *flow.Value) *program.Class {
	if v == nil || v.Kind != flow.Attribute || v.Base.Type.Class == nil {
		return nil
	}
	owner := v.Base.Type.Class.AttrOwner(v.Name)
	if owner == nil || owner.Dataclass {
		return nil
	}
	for _, d := range owner.Attrs[v.Name].Defs {
		if d.Func == nil || d.Func.Name != "__init__" && d.Func.Name != "__post_init__" {
			return nil
		}
	}
	return owner
}

// inOtherModes reports whether two steps need the object of the component, or the one
// that has made it for itself, to be set in different ways.
func (c *Component) inOtherModes(e *flow.Entry, id int32, r Access) bool {
	mine := slices.DeleteFunc(SettingsOf(e, id), func(s Setting) bool { return !c.settles(s.Of) })
	return len(mine) > 0 && Exclude(mine, SettingsOf(r.Entry, r.ID))
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
