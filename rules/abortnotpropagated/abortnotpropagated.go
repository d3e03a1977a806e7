package abortnotpropagated

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

// Rule is KV104.
var Rule = &rule.Rule{
	ID: "KV104", Name: "abort-not-propagated", Severity: report.SeverityError,
	Doc: rule.ExtractDoc(doc), Analyzer: Analyzer,
}

// Analyzer finds conclusions that do not reach all of their readers.
var Analyzer = &analysis.Analyzer{
	Name:       "abortnotpropagated",
	Doc:        rule.ExtractDoc(doc),
	Run:        run,
	Requires:   []*analysis.Analyzer{status.Analyzer, flow.Analyzer},
	ResultType: rule.FindingsType,
}

func run(pass *analysis.Pass) (any, error) {
	var out []rule.Finding
	for _, st := range pass.ResultOf[status.Analyzer].([]*status.Facts) {
		c := check{st: st, tests: map[*flow.Location][]test{}, reported: map[*program.Func]bool{}}
		for _, e := range st.Comp.Entries {
			if e.Role == flow.Init || c.polls(e) {
				continue
			}
			for _, find := range []func(*flow.Entry) (rule.Finding, bool){c.handleOnly, c.unmarked, c.oneOfTwo, c.unreported} {
				if f, ok := find(e); ok {
					out = append(out, f)
					break
				}
			}
		}
	}
	return append(out, silentMethods(pass.ResultOf[flow.Analyzer].(*flow.Program).Index)...), nil
}

// check looks at one component.
type check struct {
	st       *status.Facts
	tests    map[*flow.Location][]test
	reported map[*program.Func]bool

	marked []*flow.Location // what marksOf returns, once known
	known  bool
}

// test is a place where a thread decides by a carrier whether it acts.
type test struct {
	component.Access            // the read of the carrier
	branch           *flow.Node // the branch on what it yields
	at, acts         int32      // the branch, and the call that it decides about
}

// findTests collects the tests of a location by the threads of the component.
func (c *check) findTests(l *flow.Location) []test {
	if have, ok := c.tests[l]; ok {
		return have
	}
	var out []test
	for _, a := range c.st.Comp.Accesses(l) {
		if !ownThread(a.Entry) || a.Res == nil || a.Op != flow.Has && a.Op != flow.Read && a.Op != flow.GetFlag {
			continue
		}
		g := a.Entry.Graph
		for i := range g.Nodes {
			b := &g.Nodes[i]
			if b.Op != flow.Branch || b.Val == nil || !b.Val.Same(a.Res) || len(b.Succ) != 2 {
				continue
			}
			type deciding int32 // a branch
			if act := flow.Ask(g, deciding(i), func() int32 { return decides(g, int32(i)) }); act >= 0 {
				out = append(out, test{a, b, int32(i), act})
			}
		}
	}
	c.tests[l] = out
	return out
}

// ownThread reports whether an entrypoint is no hook.
func ownThread(e *flow.Entry) bool {
	return e.Role != flow.Caller && e.Role != flow.Init && (e.Role != flow.LoopTask || len(e.Spawns) > 0)
}

// headsOf returns where the round of a branch ends: the heads of the loops around
// it, and the branch itself.
func headsOf(g *flow.Graph, branch int32) map[int32]bool {
	heads := map[int32]bool{branch: true}
	for _, h := range g.LoopsAround(branch) {
		heads[h] = true
	}
	return heads
}

// decides returns a call of unknown code that one side of a branch comes to
// before the next round, and the other one does not; -1 when there is none.
func decides(g *flow.Graph, branch int32) int32 {
	heads := headsOf(g, branch)
	one, other := sideOf(g, branch, 0, heads), sideOf(g, branch, 1, heads)
	found := int32(-1)
	for id := int32(len(g.Nodes) - 1); id >= 0; id-- { // long walks first: they tell of many steps
		if n := &g.Nodes[id]; n.Op == flow.Call && n.Target == nil && one.comesTo(id) != other.comesTo(id) {
			found = id
		}
	}
	return found
}

// A side is what follows a branch on one of its edges, until the next round.
type side struct {
	g      *flow.Graph
	search flow.Search
	steps  []bool // to which walks come that do not regard what branches tell
	passed []bool // on walks that were found
}

