package nodeadline

import (
	_ "embed"
	"fmt"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/status"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/rule"
)

//go:embed doc.go
var doc string

// Rule is KV108.
var Rule = &rule.Rule{
	ID: "KV108", Name: "no-deadline", Severity: report.SeverityWarning,
	Doc: rule.ExtractDoc(doc), Analyzer: Analyzer, Across: true,
}

// Analyzer finds requests that nothing ends when their peer is silent.
var Analyzer = &analysis.Analyzer{
	Name:       "nodeadline",
	Doc:        rule.ExtractDoc(doc),
	Run:        run,
	Requires:   []*analysis.Analyzer{flow.Analyzer, status.Analyzer},
	ResultType: rule.FindingsType,
}

func run(pass *analysis.Pass) (any, error) {
	out := neverReady(pass.ResultOf[flow.Analyzer].(*flow.Program))
	for _, st := range pass.ResultOf[status.Analyzer].([]*status.Facts) {
		c := check{st: st, clocks: map[*flow.Graph]*influence{}}
		for _, p := range st.Pollers {
			if f, ok := c.poller(p); ok {
				out = append(out, f)
			}
		}
		fed := map[*flow.Entry]bool{} // the threads behind the hooks that are reported
		for _, p := range st.Drainers {
			a := c.outside(p)
			if a == nil || fed[a.Entry] {
				continue
			}
			if f, ok := c.poller(p); ok && !called(p, st.Drainers) {
				fed[a.Entry] = true
				out = append(out, f)
			}
		}
		out = append(out, c.blocking()...)
	}
	return out, nil
}

// check looks at one component.
type check struct {
	st     *status.Facts
	clocks map[*flow.Graph]*influence
}

// poller reports a poller whose requests nothing ends in time.
func (c *check) poller(p *flow.Entry) (rule.Finding, bool) {
	outside := c.outside(p)
	if outside == nil || c.queued() {
		return rule.Finding{}, false
	}
	ends := c.ends(p)
	if len(ends) == 0 {
		return c.finding(p, *outside, nil), true
	}
	for _, v := range c.st.Values {
		if v.Terminal {
			continue
		}
		if step := c.leaves(v); step != nil && !c.covered(ends, v.Const) {
			return c.finding(p, *step, v.Const), true
		}
	}
	return rule.Finding{}, false
}

// called reports whether another one of some hooks calls a hook.
func called(p *flow.Entry, hooks []*flow.Entry) bool {
	for _, e := range hooks {
		if e == p {
			continue
		}
		for i := range e.Graph.Nodes {
			for fr := e.Graph.Nodes[i].Frame; fr != nil; fr = fr.Caller {
				if fr.Fn == p.Func && fr.Caller != nil {
					return true
				}
			}
		}
	}
	return false
}

// outside returns a step by which a thread that waits for the outside moves a
// request of the poller on, or nil. What the poller looks at goes before what
// others of its component do.
func (c *check) outside(p *flow.Entry) *component.Access {
	locs := c.st.Maps
	if slices.Contains(c.st.Drainers, p) && !slices.Contains(c.st.Pollers, p) {
		locs = c.st.Drained
	}
	var first *component.Access
	for _, l := range locs {
		for _, a := range c.st.Comp.Accesses(l) {
			if a.Op == flow.Put && ownThread(a.Entry) && hears(a.Entry.Graph) && (c.st.IsMap(l) || c.expected(l)) {
				if uses(p.Graph, l) {
					return &a
				}
				if first == nil {
					first = &a
				}
			}
		}
	}
	if a := inbox(p); a != nil {
		return a
	}
	return first
}

// uses reports whether a step of a graph is on a location.
func uses(g *flow.Graph, l *flow.Location) bool {
	for i := range g.Nodes {
		if g.Nodes[i].Loc == l {
			return true
		}
	}
	return false
}

