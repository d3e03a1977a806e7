package missingterminalstatus

import (
	_ "embed"
	"fmt"

	"golang.org/x/tools/go/analysis"

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

// Rule is KV103.
var Rule = &rule.Rule{
	ID: "KV103", Name: "missing-terminal-status", Severity: report.SeverityError,
	Doc: rule.ExtractDoc(doc), Analyzer: Analyzer,
}

// Analyzer finds ways of workers that drop a request.
var Analyzer = &analysis.Analyzer{
	Name:       "missingterminalstatus",
	Doc:        rule.ExtractDoc(doc),
	Run:        run,
	Requires:   []*analysis.Analyzer{status.Analyzer},
	ResultType: rule.FindingsType,
}

func run(pass *analysis.Pass) (any, error) {
	var out []rule.Finding
	for _, st := range pass.ResultOf[status.Analyzer].([]*status.Facts) {
		out = append(out, pollRaises(st)...)
		for _, e := range st.Comp.Entries {
			out = append(out, lastOnly(st, e)...)
		}
		if len(st.Maps) == 0 && len(st.Drained) == 0 {
			continue
		}
		for _, e := range st.Comp.Entries {
			if e.Role != flow.Init && e.Role != flow.Caller && len(e.Spawns) > 0 || e.Role == flow.ThreadOf {
				out = append(out, findings(st, e)...)
			}
		}
	}
	return out, nil
}

// findings looks at the requests that one worker concludes.
func findings(st *status.Facts, e *flow.Entry) []rule.Finding {
	var out []rule.Finding
	seen := map[string]bool{}
	for i := range e.Graph.Nodes {
		end := component.Access{Entry: e, ID: int32(i), Node: &e.Graph.Nodes[i]}
		if !ends(st, end.Node) {
			continue
		}
		key := component.RootKey(end.Node)
		if key == nil || seen[key.ID()] {
			continue
		}
		seen[key.ID()] = true
		w := worker{st: st, entry: e, g: e.Graph, key: key, end: end}
		out = append(out, w.leftBatch()...)
		if w.begins() {
			out = append(out, w.drops()...)
		}
	}
	return out
}

// ends reports whether a worker ends a request by a step: it stores what is a
// terminal status, or what a call has answered.
func ends(st *status.Facts, n *flow.Node) bool {
	if n.Op != flow.Put {
		return false
	}
	return st.MayConclude(n) || st.IsMap(n.Loc) && n.Val != nil && answered(n.Val)
}

// answered reports whether a value is what calls outside the program have
// answered.
func answered(v *flow.Value) bool {
	for _, leaf := range v.Leaves() {
		if leaf.Kind != flow.Result && leaf.Kind != flow.Opaque || leaf.Loc != nil {
			return false
		}
	}
	return true
}

// worker is an entrypoint that handles the request with a key.
type worker struct {
	st    *status.Facts
	entry *flow.Entry
	g     *flow.Graph
	key   *flow.Value
	end   component.Access // where it concludes
	from  int32            // after this step it has the request

	excused map[passage]bool // memo of excuses
	failing map[int32]bool   // memo of fails
}

// begins finds where the worker gets the request: from a queue of the program, or
// as an argument.
func (w *worker) begins() bool {
	if n := evidence.Origin(w.end); n != nil {
		if n.Op != flow.Dequeue {
			return false
		}
		w.from = w.g.Producer(n.Res)
		return w.from >= 0 && w.fed(n.Loc)
	}
	w.from = flow.StartNode
	v := w.key
	for v.Base != nil {
		v = v.Base
	}
	return v.Kind == flow.Param && w.entry.Role != flow.ThreadOf && !w.entry.Forever
}

// fed reports whether the program puts something on a queue.
func (w *worker) fed(queue *flow.Location) bool {
	for _, a := range w.st.Comp.Accesses(queue) {
		if a.Op == flow.Enqueue && a.Entry != w.entry {
			return true
		}
	}
	return false
}

// over reports whether the handling of the request ends at a step.
func (w *worker) over(id int32) bool {
	if id == flow.ExitNode || id == w.from {
		return true
	}
	n := &w.g.Nodes[id]
	return n.Op == flow.LoopHead && n.Mode&flow.Forever != 0
}

// keeps reports whether a step concludes the request or hands it on.
func (w *worker) keeps(n *flow.Node) bool {
	switch n.Op {
	case flow.Enqueue, flow.Spawn:
		return true
	case flow.SetFlag:
		return w.st.Concludes(n) || w.noticed(n)
	case flow.Put:
		return component.RootKey(n).Same(w.key) && n.Mode&flow.Initial == 0 && !n.Loc.HoldsTools()
	}
	return false
}

// noticed reports whether a flag that the worker sets is read by a hook, as one is
// that keeps an error for whoever polls next.
func (w *worker) noticed(n *flow.Node) bool {
	for _, a := range w.st.Comp.Accesses(n.Loc) {
		if a.Op == flow.GetFlag && evidence.IsHook(a.Entry) {
			return true
		}
	}
	return false
}

// excuse reports whether an edge is taken only for a request that is over or not
// known any more.
func (w *worker) excuse(id int32, e flow.Edge) bool {
	if w.foundOver(&w.g.Nodes[id], e) {
		return true
	}
	gd, ok := evidence.GuardAt(w.g, id, e)
	if !ok || gd.Holds || !component.RootKey(gd.Read).Same(w.key) {
		return false
	}
	root := gd.Read.Loc.Root()
	return w.st.IsMap(root) || w.removedBy(root) == nil
}

// removedBy returns a step of another entrypoint that removes an entry of a
// request and concludes nothing, or nil.
func (w *worker) removedBy(l *flow.Location) *component.Access {
	for _, a := range w.st.Comp.Accesses(l) {
		if a.Op != flow.Del || a.Entry == w.entry || w.st.Comp.Meet(w.entry, a) == component.Ordered {
			continue
		}
		if w.leavesAlive(a) && !evidence.EndsRequest(w.st, a) {
			return &a
		}
	}
	return nil
}

// leavesAlive reports whether the iteration of a removal has a walk that does not
// conclude the request, and has not found it over.
func (w *worker) leavesAlive(del component.Access) bool {
	key := component.RootKey(del.Node)
	it := evidence.IterationAround(del.Entry.Graph, del.ID, key)
	return it.Through([]int32{del.ID}, func(n *flow.Node) bool {
		return w.st.MayConclude(n) && (key == nil || n.Op == flow.SetFlag || component.RootKey(n).Same(key))
	}, func(n *flow.Node, e flow.Edge) bool { return !w.foundOver(n, e) }) != nil
}

// foundOver reports whether an edge is taken when the status that was read is
// terminal, or is not one that it has before.
func (w *worker) foundOver(n *flow.Node, e flow.Edge) bool {
	if n.Op != flow.Branch || n.Test != flow.TestEq || n.Val == nil || n.Val.Kind != flow.Result || n.Val.Loc == nil || !w.st.IsMap(n.Val.Loc) {
		return false
	}
	return (e.Kind == flow.True) == w.st.Terminal(n.Want)
}

// excuses returns the edges that are excused.
func (w *worker) excuses() map[passage]bool {
	if w.excused != nil {
		return w.excused
	}
	out := map[passage]bool{}
	for i := range w.g.Nodes {
		for _, e := range w.g.Nodes[i].Succ {
			if w.excuse(int32(i), e) {
				out[passage{&w.g.Nodes[i], e}] = true
			}
		}
	}
	w.excused = out
	return out
}

// way returns a walk to the end of the handling that does not keep the request,
// from a step or from the edge by which it is entered.
func (w *worker) way(from int32, after bool) *flow.Path {
	excused := w.excuses()
	return w.g.Find(flow.Search{
		From: []int32{from}, After: after,
		Avoid: func(_ int32, n *flow.Node) bool { return w.keeps(n) },
		Stop:  w.over,
		Goal:  func(id int32, _ *flow.Node, _ flow.Facts) bool { return w.over(id) },
		Edge: func(n *flow.Node, e flow.Edge) bool {
			return flow.KnownEdges(n, e) && !excused[passage{n, e}]
		},
	})
}

// A passage is a step and the edge by which it is left.
type passage struct {
	n *flow.Node
	e flow.Edge
}

// drops returns the ways on which the worker drops the request.
func (w *worker) drops() []rule.Finding {
	var out []rule.Finding
	if f, ok := w.branching(); ok {
		out = append(out, f)
	}
	out = append(out, w.raising()...)
	return out
}

// branching looks for a way on which nothing raises.
func (w *worker) branching() (rule.Finding, bool) {
	p := w.way(w.from, true)
	if p == nil {
		return rule.Finding{}, false
	}
	var last *flow.Node
	for i := len(p.Edges) - 1; i >= 0; i-- {
		id, e := p.Nodes[i], p.Edges[i]
		n := &w.g.Nodes[id]
		if n.Op != flow.Branch || !w.otherwise(n, e) {
			continue
		}
		if last == nil {
			last = n
		}
		why, blame := w.reason(id, e)
		switch {
		case why != "":
			return w.finding(leaving(last), last.Fn.Qual, why, blame), true
		case n.Val == nil || n.Val.Kind != flow.Phi:
			return rule.Finding{}, false
		}
		// The reason is where the walk gave the value that is tested.
	}
	return rule.Finding{}, false
}

// otherwise reports whether the worker concludes the request by another edge.
func (w *worker) otherwise(n *flow.Node, e flow.Edge) bool {
	for _, other := range n.Succ {
		if other.To == e.To || other.Kind == flow.Exc {
			continue
		}
		hit := w.g.Find(flow.Search{
			From: []int32{other.To}, Blind: true, Stop: w.over,
			Goal: func(_ int32, n *flow.Node, _ flow.Facts) bool {
				return ends(w.st, n) && component.RootKey(n).Same(w.key)
			},
		})
		if hit != nil {
			return true
		}
	}
	return false
}

// reason says why a worker leaves by an edge, when that is no part of the request
// itself.
func (w *worker) reason(id int32, e flow.Edge) (why string, blame *component.Access) {
	n := &w.g.Nodes[id]
	if gd, ok := evidence.GuardAt(w.g, id, e); ok && component.RootKey(gd.Read).Same(w.key) {
		if gd.Holds || w.from == flow.StartNode {
			return "", nil
		}
		return fmt.Sprintf("%s has no entry for it", gd.Read.Loc.Root().Name), w.removedBy(gd.Read.Loc.Root())
	}
	if n.Val == nil {
		return "", nil
	}
	if at := w.g.Producer(n.Val); at >= 0 {
		if c := &w.g.Nodes[at]; (c.Op == flow.Call || c.Op == flow.Wait) && at != w.from && !w.wentWell(c, n, e) {
			return fmt.Sprintf("%s has answered so", c.Name), nil
		}
		return "", nil
	}
	if n.Test == flow.TestEq && e.Kind == flow.False && n.Val.Kind == flow.Derived {
		return "it is of no known kind", nil
	}
	return "", nil
}

// wentWell reports whether a call has asked a future for its exception, and an edge is
// taken when there is none. What has failed is told then, and no status of what has not.
func (w *worker) wentWell(call, branch *flow.Node, e flow.Edge) bool {
	if call.Name != "exception" || len(w.st.Maps) > 0 {
		return false
	}
	return branch.Test == flow.TestNone && e.Kind == flow.True || branch.Test == flow.TestTruth && e.Kind == flow.False
}

// raising looks for ways on which a call of unknown code raises.
func (w *worker) raising() []rule.Finding {
	var out []rule.Finding
	seen := map[rule.Place]bool{}
	reached := w.before()
	for i := range w.g.Nodes {
		n := &w.g.Nodes[i]
		if !reached[int32(i)] || n.Op != flow.Call {
			continue
		}
		for _, e := range n.Succ {
			if e.Kind != flow.Exc || e.Exc != "*" {
				continue
			}
			f, ok := w.raised(n, e)
			if ok && !seen[f.Place] {
				seen[f.Place] = true
				out = append(out, f)
			}
		}
	}
	return evidence.OncePerFunction(out)
}

// raised decides whether an exception of a step loses the request.
func (w *worker) raised(n *flow.Node, e flow.Edge) (rule.Finding, bool) {
	if e.To == flow.FailNode || w.fails(e.To) {
		return w.dropped(n)
	}
	if inClause(&w.g.Nodes[e.To]) || w.concludesFrom(e.To) || w.way(e.To, false) == nil || !w.otherwise(n, e) {
		return rule.Finding{}, false
	}
	h := handler(n)
	if h == nil || h.nested {
		return rule.Finding{}, false
	}
	caught := rule.Place{Mod: h.fn.Module, From: h.from, To: h.to}
	if fn := meeting(n, w.end.Node); fn != nil && fn != h.fn {
		// What is skipped stands here; the handler is far away.
		st := evidence.StatementIn(n, fn)
		why := fmt.Sprintf("%s raises, and the handler in %s does not conclude it", n.Name, h.fn.Qual)
		f := w.finding(rule.At(fn.Module, st), fn.Qual, why, nil)
		f.Related = append(f.Related, rule.Related{
			Place: caught, Role: report.RoleContext, Entry: w.entry, Message: "the exception ends here",
		})
		f.Shape = "handler:" + h.fn.Qual // whichever call raises, it is one cause
		f.Fixes = w.caught(n, h)
		return f, true
	}
	why := fmt.Sprintf("%s raises, and the handler does not conclude it", n.Name)
	f := w.finding(caught, h.fn.Qual, why, nil)
	f.Related = append(f.Related, rule.Related{
		Place: rule.AtStep(n), Role: report.RoleContext, Entry: w.entry, Message: n.Name + " raises, before the request is concluded",
	})
	return f, true
}

// meeting returns the innermost function from which the walk gets to both of two
// steps, or nil.
func meeting(a, b *flow.Node) *program.Func {
	above := map[*program.Func]bool{}
	for fr := b.Frame; fr != nil; fr = fr.Caller {
		above[fr.Fn] = true
	}
	for fr := a.Frame; fr != nil; fr = fr.Caller {
		if above[fr.Fn] {
			return fr.Fn
		}
	}
	return nil
}

// concludesFrom reports whether the worker can still conclude the request, or hand
// it on, from a step.
func (w *worker) concludesFrom(from int32) bool {
	return !w.over(from) && w.g.Find(flow.Search{
		From: []int32{from}, Blind: true, Stop: w.over,
		Goal: func(_ int32, n *flow.Node, _ flow.Facts) bool { return w.keeps(n) },
	}) != nil
}

// fails reports whether a step leads out of the entrypoint with an exception, and
// keeps nothing on the way.
func (w *worker) fails(from int32) bool {
	yes, known := w.failing[from]
	if known {
		return yes
	}
	excused := w.excuses()
	yes = w.g.Find(flow.Search{
		From: []int32{from}, Avoid: func(_ int32, n *flow.Node) bool { return w.keeps(n) },
		Edge: func(n *flow.Node, e flow.Edge) bool { return flow.KnownEdges(n, e) && !excused[passage{n, e}] },
		Stop: w.over, Goal: func(id int32, _ *flow.Node, _ flow.Facts) bool { return id == flow.FailNode },
	}) != nil && w.way(from, false) == nil
	if w.failing == nil {
		w.failing = map[int32]bool{}
	}
	w.failing[from] = yes
	return yes
}

// dropped reports an exception that ends in a Future that nobody keeps.
func (w *worker) dropped(n *flow.Node) (rule.Finding, bool) {
	if w.entry.Role != flow.Pool {
		return rule.Finding{}, false
	}
	for _, s := range w.entry.Spawns {
		if thrownAway(s) {
			why := fmt.Sprintf("%s raises, and the exception ends in a Future that nobody looks at", n.Name)
			f := w.finding(rule.At(s.Mod, s.Src), w.entry.Func.Qual, why, nil)
			f.Fixes = w.entered()
			for i := range w.g.Nodes {
				if &w.g.Nodes[i] == n {
					f.Threat.Steps = append(f.Threat.Steps, rule.Step{Entry: w.entry, ID: int32(i), When: rule.Raises})
				}
			}
			return f, true
		}
	}
	return rule.Finding{}, false
}

// before returns the steps that the worker reaches with a request that it has not
// kept.
func (w *worker) before() map[int32]bool {
	seen := map[int32]bool{w.from: true}
	work := []int32{w.from}
	for len(work) > 0 {
		id := work[len(work)-1]
		work = work[:len(work)-1]
		for _, e := range w.g.Nodes[id].Succ {
			if !flow.KnownEdges(&w.g.Nodes[id], e) || seen[e.To] || w.over(e.To) || w.keeps(&w.g.Nodes[e.To]) {
				continue
			}
			seen[e.To] = true
			work = append(work, e.To)
		}
	}
	delete(seen, w.from)
	return seen
}

func (w *worker) finding(at rule.Place, fn, why string, blame *component.Access) rule.Finding {
	f := rule.Finding{
		Place: at, Function: fn, Entry: w.entry, Component: w.st.Comp.Class,
		Containers: []string{w.end.Loc.Root().Name}, Key: evidence.KeyText(w.end.Node), Shape: "drops",
		Message: fmt.Sprintf("%s drops a request here, without concluding it in %s: %s",
			w.entry.Name(), w.end.Loc.Root().Name, why),
		Consequence: evidence.NeverConcludes(w.st),
	}
	f.Related = append(f.Related, rule.Related{
		Place: rule.AtStep(w.end.Node), Role: report.RoleContext, Entry: w.entry,
		Message: fmt.Sprintf("%s concludes a request here", w.entry.Name()),
	})
	if blame != nil {
		f.Containers = evidence.Distinct(append(f.Containers, blame.Loc.Root().Name))
		f.Related = append(f.Related, rule.Related{
			Place: rule.AtStep(blame.Node), Role: report.RoleRival, Entry: blame.Entry,
			Message: fmt.Sprintf("%s removes %s and concludes nothing", blame.Entry.Name(), evidence.Access(blame.Node)),
		})
	}
	f.Related = append(f.Related, evidence.Spawns(w.entry)...)
	f.Fixes = w.fixes(at, fn)
	f.Threat = &rule.Threat{Property: rule.Concludes, Status: w.st, Steps: []rule.Step{{Entry: w.entry, ID: w.from}}}
	if blame != nil {
		f.Threat.Steps = append([]rule.Step{{Entry: blame.Entry, ID: blame.ID}}, f.Threat.Steps...)
	}
	return f
}