func sideOf(g *flow.Graph, branch int32, edge int, heads map[int32]bool) *side {
	b := &g.Nodes[branch]
	by := b.Succ[edge]
	s := &side{g: g, steps: make([]bool, len(g.Nodes)), passed: make([]bool, len(g.Nodes))}
	if heads[by.To] {
		return s
	}
	s.search = flow.Search{
		From: []int32{branch}, After: true, Blind: true,
		Stop: func(id int32) bool { return heads[id] },
		Edge: func(n *flow.Node, e flow.Edge) bool { return flow.KnownEdges(n, e) && (n != b || e.Kind == by.Kind) },
		Goal: func(id int32, _ *flow.Node, _ flow.Facts) bool { s.steps[id] = true; return false },
	}
	g.Find(s.search)
	return s
}

// comesTo reports whether a walk comes to a step.
func (s *side) comesTo(to int32) bool {
	if !s.steps[to] || s.passed[to] {
		return s.passed[to]
	}
	search := s.search
	search.Blind, search.To = false, []int32{to}
	search.Goal = func(id int32, _ *flow.Node, _ flow.Facts) bool { return id == to }
	p := s.g.Find(search)
	if p == nil {
		return false
	}
	for _, id := range p.Nodes[1:] {
		s.passed[id] = true
	}
	return true
}

// testOf returns a test of a location by a thread other than an entrypoint.
func (c *check) testOf(l *flow.Location, except *flow.Entry) *test {
	for _, t := range c.findTests(l) {
		if t.Entry != except {
			return &t
		}
	}
	return nil
}

// polls reports whether an entrypoint is a poller.
func (c *check) polls(e *flow.Entry) bool {
	for _, p := range c.st.Pollers {
		if p == e {
			return true
		}
	}
	return false
}

// failures returns the steps by which an entrypoint stores a failure.
func (c *check) failures(e *flow.Entry, op flow.Op) []component.Access {
	var out []component.Access
	for i := range e.Graph.Nodes {
		n := &e.Graph.Nodes[i]
		if n.Op != op || n.Val == nil || n.Mode&flow.Initial != 0 || n.Val.Kind != flow.Const || !c.st.Failure(n.Val.ID()) {
			continue
		}
		if op == flow.Put && (!c.st.IsMap(n.Loc) || len(n.Path) > 0) {
			continue
		}
		out = append(out, component.Access{Entry: e, ID: int32(i), Node: n})
	}
	return out
}

// removes reports whether an entrypoint removes an entry that a test of a thread
// asks for.
func (c *check) removes(e *flow.Entry) bool {
	for i := range e.Graph.Nodes {
		if n := &e.Graph.Nodes[i]; n.Op == flow.Del && n.Key != nil && c.testOf(n.Loc, e) != nil {
			return true
		}
	}
	return false
}

// handleOnly finds a hook that stores a failure in its handle, and not in the
// status that a thread tests.
func (c *check) handleOnly(e *flow.Entry) (rule.Finding, bool) {
	if ownThread(e) || c.removes(e) || c.reported[e.Func] {
		return rule.Finding{}, false
	}
	for _, a := range c.failures(e, flow.SetFlag) {
		if a.Obj == nil || a.Obj.Kind != flow.Param || c.testOf(a.Loc, e) != nil {
			continue
		}
		for _, l := range c.st.Maps {
			if c.touches(e, l) || !c.begins(e.Class, l) {
				continue
			}
			if p := c.blindPoller(e, a.Loc, l); p != nil {
				c.reported[e.Func] = true
				return c.unpolled(e, a, l, p), true
			}
			t := c.testOf(l, e)
			if t == nil {
				continue
			}
			c.reported[e.Func] = true
			return c.finding(e, a, *t, rule.AtName(e.Func), e.Func.Qual, nil), true
		}
	}
	return rule.Finding{}, false
}

// blindPoller returns the poller of the class of a hook when it reads the shared
// status and not the flag that the hook sets, or nil.
func (c *check) blindPoller(e *flow.Entry, flag, l *flow.Location) *flow.Entry {
	for _, p := range c.st.Pollers {
		if p.Class != e.Class {
			continue
		}
		status, own := false, false
		for i := range p.Graph.Nodes {
			n := &p.Graph.Nodes[i]
			status = status || n.Op == flow.Read && n.Loc == l
			own = own || n.Op == flow.GetFlag && n.Loc == flag
		}
		if status && !own {
			return p
		}
	}
	return nil
}

