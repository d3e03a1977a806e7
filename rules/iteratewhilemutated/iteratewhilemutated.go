package iteratewhilemutated

import (
	_ "embed"
	"fmt"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/parser/facts/status"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/rule"
)

//go:embed doc.go
var doc string

// Rule is KV202.
var Rule = &rule.Rule{
	ID: "KV202", Name: "iterate-while-mutated", Severity: report.SeverityError,
	Doc: rule.ExtractDoc(doc), Analyzer: Analyzer,
}

// Analyzer finds loops over containers that change meanwhile.
var Analyzer = &analysis.Analyzer{
	Name:       "iteratewhilemutated",
	Doc:        rule.ExtractDoc(doc),
	Run:        run,
	Requires:   []*analysis.Analyzer{status.Analyzer},
	ResultType: rule.FindingsType,
}

func run(pass *analysis.Pass) (any, error) {
	var out []rule.Finding
	reported := map[ast.Node]bool{}
	for _, st := range pass.ResultOf[status.Analyzer].([]*status.Facts) {
		for _, e := range st.Comp.Entries {
			if e.Role == flow.Init || evidence.Closes(e) {
				continue
			}
			for i := range e.Graph.Nodes {
				n := &e.Graph.Nodes[i]
				if n.Op != flow.Next || n.Loc == nil || reported[n.Src] {
					continue
				}
				l := loop{st: st, entry: e, id: int32(i), next: n}
				if f, ok := l.finding(); ok {
					reported[n.Src] = true
					out = append(out, f)
				}
			}
		}
	}
	return out, nil
}

// loop is a live iteration in an entrypoint.
type loop struct {
	st    *status.Facts
	entry *flow.Entry
	id    int32 // of the step that takes the next element
	next  *flow.Node
}

func (l *loop) finding() (rule.Finding, bool) {
	if !l.list() && !evidence.Escapes(l.entry.Graph, l.id) || l.storedBack() || l.emptied() {
		return rule.Finding{}, false
	}
	own, r := l.ownChange(), l.rival()
	if own == nil && r == nil {
		return rule.Finding{}, false
	}
	f := rule.Finding{
		Place: rule.AtStep(l.next), Function: l.next.Fn.Qual, Entry: l.entry, Component: l.st.Comp.Class,
		Containers: []string{l.next.Loc.Root().Name}, Consequence: l.consequence(), Shape: "loop:" + l.next.Loc.String(),
		Fixes: l.fixes(own, r),
	}
	f.Threat = l.threat(own, r)
	if own != nil {
		f.Message = fmt.Sprintf("the loop over %s changes it: %s", l.name(), changed(own))
		f.Related = append(f.Related, rule.Related{Place: rule.AtStep(own), Role: report.RoleContext, Entry: l.entry, Message: "and the loop goes on"})
		if r != nil {
			f.Related = append(f.Related, evidence.RivalOf(r, l.entry, changed(r.Node)+" as well")...)
		}
		return f, true
	}
	name := r.Entry.Name()
	if r.Entry == l.entry {
		name = "another " + name
	}
	f.Message = fmt.Sprintf("%s can change while this loop walks over it: %s %s", l.name(), name, changed(r.Node))
	f.Related = evidence.RivalOf(r, l.entry, changed(r.Node))
	if !l.list() {
		f.Threat.Steps = []rule.Step{{Entry: l.entry, ID: l.id, When: rule.Takes}, {Entry: r.Entry, ID: r.ID, By: rule.Another}}
		f.Threat.Then[0].By = rule.TheFirst
		f.Threat.Undo = l.begins()
		if r.Op == flow.Put {
			f.Threat.Steps[1].When = rule.Absent // the size changes
		}
	}
	return f, true
}

// threat is that the iteration raises; that of a list goes on, and misses what has
// moved to the place of what was removed.
func (l *loop) threat(own *flow.Node, r *component.Rival) *rule.Threat {
	next := rule.Step{Entry: l.entry, ID: l.id}
	if !l.list() {
		return &rule.Threat{Property: rule.Survives, Status: l.st, Then: []rule.Step{next}}
	}
	t := &rule.Threat{Property: rule.Avoids, Status: l.st, Steps: []rule.Step{{Entry: l.entry, ID: l.id, When: rule.TakesKey}}, Undo: l.begins()}
	if l.backward() { // what has been walked over does not move up
		t.Steps[0].When = rule.TakesOther
		t.Undo = append(t.Undo, rule.Step{Entry: l.entry, ID: l.id, When: rule.TakesKey})
	}
	if own != nil {
		for i := range l.entry.Graph.Nodes {
			if &l.entry.Graph.Nodes[i] == own {
				t.Steps = append(t.Steps, rule.Step{Entry: l.entry, ID: int32(i), By: rule.TheFirst})
			}
		}
	} else if r != nil {
		if r.Mode&flow.AnyKey != 0 {
			t.Steps[0].When = rule.Takes // nobody knows what it removes
		}
		t.Steps = append(t.Steps, rule.Step{Entry: r.Entry, ID: r.ID, By: rule.Another})
	}
	next.By = rule.TheFirst
	t.Steps = append(t.Steps, next)
	return t
}

