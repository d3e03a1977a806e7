package partialcleanup

import "github.com/kvrace/kvrace/parser/facts/component"

// otherMode reports whether a removal runs only under a setting under which nothing
// is inserted into a member.
func (c *check) otherMode(d component.Access, m *member) bool {
	need := c.required(d)
	if len(need) == 0 {
		return false
	}
	for _, in := range m.inserts {
		if !component.Exclude(need, c.required(in)) {
			return false
		}
	}
	return true
}

// required is the memo of [component.Component.SettingsOf].
func (c *check) required(a component.Access) []component.Setting {
	out, known := c.modes[a.Node]
	if !known {
		out = c.st.Comp.SettingsOf(a.Entry, a.ID)
		c.modes[a.Node] = out
	}
	return out
}
