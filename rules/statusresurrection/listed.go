package statusresurrection

import (
	"fmt"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/rule"
)

// A striking is a step that takes one request out of a list, deque or set, if it
// is in there.
type striking struct {
	component.Access
	key *flow.Value
	end component.Access // concludes the request, whether it was in there or not
}

// listings returns the stores of one hook that put a request on a list after
// another entrypoint may have ended it: that one strikes it off without asking
// whether it is on the list, and a sweep ends it a second time later.
func (c *check) listings(e *flow.Entry) []rule.Finding {
	if !evidence.IsHook(e) {
		return nil
	}
	var out []rule.Finding
	for i := range e.Graph.Nodes {
		put := component.Access{Entry: e, ID: int32(i), Node: &e.Graph.Nodes[i]}
		if put.Op != flow.Put || put.Key == nil || !c.lists(put.Loc) || put.Mode&flow.Initial != 0 || len(put.Path) > 0 || sendsAfter(put) {
			continue
		}
		sweep := c.sweepOf(put.Loc)
		if sweep == nil || sweep.Entry == e {
			continue
		}
		for _, s := range c.strikings(put.Loc) {
			if s.Entry != e && !c.tellsEarly(put, s) {
				out = append(out, c.listed(put, s, *sweep))
				break
			}
		}
	}
	return out
}

// lists reports whether a location lists requests.
func (c *check) lists(l *flow.Location) bool {
	if l.Outer != nil || c.st.IsDrained(l) || c.st.Comp.Group(l) == nil {
		return false
	}
	switch l.Type.Kind {
	case program.List, program.Deque, program.Set:
		return true
	}
	return false
}

// strikings returns the steps that strike a request off a list, of which a
// message tells, and whose entrypoint ends it without having looked there.
func (c *check) strikings(l *flow.Location) []striking {
	var out []striking
	for _, a := range c.st.Comp.Accesses(l) {
		var key *flow.Value
		switch {
		case a.Op == flow.Del && a.Mode&(flow.AnyKey|flow.Strict) == 0 && len(a.Path) == 0 && statement(a.Node):
			key = a.Key
		case a.Op == flow.Rebind && a.Mode&flow.Filter != 0:
			key = struckKey(a)
		}
		if key == nil || !heardOf(a.Entry.Graph, key) {
			continue
		}
		if end, ok := c.blindEnd(a, key); ok {
			out = append(out, striking{a, key, end})
		}
	}
	return out
}

// struckOff returns the test of a filter, which keeps the others, and its loop;
// nil when it is not one comparison.
func struckOff(st ast.Stmt) (*ast.Compare, *ast.Comprehension) {
	var test *ast.Compare
	var loop *ast.Comprehension
	ast.Inspect(st, func(n ast.Node) bool {
		if g, ok := n.(*ast.Comprehension); ok && loop == nil && len(g.Ifs) == 1 {
			if cmp, ok := g.Ifs[0].(*ast.Compare); ok && len(cmp.Ops) == 1 && cmp.Ops[0] == ast.NotEq {
				test, loop = cmp, g
			}
		}
		return true
	})
	return test, loop
}

// struckKey returns what the elements that a filter leaves out are compared with,
// or nil when that is not one value from elsewhere.
func struckKey(a component.Access) *flow.Value {
	var key *flow.Value
	for i := range a.Entry.Graph.Nodes {
		b := &a.Entry.Graph.Nodes[i]
		if b.Op != flow.Branch || b.Stmt != a.Stmt || b.Frame != a.Frame || b.Val == nil || b.Want == nil {
			continue
		}
		switch {
		case b.Test != flow.TestEq:
			return nil
		case walks(b.Val, a.Loc) && !walks(b.Want, a.Loc):
			key = b.Want
		case walks(b.Want, a.Loc) && !walks(b.Val, a.Loc):
			key = b.Val
		}
	}
	return key
}

