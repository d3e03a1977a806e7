package statusresurrection

import (
	"fmt"
	"slices"

	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/rule"
)

// A refusal is a test by which an entrypoint ignores a message about the end of a
// request that it does not know.
type refusal struct {
	component.Access // the test
	end              component.Access
}

// unheard returns the stores of a hook that begin to wait for the end of a request
// of which the message may have come before: it was ignored, since the request was
// not there, and only a sweep ends it now. Nothing in the component tells the
// other side of the request, so that nothing keeps its message from being early.
func (c *check) unheard(e *flow.Entry) []rule.Finding {
	if !evidence.IsHook(e) {
		return nil
	}
	var out []rule.Finding
	for i := range e.Graph.Nodes {
		put := component.Access{Entry: e, ID: int32(i), Node: &e.Graph.Nodes[i]}
		if !stores(put.Node) || put.Op == flow.Read || put.Mode&flow.Update != 0 || !c.of(put.Loc) {
			continue
		}
		sweep := c.deadlineOf(put.Loc)
		if sweep == nil || sweep.Entry == e || tested(put) {
			continue
		}
		r := c.refusalOf(put)
		if r == nil || c.announces(put) {
			continue
		}
		out = append(out, c.early(put, *r, *sweep))
	}
	return out
}

// deadlineOf returns the step by which a hook that looks at the clock takes old
// entries out of a container and passes their keys on, or nil.
func (c *check) deadlineOf(l *flow.Location) *component.Access {
	for _, a := range c.st.Comp.Accesses(l) {
		if a.Op != flow.Del || !c.sweeps(a) || !looksAtClock(a.Entry.Graph) {
			continue
		}
		for i := range a.Entry.Graph.Nodes {
			n := &a.Entry.Graph.Nodes[i]
			passes := n.Op == flow.Call && (n.Name == "add" || n.Name == "append") && mentionsValue(n.Val, a.Key)
			if passes || n.Op == flow.Put && c.st.MayConclude(n) && component.RootKey(n).Same(a.Key) {
				return &a
			}
		}
	}
	return nil
}

func looksAtClock(g *flow.Graph) bool {
	for i := range g.Nodes {
		if g.Nodes[i].Op == flow.Clock {
			return true
		}
	}
	return false
}

// tested reports whether a store comes after a test for its key, in whatever
// container.
func tested(put component.Access) bool {
	if put.Key == nil {
		return false
	}
	for _, g := range put.Entry.Graph.Guards() {
		if component.RootKey(&put.Entry.Graph.Nodes[g.Read]).Same(put.Key) {
			return true
		}
	}
	return false
}

// refusalOf returns the test by which another entrypoint ignores what it hears
// about a request that a store has not made known yet, and the removal that it
// answers a known one with; nil when there is none.
func (c *check) refusalOf(put component.Access) *refusal {
	for _, d := range c.st.Comp.Accesses(put.Loc) {
		if d.Op != flow.Del || d.Entry == put.Entry || d.Key == nil || d.Mode&flow.AnyKey != 0 || len(d.Path) > 0 || !heardOf(d.Entry.Graph, d.Key) {
			continue
		}
		g := d.Entry.Graph
		heads := g.LoopsAround(d.ID)
		for _, p := range g.Guards() {
			read := &g.Nodes[p.Read]
			if !p.Holds && read.Op == flow.Has && read.Loc == put.Loc && read.Key.Same(d.Key) && slices.Contains(heads, p.Edge.To) {
				return &refusal{component.Access{Entry: d.Entry, ID: p.Read, Node: read}, d}
			}
		}
	}
	return nil
}

// announces reports whether the component tells others of the request: what they
// answer comes after that, and the store before it.
func (c *check) announces(put component.Access) bool {
	group := c.st.Comp.Group(put.Loc)
	for _, e := range c.st.Comp.Entries {
		if e.Role == flow.Init {
			continue
		}
		keys := []*flow.Value{}
		for i := range e.Graph.Nodes {
			n := &e.Graph.Nodes[i]
			if n.Loc != nil && n.Loc.Keyed() && group.Has(n.Loc.Root()) {
				if k := component.RootKey(n); k != nil {
					if !heardOf(e.Graph, k) && !walks(k, put.Loc) {
						keys = append(keys, k)
					}
				} else if n.Op == flow.PutAll {
					keys = append(keys, n.Val)
				}
			}
		}
		for i := range e.Graph.Nodes {
			n := &e.Graph.Nodes[i]
			if n.Op != flow.Call && n.Op != flow.Enqueue && n.Op != flow.Spawn {
				continue
			}
			for _, k := range keys {
				if mentionsValue(n.Val, k) {
					return true
				}
			}
		}
	}
	return false
}

// mentionsValue reports whether a value is made of another one.
func mentionsValue(v, part *flow.Value) bool {
	if v == nil || part == nil {
		return false
	}
	if v.Same(part) {
		return true
	}
	for _, a := range v.Args {
		if mentionsValue(a, part) {
			return true
		}
	}
	return v.Kind != flow.Result && mentionsValue(v.Base, part)
}

func (c *check) early(put component.Access, r refusal, sweep component.Access) rule.Finding {
	by, late := r.Entry.Name(), sweep.Entry.Name()
	f := rule.Finding{
		Place: evidence.AccessPlace(put.Node), Function: put.Fn.Qual, Entry: put.Entry, Component: c.st.Comp.Class,
		Containers: []string{put.Loc.Name}, Key: evidence.KeyText(put.Node), Shape: "unheard:" + put.Loc.Name,
		Message: fmt.Sprintf("a request is stored in %s even when %s has heard of its end before: that was ignored, and nothing remembers it",
			put.Loc.Name, by),
		Related: []rule.Related{
			{Place: rule.AtStep(r.Node), Role: report.RoleRival, Entry: r.Entry, Message: fmt.Sprintf("%s ignores what it hears of a request that is not in %s", by, put.Loc.Name)},
			{Place: rule.AtStep(r.end.Node), Role: report.RoleContext, Entry: r.Entry, Message: "one that is known ends here"},
			{Place: rule.AtStep(sweep.Node), Role: report.RoleConsequence, Entry: sweep.Entry, Message: fmt.Sprintf("only %s ends it, when it has grown old", late)},
		},
		Consequence: "the request keeps its memory until its time is up, though nobody waits for it any more",
	}
	f.Fixes = hearAgain(put, r)
	f.Threat = &rule.Threat{
		Property: rule.Avoids, Status: c.st, Through: true, Left: put.Loc,
		Steps: []rule.Step{{Entry: r.Entry, ID: r.ID, When: rule.Absent}, {Entry: put.Entry, ID: put.ID, When: rule.Absent}},
		Then:  []rule.Step{{Entry: sweep.Entry, ID: sweep.ID, When: rule.Present}},
		Hears: r.hears(),
	}
	return f
}

// hears returns how the tests go by which a message ends a request that is known.
func (r refusal) hears() []rule.Step {
	g := r.Entry.Graph
	var out []rule.Step
	for i := range g.Nodes {
		n, id := &g.Nodes[i], int32(i)
		if n.Op != flow.Branch || !g.Passes(r.ID, id) || !g.Passes(id, r.end.ID) {
			continue
		}
		for _, e := range n.Succ {
			if decides, known := g.Decides(id, e, r.end.ID); !decides || !known {
				continue
			}
			switch e.Kind {
			case flow.True:
				out = append(out, rule.Step{Entry: r.Entry, ID: id, When: rule.Holds})
			case flow.False:
				out = append(out, rule.Step{Entry: r.Entry, ID: id, When: rule.Fails})
			}
		}
	}
	return out
}
