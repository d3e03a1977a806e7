package conditionalcleanup

import (
	"fmt"

	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/rule"
)

// disables returns the conclusions that a removal makes impossible: when every
// terminal write of the component is behind a guard on the removed entry, and
// the removal concludes nothing itself. It returns nil when one conclusion does
// without the entry.
func (c *check) disables(del int32) []component.Access {
	d := component.Access{Entry: c.entry, ID: del, Node: &c.g.Nodes[del]}
	removed := d.Loc.Root()
	if len(d.Path) > 0 || evidence.EndsRequest(c.st, d) || !c.removesLive(del) {
		return nil
	}
	var writes []component.Access
	for _, l := range c.st.Maps {
		if c.st.Comp.Group(l) != c.st.Comp.Group(removed) {
			continue
		}
		for _, a := range c.st.Comp.Accesses(l) {
			if a.Op != flow.Put || !c.st.MayConclude(a.Node) {
				continue
			}
			if !evidence.Requires(a, removed) {
				return nil
			}
			writes = append(writes, a)
		}
	}
	return writes
}

// removesLive reports whether a removal can hit a request that is not over, and
// go on without concluding it.
func (c *check) removesLive(del int32) bool { return c.silentWalk(del) != nil }

func (c *check) disabling(del int32, writes []component.Access) rule.Finding {
	d, w := &c.g.Nodes[del], writes[0]
	f := rule.Finding{
		Place: evidence.AccessPlace(d), Function: d.Fn.Qual, Entry: c.entry, Component: c.st.Comp.Class,
		Containers: evidence.Distinct([]string{d.Loc.Root().Name, w.Loc.Root().Name}), Key: evidence.KeyText(d),
		Shape: "disables:" + w.Loc.Root().Name,
		Message: fmt.Sprintf("%s is removed and %s is not concluded: whatever concludes it tests for the entry first",
			evidence.Access(d), evidence.KeyText(d)),
	}
	seen := map[rule.Place]bool{}
	for _, a := range writes {
		if p := rule.AtStep(a.Node); !seen[p] {
			seen[p] = true
			f.Related = append(f.Related, rule.Related{
				Place: p, Role: report.RoleRival, Entry: a.Entry,
				Message: fmt.Sprintf("%s concludes the request only while %s has the key", a.Entry.Name(), d.Loc.Root().Name),
			})
		}
	}
	f.Related = append(f.Related, evidence.Spawns(c.entry)...)
	f.Consequence = evidence.NeverConcludes(c.st)
	f.Fixes = c.endFirst(d, w.Loc)
	f.Threat = &rule.Threat{Property: rule.Concludes, Status: c.st, Steps: []rule.Step{{Entry: c.entry, ID: del}}}
	return f
}
