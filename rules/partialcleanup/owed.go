package partialcleanup

import (
	"fmt"
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/parser/facts/status"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/patch"
	"github.com/kvrace/kvrace/rules/rule"
)

// A debt is a key under which a call has taken something that whoever works off a
// list has to give back. The entrypoint notes the key in the list on some ways out
// and not on others.
type debt struct {
	entry   *flow.Entry
	take    int32
	note    int32 // the step that inserts the key into the list
	release string
	path    *flow.Path // the way out without a note
}

// debts finds the keys that an entrypoint notes on some ways out only.
func debts(st *status.Facts, releases map[string]string) []rule.Finding {
	var out []rule.Finding
	seen := map[ast.Node]bool{}
	for _, e := range st.Comp.Entries {
		for i := range e.Graph.Nodes {
			n := &e.Graph.Nodes[i]
			if n.Op != flow.Call || len(n.Pred) == 0 || seen[n.Src] {
				continue
			}
			r := releases[strings.Trim(n.Name, "_")]
			if r == "" {
				continue
			}
			if d, ok := owed(st, e, int32(i), r); ok {
				seen[n.Src] = true
				out = append(out, d.finding(st))
			}
		}
	}
	return out
}

// releasesIn returns the names of the calls in a program that give something back,
// by the name of the call that has taken it: lookup_unpin by lookup.
func releasesIn(p *program.Program) map[string]string {
	out := map[string]string{}
	seen := map[string]bool{}
	for _, f := range p.Funcs {
		if f.Outer != nil {
			continue // part of the function around it
		}
		ast.Inspect(f.Node, func(n ast.Node) bool {
			call, ok := n.(*ast.Call)
			if !ok {
				return true
			}
			at, ok := call.Func.(*ast.Attribute)
			if !ok || seen[at.Attr()] || len(call.Args())+len(call.Keywords()) == 0 {
				return true
			}
			seen[at.Attr()] = true
			if taken := flow.Released(at.Attr()); taken != "" && out[taken] == "" {
				out[taken] = at.Attr()
			}
			return true
		})
	}
	return out
}

// owed returns the debt that a call makes, if there is one.
func owed(st *status.Facts, e *flow.Entry, take int32, release string) (debt, bool) {
	g := e.Graph
	t := &g.Nodes[take]
	notes := notesOf(st, e, take)
	if len(notes) == 0 {
		return debt{}, false
	}
	note := &g.Nodes[notes[0]]
	listed := map[*flow.Location]bool{} // before the call or after it
	for i := range g.Nodes {
		if n := &g.Nodes[i]; noted(n, t) && workedOff(st, e, n.Loc) {
			listed[n.Loc] = true
		}
	}
	path := evidence.IterationAround(g, take, note.Key).Through([]int32{take},
		func(n *flow.Node) bool {
			if n.Op == flow.Call {
				return strings.Trim(n.Name, "_") == strings.Trim(release, "_") && hands(n, note.Key)
			}
			return n.Op == flow.Put && listed[n.Loc] && n.Key.Same(note.Key)
		},
		func(n *flow.Node, edge flow.Edge) bool {
			if n == t && edge.Kind == flow.Exc || nothing(n, edge, t.Res) {
				return false
			}
			guard, ok := evidence.GuardOf(g, n, edge)
			return !ok || !guard.Holds || !listed[guard.Read.Loc]
		})
	if path == nil {
		return debt{}, false
	}
	return debt{entry: e, take: take, note: notes[0], release: release, path: path}, true
}

// notesOf returns the steps after a call that insert the key which it gets into a
// container that is worked off, those of lists and sets first: they hold nothing
// but keys.
func notesOf(st *status.Facts, e *flow.Entry, take int32) []int32 {
	g := e.Graph
	var lists, others []int32
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if !noted(n, &g.Nodes[take]) || !workedOff(st, e, n.Loc) || !evidence.IterationAround(g, take, n.Key).After(take, int32(i), -1) {
			continue
		}
		switch n.Loc.Type.Kind {
		case program.List, program.Deque, program.Set:
			lists = append(lists, int32(i))
		default:
			others = append(others, int32(i))
		}
	}
	return append(lists, others...)
}

// noted reports whether a step inserts a key that a call gets into a container.
func noted(n, call *flow.Node) bool {
	return n.Op == flow.Put && n.Key != nil && len(n.Path) == 0 && hands(call, n.Key)
}