// inbox returns a step by which a poller itself takes in what has come for some
// request, which it then looks for under the key of its own; nil when there is
// none. A step that can create the entry goes before one that changes it.
func inbox(p *flow.Entry) *component.Access {
	var changed *component.Access
	for i := range p.Graph.Nodes {
		n := &p.Graph.Nodes[i]
		creates := n.Op == flow.Put || n.Op == flow.Read && n.Mode&flow.Upsert != 0
		if !creates && n.Op != flow.SetFlag || !heard(p.Graph, n) || !looksUp(p.Graph, n.Loc.Root()) {
			continue
		}
		a := &component.Access{Entry: p, ID: int32(i), Node: n}
		if creates {
			return a
		}
		if changed == nil {
			changed = a
		}
	}
	return changed
}

// heard reports whether the key of a step is part of something that was received.
func heard(g *flow.Graph, n *flow.Node) bool {
	k := component.RootKey(n)
	if k == nil {
		return false
	}
	_, message := origin(g, k)
	return message
}

// looksUp reports whether a hook reads from a location under a key of its object.
func looksUp(g *flow.Graph, l *flow.Location) bool {
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Loc != nil && n.Loc.Root() == l && n.Op != flow.Put && n.Op != flow.SetFlag && ownKey(component.RootKey(n)) {
			return true
		}
	}
	return false
}

// ownKey reports whether a value is an attribute of the object of a hook.
func ownKey(v *flow.Value) bool {
	return v != nil && v.Kind == flow.Attribute && v.Base != nil && v.Base.Kind == flow.Param
}

// expected reports whether a hook tells the component of a request before a
// message about it comes: otherwise what is returned are the messages.
func (c *check) expected(l *flow.Location) bool {
	g := c.st.Comp.Group(l)
	if g == nil {
		return false
	}
	for _, x := range g.Locs {
		for _, a := range c.st.Comp.Accesses(x) {
			if x != l && a.Op == flow.Put && !ownThread(a.Entry) && a.Mode&flow.Initial == 0 {
				return true
			}
		}
	}
	return false
}

// ownThread reports whether an entrypoint is no hook.
func ownThread(e *flow.Entry) bool {
	return e.Role != flow.Caller && e.Role != flow.Init && (e.Role != flow.LoopTask || len(e.Spawns) > 0)
}

// hears reports whether an endless thread takes what it works on from outside
// of the program: it neither takes from a queue of the program nor sleeps.
func hears(g *flow.Graph) bool {
	return (g.Entry.Forever || loops(g)) && g.Entry.Role != flow.Pool && !rests(g) && !takesWork(g)
}

// loops reports whether a thread repeats itself for as long as some condition
// holds.
func loops(g *flow.Graph) bool {
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if _, ok := n.Src.(*ast.While); ok && n.Op == flow.LoopHead && n.Fn == g.Entry.Func {
			return true
		}
	}
	return false
}

// queued reports whether a request is handed to a thread of the program where
// it begins: the thread ends it without a word from outside.
func (c *check) queued() bool {
	for _, l := range c.st.Maps {
		first := evidence.FirstInsert(c.st, l)
		if first == nil {
			continue
		}
		g := first.Entry.Graph
		for i := range g.Nodes {
			n := &g.Nodes[i]
			if (n.Op == flow.Enqueue || n.Op == flow.Spawn && n.Entry != nil) && c.worked(n) {
				return true
			}
		}
	}
	return false
}

// worked reports whether what takes from a queue, or is started, concludes.
func (c *check) worked(handed *flow.Node) bool {
	for _, e := range c.st.Comp.Entries {
		takes := handed.Op == flow.Spawn && handed.Entry == e
		ends := false
		for i := range e.Graph.Nodes {
			n := &e.Graph.Nodes[i]
			takes = takes || n.Op == flow.Dequeue && handed.Op == flow.Enqueue && n.Loc == handed.Loc
			ends = ends || c.st.MayConclude(n)
		}
		if takes && ends {
			return true
		}
	}
	return false
}

// leaves returns the step that leads out of a status when a message has come,
// if it is only taken in that status.
func (c *check) leaves(v *status.Value) *component.Access {
	for _, l := range c.st.Maps {
		for _, a := range c.st.Comp.Accesses(l) {
			if a.Op != flow.Put || !ownThread(a.Entry) || !hears(a.Entry.Graph) || a.Val == nil || a.Val.Same(v.Const) {
				continue
			}
			if requires(a, l, v.Const) {
				return &a
			}
		}
	}
	return nil
}

