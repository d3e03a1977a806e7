package pollignoresconclusion

import (
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/status"
	"github.com/kvrace/kvrace/rules/rule"
)

// passesBy is the threat that the queue goes over its list after a hook has ended a
// request in it, asks for the flag, and does not look at the verdict.
func (s skip) passesBy(v verdict, facts []*status.Facts) *rule.Threat {
	var advance *flow.Entry
	var ready, ended, asks rule.Step
	var list *flow.Location
	c := &component.Component{Class: s.owner}
	for _, st := range facts {
		for _, e := range st.Comp.Entries {
			if e.Class != s.owner || slices.Contains(c.Entries, e) {
				continue
			}
			c.Entries = append(c.Entries, e)
			for i := range e.Graph.Nodes {
				n := &e.Graph.Nodes[i]
				switch {
				case len(n.Pred) == 0:
				case n.Loc != nil && n.Loc.Owner == s.owner && n.Loc.Name == s.list:
					list = n.Loc
				case n.Op == flow.SetFlag && n.Mode&flow.Initial == 0 && n.Loc.Name == s.flag.Attr() && !n.Val.IsBool(false):
					ready = rule.Step{Entry: e, ID: int32(i)}
				case n.Op == flow.SetFlag && n.Loc == v.flag && n.Fn == v.hook:
					ended = rule.Step{Entry: e, ID: int32(i)}
				case e.Func == s.fn && e.Role == flow.Caller && n.Op == flow.GetFlag && n.Src == ast.Node(s.flag):
					advance, asks = e, rule.Step{Entry: e, ID: int32(i), When: rule.Present, Of: n.Loc}
				}
			}
		}
	}
	if advance == nil || ended.Entry == nil || list == nil {
		return nil
	}
	ended.When, ended.Of = rule.Present, list
	t := &rule.Threat{
		Property: rule.Avoids, Status: &status.Facts{Comp: c}, Sight: &rule.Sight{Entry: advance, Loc: v.flag},
		Steps: []rule.Step{ended, {Entry: advance, ID: flow.StartNode, When: rule.Present, Of: list}, asks},
	}
	if id := s.returns(advance.Graph); id >= 0 {
		t.Steps = append(t.Steps, rule.Step{Entry: advance, ID: id})
	}
	t.Steps = append(t.Steps, rule.Step{Entry: advance, ID: flow.ExitNode})
	if ready.Entry != nil {
		t.Steps = slices.Insert(t.Steps, 0, ready)
	}
	return t
}

// returns finds where the test of the flag lets the function return, or -1 where it goes
// on with the next element.
func (s skip) returns(g *flow.Graph) int32 {
	var ret ast.Stmt
	ast.Inspect(s.fn.Node, func(n ast.Node) bool {
		if st, ok := n.(*ast.If); ok && ast.Encloses(st.Test, s.test) && leaves(st.Body) {
			ret = st.Body[len(st.Body)-1]
		}
		return ret == nil
	})
	for i := range g.Nodes {
		if n := &g.Nodes[i]; ret != nil && n.Op == flow.Return && len(n.Pred) > 0 && n.Stmt == ret {
			return int32(i)
		}
	}
	return -1
}
