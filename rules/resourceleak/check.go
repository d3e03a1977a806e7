package resourceleak

import (
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/parser/facts/status"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/rule"
)

// check looks at one entrypoint.
type check struct {
	st    *status.Facts
	entry *flow.Entry
	g     *flow.Graph
}

// A resource is what a call has taken and the same entrypoint gives back.
type resource struct {
	take     int32
	item     *flow.Value
	answer   *flow.Value // of the call, when what it takes is its argument
	releases map[int32]bool
	release  *flow.Node // the first of them
}

func (c *check) findings() []rule.Finding {
	releases := evidence.Releases(c.g)
	if len(releases) == 0 {
		return nil
	}
	var out []rule.Finding
	seen := map[ast.Node]bool{}
	for i := range c.g.Nodes {
		r, ok := c.resource(int32(i), releases)
		if !ok || seen[c.g.Nodes[i].Src] {
			continue
		}
		if path := c.kept(r); path != nil {
			seen[c.g.Nodes[i].Src] = true
			out = append(out, c.finding(r, path))
		}
	}
	return out
}

// resource returns what a call takes: its result, which one variable holds, or its
// argument, when the entrypoint gives it back by the counterpart of the call.
func (c *check) resource(id int32, releases []evidence.Release) (resource, bool) {
	n := &c.g.Nodes[id]
	if n.Op != flow.Call || len(n.Pred) == 0 {
		return resource{}, false
	}
	r := resource{take: id}
	for _, rel := range releases {
		if !rel.TakenBy(n.Name) || !belongs(n, rel) {
			continue
		}
		item := n.Res
		if !rel.Item.Same(item) && !flow.Gets(n.Name) {
			item = evidence.FirstArg(n)
		}
		if item == nil || !rel.Item.Same(item) || r.item != nil && !r.item.Same(item) {
			continue
		}
		if r.item = item; r.release == nil {
			r.release, r.releases = rel.Node, map[int32]bool{}
		}
		r.releases[rel.ID] = true
	}
	if r.item == nil || r.item.Kind == flow.Attribute || r.item.Same(n.Res) && !heldByVariable(n) {
		return resource{}, false
	}
	if !r.item.Same(n.Res) {
		r.answer = n.Res
	}
	return r, true
}

// belongs reports whether a call and a release are about the same thing: both are calls
// on one object, or the release is one on what the call gave, or the configuration says
// that they belong together.
func belongs(n *flow.Node, rel evidence.Release) bool {
	a, b := n.Recv, rel.Node.Recv
	switch {
	case rel.Told(n.Name), b != nil && mentions(b, n.Res):
		return true
	case a == nil || b == nil:
		return a == b
	}
	return (a.Same(b) || !beside(a, b) && related(a.Type, b.Type)) && !hasOther(b.Type, n.Name, rel)
}

// hasOther reports whether a class has a method that gives back what the name of a call
// says it takes, while a release names something else: free_inbound beside free_staged,
// for alloc_inbound.
func hasOther(t *program.Type, take string, rel evidence.Release) bool {
	named := flow.Released(rel.Node.Name)
	if t == nil || rel.Verb == "" || named == "" {
		return false
	}
	taken := flow.Acquired(take, rel.Verb)
	if taken == "" || taken == named {
		return false
	}
	for _, c := range t.Classes() {
		for _, k := range c.MRO {
			for _, m := range k.MethodList() {
				if _, ok := flow.ReleaseVerb(m.Name); ok && flow.Released(m.Name) == taken {
					return true
				}
			}
		}
	}
	return false
}

// beside reports whether two values are different attributes of one object.
func beside(a, b *flow.Value) bool {
	return a.Kind == flow.Attribute && b.Kind == flow.Attribute && a.Base.Same(b.Base)
}

// related reports whether two types may be that of one object of the program.
func related(a, b *program.Type) bool {
	if a == nil || b == nil {
		return false
	}
	for _, k := range a.Classes() {
		for _, c := range b.Classes() {
			if k.IsSubclass(c) || c.IsSubclass(k) {
				return true
			}
		}
	}
	return false
}

// heldByVariable reports whether the result of a call is bound to one variable
// that the function does not bind to anything else or store anywhere.
func heldByVariable(n *flow.Node) bool {
	assign, ok := n.Stmt.(*ast.Assign)
	if !ok || len(assign.Targets) != 1 || assign.Value != n.Src {
		return false
	}
	name, ok := assign.Targets[0].(*ast.Name)
	if !ok {
		return false
	}
	held := true
	for _, st := range n.Fn.Body() {
		ast.Inspect(st, func(x ast.Node) bool {
			switch x := x.(type) {
			case *ast.Assign:
				held = held && (x == assign || !names(x.Value, name.Id()))
			case *ast.AugAssign:
				held = held && !names(x.Value, name.Id())
			case *ast.FunctionDef, *ast.Lambda:
				held = held && !names(x, name.Id())
			}
			return held
		})
	}
	return held
}

