package pollignoresconclusion

import (
	"fmt"

	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/status"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/rule"
)

// neverDrained finds the sets in which a thread notes requests instead of
// reporting them as finished, and which nothing ever looks at.
func neverDrained(st *status.Facts) []rule.Finding {
	var out []rule.Finding
	if len(st.Drainers) == 0 {
		return nil
	}
	seen := map[*flow.Location]bool{}
	for _, e := range st.Comp.Entries {
		for i := range e.Graph.Nodes {
			a := component.Access{Entry: e, ID: int32(i), Node: &e.Graph.Nodes[i]}
			if a.Op != flow.Put || a.Mode&flow.Update != 0 || len(a.Path) > 0 || a.Key == nil || seen[a.Loc] || st.Comp.Group(a.Loc) == nil || st.IsDrained(a.Loc) || !onlyWritten(st, a.Loc) {
				continue
			}
			if w := drainedInstead(st, a); w != nil {
				seen[a.Loc] = true
				out = append(out, unreported(st, a, w))
			}
		}
	}
	return out
}

// onlyWritten reports whether nothing reads or empties a container.
func onlyWritten(st *status.Facts, l *flow.Location) bool {
	for _, a := range st.Comp.Accesses(l) {
		if a.Op != flow.Put && a.Op != flow.PutAll && a.Mode&flow.Initial == 0 {
			return false
		}
	}
	return true
}

// drainedInstead returns the step by which the iteration reports the request on
// another path, or nil.
func drainedInstead(st *status.Facts, a component.Access) *flow.Node {
	key := component.RootKey(a.Node)
	it := evidence.IterationAround(a.Entry.Graph, a.ID, key)
	reports := func(n *flow.Node) bool { return n.Op == flow.Put && st.IsDrained(n.Loc) && n.Key.Same(key) }
	for i := range a.Entry.Graph.Nodes {
		n := &a.Entry.Graph.Nodes[i]
		if reports(n) && it.ThroughAny([]int32{a.ID}, reports, nil) != nil {
			return n
		}
	}
	return nil
}

func unreported(st *status.Facts, a component.Access, w *flow.Node) rule.Finding {
	d := st.Drainers[0]
	return rule.Finding{
		Place: rule.AtName(d.Func), Function: d.Func.Qual, Entry: d, Component: st.Comp.Class,
		Containers: []string{a.Loc.Name, w.Loc.Name}, Key: evidence.KeyText(a.Node), Shape: "undrained:" + a.Loc.Name,
		Message: fmt.Sprintf("%s never returns what %s notes in %s (%s:%d)", d.Name(), a.Entry.Name(), a.Loc.Name, a.Mod.File, a.Line()),
		Related: []rule.Related{
			{Place: rule.AtStep(a.Node), Role: report.RoleRival, Entry: a.Entry, Message: "the request is noted here, and nothing reads it"},
			{Place: rule.AtStep(w), Role: report.RoleContext, Entry: a.Entry, Message: fmt.Sprintf("on another path it is added to %s, which %s returns", w.Loc.Name, d.Func.Name)},
		},
		Consequence: evidence.NeverConcludes(st), Fixes: noted(st, a, w.Loc),
		Threat: &rule.Threat{Property: rule.Concludes, Status: st, Steps: []rule.Step{{Entry: a.Entry, ID: a.ID}}},
	}
}
