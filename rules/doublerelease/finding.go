package doublerelease

import (
	"fmt"

	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/rule"
)

// shape is the way in which a resource is given back twice.
type shape uint8

const (
	shapeEntry shape = iota // an entry is removed strictly that is gone
	shapeCall               // two calls on one walk
	shapeOwner              // a call here, and one by who works off a list
)

func (s shape) String() string { return [...]string{"entry", "call", "owner"}[s] }

// report adds the finding about a second release.
func (c *check) report(s shape, first, second *flow.Node, other *component.Access) {
	f := rule.Finding{
		Place: rule.AtStep(second), Function: second.Fn.Qual, Entry: c.entry, Component: c.st.Comp.Class,
		Shape:  s.String() + ":" + subject(second),
		Threat: c.threat(s, first, second, other),
	}
	rival := rule.Related{Place: rule.AtStep(first), Role: report.RoleRival, Entry: c.entry}
	switch s {
	case shapeEntry:
		f.Message = fmt.Sprintf("%s is removed again: line %d has removed it", evidence.Access(second), first.Line())
		f.Containers, f.Key = []string{second.Loc.Root().Name}, evidence.KeyText(second)
		f.Consequence = fmt.Sprintf("the second removal raises KeyError and %s does not do the rest", c.entry.Name())
		rival.Message = fmt.Sprintf("%s is removed for the first time", evidence.Access(first))
		if first == second {
			f.Message = fmt.Sprintf("%s is removed again in the next turn of the loop", evidence.Access(second))
			rival.Message = "each turn of the inner loop removes the same entry"
		}
		f.Fixes = append(fromFirst(first, second), removeTolerantly(second)...)
	case shapeCall:
		f.Message = fmt.Sprintf("%s gives back what line %d has given back", rule.Text(second, second.Src), first.Line())
		f.Consequence = "what is given back twice is handed out twice, and two requests use it"
		rival.Message = "given back for the first time, on the same walk"
		f.Fixes = dropSecond(second)
	case shapeOwner:
		f.Message = fmt.Sprintf("%s gives back what stays in %s, and %s gives it back again", rule.Text(second, second.Src), first.Loc.Root().Name, other.Entry.Name())
		f.Containers = []string{first.Loc.Root().Name}
		f.Consequence = "what is given back twice is handed out twice, and two requests use it"
		rival.Message = fmt.Sprintf("the item is put into %s on the same walk", first.Loc.Root().Name)
		f.Related = append(f.Related, rule.Related{
			Place: rule.AtStep(other.Node), Role: report.RoleRival, Entry: other.Entry,
			Message: fmt.Sprintf("%s gives back every element of %s", other.Entry.Name(), first.Loc.Root().Name),
		})
		f.Fixes = dropSecond(second)
	}
	f.Related = append([]rule.Related{rival}, f.Related...)
	f.Related = append(f.Related, evidence.Spawns(c.entry)...)
	c.out = append(c.out, f)
}

// threat is that the second release comes after the first one, and fails if it is the
// removal of an entry.
func (c *check) threat(s shape, first, second *flow.Node, other *component.Access) *rule.Threat {
	one, two := rule.Step{Entry: c.entry, ID: c.idOf(first)}, rule.Step{Entry: c.entry, ID: c.idOf(second), By: rule.TheFirst}
	switch {
	case s == shapeEntry && first != second:
		return &rule.Threat{Property: rule.Survives, Status: c.st, Steps: []rule.Step{one}, Then: []rule.Step{two}}
	case s == shapeEntry:
		two.By = rule.Anybody
		return &rule.Threat{Property: rule.Survives, Status: c.st, Then: []rule.Step{two}}
	case s == shapeOwner:
		return &rule.Threat{
			Property: rule.Avoids, Status: c.st, Undo: c.begins(),
			Steps: []rule.Step{one, two, {Entry: other.Entry, ID: other.ID}},
		}
	}
	steps := append([]rule.Step{one}, c.raisedBetween(one.ID, two.ID)...)
	return &rule.Threat{Property: rule.Avoids, Status: c.st, Steps: append(steps, two), Undo: c.begins()}
}

// raisedBetween returns the steps that raise on the way from one release to the other.
func (c *check) raisedBetween(first, second int32) []rule.Step {
	s := flow.Search{
		From: []int32{first}, After: true, Blind: true,
		Goal: func(id int32, _ *flow.Node, _ flow.Facts) bool { return id == second },
		Edge: func(_ *flow.Node, e flow.Edge) bool { return e.Kind != flow.Exc },
	}
	if c.g.Find(s) != nil {
		return nil
	}
	s.Edge = func(n *flow.Node, e flow.Edge) bool { return e.Kind != flow.Exc || n != &c.g.Nodes[first] }
	path := c.g.Find(s)
	if path == nil {
		return nil
	}
	var out []rule.Step
	for i, e := range path.Edges {
		if e.Kind == flow.Exc {
			out = append(out, rule.Step{Entry: c.entry, ID: path.Nodes[i], When: rule.Raises, By: rule.TheFirst})
		}
	}
	return out
}

// begins returns where the entrypoint begins anew, with something else.
func (c *check) begins() []rule.Step {
	return []rule.Step{{Entry: c.entry, ID: flow.StartNode, When: rule.Anyhow, By: rule.TheFirst}}
}

// idOf returns the number of a step of the entrypoint or, for a call that is inlined, that
// of its last call outside of the program: the one that gives back.
func (c *check) idOf(n *flow.Node) int32 {
	last := int32(flow.StartNode)
	for i := range c.g.Nodes {
		x := &c.g.Nodes[i]
		if x == n {
			return int32(i)
		}
		for fr := x.Frame; fr != nil; fr = fr.Caller {
			if fr.Call != nil && fr.Call == n.Src && x.Op == flow.Call && len(x.Pred) > 0 {
				last = int32(i)
			}
		}
	}
	return last
}

func subject(n *flow.Node) string {
	if n.Loc != nil {
		return n.Loc.Root().Name
	}
	return n.Name
}