// heardOf reports whether a key is part of what was received from outside.
func heardOf(g *flow.Graph, key *flow.Value) bool {
	return fromOutside(evidence.Origin(component.Access{Entry: g.Entry, Node: &flow.Node{Key: key}}))
}

// blindEnd returns a step of an entrypoint that ends a request which it strikes
// off, and that it can come to without having looked into the list before.
func (c *check) blindEnd(a component.Access, key *flow.Value) (component.Access, bool) {
	g := a.Entry.Graph
	it := evidence.IterationAround(g, a.ID, key)
	looks := func(n *flow.Node) bool {
		if n.Loc != a.Loc || n.Stmt == a.Stmt {
			return false
		}
		switch n.Op {
		case flow.Has, flow.Read, flow.Iter, flow.Next, flow.Size:
			return true
		}
		return false
	}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Op != flow.Put || !c.st.MayConclude(n) || !component.RootKey(n).Same(key) {
			continue
		}
		if it.Arrives(int32(i), looks, flow.KnownEdges) {
			return component.Access{Entry: a.Entry, ID: int32(i), Node: n}, true
		}
	}
	return component.Access{}, false
}

// sweepOf returns the step that takes whatever is old off a list and concludes
// it, or nil.
func (c *check) sweepOf(l *flow.Location) *component.Access {
	for _, a := range c.st.Comp.Accesses(l) {
		if a.Op != flow.Del || !c.sweeps(a) && !(a.Key != nil && a.Key.Kind == flow.Const) {
			continue
		}
		if c.passesOn(a) {
			return &a
		}
	}
	return nil
}

// passesOn reports whether the entrypoint of a sweep concludes what it takes off
// a list, or a hook that returns what has ended collects it.
func (c *check) passesOn(a component.Access) bool {
	g := a.Entry.Graph
	taken := func(v *flow.Value) bool { return v != nil && (walks(v, a.Loc) || mentionsRead(v, a.Loc)) }
	drainer := false
	for _, e := range c.st.Drainers {
		drainer = drainer || e == a.Entry
	}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		switch n.Op {
		case flow.Put:
			if c.st.MayConclude(n) && taken(component.RootKey(n)) {
				return true
			}
		case flow.Call:
			if drainer && (n.Name == "add" || n.Name == "append") && taken(n.Val) {
				return true
			}
		}
	}
	return false
}

// mentionsRead reports whether a value is computed from what was read or taken
// from a container.
func mentionsRead(v *flow.Value, l *flow.Location) bool {
	for ; v != nil; v = v.Base {
		if v.Kind == flow.Result && v.Loc == l {
			return true
		}
		for _, a := range v.Args {
			if mentionsRead(a, l) {
				return true
			}
		}
	}
	return false
}

// tellsEarly reports whether a store only comes when the request has left no
// mark: the entrypoint that strikes it off leaves one, and every walk to the
// store has asked for it.
func (c *check) tellsEarly(put component.Access, s striking) bool {
	left := map[*flow.Location]bool{}
	for i := range s.Entry.Graph.Nodes {
		n := &s.Entry.Graph.Nodes[i]
		if n.Op == flow.Put && len(n.Path) == 0 && n.Loc != put.Loc && n.Key != nil && n.Key.Same(s.key) {
			left[n.Loc] = true
		}
	}
	return evidence.IterationAround(put.Entry.Graph, put.ID, put.Key).Unguarded(put.ID, func(g evidence.Guard) bool {
		return !g.Holds && left[g.Read.Loc.Root()] && partOf(component.RootKey(g.Read), put.Key)
	}) == nil
}

// partOf reports whether a value is another one, or an item of it.
func partOf(v, whole *flow.Value) bool {
	if v.Same(whole) {
		return true
	}
	for _, a := range whole.Args {
		if whole.Kind == flow.Derived && v.Same(a) {
			return true
		}
	}
	return false
}

