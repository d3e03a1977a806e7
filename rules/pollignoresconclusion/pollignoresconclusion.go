package pollignoresconclusion

import (
	_ "embed"
	"fmt"

	"golang.org/x/tools/go/analysis"

	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/status"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/rule"
)

//go:embed doc.go
var doc string

// Rule is KV102.
var Rule = &rule.Rule{
	ID: "KV102", Name: "poll-ignores-conclusion", Severity: report.SeverityError,
	Doc: rule.ExtractDoc(doc), Analyzer: Analyzer, Across: true,
}

// Analyzer finds pollers that do not read a carrier.
var Analyzer = &analysis.Analyzer{
	Name:       "pollignoresconclusion",
	Doc:        rule.ExtractDoc(doc),
	Run:        run,
	Requires:   []*analysis.Analyzer{flow.Analyzer, status.Analyzer},
	ResultType: rule.FindingsType,
}

func run(pass *analysis.Pass) (any, error) {
	var out []rule.Finding
	facts := pass.ResultOf[status.Analyzer].([]*status.Facts)
	for _, st := range facts {
		for _, p := range st.Pollers {
			c := check{st: st, poll: p}
			for _, m := range c.carriers() {
				if !c.reads(m) && !c.compensated(m) && !c.copied(m) {
					out = append(out, c.finding(m))
				}
			}
		}
		out = append(out, neverDrained(st)...)
	}
	return append(out, unpolled(pass.ResultOf[flow.Analyzer].(*flow.Program).Index, facts)...), nil
}

// check looks at one poller.
type check struct {
	st   *status.Facts
	poll *flow.Entry
}

// carrier is a place that says that a request is over, and the steps that store
// it there. The first one belongs to a hook that returns, where there is one.
type carrier struct {
	loc    *flow.Location
	write  component.Access
	writes []component.Access
}

// carriers returns the flags of the poller's object that a hook concludes with,
// and the containers beside the status that stand in for a conclusion.
func (c *check) carriers() []carrier {
	var out []carrier
	at := map[*flow.Location]int{}
	add := func(a component.Access) {
		i, seen := at[a.Loc.Root()]
		if !seen {
			i = len(out)
			at[a.Loc.Root()] = i
			out = append(out, carrier{loc: a.Loc.Root(), write: a})
		}
		m := &out[i]
		m.writes = append(m.writes, a)
		if !returns(m.write.Entry) && returns(a.Entry) {
			m.write = a
		}
	}
	for _, e := range c.st.Comp.Entries {
		if e == c.poll || e.Role == flow.Init {
			continue
		}
		for i := range e.Graph.Nodes {
			a := component.Access{Entry: e, ID: int32(i), Node: &e.Graph.Nodes[i]}
			switch {
			case a.Op == flow.SetFlag && e.Class == c.poll.Class && c.ownFlag(a) && c.concludesByFlag(a):
				add(a)
			case a.Op == flow.Put && c.insteadOfStatus(a):
				add(a)
			}
		}
	}
	return out
}

// returns reports whether an entrypoint can end without an exception.
func returns(e *flow.Entry) bool { return len(e.Graph.Nodes[flow.ExitNode].Pred) > 0 }

// ownFlag reports whether a step uses a flag of the object that its hook
// belongs to.
func (c *check) ownFlag(a component.Access) bool {
	return a.Obj != nil && a.Obj.Kind == flow.Param && len(a.Path) == 0
}

// concludesByFlag reports whether a step concludes the request of its object:
// it stores a terminal status, or it is all that a hook does.
func (c *check) concludesByFlag(a component.Access) bool {
	if c.st.Terminal(a.Val) {
		return true
	}
	return a.Val != nil && a.Val.IsBool(true) && marksOnly(a.Entry.Graph) && c.readNowhere(a)
}

// readNowhere reports whether no other entrypoint reads the flag that a step
// sets.
func (c *check) readNowhere(a component.Access) bool {
	for _, e := range c.st.Comp.Entries {
		for i := range e.Graph.Nodes {
			if n := &e.Graph.Nodes[i]; n.Op == flow.GetFlag && n.Loc == a.Loc && e != a.Entry {
				return false
			}
		}
	}
	return true
}

// marksOnly reports whether an entrypoint does nothing but set flags and remove
// entries.
func marksOnly(g *flow.Graph) bool {
	for i := range g.Nodes {
		switch g.Nodes[i].Op {
		case flow.Call, flow.Enqueue, flow.Spawn, flow.Put, flow.Wait, flow.Dequeue:
			return false
		}
	}
	return true
}

