package missingterminalstatus

import (
	"fmt"
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/status"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/rule"
)

// pollRaises finds the loops of hooks over waiting requests that raise when one
// of them has failed: it is neither answered nor taken off, and those behind it
// are not looked at. A loop counts when it compares the answer for a request
// with several statuses, one of which says that it has failed.
func pollRaises(st *status.Facts) []rule.Finding {
	c := st.Comp
	var out []rule.Finding
	for _, e := range c.Entries {
		if e.Class != c.Class || e.Role != flow.Caller && e.Role != flow.LoopTask {
			continue
		}
		g := e.Graph
		for i := range g.Nodes {
			n := &g.Nodes[i]
			if n.Op != flow.Branch || n.Test != flow.TestEq || n.Want == nil || !saysFailed(n.Want) || compared(g, n.Val) < 2 {
				continue
			}
			raise := raisedAtOnce(g, n)
			if raise < 0 || len(g.LoopsAround(int32(i))) == 0 {
				continue
			}
			f := pollRaise(c, e, n, &g.Nodes[raise])
			if l := walked(e, int32(i)); l != nil {
				f.Threat = unanswered(st, e, int32(i), raise, l)
				f.Fixes = finished(st, e, &g.Nodes[raise], l)
			}
			out = append(out, f)
		}
	}
	return out
}

// saysFailed reports whether the name of a constant says that a request failed.
func saysFailed(v *flow.Value) bool { return v.Kind == flow.Const && status.SaysFailed(v.Name) }

// compared returns the number of constants that branches compare a value with.
func compared(g *flow.Graph, v *flow.Value) int {
	seen := map[string]bool{}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Op == flow.Branch && n.Test == flow.TestEq && n.Val.Same(v) && n.Want != nil && n.Want.Kind == flow.Const {
			seen[n.Want.ID()] = true
		}
	}
	return len(seen)
}

// raisedAtOnce returns the raise that the side of a branch where it holds leads
// to without doing anything else, if no handler catches it; -1 otherwise.
func raisedAtOnce(g *flow.Graph, branch *flow.Node) int32 {
	at := int32(-1)
	for _, e := range branch.Succ {
		if e.Kind == flow.True {
			at = e.To
		}
	}
	for at >= 0 {
		n := &g.Nodes[at]
		switch n.Op {
		case flow.Raise:
			for _, e := range n.Succ {
				if e.To != flow.FailNode {
					return -1
				}
			}
			return at
		case flow.Call, flow.Move, flow.GetFlag, flow.Clock:
		default:
			return -1
		}
		next := int32(-1)
		for _, e := range n.Succ {
			if e.Kind == flow.Normal {
				next = e.To
			}
		}
		at = next
	}
	return -1
}

// walked returns the container that the innermost loop around a step walks over, or nil
// where it is none of the component.
func walked(e *flow.Entry, id int32) *flow.Location {
	heads := e.Graph.LoopsAround(id)
	head := &e.Graph.Nodes[heads[len(heads)-1]]
	if l := evidence.WalkedFrom(head.Val); l != nil {
		return l
	}
	return head.Loc
}

// unanswered is the threat of a raise in a loop over the requests in a container: the loop
// takes one, and the hook ends with it where it waits.
func unanswered(st *status.Facts, e *flow.Entry, test, raise int32, l *flow.Location) *rule.Threat {
	heads := e.Graph.LoopsAround(test)
	return &rule.Threat{
		Property: rule.Avoids, Status: st, Through: true, Left: l,
		Steps: []rule.Step{{Entry: e, ID: heads[len(heads)-1], When: rule.Takes}, {Entry: e, ID: raise, When: rule.Anyhow, By: rule.TheFirst}},
	}
}

// actsBefore reports whether something is called right before a raise, other than to log:
// that may be the answer.
func actsBefore(raise *flow.Node) bool {
	block, _ := evidence.Block(raise.Fn.Body(), raise.Stmt)
	return slices.ContainsFunc(block[:max(slices.Index(block, raise.Stmt), 0)], func(st ast.Stmt) bool {
		x, ok := st.(*ast.ExprStmt)
		if !ok {
			return false
		}
		_, calls := x.Value.(*ast.Call)
		return calls && !evidence.Logs(st)
	})
}

func pollRaise(c *component.Component, e *flow.Entry, test, raise *flow.Node) rule.Finding {
	missed := "those behind it are not looked at"
	if !actsBefore(raise) {
		missed = "it gets no answer, and " + missed
	}
	return rule.Finding{
		Place: rule.AtStep(raise), Function: raise.Fn.Qual, Entry: e, Component: c.Class, Shape: "raise:" + test.Want.Name,
		Message: fmt.Sprintf("%s raises when a request has failed (%s): %s", e.Name(), rule.Text(test, test.Src), missed),
		Related: append([]rule.Related{{
			Place: rule.AtStep(test), Role: report.RoleGuard, Message: "true for every request that fails", Entry: e,
		}}, evidence.Spawns(e)...),
		Consequence: "the exception leaves the loop of the scheduler; the failed request and all others of it stay where they wait",
	}
}