// unpolled is the finding of a hook that stores a failure where its poller does
// not look.
func (c *check) unpolled(e *flow.Entry, a component.Access, l *flow.Location, p *flow.Entry) rule.Finding {
	f := c.base(e, a, rule.AtName(e.Func), e.Func.Qual, l)
	f.Message = fmt.Sprintf("%s stores %s in %s and leaves %s alone, which is all that %s reads", e.Name(), a.Val.Name, a.Loc.Name, l.Name, p.Name())
	f.Related = append(f.Related, rule.Related{
		Place: rule.AtName(p.Func), Role: report.RoleRival, Entry: p, Message: fmt.Sprintf("%s reads %s only", p.Name(), l.Name),
	})
	f.Consequence = evidence.NeverConcludes(c.st)
	f.Fixes = tellFix(c, a, l)
	return f
}

// touches reports whether an entrypoint stores or removes entries of a
// container.
func (c *check) touches(e *flow.Entry, l *flow.Location) bool {
	for _, a := range c.st.Comp.Accesses(l) {
		if a.Entry == e && (a.Op == flow.Put || a.Op == flow.Del) {
			return true
		}
	}
	return false
}

// begins reports whether objects of a class store the first status of their
// request.
func (c *check) begins(k *program.Class, l *flow.Location) bool {
	for _, a := range c.st.Comp.Accesses(l) {
		if a.Op == flow.Put && a.Entry.Class == k && a.Entry.Role == flow.Init {
			return true
		}
	}
	return false
}

// unmarked finds an entrypoint that stores a failure in the status, and not the
// mark that another one stores with it and that a thread tests.
func (c *check) unmarked(e *flow.Entry) (rule.Finding, bool) {
	if c.removes(e) {
		return rule.Finding{}, false
	}
	for _, a := range c.failures(e, flow.Put) {
		for _, l := range c.marksOf() {
			t := c.testOf(l, e)
			if t == nil || takes(*t) {
				continue
			}
			model := c.marksToo(l, e, t.Entry)
			if model == nil || c.marks(a, l) {
				continue
			}
			f := c.outer(a, model)
			if c.reported[f] {
				continue
			}
			c.reported[f] = true
			return c.finding(e, a, *t, rule.AtName(f), f.Qual, model), true
		}
	}
	return rule.Finding{}, false
}

// takes reports whether a test asks for something to work with, which is looked up
// and found missing: the thread acts where it is there.
func takes(t test) bool {
	if t.Op != flow.Read || t.branch.Test != flow.TestNone {
		return false
	}
	g := t.Entry.Graph
	for i, e := range t.branch.Succ {
		if e.Kind == flow.True { // there is none
			return !sideOf(g, t.at, i, headsOf(g, t.at)).comesTo(t.acts)
		}
	}
	return false
}

// marksOf returns the locations that some entrypoint marks requests in whose
// failure it stores.
func (c *check) marksOf() []*flow.Location {
	if c.known {
		return c.marked
	}
	c.known = true
	seen := map[*flow.Location]bool{}
	for _, e := range c.st.Comp.Entries {
		if len(c.failures(e, flow.Put)) == 0 {
			continue
		}
		for i := range e.Graph.Nodes {
			n := &e.Graph.Nodes[i]
			if isMark(n) && !seen[n.Loc] && !c.st.IsMap(n.Loc) && !c.st.IsDrained(n.Loc) {
				seen[n.Loc] = true
				if c.marksToo(n.Loc, nil, nil) != nil {
					c.marked = append(c.marked, n.Loc)
				}
			}
		}
	}
	return c.marked
}

// marksToo returns the step by which another entrypoint marks a request whose
// failure it stores, or nil.
func (c *check) marksToo(l *flow.Location, except, reader *flow.Entry) *component.Access {
	for _, m := range c.st.Comp.Accesses(l) {
		if m.Entry == except || m.Entry == reader || !isMark(m.Node) {
			continue
		}
		for _, a := range c.failures(m.Entry, flow.Put) {
			if m.Op == flow.Put && !component.RootKey(m.Node).Same(component.RootKey(a.Node)) {
				continue
			}
			it := evidence.IterationAround(m.Entry.Graph, a.ID, component.RootKey(a.Node))
			if it.Through([]int32{m.ID, a.ID}, nil, nil) != nil {
				return &m
			}
		}
	}
	return nil
}

// isMark reports whether a step notes a key, or sets a flag.
func isMark(n *flow.Node) bool {
	return n.Op == flow.Put && n.Mode&(flow.Initial|flow.Update) == 0 && n.Key != nil ||
		n.Op == flow.SetFlag && n.Mode&flow.Initial == 0 && n.Val.IsBool(true)
}