// begins returns the steps that begin the iteration anew.
func (l *loop) begins() []rule.Step {
	var out []rule.Step
	for i := range l.entry.Graph.Nodes {
		if n := &l.entry.Graph.Nodes[i]; n.Op == flow.Iter && n.Src == l.next.Src {
			out = append(out, rule.Step{Entry: l.entry, ID: int32(i), By: rule.TheFirst})
		}
	}
	return out
}

func (l *loop) list() bool { return l.next.Loc.Type.Kind == program.List }

// backward reports whether the loop walks over a list from its end.
func (l *loop) backward() bool { return l.list() && l.next.Mode&flow.Backward != 0 }

// name returns the container as the loop writes it.
func (l *loop) name() string { return rule.Text(l.next, l.next.Src) }

// storedBack reports whether the loop filters a container for the statement to
// store it back, which loses updates whether or not the loop survives.
func (l *loop) storedBack() bool {
	if l.next.Mode&flow.Comprehension == 0 {
		return false
	}
	for i := range l.entry.Graph.Nodes {
		n := &l.entry.Graph.Nodes[i]
		if n.Op == flow.Rebind && n.Mode&flow.Filter != 0 && n.Loc == l.next.Loc && n.Stmt == l.next.Stmt {
			return true
		}
	}
	return false
}

// emptied reports whether the container is emptied after the loop: the loop
// closes or takes over what is in it.
func (l *loop) emptied() bool {
	g := l.entry.Graph
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Op == flow.Clear && evidence.SamePath(n, l.next) && g.Find(flow.Search{
			From: []int32{l.id}, Blind: true,
			Goal: func(at int32, _ *flow.Node, _ flow.Facts) bool { return at == int32(i) },
		}) != nil {
			return true
		}
	}
	return false
}

// changes reports whether a step changes the container in a way that the loop
// notices.
func (l *loop) changes(n *flow.Node) bool {
	switch n.Op {
	case flow.Del, flow.DelAll, flow.Clear:
		return true
	case flow.Put, flow.PutAll:
		return !l.list()
	case flow.Read:
		return n.Mode&flow.Upsert != 0
	}
	return false
}

// ownChange returns a step of the body that changes the container and goes on to
// the next element, or nil.
func (l *loop) ownChange() *flow.Node {
	g := l.entry.Graph
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if !l.changes(n) || !evidence.SamePath(n, l.next) || (n.Op == flow.Put || n.Op == flow.Read) && l.takes(n.Key) || !l.inBody(int32(i)) {
			continue
		}
		if n.Op == flow.Del && l.backward() && l.takes(n.Key) {
			continue // what has been walked over moves up
		}
		if a := (component.Access{Entry: l.entry, ID: int32(i), Node: n}); n.Op == flow.Put && evidence.Established(a) {
			continue
		}
		return n
	}
	return nil
}

// takes reports whether a key is the one that the loop has taken.
func (l *loop) takes(key *flow.Value) bool {
	return key != nil && key.Kind == flow.Element && key.Loc == l.next.Loc && evidence.ComesFrom(key, l.next.Val)
}

// inBody reports whether a step lies on a way from the loop taking an element to
// its taking the next one.
func (l *loop) inBody(id int32) bool {
	g := l.entry.Graph
	if !slices.Contains(g.LoopsAround(id), l.id) {
		return false
	}
	var body []int32
	for _, e := range l.next.Succ {
		if e.Kind == flow.True {
			body = append(body, e.To)
		}
	}
	again := func(_ int32, n *flow.Node) bool { return l.restarts(n) }
	s := flow.Search{
		From: body, Avoid: again, Stop: func(at int32) bool { return at == l.id }, Blind: true,
		Goal: func(at int32, _ *flow.Node, _ flow.Facts) bool { return at == id },
	}
	if g.Find(s) == nil {
		return false // the quick answer
	}
	s.Blind, s.To = false, []int32{id}
	to := g.Find(s)
	if to == nil {
		return false
	}
	return g.Find(flow.Search{
		From: []int32{id}, After: true, Avoid: again, Begin: to.Facts, To: []int32{l.id},
		Goal: func(at int32, _ *flow.Node, _ flow.Facts) bool { return at == l.id },
	}) != nil
}