// hands reports whether a call gets a key, and not only objects that have it.
func hands(call *flow.Node, key *flow.Value) bool {
	if call.Val == nil {
		return false
	}
	for _, a := range call.Val.Args {
		if a.Same(key) {
			return true
		}
	}
	return false
}

// workedOff reports whether another entrypoint takes all that is in a container
// away at once: it hands the content on.
func workedOff(st *status.Facts, e *flow.Entry, l *flow.Location) bool {
	for _, a := range st.Comp.Accesses(l) {
		if a.Entry == e || a.Entry.Role == flow.Init || a.Mode&flow.Initial != 0 {
			continue
		}
		if a.Op == flow.Clear || a.Op == flow.Rebind && a.Mode&flow.Filter == 0 {
			return true
		}
	}
	return false
}

// nothing reports whether an edge is taken only when a call has yielded nothing.
func nothing(n *flow.Node, e flow.Edge, res *flow.Value) bool {
	if n.Op != flow.Branch || res == nil || n.Val == nil || !n.Val.Same(res) {
		return false
	}
	return n.Test == flow.TestNone && e.Kind == flow.True || n.Test == flow.TestTruth && e.Kind == flow.False
}

func (d debt) finding(st *status.Facts) rule.Finding {
	g := d.entry.Graph
	take, note := &g.Nodes[d.take], &g.Nodes[d.note]
	list := note.Loc.Root().Name
	leave := d.parting()
	f := rule.Finding{
		Place: rule.AtStep(take), Function: take.Fn.Qual, Entry: d.entry, Component: st.Comp.Class,
		Containers: []string{list}, Key: evidence.KeyText(note),
		Shape:       "owed:" + list,
		Message:     fmt.Sprintf("what %s takes for %s is not noted in %s on one way out, and is never given back", take.Name, evidence.KeyText(note), list),
		Consequence: fmt.Sprintf("%s is not called for a request that leaves so, and what it holds stays taken", strings.Trim(d.release, "_")),
		Fixes:       d.fixes(leave),
		Threat:      d.threat(st),
	}
	f.Related = []rule.Related{
		{Place: rule.AtStep(note), Role: report.RoleRival, Entry: d.entry, Message: "noted here on the other way"},
		{Place: rule.AtStep(leave), Role: report.RoleContext, Entry: d.entry, Message: "the way out that does not note it"},
	}
	f.Related = append(f.Related, evidence.Spawns(d.entry)...)
	return f
}

// threat is that the entrypoint leaves by the way out after it has taken something.
func (d debt) threat(st *status.Facts) *rule.Threat {
	t := &rule.Threat{
		Property: rule.Avoids, Status: st, Through: true, Steps: []rule.Step{{Entry: d.entry, ID: d.take}},
		Undo: []rule.Step{{Entry: d.entry, ID: d.note, When: rule.Anyhow}},
	}
	leave := d.parting()
	for i, id := range d.path.Nodes {
		if when, ok := evidence.Leaving(d.entry.Graph, d.path, i); ok && leave == &d.entry.Graph.Nodes[id] {
			t.Steps = append(t.Steps, rule.Step{Entry: d.entry, ID: id, When: when, By: rule.TheFirst})
		}
	}
	return t
}

// parting returns the last step of the way out from which the key could still be
// noted.
func (d debt) parting() *flow.Node {
	g := d.entry.Graph
	it := evidence.IterationAround(g, d.take, component.RootKey(&g.Nodes[d.note]))
	last := &g.Nodes[d.take]
	for _, id := range d.path.Nodes {
		if !it.Ends(id) && it.After(id, d.note, -1) {
			last = &g.Nodes[id]
		}
	}
	return last
}

// fixes suggests to note the key before the jump that leaves.
func (d debt) fixes(leave *flow.Node) []rule.Fix {
	note := &d.entry.Graph.Nodes[d.note]
	branch, ok := leave.Stmt.(*ast.If)
	if !ok || leave.Fn != note.Fn {
		return nil
	}
	st, ok := note.Stmt.(*ast.ExprStmt)
	if !ok || st.Value != note.Src {
		return nil
	}
	jump := branch.Body[len(branch.Body)-1]
	switch jump.(type) {
	case *ast.Return, *ast.Continue, *ast.Break, *ast.Raise:
	default:
		return nil
	}
	edits, err := patch.NewEditor(leave.Mod.AST).InsertBefore(jump, evidence.Lines(note.Mod, st)...)
	if err != nil {
		return nil
	}
	return []rule.Fix{{Description: "note the key on this way out, too", Safety: report.SafetyReview, Edits: edits}}
}