// insteadOfStatus reports whether a step notes the key in a container although
// the request is over: whatever concludes skips what is noted there, or the
// same iteration concludes when it does not note it.
func (c *check) insteadOfStatus(a component.Access) bool {
	root := a.Loc.Root()
	if len(a.Path) > 0 || root.HoldsTools() || c.st.IsMap(root) || c.st.IsDrained(root) || a.Mode&(flow.Update|flow.Initial) != 0 {
		return false
	}
	g := c.st.Comp.Group(root)
	same := false
	for _, m := range c.st.Maps {
		same = same || g != nil && c.st.Comp.Group(m) == g
	}
	if !same {
		return false
	}
	return c.blocksConclusion(a) || c.alternative(a)
}

// blocksConclusion reports whether every conclusion of the component requires
// that the container does not have the key, or that another one has it which the
// same hook removes.
func (c *check) blocksConclusion(a component.Access) bool {
	if hasCall(a.Entry.Graph) {
		return false
	}
	if c.all(a, func(w component.Access) bool { return evidence.RequiresAbsent(w, a.Loc.Root()) }) {
		return true
	}
	for i := range a.Entry.Graph.Nodes {
		d := &a.Entry.Graph.Nodes[i]
		if d.Op != flow.Del || len(d.Path) > 0 || !component.RootKey(d).Same(component.RootKey(a.Node)) {
			continue
		}
		if c.all(a, func(w component.Access) bool { return evidence.Requires(w, d.Loc) }) {
			return true // what it removes is what they test for
		}
	}
	return false
}

// all reports whether there are conclusions outside of the poller and of the
// entrypoint of an access, and all of them meet a condition.
func (c *check) all(a component.Access, cond func(component.Access) bool) bool {
	n := 0
	for _, w := range c.conclusions() {
		if w.Entry == c.poll || w.Entry == a.Entry {
			continue
		}
		if !cond(w) {
			return false
		}
		n++
	}
	return n > 0
}

func hasCall(g *flow.Graph) bool {
	for i := range g.Nodes {
		if op := g.Nodes[i].Op; op == flow.Enqueue || op == flow.Spawn {
			return true
		}
	}
	return false
}

// conclusions returns the steps that store a terminal status.
func (c *check) conclusions() []component.Access {
	var out []component.Access
	for _, l := range c.st.Maps {
		for _, a := range c.st.Comp.Accesses(l) {
			if a.Op == flow.Put && c.st.MayConclude(a.Node) {
				out = append(out, a)
			}
		}
	}
	return out
}

// alternative reports whether the iteration of a step concludes on another
// path, and neither before nor after the step.
func (c *check) alternative(a component.Access) bool {
	switch a.Entry.Role {
	case flow.Callback, flow.Pool:
	case flow.ThreadOf, flow.LoopTask:
		if a.Entry.Graph.Regular(a.ID) {
			return false // a message of its own
		}
	default:
		return false
	}
	key := component.RootKey(a.Node)
	it := evidence.IterationAround(a.Entry.Graph, a.ID, key)
	concludes := func(n *flow.Node) bool {
		return c.st.MayConclude(n) && n.Op == flow.Put && component.RootKey(n).Same(key)
	}
	live := func(n *flow.Node, e flow.Edge) bool { return c.live(a.Entry, n, e) }
	if it.ThroughAny([]int32{a.ID}, concludes, live) == nil {
		return false
	}
	for i := range a.Entry.Graph.Nodes {
		n := &a.Entry.Graph.Nodes[i]
		if concludes(n) && it.Through([]int32{int32(i)}, nil, nil) != nil {
			return it.Through([]int32{int32(i), a.ID}, nil, nil) == nil
		}
	}
	return false
}

// live reports whether an edge can be taken for a request that is registered and
// not over.
func (c *check) live(entry *flow.Entry, n *flow.Node, e flow.Edge) bool {
	if evidence.AlreadyOver(c.st, entry, n, e) {
		return false
	}
	g, ok := evidence.GuardOf(entry.Graph, n, e)
	return !ok || g.Holds || !c.st.IsMap(g.Read.Loc)
}

