package nodeadline

import (
	"fmt"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/rule"
)

// blocking finds the calls that block a hook for as long as somebody else likes.
func (c *check) blocking() []rule.Finding {
	var out []rule.Finding
	for _, e := range c.st.Comp.Entries {
		if e.Role != flow.Caller || len(e.Spawns) > 0 || takesDown(e.Graph) {
			continue
		}
		for i := range e.Graph.Nodes {
			if blocks(e.Graph, int32(i)) {
				out = append(out, c.blocked(e, int32(i)))
			}
		}
	}
	return out
}

// blocks reports whether a step can block its thread without end: it waits for
// what another request or thread does, and no limit is given.
func blocks(g *flow.Graph, id int32) bool {
	n := &g.Nodes[id]
	if n.Mode&(flow.Timeout|flow.Async) != 0 {
		return false
	}
	switch {
	case n.Op == flow.Dequeue:
		return !counted(g, id) && !ownAnswer(g, id)
	case n.Op != flow.Wait:
		return false
	case n.Lock != nil: // a condition: not where the class itself is a queue
		return n.Frame.Caller != nil && n.Fn.Class != g.Entry.Func.Class && awaitsEntry(g, n)
	case n.Val != nil: // an event: not one that this function makes for a thread it starts
		return n.Val.Kind == flow.Container
	case n.Name == "join": // of a queue: that is what the caller asks for
		return false
	}
	return !knownDone(g, id) && !ownWork(g, id)
}

// counted reports whether an entrypoint asks how much is in a queue before it takes
// from it, as one does that takes what is there. What it does with the answer is not
// looked at.
func counted(g *flow.Graph, id int32) bool {
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Op == flow.Size && n.Loc != nil && n.Loc == g.Nodes[id].Loc && evidence.Reaches(g, int32(i), id, flow.AllEdges) {
			return true
		}
	}
	return false
}

// ownAnswer reports whether what a function takes from a queue of its own is put there by
// work that it has started itself, whatever happens to that.
func ownAnswer(g *flow.Graph, id int32) bool {
	n := &g.Nodes[id]
	own, home := queueVar(n)
	if own == nil || home.Func != n.Fn || own.Param != nil {
		return false
	}
	puts := func(_ int32, m *flow.Node) bool {
		at, _ := queueVar(m)
		return m.Op == flow.Enqueue && at == own
	}
	for i := range g.Nodes {
		m := &g.Nodes[i]
		if at, _ := queueVar(m); m.Op == flow.Dequeue && m.Fn == n.Fn && m.Src != n.Src && at == own {
			return false // one of them may be left without an answer
		}
	}
	for i := range g.Nodes {
		w := &g.Nodes[i]
		if w.Op != flow.Spawn || w.Entry == nil || w.Frame != n.Frame || !g.Passes(int32(i), id) {
			continue
		}
		silent := w.Entry.Graph.Find(flow.Search{ // also where it has handled an exception
			Blind: true, Avoid: puts, Edge: flow.AllEdges,
			Goal: func(at int32, _ *flow.Node, _ flow.Facts) bool { return at == flow.ExitNode },
		})
		if silent == nil {
			return true
		}
	}
	return false
}

// queueVar returns the variable, and its scope, that holds the queue of an operation on one.
func queueVar(n *flow.Node) (*program.Binding, *program.Scope) {
	call, ok := n.Src.(*ast.Call)
	if !ok || n.Fn == nil {
		return nil, nil
	}
	at, ok := call.Func.(*ast.Attribute)
	if !ok {
		return nil, nil
	}
	name, ok := at.Value.(*ast.Name)
	if !ok {
		return nil, nil
	}
	return n.Fn.Scope.Lookup(name.Id())
}

// ownWork reports whether the function that waits for a future has handed work to a
// pool itself, which it could as well do. Whether it waits for that work is not looked
// at.
func ownWork(g *flow.Graph, id int32) bool {
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if call, ok := n.Src.(*ast.Call); ok && n.Frame == g.Nodes[id].Frame && (n.Op == flow.Spawn || n.Op == flow.Call) && submits(call) && evidence.Reaches(g, int32(i), id, flow.AllEdges) {
			return true
		}
	}
	return false
}

func submits(call *ast.Call) bool {
	at, ok := call.Func.(*ast.Attribute)
	return ok && at.Attr() == "submit"
}

// awaitsEntry reports whether the loop around a wait ends when a key appears in
// a container: somebody else has to put it there. A loop that waits for its own
// threads to empty a container is what the caller asks for.
func awaitsEntry(g *flow.Graph, wait *flow.Node) bool {
	for i := range g.Nodes {
		n := &g.Nodes[i]
		w, ok := n.Stmt.(*ast.While)
		if ok && n.Op == flow.Has && ast.Encloses(w, wait.Src) {
			return true
		}
	}
	return false
}

// knownDone reports whether a future is asked for its result only after it has
// said that it is done.
func knownDone(g *flow.Graph, id int32) bool {
	for i := range g.Nodes {
		b := &g.Nodes[i]
		if b.Op != flow.Branch || b.Val == nil {
			continue
		}
		at := g.Producer(b.Val)
		if at < 0 || g.Nodes[at].Name != "done" {
			continue
		}
		without := func(side flow.EdgeKind) bool {
			return evidence.Reaches(g, flow.StartNode, id, func(n *flow.Node, e flow.Edge) bool { return n != b || e.Kind != side })
		}
		if !without(flow.True) || !without(flow.False) {
			return true
		}
	}
	return false
}

// takesDown reports whether a hook ends the threads of its object.
func takesDown(g *flow.Graph) bool {
	for i := range g.Nodes {
		if g.Nodes[i].Op == flow.Join {
			return true
		}
	}
	return false
}

func (c *check) blocked(e *flow.Entry, id int32) rule.Finding {
	n := &e.Graph.Nodes[id]
	f := rule.Finding{
		Place: rule.AtStep(n), Function: n.Fn.Qual, Entry: e, Component: c.st.Comp.Class, Shape: "blocks",
		Message:     fmt.Sprintf("%s blocks %s without a limit", rule.Text(n, n.Src), e.Name()),
		Consequence: "the thread that calls it stands still, and with it every other request, their aborts and their timeouts",
		Threat:      &rule.Threat{Property: rule.Avoids, Status: c.st, Steps: []rule.Step{{Entry: e, ID: id, When: rule.Arrives}}},
	}
	f.Fixes = limitFix(n)
	if n.Frame.Call != nil {
		f.Related = append(f.Related, rule.Related{
			Place: rule.At(n.Frame.Mod, n.Frame.Call), Role: report.RoleContext, Entry: e, Message: "it is called here",
		})
	}
	if n.Op == flow.Dequeue {
		for _, a := range c.st.Comp.Accesses(n.Loc) {
			if a.Op == flow.Enqueue {
				f.Related = append(f.Related, rule.Related{
					Place: rule.AtStep(a.Node), Role: report.RoleRival, Entry: a.Entry,
					Message: fmt.Sprintf("only %s fills the queue", a.Entry.Name()),
				})
				f.Related = append(f.Related, evidence.Spawns(a.Entry)...)
				break
			}
		}
	}
	return f
}