// sendsAfter reports whether the hook that makes a request known goes on to tell
// others of it: what they answer comes later, then.
func sendsAfter(put component.Access) bool {
	it := evidence.IterationAround(put.Entry.Graph, put.ID, put.Key)
	return put.Entry.Graph.Find(flow.Search{
		From: []int32{put.ID}, After: true, Stop: it.Ends, Blind: true,
		Goal: func(id int32, n *flow.Node, _ flow.Facts) bool {
			return !it.Ends(id) && (n.Op == flow.Enqueue || n.Op == flow.Spawn || n.Op == flow.Call)
		},
	}) != nil
}

func (c *check) listed(put component.Access, s striking, sweep component.Access) rule.Finding {
	by, late := s.Entry.Name(), sweep.Entry.Name()
	f := rule.Finding{
		Place: evidence.AccessPlace(put.Node), Function: put.Fn.Qual, Entry: put.Entry, Component: c.st.Comp.Class,
		Containers: evidence.Distinct([]string{put.Loc.Name, s.end.Loc.Name}), Key: keyOf(put), Shape: "lists late:" + put.Loc.Name,
		Message: fmt.Sprintf("a request is put on %s even when %s has ended it already: nothing asks whether it is over", put.Loc.Name, by),
		Related: []rule.Related{
			{Place: rule.AtStep(s.Node), Role: report.RoleRival, Entry: s.Entry, Message: fmt.Sprintf("%s strikes it off, whether it is on %s or not", by, put.Loc.Name)},
			{Place: rule.AtStep(s.end.Node), Role: report.RoleContext, Entry: s.Entry, Message: "the request is over here"},
			{Place: rule.AtStep(sweep.Node), Role: report.RoleConsequence, Entry: sweep.Entry, Message: fmt.Sprintf("%s finds it and ends it a second time", late)},
		},
		Consequence: fmt.Sprintf("the request stays on %s until %s ends it a second time", put.Loc.Name, late),
	}
	f.Related = append(f.Related, evidence.Spawns(s.Entry)...)
	f.Fixes = markStruck(put, s, f.Key)
	f.Threat = &rule.Threat{
		Property: rule.Avoids, Status: c.st,
		Steps: []rule.Step{{Entry: s.Entry, ID: s.ID, When: rule.Absent}, {Entry: put.Entry, ID: put.ID}},
		Then:  []rule.Step{{Entry: sweep.Entry, ID: sweep.ID}},
	}
	return f
}

// markStruck is the fix that lets a striking leave a mark.
func markStruck(put component.Access, s striking, key string) []rule.Fix {
	if s.Op == flow.Del {
		ended := evidence.KeyArg(s.Node)
		return markFix(put, nil, key, []removal{{s.Access, ended, func(container string) string { return ended + " not in " + container }}})
	}
	cmp, loop := struckOff(s.Stmt)
	if cmp == nil {
		return nil
	}
	ended := rule.Text(s.Node, cmp.Comparators[0])
	if names(loop.Target)[ended] {
		ended = rule.Text(s.Node, cmp.Left)
	}
	return markFix(put, nil, key, []removal{{s.Access, ended, func(container string) string {
		return "all(" + rule.Text(s.Node, cmp) + " for " + rule.Text(s.Node, loop.Target) + " in " + container + ")"
	}}})
}

// names returns the variables that an expression binds.
func names(e ast.Expr) map[string]bool {
	out := map[string]bool{}
	ast.Inspect(e, func(n ast.Node) bool {
		if x, ok := n.(*ast.Name); ok {
			out[x.Id()] = true
		}
		return true
	})
	return out
}

// keyOf returns the request in the words of the source: the first item of what is
// stored.
func keyOf(put component.Access) string {
	if call, ok := put.Src.(*ast.Call); ok && len(call.Args()) == 1 {
		if t, ok := call.Args()[0].(*ast.Tuple); ok && len(t.Elts) > 0 {
			return rule.Text(put.Node, t.Elts[0])
		}
		return rule.Text(put.Node, call.Args()[0])
	}
	return ""
}