// reads reports whether the poller reads the carrier on each path to an answer
// that is not terminal.
func (c *check) reads(m carrier) bool {
	g := c.poll.Graph
	var returned []*flow.Value
	for i := range g.Nodes {
		if n := &g.Nodes[i]; n.Op == flow.Return && n.Val != nil {
			returned = append(returned, n.Val.Leaves()...)
		}
	}
	p := g.Find(flow.Search{
		Track: returned,
		Avoid: func(_ int32, n *flow.Node) bool {
			return n.Loc != nil && n.Loc.Root() == m.loc && (n.Op == flow.GetFlag || n.Op == flow.Has || n.Op == flow.Read)
		},
		Goal: func(_ int32, n *flow.Node, f flow.Facts) bool {
			return n.Op == flow.Return && c.alive(n.Val, f)
		},
	})
	return p == nil
}

// alive reports whether an answer can be a status that is not terminal.
func (c *check) alive(v *flow.Value, f flow.Facts) bool {
	if v == nil {
		return false
	}
	for _, leaf := range v.Leaves() {
		if id, ok := f.Holds(leaf); ok {
			if c.st.Known(id) && !c.st.TerminalID(id) {
				return true
			}
			continue
		}
		if leaf.Kind == flow.Result && leaf.Loc != nil && (c.st.IsMap(leaf.Loc) || !leaf.Loc.Keyed()) && c.mayBePending(leaf, f) {
			return true
		}
	}
	return false
}

// mayBePending reports whether a register can hold a status that is not terminal.
func (c *check) mayBePending(v *flow.Value, f flow.Facts) bool {
	for _, s := range c.st.Values {
		if !s.Terminal && !f.ExcludesConst(v, s.Const) {
			return true
		}
	}
	return false
}

// compensated reports whether the hook that stores in the carrier also stores a
// terminal status where the poller looks: on each path on which the request is
// not over already or unknown to a poller that takes unknown for over.
func (c *check) compensated(m carrier) bool {
	if len(c.st.Maps) == 0 || !c.readsMap() {
		return false
	}
	a := m.write
	it := evidence.IterationAround(a.Entry.Graph, a.ID, component.RootKey(a.Node))
	masked := c.masksAbsent()
	p := it.Through([]int32{a.ID},
		func(n *flow.Node) bool { return n.Op == flow.Put && c.st.IsMap(n.Loc) && c.st.Terminal(n.Val) },
		func(n *flow.Node, e flow.Edge) bool {
			if evidence.AlreadyOver(c.st, a.Entry, n, e) {
				return false
			}
			g, ok := evidence.GuardOf(a.Entry.Graph, n, e)
			return !ok || g.Holds || masked || !c.st.IsMap(g.Read.Loc)
		})
	if p != nil {
		return false
	}
	return !masked || !c.removesStatus(a.Entry)
}

// readsMap reports whether the poller reads a status map.
func (c *check) readsMap() bool {
	for i := range c.poll.Graph.Nodes {
		n := &c.poll.Graph.Nodes[i]
		if n.Op == flow.Read && c.st.IsMap(n.Loc) {
			return true
		}
	}
	return false
}

// masksAbsent reports whether the poller takes an absent entry for one that is
// alive.
func (c *check) masksAbsent() bool {
	for i := range c.poll.Graph.Nodes {
		n := &c.poll.Graph.Nodes[i]
		if n.Op == flow.Read && c.st.IsMap(n.Loc) && n.Mode&flow.Strict == 0 && n.Def != nil && c.st.IsStatus(n.Def) && !c.st.Terminal(n.Def) {
			return true
		}
	}
	return false
}

// removesStatus reports whether an entrypoint removes the status of its request.
func (c *check) removesStatus(e *flow.Entry) bool {
	for i := range e.Graph.Nodes {
		if n := &e.Graph.Nodes[i]; n.Op == flow.Del && c.st.IsMap(n.Loc.Root()) {
			return true
		}
	}
	return false
}

// copied reports whether another entrypoint, on finding the carrier set, stores
// a terminal status.
func (c *check) copied(m carrier) bool {
	for _, a := range c.st.Comp.Accesses(m.loc) {
		if a.Op == flow.GetFlag && a.Entry.Class != c.poll.Class && c.ownFlag(a) {
			continue // the flag of an object of another class
		}
		if a.Entry == m.write.Entry || a.Entry == c.poll || a.Op != flow.Has && a.Op != flow.Read && a.Op != flow.GetFlag && a.Op != flow.Iter && a.Op != flow.Next {
			continue
		}
		g := a.Entry.Graph
		hit := g.Find(flow.Search{
			From: []int32{a.ID}, After: true,
			Goal: func(_ int32, n *flow.Node, _ flow.Facts) bool { return n.Op == flow.Put && c.st.MayConclude(n) },
			Edge: func(n *flow.Node, e flow.Edge) bool {
				if !flow.KnownEdges(n, e) {
					return false
				}
				gd, ok := evidence.GuardOf(g, n, e)
				return !ok || gd.Holds || gd.Read.Loc.Root() != m.loc
			},
		})
		if hit != nil {
			return true
		}
	}
	return false
}

