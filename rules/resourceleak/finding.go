package resourceleak

import (
	"fmt"
	"maps"
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/patch"
	"github.com/kvrace/kvrace/rules/remedy"
	"github.com/kvrace/kvrace/rules/rule"
)

func (c *check) finding(r resource, path *flow.Path) rule.Finding {
	i := c.parting(r, path)
	n, take := &c.g.Nodes[path.Nodes[i]], &c.g.Nodes[r.take]
	f := rule.Finding{
		Place: rule.AtStep(n), Function: n.Fn.Qual, Entry: c.entry, Component: c.st.Comp.Class,
		Shape:       "kept:" + take.Name,
		Message:     fmt.Sprintf("what %s takes is not given back %s", rule.Text(take, take.Src), where(path, i)),
		Consequence: fmt.Sprintf("each request that ends so takes one for ever; when none is left, %s fails or waits for all others", take.Name),
		Fixes:       c.fixes(r, path, i),
		Threat:      c.threat(r, path, i),
	}
	f.Related = []rule.Related{
		{Place: rule.AtStep(take), Role: report.RoleRival, Entry: c.entry, Message: "taken here"},
		{Place: rule.AtStep(r.release), Role: report.RoleRival, Entry: c.entry, Message: "given back here on another way out"},
	}
	f.Related = append(f.Related, evidence.Spawns(c.entry)...)
	return f
}

// threat is that the entrypoint is done with what it has taken and not given it back.
func (c *check) threat(r resource, path *flow.Path, i int) *rule.Threat {
	t := &rule.Threat{Property: rule.Avoids, Status: c.st, Through: true, Steps: []rule.Step{{Entry: c.entry, ID: r.take}}}
	if when, ok := evidence.Leaving(c.g, path, i); ok {
		t.Steps = append(t.Steps, rule.Step{Entry: c.entry, ID: path.Nodes[i], When: when, By: rule.TheFirst})
	}
	for _, id := range slices.Sorted(maps.Keys(r.releases)) {
		t.Undo = append(t.Undo, rule.Step{Entry: c.entry, ID: id, When: rule.Anyhow, By: rule.TheFirst})
	}
	return t
}

// where says how a walk leaves.
func where(path *flow.Path, i int) string {
	switch {
	case i >= len(path.Edges):
		return "on this way out"
	case path.Edges[i].Kind == flow.Exc:
		return "when this raises"
	case path.Edges[i].Kind == flow.True:
		return "when this holds"
	case path.Edges[i].Kind == flow.False:
		return "when this does not hold"
	}
	return "on this way out"
}

// parting returns the position in a walk of the last step from which the resource
// could still have been given back: the one that leaves.
func (c *check) parting(r resource, path *flow.Path) int {
	last := path.Nodes[len(path.Nodes)-1]
	before := c.givenBack(r, func(id int32) bool { return id == last })
	at := 0
	for i, id := range path.Nodes[:len(path.Nodes)-1] {
		if before[id] || id == r.take {
			at = i
		}
	}
	return at
}

// fixes suggests to give back before the jump that leaves, or first thing in the
// handler that keeps the exception.
func (c *check) fixes(r resource, path *flow.Path, i int) []rule.Fix {
	n := &c.g.Nodes[path.Nodes[i]]
	st, ok := r.release.Stmt.(*ast.ExprStmt)
	if !ok || st.Value != r.release.Src || n.Fn != r.release.Fn {
		return nil
	}
	before := remedy.JumpAt(c.g, path, i)
	if path.Edges[i].Kind == flow.Exc {
		before = firstOfHandler(n)
	}
	if before == nil {
		return c.always(r, n)
	}
	edits, err := patch.NewEditor(n.Mod.AST).InsertBefore(before, evidence.Lines(n.Mod, st)...)
	if err != nil {
		return nil
	}
	return []rule.Fix{{Description: "give it back on this way out, too", Safety: report.SafetyReview, Edits: edits}}
}

// always suggests to give back whatever happens from the step that leaves on, where that
// is done once.
func (c *check) always(r resource, n *flow.Node) []rule.Fix {
	if len(r.releases) != 1 {
		return nil
	}
	edits := remedy.Finally(n.Fn, n.Stmt, r.release.Stmt, remedy.Tidy(c.g, n.Fn, func(s *flow.Node) bool { return s.Src == r.release.Src }))
	if edits == nil {
		return nil
	}
	return []rule.Fix{{Description: "give it back whatever happens", Safety: report.SafetyReview, Edits: edits}}
}

// firstOfHandler returns the first statement of the only handler of the innermost
// try statement whose body contains a step, or nil.
func firstOfHandler(n *flow.Node) ast.Stmt {
	var found ast.Stmt
	for _, st := range n.Fn.Body() {
		ast.Inspect(st, func(x ast.Node) bool {
			try, ok := x.(*ast.Try)
			if !ok || len(try.Handlers) == 0 {
				return true
			}
			first, last := try.Body[0], try.Body[len(try.Body)-1]
			if first.Pos() <= n.Src.Pos() && n.Src.End() <= last.End() {
				found = nil
				if len(try.Handlers) == 1 {
					found = try.Handlers[0].Body[0]
				}
			}
			return true
		})
	}
	return found
}
