package nodeadline

import (
	"fmt"
	"slices"

	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/parser/facts/status"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/rule"
)

// neverReady finds the functions that start a thread and wait, without a limit, for an
// event which that sets when it is ready: it can end before.
func neverReady(p *flow.Program) []rule.Finding {
	var out []rule.Finding
	for _, e := range p.Entries {
		if e.Role != flow.Caller && e.Role != flow.Init || e.Class == nil || !p.Concerns(e.Class) {
			continue
		}
		for i := range e.Graph.Nodes {
			n := &e.Graph.Nodes[i]
			if n.Op != flow.Wait || n.Mode&(flow.Timeout|flow.Async) != 0 || n.Val == nil || n.Val.Type == nil || n.Val.Type.Kind != program.Event {
				continue
			}
			for _, thread := range startedBefore(p, e, int32(i)) {
				if fails := endsUnready(thread.Graph, n.Val); fails >= 0 {
					f := unready(e, int32(i), thread, fails)
					f.Threat = standsStill(p, f.Entry, int32(i), thread, fails)
					out = append(out, f)
					break
				}
			}
		}
	}
	return evidence.OncePerFunction(out)
}

// startedBefore returns the threads that an entrypoint starts in the function that waits,
// between the wait and the one before it.
func startedBefore(p *flow.Program, e *flow.Entry, wait int32) []*flow.Entry {
	n := &e.Graph.Nodes[wait]
	from := n.Fn.Node.Pos()
	for i := range e.Graph.Nodes {
		w := &e.Graph.Nodes[i]
		if w.Op == flow.Wait && w.Fn == n.Fn && from < w.Src.Pos() && w.Src.Pos() < n.Src.Pos() {
			from = w.Src.Pos()
		}
	}
	var out []*flow.Entry
	for _, t := range p.Entries {
		if t.Role == flow.ThreadOf && slices.ContainsFunc(t.Spawns, func(s flow.SpawnSite) bool {
			return s.By == e && s.Mod == n.Mod && from < s.Src.Pos() && s.Src.Pos() < n.Src.Pos()
		}) {
			out = append(out, t)
		}
	}
	return out
}

// endsUnready returns the last step that opens what the thread works with, and by which it
// ends with an exception before it has set the event that is waited for, or -1. A thread
// that sets none that can be it, or several, or one in each turn of a loop, is not looked at.
func endsUnready(g *flow.Graph, waited *flow.Value) int32 {
	event := int32(-1)
	for i := range g.Nodes {
		if !sets(&g.Nodes[i]) || differ(g.Nodes[i].Recv, waited) {
			continue
		}
		if event >= 0 && !g.Nodes[event].Recv.Same(g.Nodes[i].Recv) {
			return -1
		}
		if event < 0 {
			event = int32(i)
		}
	}
	if event < 0 || len(g.LoopsAround(event)) > 0 {
		return -1
	}
	last := int32(-1)
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Op != flow.Call || sets(n) || !opens(n) && !serves(g, n.Res) || !evidence.Reaches(g, int32(i), event, flow.KnownEdges) {
			continue
		}
		for _, e := range n.Succ {
			if e.Kind == flow.Exc && ended(g, e.To) >= 0 {
				last = int32(i)
			}
		}
	}
	return last
}

// opens reports whether a call is part of a context manager, which opens what the body of
// its with statement works with.
func opens(n *flow.Node) bool {
	for fr := n.Frame; fr != nil; fr = fr.Caller {
		if fr.Fn.Kind == program.ContextManager {
			return true
		}
	}
	return false
}

// serves reports whether the loop of a thread uses what a call has opened: a socket that
// it reads, say. What does not open anything seldom fails.
func serves(g *flow.Graph, opened *flow.Value) bool {
	if opened == nil {
		return false
	}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Recv == nil || !evidence.ComesFrom(n.Recv, opened) {
			continue
		}
		for _, h := range g.LoopsAround(int32(i)) {
			if g.Nodes[h].Mode&flow.Forever != 0 || g.Nodes[h].Op == flow.LoopHead {
				return true
			}
		}
	}
	return false
}

// ended returns where a thread ends from a step on without having set its event, or -1.
func ended(g *flow.Graph, from int32) int32 {
	w := g.Find(flow.Search{
		From: []int32{from}, Blind: true, Edge: flow.KnownEdges,
		Avoid: func(_ int32, n *flow.Node) bool { return sets(n) },
		Goal:  func(id int32, _ *flow.Node, _ flow.Facts) bool { return id == flow.FailNode || id == flow.ExitNode },
	})
	if w == nil {
		return -1
	}
	return w.Nodes[len(w.Nodes)-1]
}

// differ reports whether two values are kept in different attributes or variables.
func differ(a, b *flow.Value) bool { return a.Loc != nil && b.Loc != nil && a.Loc != b.Loc }

// sets reports whether a step sets an event.
func sets(n *flow.Node) bool {
	return n.Op == flow.Call && n.Name == "set" && n.Recv != nil && n.Recv.Type != nil && n.Recv.Type.Kind == program.Event
}

func unready(e *flow.Entry, id int32, thread *flow.Entry, fail int32) rule.Finding {
	n, fails := &e.Graph.Nodes[id], &thread.Graph.Nodes[fail]
	f := rule.Finding{
		Place: rule.AtStep(n), Function: n.Fn.Qual, Entry: e, Component: e.Class, Shape: "unready",
		Message: fmt.Sprintf("%s never ends when %s fails before it is ready: %s can raise",
			rule.Text(n, n.Src), thread.Name(), fails.Name),
		Consequence: "whoever starts the object stands still for ever, although the thread has printed why it ended",
		Related: []rule.Related{
			{Place: rule.AtStep(fails), Role: report.RoleRival, Entry: thread, Message: "this can raise before the event is set"},
		},
		Fixes: limitFix(n),
	}
	f.Related = append(f.Related, evidence.Spawns(thread)...)
	return f
}

// standsStill is the threat that somebody waits for a thread that raises, and ends without
// having set the event.
func standsStill(p *flow.Program, e *flow.Entry, wait int32, thread *flow.Entry, fails int32) *rule.Threat {
	c := &component.Component{Class: e.Class}
	for _, o := range p.Entries {
		if o == e || o == thread || o.Class == e.Class && o.Role == flow.Init {
			c.Entries = append(c.Entries, o)
		}
	}
	t := &rule.Threat{
		Property: rule.Avoids, Status: &status.Facts{Comp: c},
		Steps: []rule.Step{{Entry: e, ID: wait, When: rule.Arrives}, {Entry: thread, ID: fails, When: rule.Raises}},
	}
	for _, edge := range thread.Graph.Nodes[fails].Succ {
		if edge.Kind != flow.Exc {
			continue
		}
		if end := ended(thread.Graph, edge.To); end >= 0 {
			t.Then = []rule.Step{{Entry: thread, ID: end}}
		}
	}
	for i := range thread.Graph.Nodes {
		if n := &thread.Graph.Nodes[i]; sets(n) && !differ(n.Recv, e.Graph.Nodes[wait].Val) {
			t.Undo = append(t.Undo, rule.Step{Entry: thread, ID: int32(i)})
		}
	}
	return t
}
