package partialcleanup

import "github.com/kvrace/kvrace/parser/facts/component"

// otherMode reports whether a removal runs only under a setting under which nothing
// is inserted into a member.
func (c *check) otherMode(d component.Access, m *member) bool {
	need := c.st.Comp.SettingsOf(d.Entry, d.ID)
	if len(need) == 0 {
		return false
	}
	for _, in := range m.inserts {
		if !component.Exclude(need, c.st.Comp.SettingsOf(in.Entry, in.ID)) {
			return false
		}
	}
	return true
}
