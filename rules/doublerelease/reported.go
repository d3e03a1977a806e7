package doublerelease

import (
	"fmt"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/patch"
	"github.com/kvrace/kvrace/rules/rule"
)

// reports finds the word of the end of a request that is passed on although the
// hook which passes it on may have given the request up before, because it took too
// long: whoever hears it frees what the request holds each time.
func (c *check) reports() {
	for i := range c.g.Nodes {
		n := &c.g.Nodes[i]
		if n.Op != flow.Put || n.Key == nil || len(n.Path) > 0 || c.reported[n.Src] || !c.st.IsDrained(n.Loc) {
			continue
		}
		for _, h := range c.st.Comp.Entries {
			if h == c.entry || !drains(h, n.Loc) {
				continue
			}
			given, chosen := givenUp(h, n.Loc)
			at := c.awaited(n, chosen)
			if at == nil || c.known(int32(i), given) {
				continue
			}
			c.reported[n.Src] = true
			c.reportedFinding(int32(i), h, at, given[at.Loc])
			break
		}
	}
}

// drains reports whether an entrypoint takes all that is in a container.
func drains(e *flow.Entry, l *flow.Location) bool {
	for i := range e.Graph.Nodes {
		n := &e.Graph.Nodes[i]
		if n.Loc == l && n.Mode&flow.Initial == 0 && (n.Op == flow.Clear || n.Op == flow.Rebind) {
			return true
		}
	}
	return false
}

// givenUp returns the removals of an entrypoint that follow a look at the clock, by
// the container from which they take, and those among the containers whose entries
// it chooses by itself; what it removes beside them belongs to the same requests.
func givenUp(e *flow.Entry, except *flow.Location) (all, chosen map[*flow.Location]*flow.Node) {
	all, chosen = map[*flow.Location]*flow.Node{}, map[*flow.Location]*flow.Node{}
	var clocks []int32
	for i := range e.Graph.Nodes {
		if e.Graph.Nodes[i].Op == flow.Clock {
			clocks = append(clocks, int32(i))
		}
	}
	if len(clocks) == 0 {
		return all, chosen
	}
	e.Graph.Find(flow.Search{
		From: clocks, After: true, Blind: true,
		Goal: func(_ int32, n *flow.Node, _ flow.Facts) bool {
			if n.Op != flow.Del || n.Loc == except {
				return false
			}
			all[n.Loc] = n
			if n.Mode&flow.AnyKey != 0 || n.Key != nil && n.Key.Kind == flow.Element && n.Key.Loc == n.Loc {
				chosen[n.Loc] = n
			}
			return false
		},
	})
	return all, chosen
}

// awaited returns a step of the entrypoint on the key of a report and one of the
// containers whose entries are given up: the ids are of one kind then.
func (c *check) awaited(n *flow.Node, given map[*flow.Location]*flow.Node) *flow.Node {
	for i := range c.g.Nodes {
		x := &c.g.Nodes[i]
		if given[x.Loc] != nil && x.Key != nil && x.Key.Same(n.Key) && (x.Op == flow.Has || x.Op == flow.Del) {
			return x
		}
	}
	return nil
}

// known reports whether every walk to a report has found the key in one of the
// containers that are given up.
func (c *check) known(id int32, given map[*flow.Location]*flow.Node) bool {
	key := c.g.Nodes[id].Key
	return evidence.IterationAround(c.g, id, key).Unguarded(id, func(g evidence.Guard) bool {
		return g.Holds && given[g.Read.Loc] != nil && g.Read.Key.Same(key)
	}) == nil
}

func (c *check) reportedFinding(id int32, sweep *flow.Entry, at, gone *flow.Node) {
	n := &c.g.Nodes[id]
	f := rule.Finding{
		Place: rule.AtStep(n), Function: n.Fn.Qual, Entry: c.entry, Component: c.st.Comp.Class,
		Containers: evidence.Distinct([]string{n.Loc.Root().Name, at.Loc.Root().Name}), Key: evidence.KeyText(n),
		Shape: "reported:" + subject(n),
		Message: fmt.Sprintf("%s is reported even when %s has given it up after a time: nothing finds it in %s before",
			evidence.Access(n), sweep.Name(), at.Loc.Root().Name),
		Consequence: "the end of the request is reported twice, and what it holds is freed twice",
		Threat:      &rule.Threat{Property: rule.FreesOnce, Status: c.st, Steps: []rule.Step{{Entry: c.entry, ID: id}}},
		Fixes:       c.askFirst(n, at),
	}
	f.Related = []rule.Related{
		{Place: rule.AtStep(gone), Role: report.RoleRival, Entry: sweep, Message: fmt.Sprintf("%s gives up what has waited too long", sweep.Name())},
		{Place: rule.AtStep(at), Role: report.RoleContext, Entry: c.entry, Message: "looked at only here"},
	}
	f.Related = append(f.Related, evidence.Spawns(c.entry)...)
	c.out = append(c.out, f)
}

// askFirst suggests to report only what is still waited for.
func (c *check) askFirst(n, at *flow.Node) []rule.Fix {
	st, ok := n.Stmt.(*ast.ExprStmt)
	container := evidence.ContainerExpr(at)
	if !ok || st.Value != n.Src || container == nil || at.Fn != n.Fn {
		return nil
	}
	lines := []string{fmt.Sprintf("if %s in %s:", evidence.KeyArg(n), rule.Text(at, container))}
	for _, l := range evidence.Lines(n.Mod, st) {
		lines = append(lines, "    "+l)
	}
	edits, err := patch.NewEditor(n.Mod.AST).ReplaceStmts([]ast.Stmt{st}, lines...)
	if err != nil {
		return nil
	}
	return []rule.Fix{{Description: "report only what is still waited for", Safety: report.SafetyReview, Edits: edits}}
}