// marks reports whether every walk that stores a failure also marks the request.
func (c *check) marks(a component.Access, l *flow.Location) bool {
	it := evidence.IterationAround(a.Entry.Graph, a.ID, component.RootKey(a.Node))
	return it.Through([]int32{a.ID}, func(n *flow.Node) bool { return n.Loc == l && isMark(n) }, nil) == nil
}

// outer returns the function that has to do more: the outermost one on the way
// to a step that the model does not share with it.
func (c *check) outer(a component.Access, model *component.Access) *program.Func {
	if !ownThread(a.Entry) {
		return a.Entry.Func
	}
	shared := map[*program.Func]bool{}
	for i := range model.Entry.Graph.Nodes {
		for fr := model.Entry.Graph.Nodes[i].Frame; fr != nil; fr = fr.Caller {
			shared[fr.Fn] = true
		}
	}
	for fr := a.Frame; fr != nil; fr = fr.Caller {
		if !shared[fr.Fn] {
			return fr.Fn
		}
	}
	return a.Entry.Func
}

// oneOfTwo finds a hook that concludes one of two statuses of a request.
func (c *check) oneOfTwo(e *flow.Entry) (rule.Finding, bool) {
	if ownThread(e) || len(c.st.Maps) < 2 || c.reported[e.Func] {
		return rule.Finding{}, false
	}
	for _, a := range c.failures(e, flow.Put) {
		for _, l := range c.st.Maps {
			if l == a.Loc || c.touches(e, l) {
				continue
			}
			first := c.together(a.Loc, l)
			p := c.pollerOf(l, a.Loc)
			if first == nil || p == nil {
				continue
			}
			c.reported[e.Func] = true
			f := c.base(e, a, rule.AtName(e.Func), e.Func.Qual, l)
			f.Message = fmt.Sprintf("%s stores %s in %s and not in %s, which %s answers with", e.Name(), a.Val.Name, a.Loc.Name, l.Name, p.Func.Name)
			f.Related = append(f.Related, rule.Related{
				Place: rule.AtName(p.Func), Role: report.RoleRival, Entry: p, Message: fmt.Sprintf("%s answers with %s", p.Name(), l.Name),
			}, rule.Related{
				Place: rule.AtStep(first.Node), Role: report.RoleContext, Entry: first.Entry, Message: "a request is given both here",
			})
			f.Fixes = twinFix(a, l)
			return f, true
		}
	}
	return rule.Finding{}, false
}

// together returns the step that stores in one map, in a hook that also stores
// in another one under the same key: a request begins with both.
func (c *check) together(l, other *flow.Location) *component.Access {
	for _, a := range c.st.Comp.Accesses(l) {
		if a.Op != flow.Put || ownThread(a.Entry) || c.st.MayConclude(a.Node) {
			continue
		}
		for _, b := range c.st.Comp.Accesses(other) {
			if b.Entry == a.Entry && b.Op == flow.Put && !c.st.MayConclude(b.Node) && b.Key.Same(a.Key) {
				return &b
			}
		}
	}
	return nil
}

// pollerOf returns a poller that reads one map and not another.
func (c *check) pollerOf(l, not *flow.Location) *flow.Entry {
	for _, p := range c.st.Pollers {
		reads := map[*flow.Location]bool{}
		for i := range p.Graph.Nodes {
			if n := &p.Graph.Nodes[i]; n.Op == flow.Read {
				reads[n.Loc] = true
			}
		}
		if reads[l] && !reads[not] {
			return p
		}
	}
	return nil
}

// unreported finds a hook that marks a request which a thread then drops, where
// nobody reports it.
func (c *check) unreported(e *flow.Entry) (rule.Finding, bool) {
	if ownThread(e) || len(c.st.Drainers) == 0 || c.reported[e.Func] {
		return rule.Finding{}, false
	}
	for i := range e.Graph.Nodes {
		n := &e.Graph.Nodes[i]
		if n.Op != flow.Put || !isMark(n) || c.st.IsDrained(n.Loc) {
			continue
		}
		a := component.Access{Entry: e, ID: int32(i), Node: n}
		t := c.testOf(n.Loc, e)
		if t == nil || t.Op != flow.Has {
			continue
		}
		it := evidence.IterationAround(e.Graph, a.ID, component.RootKey(n))
		if it.Through([]int32{a.ID}, func(m *flow.Node) bool { return c.st.MayConclude(m) }, nil) == nil {
			continue
		}
		drained := c.dropped(*t)
		if drained == nil {
			continue
		}
		c.reported[e.Func] = true
		f := c.base(e, a, rule.AtName(e.Func), e.Func.Qual, drained)
		d := c.st.Drainers[0]
		f.Message = fmt.Sprintf("%s notes the request in %s, where %s drops it, and not in %s, which %s returns",
			e.Name(), n.Loc.Name, t.Entry.Name(), drained.Name, d.Func.Name)
		f.Related = append(f.Related, rule.Related{
			Place: rule.AtStep(t.branch), Role: report.RoleRival, Entry: t.Entry, Message: fmt.Sprintf("%s drops what is noted", t.Entry.Name()),
		})
		f.Related = append(f.Related, evidence.Spawns(t.Entry)...)
		f.Consequence = evidence.NeverConcludes(c.st)
		f.Fixes = tellFix(c, a, drained)
		return f, true
	}
	return rule.Finding{}, false
}

