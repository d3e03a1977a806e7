package checkthenact

import (
	"fmt"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/parser/facts/status"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/remedy"
	"github.com/kvrace/kvrace/rules/rule"
)

// doubted finds removals by a hook that fail when the entry is absent, although the
// hook removes the entry of another container, which is inserted together with this
// one, as if it may be absent. No second thread is needed: the hook that inserts
// both need not have been called for the request.
func doubted(st *status.Facts, seen map[ast.Node]bool) []rule.Finding {
	var out []rule.Finding
	for _, e := range st.Comp.Entries {
		if e.Role != flow.Caller {
			continue
		}
		for i := range e.Graph.Nodes {
			n := &e.Graph.Nodes[i]
			if n.Op != flow.Del || n.Mode&flow.Strict == 0 || !plainKey(n) || seen[n.Src] || ownElement(n) || needed(n) {
				continue
			}
			a := component.Access{Entry: e, ID: int32(i), Node: n}
			// The last two look for walks, and few removals come that far.
			if doubt, in := tolerantBeside(st.Comp, a); doubt != nil && evidence.Escapes(e.Graph, a.ID) && evidence.Unchecked(st.Comp, a) {
				seen[n.Src] = true
				out = append(out, doubtedFinding(st, a, doubt, in))
			}
		}
	}
	return out
}

// plainKey reports whether a step concerns one entry of a dictionary or set.
func plainKey(n *flow.Node) bool {
	if n.Key == nil || n.Key.Kind == flow.Const || len(n.Path) > 0 || n.Mode&flow.AnyKey != 0 {
		return false
	}
	switch n.Loc.Type.Kind {
	case program.Dict, program.DefaultDict, program.Set:
		return true
	}
	return false
}

// ownElement reports whether the key of a removal was taken from a container of
// the object, and not from what the hook was given.
func ownElement(n *flow.Node) bool { return n.Key.Kind == flow.Element && n.Key.Loc != nil }

// needed reports whether what a removal yields is used.
func needed(n *flow.Node) bool {
	switch st := n.Stmt.(type) {
	case *ast.Delete:
		return false
	case *ast.ExprStmt:
		return st.Value != n.Src
	}
	return true
}

// tolerantBeside returns a removal of the same key from another container in the
// same iteration which copes with an absent entry, and the step that inserts into
// this other container together with the one of the access.
func tolerantBeside(c *component.Component, a component.Access) (*flow.Node, *component.Access) {
	var it *evidence.Iteration
	for i := range a.Entry.Graph.Nodes {
		d := &a.Entry.Graph.Nodes[i]
		if d.Op != flow.Del || d.Mode&flow.Strict != 0 || !plainKey(d) || d.Loc == a.Loc || !d.Key.Same(a.Key) {
			continue
		}
		in := insertionOfBoth(c, a, d.Loc)
		if in == nil {
			continue
		}
		if it == nil {
			around := evidence.IterationAround(a.Entry.Graph, a.ID, a.Key)
			it = &around
		}
		if it.After(int32(i), a.ID, -1) || it.After(a.ID, int32(i), -1) {
			return d, in
		}
	}
	return nil, nil
}

// insertionOfBoth returns a step of another entrypoint that inserts into the container
// of an access, and with it into another one.
func insertionOfBoth(c *component.Component, a component.Access, other *flow.Location) *component.Access {
	for _, in := range c.Accesses(a.Loc) {
		if in.Op == flow.Put && in.Entry != a.Entry && in.Mode&flow.Initial == 0 && insertedWith(c, in, other) {
			return &in
		}
	}
	return nil
}

// insertedWith reports whether the entrypoint of an insertion inserts the key into
// another container as well.
func insertedWith(c *component.Component, in component.Access, other *flow.Location) bool {
	for _, x := range c.Accesses(other) {
		if x.Op == flow.Put && x.Entry == in.Entry && x.Key != nil && x.Key.Same(in.Key) {
			return true
		}
	}
	return false
}

func doubtedFinding(st *status.Facts, a component.Access, doubt *flow.Node, in *component.Access) rule.Finding {
	f := rule.Finding{
		Place: rule.AtStep(a.Node), Function: a.Fn.Qual, Entry: a.Entry, Component: st.Comp.Class,
		Containers: []string{a.Loc.Root().Name}, Key: evidence.KeyText(a.Node),
		Message: fmt.Sprintf("%s is removed as if it were there, while %s, which is inserted with it, is removed as if it may be absent",
			evidence.Access(a.Node), evidence.Access(doubt)),
		Consequence: evidence.Raised(a.Entry, evidence.Exception(a.Node)),
		Shape:       fmt.Sprintf("%s:doubted", a.Loc),
		Threat:      &rule.Threat{Property: rule.Survives, Status: st, Then: []rule.Step{{Entry: a.Entry, ID: a.ID}}},
	}
	f.Related = []rule.Related{
		{Place: rule.AtStep(doubt), Role: report.RoleContext, Entry: a.Entry, Message: "copes with an absent entry"},
		{Place: rule.AtStep(in.Node), Role: report.RoleRival, Entry: in.Entry, Message: fmt.Sprintf("%s inserts both, if it is called for the request", in.Entry.Name())},
	}
	if edits, safety := remedy.Tolerant(a.Node); edits != nil {
		f.Fixes = []rule.Fix{{Description: "take an absent entry into account in one step", Safety: safety, Edits: edits}}
	}
	return f
}
