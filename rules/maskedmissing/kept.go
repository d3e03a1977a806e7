package maskedmissing

import (
	"fmt"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/patch"
	"github.com/kvrace/kvrace/rules/rule"
)

// kept looks for a hook that walks the requests that wait and keeps one whose
// entry is missing: it lets go of a request, and removes the entry, only where a
// test of the entry holds that fails for the default.
func (c *check) kept(read component.Access) (rule.Finding, bool) {
	if read.Op != flow.Read || read.Mode&(flow.Strict|flow.Upsert) != 0 || read.Def == nil || read.Def.Kind != flow.Const {
		return rule.Finding{}, false
	}
	owner := evidence.WalkedFrom(read.Key)
	if owner == nil || owner == c.loc || !c.registered() {
		return rule.Finding{}, false
	}
	g := read.Entry.Graph
	for i := range g.Nodes {
		b := &g.Nodes[i]
		if b.Op != flow.Branch || b.Test != flow.TestEq || !b.Val.Same(read.Res) || b.Want == nil || b.Want.Kind != flow.Const {
			continue
		}
		q := question{loc: c.loc, key: read.Key, held: absent}
		over := q
		over.held = b.Want.ID()
		if c.letsGo(q, g) || !c.letsGo(over, g) {
			continue
		}
		if d, ok := c.takenFrom(read, owner); ok {
			return c.keptFinding(read, d, int32(i), owner), true
		}
	}
	return rule.Finding{}, false
}

// registered reports whether a hook stores the first entry of a request.
func (c *check) registered() bool {
	for _, a := range c.st.Comp.Accesses(c.loc) {
		if a.Op == flow.Put && evidence.Registers(c.st, a) {
			return true
		}
	}
	return false
}

// letsGo reports whether an entrypoint removes the entry.
func (c *check) letsGo(q question, g *flow.Graph) bool {
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Op == flow.Del && n.Loc == c.loc && n.Key.Same(q.key) && q.reaches(g, int32(i)) {
			return true
		}
	}
	return false
}

// takenFrom returns a removal by another entrypoint, which leaves the request
// where it waits.
func (c *check) takenFrom(read component.Access, owner *flow.Location) (component.Access, bool) {
	for _, d := range c.st.Comp.Accesses(c.loc) {
		if d.Op != flow.Del || d.Key == nil || d.Entry == read.Entry || d.Entry.Role == flow.Init {
			continue
		}
		if c.concludes(d) || c.shrinks(d.Entry, owner) {
			continue
		}
		return d, true
	}
	return component.Access{}, false
}

// shrinks reports whether an entrypoint takes something out of a container.
func (c *check) shrinks(e *flow.Entry, l *flow.Location) bool {
	for _, a := range c.st.Comp.Accesses(l) {
		if a.Entry == e && (a.Op == flow.Del || a.Op == flow.Clear || a.Op == flow.Rebind || a.Op == flow.DelAll) {
			return true
		}
	}
	return false
}

func (c *check) keptFinding(read, del component.Access, test int32, owner *flow.Location) rule.Finding {
	b := &read.Entry.Graph.Nodes[test]
	f := rule.Finding{
		Place: evidence.AccessPlace(read.Node), Function: read.Fn.Qual, Entry: read.Entry, Component: c.st.Comp.Class,
		Containers: []string{c.loc.Name, owner.Name}, Key: evidence.KeyText(read.Node), Shape: "kept:" + c.loc.Name,
		Message: fmt.Sprintf("a missing %s reads as %s and keeps the request in %s: %s removes the entry alone",
			evidence.Access(read.Node), read.Def, owner.Name, del.Entry.Name()),
		Consequence: fmt.Sprintf("%s never lets go of the request: nothing changes an entry that is gone", read.Entry.Name()),
	}
	f.Related = append([]rule.Related{{
		Place: rule.AtStep(del.Node), Role: report.RoleRival, Entry: del.Entry,
		Message: fmt.Sprintf("%s removes %s", del.Entry.Name(), evidence.Access(del.Node)),
	}}, evidence.Spawns(del.Entry)...)
	f.Threat = &rule.Threat{Property: rule.Concludes, Status: c.st, Steps: []rule.Step{at(del)}}
	f.Threat.Then = []rule.Step{{Entry: read.Entry, ID: read.ID, When: rule.Absent}, {Entry: read.Entry, ID: test, When: rule.Fails}}
	cmp, ok := b.Src.(*ast.Compare)
	if x := fallback(read.Node, b); x != nil && ok && len(cmp.Comparators) == 1 {
		edit := patch.NewEditor(read.Mod.AST).ReplaceExpr(x, rule.Text(read.Node, cmp.Comparators[0]))
		f.Fixes = []rule.Fix{{Description: "let go of a request whose entry is gone", Safety: report.SafetyReview, Edits: []patch.Edit{edit}}}
	}
	return f
}