// fixes suggests to write what is missed.
func (c *check) fixes(a component.Access, missed *flow.Location, model *component.Access) []rule.Fix {
	if model != nil {
		return markFix(a, c.outer(a, model), model)
	}
	return tellFix(c, a, missed)
}

// dropped returns the container in which a thread reports a request that a test
// lets pass, when it reports none that the test stops; else nil.
func (c *check) dropped(t test) *flow.Location {
	g := t.Entry.Graph
	branch := int32(-1)
	for i := range g.Nodes {
		if &g.Nodes[i] == t.branch {
			branch = int32(i)
		}
	}
	it := evidence.IterationAround(g, branch, component.RootKey(t.Node))
	var drained *flow.Location
	for _, e := range t.branch.Succ {
		hit := it.From(e.To, func(_ int32, n *flow.Node, _ flow.Facts) bool { return c.st.MayConclude(n) })
		if e.Kind == flow.True && hit != nil {
			return nil
		}
		if e.Kind == flow.False && hit != nil {
			drained = g.Nodes[hit.Nodes[len(hit.Nodes)-1]].Loc
		}
	}
	return drained
}

// base returns what the findings have in common.
func (c *check) base(e *flow.Entry, a component.Access, place rule.Place, function string, missing *flow.Location) rule.Finding {
	return rule.Finding{
		Place: place, Function: function, Entry: e, Component: c.st.Comp.Class,
		Containers: evidence.Distinct([]string{a.Loc.Name, missing.Name}), Key: evidence.KeyText(a.Node),
		Shape: "misses:" + missing.Name,
		Related: []rule.Related{{
			Place: rule.AtStep(a.Node), Role: report.RoleContext, Entry: e, Message: fmt.Sprintf("the request is concluded in %s only", a.Loc.Name),
		}},
		Threat: &rule.Threat{Property: rule.Concludes, Status: c.st, Steps: []rule.Step{{Entry: e, ID: a.ID}}},
	}
}

// finding is that of an entrypoint which misses what a thread tests.
func (c *check) finding(e *flow.Entry, a component.Access, t test, place rule.Place, function string, model *component.Access) rule.Finding {
	f := c.base(e, a, place, function, t.Loc)
	act := &t.Entry.Graph.Nodes[t.acts]
	f.Message = fmt.Sprintf("%s stores %s in %s and leaves %s alone, which %s tests before it acts (%s:%d)",
		e.Name(), a.Val.Name, a.Loc.Name, t.Loc.Name, t.Entry.Name(), t.branch.Mod.File, t.branch.Line())
	f.Related = append(f.Related, rule.Related{
		Place: rule.AtStep(t.branch), Role: report.RoleRival, Entry: t.Entry,
		Message: fmt.Sprintf("%s goes on with an aborted request: %s", t.Entry.Name(), rule.Text(act, act.Src)),
	})
	if model != nil {
		f.Related = append(f.Related, rule.Related{
			Place: rule.AtStep(model.Node), Role: report.RoleSibling, Entry: model.Entry,
			Message: fmt.Sprintf("%s writes it as well", model.Entry.Name()),
		})
	}
	f.Related = append(f.Related, evidence.Spawns(t.Entry)...)
	f.Threat.Property, f.Threat.Through = rule.Avoids, true
	f.Threat.Then = []rule.Step{{Entry: t.Entry, ID: t.ID}, {Entry: t.Entry, ID: t.acts}}
	f.Consequence = fmt.Sprintf("%s still works for a request that is over, with memory that may belong to another one", t.Entry.Name())
	f.Fixes = c.fixes(a, t.Loc, model)
	return f
}