// rival returns a change by another entrypoint that can come between two steps
// of the loop, or nil.
func (l *loop) rival() *component.Rival {
	if l.detached() {
		return nil
	}
	for _, a := range l.st.Comp.Accesses(l.next.Loc) {
		if !l.changes(a.Node) || a.Entry == l.entry && !a.Entry.Many || evidence.ClosesObject(a) {
			continue
		}
		r := l.between(a)
		if r == nil || a.Op == flow.Put && (counted(a) || l.registers(a) || evidence.Established(a)) {
			continue
		}
		return r
	}
	return nil
}

// restarts reports whether the walk over the container starts anew at a step.
func (l *loop) restarts(n *flow.Node) bool { return n.Op == flow.Iter && n.Src == l.next.Src }

// between returns a change as a rival when it can come while the loop goes from
// one element to the next.
func (l *loop) between(a component.Access) *component.Rival {
	for _, e := range l.next.Succ {
		if e.Kind == flow.True {
			return l.st.Comp.BetweenTurns(l.entry, l.id, e.To, l.restarts, []component.Access{a})
		}
	}
	return nil
}

// detached reports whether the loop walks over an inner container that every way
// to it has taken out of the outer one: nobody else finds it any more.
func (l *loop) detached() bool {
	outer := l.next.Loc.Outer
	if outer == nil || len(l.next.Path) == 0 {
		return false
	}
	key := l.next.Path[len(l.next.Path)-1]
	takes := func(_ int32, n *flow.Node) bool { return n.Op == flow.Del && n.Loc == outer && n.Key.Same(key) }
	g := l.entry.Graph
	for i := range g.Nodes {
		if takes(int32(i), &g.Nodes[i]) {
			return g.Find(flow.Search{
				Avoid: takes, Blind: true,
				Goal: func(id int32, _ *flow.Node, _ flow.Facts) bool { return id == l.id },
			}) == nil
		}
	}
	return false
}

// counted reports whether an insert into an inner container belongs to a
// collection that its entrypoint counts: what waits for it to be complete runs
// after the last insert.
func counted(a component.Access) bool {
	if a.Loc.Outer == nil {
		return false
	}
	for i := range a.Entry.Graph.Nodes {
		if n := &a.Entry.Graph.Nodes[i]; n.Op == flow.Size && evidence.SamePath(n, a.Node) {
			return true
		}
	}
	return false
}

// registers reports whether an insert fills a table that never shrinks with what
// one hook is given, as a hook does that is called before there are requests.
func (l *loop) registers(a component.Access) bool {
	given := false
	for _, h := range a.Entry.Graph.LoopsAround(a.ID) {
		head := &a.Entry.Graph.Nodes[h]
		given = given || head.Val != nil && evidence.ComesFrom(a.Key, head.Val)
	}
	if a.Entry.Role != flow.Caller || !given {
		return false
	}
	for _, x := range l.st.Comp.Accesses(a.Loc) {
		if evidence.Removes(x.Node) || l.changes(x.Node) && x.Fn != a.Fn && x.Mode&flow.Initial == 0 {
			return false
		}
	}
	return true
}

// changed words what a step does to the container.
func changed(n *flow.Node) string {
	switch n.Op {
	case flow.Put, flow.Read:
		return "inserts " + evidence.Access(n)
	case flow.PutAll:
		return "adds to " + n.Loc.Root().Name
	case flow.Clear:
		return "empties " + n.Loc.Root().Name
	case flow.Del:
		if n.Key != nil {
			return "removes " + evidence.Access(n)
		}
	}
	return "removes from " + n.Loc.Root().Name
}

func (l *loop) consequence() string {
	if l.backward() {
		return fmt.Sprintf("%s comes to an element again when one before it was removed", l.entry.Name())
	}
	if l.list() {
		return fmt.Sprintf("%s skips the elements after what was removed", l.entry.Name())
	}
	return evidence.Raised(l.entry, "RuntimeError")
}
