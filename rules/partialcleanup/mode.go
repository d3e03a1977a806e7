package partialcleanup

import (
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
)

// settings are attributes that are not changed while requests run, such as the
// mode of a process, and the constants that they must equal.
type settings map[string]string

// otherMode reports whether a removal runs only under a setting under which nothing
// is inserted into a member.
func (c *check) otherMode(d component.Access, m *member) bool {
	need := c.required(d.Entry, d.ID, 0)
	if len(need) == 0 {
		return false
	}
	for _, in := range m.inserts {
		if !conflicts(need, c.required(in.Entry, in.ID, 0)) {
			return false
		}
	}
	return true
}

func conflicts(a, b settings) bool {
	for name, want := range a {
		if have, ok := b[name]; ok && have != want {
			return true
		}
	}
	return false
}

// A step is one of an entrypoint, as required asks for it.
type step struct {
	entry *flow.Entry
	id    int32
	depth int
}

// required returns the settings without which a step is not reached, those under
// which its thread is started included.
func (c *check) required(e *flow.Entry, id int32, depth int) settings {
	at := step{e, id, depth}
	if known := c.modes[at]; known != nil {
		return known
	}
	out := settings{}
	c.modes[at] = out
	g := e.Graph
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Op != flow.Branch || n.Test != flow.TestEq || !fixed(n.Val) || n.Want == nil || n.Want.Kind != flow.Const {
			continue
		}
		around := g.Find(flow.Search{
			Blind: true,
			Goal:  func(at int32, _ *flow.Node, _ flow.Facts) bool { return at == id },
			Edge:  func(from *flow.Node, edge flow.Edge) bool { return from != n || edge.Kind != flow.True },
		})
		if around == nil {
			out[n.Val.Name] = n.Want.ID()
		}
	}
	if len(e.Spawns) != 1 || e.Spawns[0].By == nil || depth > 2 {
		return out
	}
	by := e.Spawns[0].By
	for i := range by.Graph.Nodes {
		if n := &by.Graph.Nodes[i]; n.Op == flow.Spawn && n.Entry == e {
			for name, want := range c.required(by, int32(i), depth+1) {
				out[name] = want
			}
			break
		}
	}
	return out
}

// fixed reports whether a value is an attribute that only constructors set, of an
// object that is not a message.
func fixed(v *flow.Value) bool {
	if v == nil || v.Kind != flow.Attribute || v.Base.Type.Class == nil {
		return false
	}
	owner := v.Base.Type.Class.AttrOwner(v.Name)
	if owner == nil || owner.Dataclass {
		return false
	}
	for _, d := range owner.Attrs[v.Name].Defs {
		if d.Func == nil || d.Func.Name != "__init__" && d.Func.Name != "__post_init__" {
			return false
		}
	}
	return true
}