func (c *check) finding(m carrier) rule.Finding {
	w := m.write
	f := rule.Finding{
		Place: rule.AtName(c.poll.Func), Function: c.poll.Func.Qual, Entry: c.poll, Component: c.poll.Class,
		Containers: []string{m.loc.Name}, Key: c.key(),
		Shape:   "ignores:" + m.loc.Name,
		Message: fmt.Sprintf("%s can answer that the request is alive without reading %s, %s", c.poll.Name(), m.loc.Name, c.written(w)),
	}
	f.Related = append(f.Related, c.writers(m)...)
	if r := c.maskedRead(); r != nil {
		f.Containers = append(f.Containers, r.Loc.Name)
		f.Related = append(f.Related, rule.Related{
			Place: rule.AtStep(r), Role: report.RoleContext, Entry: c.poll,
			Message: fmt.Sprintf("an absent entry reads as %s", r.Def.Name),
		})
	}
	f.Related = append(f.Related, c.siblings(m)...)
	f.Consequence = fmt.Sprintf("whoever polls %s keeps the request; its client waits for ever", className(c.poll))
	f.Fixes = c.fixes(m)
	f.Threat = &rule.Threat{Property: rule.Concludes, Status: c.st, Steps: []rule.Step{{Entry: w.Entry, ID: w.ID}}}
	return f
}

// writers returns where the conclusion is stored, the main place first.
func (c *check) writers(m carrier) []rule.Related {
	var out []rule.Related
	seen := map[rule.Place]bool{}
	for _, w := range append([]component.Access{m.write}, m.writes...) {
		p := rule.AtStep(w.Node)
		if seen[p] {
			continue
		}
		seen[p] = true
		role := report.RoleContext
		if len(out) == 0 {
			role = report.RoleRival
		}
		out = append(out, rule.Related{Place: p, Role: role, Entry: w.Entry, Message: fmt.Sprintf("%s stores the conclusion here", w.Entry.Name())})
	}
	return out
}

func className(e *flow.Entry) string {
	if e.Class != nil {
		return e.Class.Qual
	}
	return e.Func.Qual
}

func (c *check) key() string {
	for i := range c.poll.Graph.Nodes {
		if n := &c.poll.Graph.Nodes[i]; n.Key != nil && n.Loc != nil && c.st.IsMap(n.Loc) {
			return evidence.KeyText(n)
		}
	}
	return ""
}

func (c *check) written(w component.Access) string {
	at := fmt.Sprintf("%s:%d", w.Mod.File, w.Line())
	if w.Op == flow.SetFlag {
		return fmt.Sprintf("which %s sets to %s (%s)", w.Entry.Func.Name, constName(w.Val), at)
	}
	return fmt.Sprintf("where %s notes that it is over (%s)", w.Entry.Func.Name, at)
}

func constName(v *flow.Value) string {
	if v.Kind == flow.Const {
		return v.Name
	}
	return "a terminal status"
}

// maskedRead returns the read of the poller that takes an absent entry for a
// live one, or nil.
func (c *check) maskedRead() *flow.Node {
	if !c.masksAbsent() {
		return nil
	}
	for i := range c.poll.Graph.Nodes {
		n := &c.poll.Graph.Nodes[i]
		if n.Op == flow.Read && c.st.IsMap(n.Loc) && n.Def != nil && c.st.IsStatus(n.Def) && !c.st.Terminal(n.Def) {
			return n
		}
	}
	return nil
}

// siblings returns where parallel classes read a carrier of the same name in
// the same method.
func (c *check) siblings(m carrier) []rule.Related {
	var out []rule.Related
	if c.poll.Class == nil {
		return nil
	}
	for _, s := range evidence.Siblings(c.poll.Class) {
		f := s.Method(c.poll.Func.Name)
		if f == nil || f == c.poll.Func || f.Class != s {
			continue
		}
		if at := evidence.FirstRead(f, m.loc.Name); at != nil {
			out = append(out, rule.Related{
				Place: rule.At(f.Module, at), Role: report.RoleSibling,
				Message: fmt.Sprintf("%s.%s reads %s", s.Qual, f.Name, m.loc.Name),
			})
		}
	}
	return out
}