// names reports whether an expression uses a variable as more than an argument of
// a call or a part of a comparison.
func names(x ast.Node, id string) bool {
	found := false
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Call, *ast.Compare:
			return false
		case *ast.Name:
			found = found || n.Id() == id
		}
		return !found
	})
	return found
}

// kept returns a walk from where the resource is taken to the end of the
// iteration on which it is neither given back nor handed on.
func (c *check) kept(r resource) *flow.Path {
	it := evidence.IterationAround(c.g, r.take, r.item)
	turn := c.turn(r)
	ends := func(id int32) bool { return it.Ends(id) || id == turn }
	returns := c.givenBack(r, ends)
	back := func(e flow.Edge) bool { return returns[e.To] || r.releases[e.To] }
	if !slices.ContainsFunc(c.g.Nodes[r.take].Succ, back) {
		return nil // it is another one that is given back
	}
	return c.g.Find(flow.Search{
		From: []int32{r.take}, After: true, Stop: ends,
		Track: []*flow.Value{r.item},
		Goal:  func(id int32, _ *flow.Node, _ flow.Facts) bool { return ends(id) },
		Avoid: func(id int32, n *flow.Node) bool {
			return r.releases[id] || !ends(id) && !returns[id] && uses(n, r.item)
		},
		Edge: func(n *flow.Node, e flow.Edge) bool {
			if n == &c.g.Nodes[r.take] && e.Kind == flow.Exc {
				return false
			}
			return !asks(n, e, r.item) && !refused(n, e, r.answer, back)
		},
	})
}

// refused reports whether an edge may be one on which the answer of a call says that it
// has taken nothing: None, what is false, or the side of a test that does not give back
// what the other one does.
func refused(n *flow.Node, e flow.Edge, answer *flow.Value, back func(flow.Edge) bool) bool {
	if n.Op != flow.Branch || !mentions(n.Val, answer) {
		return false
	}
	there := back(e)
	if other := slices.ContainsFunc(n.Succ, func(o flow.Edge) bool { return o != e && back(o) }); there != other {
		return !there || n.Test == flow.TestNone && e.Kind == flow.True
	}
	switch n.Test {
	case flow.TestNone:
		return e.Kind == flow.True
	case flow.TestTruth:
		return e.Kind == flow.False
	}
	return true
}

// turn returns the head of the innermost loop that both takes the resource and
// gives it back, or -1: what one loop takes, another one may give back.
func (c *check) turn(r resource) int32 {
	loops := c.g.LoopsAround(r.take)
	for i := len(loops) - 1; i >= 0; i-- {
		for id := range r.releases {
			if slices.Contains(c.g.LoopsAround(id), loops[i]) {
				return loops[i]
			}
		}
	}
	return -1
}

// givenBack returns the steps after which the resource can still be given back.
func (c *check) givenBack(r resource, ends func(int32) bool) map[int32]bool {
	out := map[int32]bool{}
	var work []int32
	for id := range r.releases {
		work = append(work, id)
	}
	for len(work) > 0 {
		id := work[len(work)-1]
		work = work[:len(work)-1]
		for _, p := range c.g.Nodes[id].Pred {
			if !out[p] && p != r.take && !ends(p) {
				out[p] = true
				work = append(work, p)
			}
		}
	}
	return out
}

// uses reports whether a step stores, returns or passes on a value.
func uses(n *flow.Node, item *flow.Value) bool {
	if n.Op == flow.Branch || n.Op == flow.Move {
		return false
	}
	return mentions(n.Val, item) || mentions(n.Key, item) || mentions(n.Recv, item)
}

func mentions(v, item *flow.Value) bool {
	if v == nil {
		return false
	}
	if v.Same(item) || v.Kind != flow.Result && mentions(v.Base, item) {
		return true
	}
	for _, a := range v.Args {
		if mentions(a, item) {
			return true
		}
	}
	return false
}

// asks reports whether an edge may depend on whether there is a resource: it is not
// the side of a None or truth test on which there is.
func asks(n *flow.Node, e flow.Edge, item *flow.Value) bool {
	if n.Op != flow.Branch || !mentions(n.Val, item) {
		return false
	}
	if n.Val.Same(item) {
		switch n.Test {
		case flow.TestNone:
			return e.Kind == flow.True
		case flow.TestTruth:
			return e.Kind == flow.False
		}
	}
	return true
}
