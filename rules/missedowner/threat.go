package missedowner

import (
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/parser/facts/status"
	"github.com/kvrace/kvrace/rules/rule"
)

// missed is a finding with what it is about: a method, and a place of the objects of a
// class that the method does not look in.
type missed struct {
	rule.Finding
	fn    *program.Func
	class *program.Class
	place string
	// seen are the other places, with the classes of their objects.
	seen []owner
}

// An owner is a place of the objects of a class.
type owner struct {
	class *program.Class
	name  string
}

// in returns the location of a place, or nil.
func (o owner) in(p *flow.Program) *flow.Location {
	for _, l := range p.Locations {
		if l.Outer == nil && l.Name == o.name && l.Owner != nil && o.class.IsSubclass(l.Owner) {
			return l
		}
	}
	return nil
}

// unseen is the threat that the method comes and goes while a request is in the place,
// and does not look there.
func (m *missed) unseen(p *flow.Program) *rule.Threat {
	loc, e := owner{m.class, m.place}.in(p), m.entry(p)
	t := &rule.Threat{Property: rule.Avoids}
	for _, o := range m.seen {
		if l := o.in(p); l != nil {
			t.Beside = append(t.Beside, l)
		}
	}
	var on rule.Step // on its way it looks elsewhere, or takes it that nothing is left
	switch {
	case loc == nil:
		return nil
	case e != nil:
		t.Sight = &rule.Sight{Entry: e, Loc: loc}
		for i := range e.Graph.Nodes {
			if n := &e.Graph.Nodes[i]; slices.Contains(t.Beside, n.Loc) && len(n.Pred) > 0 {
				on = rule.Step{Entry: e, ID: int32(i), When: rule.Anyhow}
				break
			}
		}
	default:
		if on = m.believed(p); on.Entry == nil {
			return nil
		}
		e = on.Entry
	}
	there := func(id int32) rule.Step { return rule.Step{Entry: e, ID: id, When: rule.Present, Of: loc} }
	t.Steps = []rule.Step{there(flow.StartNode), there(flow.ExitNode)}
	if on.Entry != nil {
		t.Steps = slices.Insert(t.Steps, 1, on)
	}
	t.Status = &status.Facts{Comp: m.around(p, e, append([]*flow.Location{loc}, t.Beside...))}
	return t
}

// entry returns the entrypoint that the method is, or nil.
func (m *missed) entry(p *flow.Program) *flow.Entry {
	for _, e := range p.Entries {
		if e.Func == m.fn && e.Class == m.Component && e.Role == flow.Caller {
			return e
		}
	}
	return nil
}

// believed returns where an entrypoint of the object asks a predicate that nobody else calls,
// and goes on as nothing is left; the zero Step when there is none.
func (m *missed) believed(p *flow.Program) rule.Step {
	if len(m.fn.Returns) != 1 {
		return rule.Step{}
	}
	when := rule.Fails
	if joins(m.fn.Returns[0]) == " and " {
		when = rule.Holds
	}
	for _, e := range p.Entries {
		if e.Class != m.Component || e.Role != flow.Caller {
			continue
		}
		for i := range e.Graph.Nodes {
			n := &e.Graph.Nodes[i]
			call, ok := n.Src.(*ast.Call)
			if !ok || n.Op != flow.Branch || len(n.Pred) == 0 || len(call.Args()) > 0 {
				continue
			}
			if at, ok := call.Func.(*ast.Attribute); ok && at.Attr() == m.fn.Name && n.Fn.OnSelf(at.Value) && e.Class.Method(m.fn.Name) == m.fn {
				return rule.Step{Entry: e, ID: int32(i), When: when}
			}
		}
	}
	return rule.Step{}
}

// around returns the entrypoints that use some places, with the constructors of the
// object.
func (m *missed) around(p *flow.Program, scan *flow.Entry, places []*flow.Location) *component.Component {
	c := &component.Component{Class: m.Component}
	for _, e := range p.Entries {
		touches := e == scan || e.Role == flow.Init && e.Class == m.Component
		for i := range e.Graph.Nodes {
			n := &e.Graph.Nodes[i]
			touches = touches || slices.Contains(places, n.Loc) && len(n.Pred) > 0 && n.Mode&flow.Initial == 0 && e.Class != nil
		}
		if touches {
			c.Entries = append(c.Entries, e)
		}
	}
	return c
}