// requires reports whether a step is reached only when the entry holds a status.
func requires(a component.Access, l *flow.Location, v *flow.Value) bool {
	g := a.Entry.Graph
	for i := range g.Nodes {
		b := &g.Nodes[i]
		if b.Op != flow.Branch || b.Test != flow.TestEq || b.Val == nil || b.Val.Loc != l || !b.Want.Same(v) {
			continue
		}
		if !evidence.Reaches(g, flow.StartNode, a.ID, func(n *flow.Node, e flow.Edge) bool {
			return n != b || e.Kind != flow.True
		}) {
			return true
		}
	}
	return false
}

// covered reports whether one of some timed ends ends requests with a status.
func (c *check) covered(ends []component.Access, v *flow.Value) bool {
	for _, a := range ends {
		g := a.Entry.Graph
		var regs []*flow.Value
		for i := range g.Nodes {
			if n := &g.Nodes[i]; n.Op == flow.Read && c.st.IsMap(n.Loc) && n.Res != nil {
				regs = append(regs, n.Res)
			}
		}
		p := g.Find(flow.Search{
			Track: regs, Edge: flow.AllEdges,
			Goal: func(id int32, _ *flow.Node, f flow.Facts) bool {
				if id != a.ID {
					return false
				}
				for _, r := range regs {
					if f.ExcludesConst(r, v) {
						return false
					}
				}
				return true
			},
		})
		if p != nil {
			return true
		}
	}
	return false
}

func (c *check) finding(p *flow.Entry, by component.Access, in *flow.Value) rule.Finding {
	f := rule.Finding{
		Place: rule.AtName(p.Func), Function: p.Func.Qual, Entry: p, Component: p.Class,
		Containers: []string{by.Loc.Name}, Key: evidence.KeyText(by.Node), Shape: "waits",
		Related: []rule.Related{{
			Place: rule.AtStep(by.Node), Role: report.RoleRival, Entry: by.Entry,
			Message: fmt.Sprintf("%s moves it on here, when a message has come", by.Entry.Name()),
		}},
	}
	if by.Entry == p {
		f.Related[0].Role, f.Related[0].Message = report.RoleContext, "what has come is noted here"
	}
	switch {
	case in != nil:
		f.Shape += ":" + in.Name
		f.Message = fmt.Sprintf("%s ends a request that is late, but not one that is %s: only a message leads out of it (%s:%d)",
			p.Name(), in.Name, by.Mod.File, by.Line())
	case slices.Contains(c.st.Pollers, p):
		f.Message = fmt.Sprintf("%s never looks at the clock, and nothing else ends a request whose peer is silent", p.Name())
	default:
		f.Message = fmt.Sprintf("%s returns a request only after a message has come (%s:%d), and nothing ends one whose peer is silent",
			p.Name(), by.Mod.File, by.Line())
	}
	f.Related = append(f.Related, evidence.Spawns(by.Entry)...)
	sib := siblingChecks(p)
	for _, s := range sib {
		f.Related = append(f.Related, s.related())
	}
	f.Fixes = append(fixes(p, sib), deadlineFix(c.st, p)...)
	f.Fixes = append(f.Fixes, c.expireFixes(p, in)...)
	f.Consequence = "a peer that dies leaves the request where it waits; its client hangs and its memory stays taken"
	f.Threat = &rule.Threat{Property: rule.Concludes, Status: c.st, Then: []rule.Step{{Entry: by.Entry, ID: by.ID}}}
	if by.Entry != p {
		return f
	}
	if loops := p.Graph.LoopsAround(by.ID); len(loops) > 0 {
		f.Threat.Steps, f.Threat.Then = []rule.Step{{Entry: p, ID: loops[0]}}, nil // it has looked for what has come
		f.Threat.Beside, f.Threat.Forever = []*flow.Location{by.Loc}, true
	}
	return f
}
