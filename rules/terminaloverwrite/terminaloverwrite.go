package terminaloverwrite

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

// Rule is KV105.
var Rule = &rule.Rule{
	ID: "KV105", Name: "terminal-overwrite", Severity: report.SeverityError,
	Doc: rule.ExtractDoc(doc), Analyzer: Analyzer,
}

// Analyzer finds stores that replace a terminal status.
var Analyzer = &analysis.Analyzer{
	Name:       "terminaloverwrite",
	Doc:        rule.ExtractDoc(doc),
	Run:        run,
	Requires:   []*analysis.Analyzer{status.Analyzer},
	ResultType: rule.FindingsType,
}

func run(pass *analysis.Pass) (any, error) {
	var out []rule.Finding
	for _, st := range pass.ResultOf[status.Analyzer].([]*status.Facts) {
		for _, l := range append(append([]*flow.Location(nil), st.Maps...), st.Fields...) {
			c := check{st: st, loc: l, reported: map[any]bool{}, cuts: map[guardKey]map[cut]bool{}}
			for _, a := range st.Comp.Accesses(l) {
				if stores(a.Node) && a.Mode&flow.Upsert == 0 && c.replaces(a) {
					c.writes = append(c.writes, a)
				}
			}
			c.ends = c.terminalWrites()
			out = append(out, c.findings()...)
			out = append(out, c.bulks()...)
		}
	}
	return out, nil
}

// check looks at one status map or field.
type check struct {
	st     *status.Facts
	loc    *flow.Location
	writes []component.Access // those that can replace a status
	ends   []end

	reported map[any]bool // sources of the writes that are reported
	cuts     map[guardKey]map[cut]bool
}

// end is a step that stores a terminal status.
type end struct {
	component.Access
	status *flow.Value
}

// stores reports whether a step stores a status: in an entry or in a field.
func stores(n *flow.Node) bool {
	return n.Op == flow.Put && len(n.Path) == 0 && n.Key != nil || n.Op == flow.SetFlag
}

// replaces reports whether a write is more than the registration of a request.
func (c *check) replaces(a component.Access) bool {
	if a.Entry.Role == flow.Init || a.Mode&flow.Initial != 0 || a.Val == nil {
		return false
	}
	return !c.st.Registers(a.Val)
}

// terminalWrites returns the steps that store a terminal constant.
func (c *check) terminalWrites() []end {
	var out []end
	for _, a := range c.st.Comp.Accesses(c.loc) {
		if !stores(a.Node) || a.Val == nil {
			continue
		}
		for _, leaf := range a.Val.Leaves() {
			if leaf.Kind == flow.Const && c.st.TerminalID(leaf.ID()) {
				out = append(out, end{a, leaf})
			}
		}
	}
	return out
}

func (c *check) findings() []rule.Finding {
	var out []rule.Finding
	for _, w := range c.writes {
		if c.reported[w.Src] {
			continue
		}
		if f, ok := c.dropped(w); ok {
			c.reported[w.Src] = true
			out = append(out, f)
		}
	}
	for _, e := range c.ends {
		if f, ok := c.afterwards(e); ok {
			out = append(out, f)
		}
	}
	for _, revives := range []bool{true, false} {
		for _, w := range c.writes {
			if c.reported[w.Src] || c.revives(w) != revives {
				continue
			}
			if e, ok := c.rival(w); ok {
				c.reported[w.Src] = true
				out = append(out, c.replacing(w, e))
			}
		}
	}
	return out
}

// revives reports whether a write stores a status that is not terminal: of the
// writes of one statement, such a one is the clearest.
func (c *check) revives(w component.Access) bool {
	for _, leaf := range w.Val.Leaves() {
		consts := []*flow.Value{leaf}
		if isJoin(leaf) {
			consts = leaf.Args
		}
		for _, v := range consts {
			if c.st.IsStatus(v) && !c.st.Terminal(v) {
				return true
			}
		}
	}
	return false
}

// weaker reports whether a write stores something that must not replace a
// terminal status.
func (c *check) weaker(w component.Access, t *flow.Value) bool {
	for _, leaf := range w.Val.Leaves() {
		switch {
		case leaf.ID() == t.ID():
		case leaf.Kind == flow.Const:
			if !c.st.IsStatus(leaf) {
				continue
			}
			if !c.st.Terminal(leaf) || c.st.Failure(t.ID()) && !c.st.Failure(leaf.ID()) {
				return true
			}
		case isJoin(leaf):
			if c.joinReplaces(leaf, t) {
				return true
			}
		case leaf.Kind == flow.Result && leaf.Loc == c.loc:
		default:
			if ownThread(w.Entry) && !leaf.IsFormatted() {
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

// isJoin reports whether a value is the greater or the lesser of several.
func isJoin(v *flow.Value) bool {
	return v.Kind == flow.Derived && (v.Name == "max" || v.Name == "min")
}

// wins reports whether a join keeps the first of two statuses.
func wins(join, a, b *flow.Value) bool {
	if !a.HasInt || !b.HasInt {
		return false
	}
	return join.Name == "max" && a.Int > b.Int || join.Name == "min" && a.Int < b.Int
}

// joinReplaces reports whether a join of an entry that holds a terminal status
// gives another one.
func (c *check) joinReplaces(join, t *flow.Value) bool {
	for _, arg := range join.Args {
		switch {
		case arg.Kind == flow.Result && arg.Loc == c.loc:
		case arg.Kind == flow.Const:
			if wins(join, arg, t) && (!c.st.Terminal(arg) || c.st.Failure(t.ID())) {
				return true
			}
		}
	}
	return false
}

// dropped finds a join that never stores the terminal status it is given.
func (c *check) dropped(w component.Access) (rule.Finding, bool) {
	for _, leaf := range w.Val.Leaves() {
		if !isJoin(leaf) || !c.joinsEntry(leaf) {
			continue
		}
		for _, arg := range leaf.Args {
			if arg.Kind != flow.Const || !c.st.Terminal(arg) {
				continue
			}
			for _, v := range c.st.Values {
				if !v.Terminal && wins(leaf, v.Const, arg) && c.mayHold(w, v.Const) {
					return c.lost(w, leaf, arg, v.Const), true
				}
			}
		}
	}
	return rule.Finding{}, false
}

// joinsEntry reports whether a join takes what the map holds into account.
func (c *check) joinsEntry(join *flow.Value) bool {
	for _, arg := range join.Args {
		if arg.Kind == flow.Result && arg.Loc == c.loc {
			return true
		}
	}
	return false
}

// reads returns the steps of an entrypoint that find out what the entry of a
// write holds.
func (c *check) reads(w component.Access) []int32 {
	var out []int32
	for i := range w.Entry.Graph.Nodes {
		n := &w.Entry.Graph.Nodes[i]
		if (n.Op == flow.Read && len(n.Path) == 0 || n.Op == flow.GetFlag) && n.Loc == c.loc && n.Res != nil && n.Key.Same(w.Key) {
			out = append(out, int32(i))
		}
	}
	return out
}

// mayHold reports whether no test keeps a write from an entry that holds a
// status.
func (c *check) mayHold(w component.Access, v *flow.Value) bool {
	it := evidence.IterationAround(w.Entry.Graph, w.ID, w.Key)
	return c.unstopped(w, v, c.reads(w), it)
}

// unstopped reports whether there is a walk to a write on which none of some reads has shown
// that the entry holds something other than a status.
func (c *check) unstopped(w component.Access, v *flow.Value, reads []int32, it evidence.Iteration) bool {
	find := func() bool { return c.findUnstopped(w, v, reads, it) != nil }
	if v.Kind != flow.Const {
		return find()
	}
	return flow.Ask(w.Entry.Graph, stopping{c.loc.ID, w.ID, it.Head(), v.ID(), v.Int, fmt.Sprint(reads)}, find)
}

// stopping asks whether some reads stop a write to a location.
type stopping struct {
	loc      string
	at, head int32
	status   string
	number   int64 // of the status
	reads    string
}

func (c *check) findUnstopped(w component.Access, v *flow.Value, reads []int32, it evidence.Iteration) *flow.Path {
	g := w.Entry.Graph
	regs := make([]*flow.Value, len(reads))
	for i, r := range reads {
		regs[i] = g.Nodes[r].Res
	}
	absent := c.absences(g, w.Key)
	return g.Find(flow.Search{
		From: it.Start(), After: true, Track: regs, Blind: len(regs) == 0, Stop: it.Ends,
		Goal: func(id int32, _ *flow.Node, f flow.Facts) bool {
			return id == w.ID && !excludes(f, regs, v)
		},
		Avoid: func(id int32, n *flow.Node) bool { return id != w.ID && n.Src != w.Src && c.touches(n, w.Key) },
		Edge:  func(n *flow.Node, e flow.Edge) bool { return !absent[cut{n, e.Kind}] },
	})
}

// touches reports whether a step stores or removes the entry of a key.
func (c *check) touches(n *flow.Node, key *flow.Value) bool {
	return n.Loc == c.loc && (stores(n) || n.Op == flow.Del && len(n.Path) == 0) && n.Key.Same(key)
}

// cut is an edge that is taken only when a key has no entry.
type cut struct {
	node *flow.Node
	kind flow.EdgeKind
}

// absences returns the edges of a graph that are taken only when a key has no
// entry.
func (c *check) absences(g *flow.Graph, key *flow.Value) map[cut]bool { return c.guards(g, key, false) }

// guards returns the edges of a graph that are taken only when a key has an
// entry, or only when it has none.
func (c *check) guards(g *flow.Graph, key *flow.Value, present bool) map[cut]bool {
	if key == nil {
		return nil
	}
	id := guardKey{g, key.ID(), present}
	if have, ok := c.cuts[id]; ok {
		return have
	}
	out := map[cut]bool{}
	tested := map[string]bool{}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Res != nil && n.Loc == c.loc && (n.Op == flow.Has || n.Op == flow.Read) && n.Key.Same(key) {
			tested[n.Res.ID()] = true
		}
	}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Op == flow.Branch && n.Val != nil && tested[n.Val.ID()] || n.Op == flow.Read && n.Res != nil && tested[n.Res.ID()] {
			for _, e := range n.Succ {
				if p, ok := g.Presence(int32(i), e); ok && p.Holds == present && (present || p.Certain) {
					out[cut{n, e.Kind}] = true
				}
			}
		}
	}
	c.cuts[id] = out
	return out
}

type guardKey struct {
	g       *flow.Graph
	key     string
	present bool
}

// creates reports whether a write can store the first status of a key.
func (c *check) creates(a component.Access) bool {
	if a.Key == nil {
		return false
	}
	g := a.Entry.Graph
	present := c.guards(g, a.Key, true)
	it := evidence.IterationAround(g, a.ID, a.Key)
	return evidence.Reaches(g, it.Start()[0], a.ID, func(n *flow.Node, e flow.Edge) bool { return !present[cut{n, e.Kind}] })
}

// afterwards finds the walk from a terminal status to a write that replaces it,
// if there is one.
func (c *check) afterwards(e end) (rule.Finding, bool) {
	g := e.Entry.Graph
	replaced := map[int32]component.Access{}
	for _, w := range c.writes {
		if w.Entry == e.Entry && w.ID != e.ID && !(w.Src == e.Src && w.Frame == e.Frame) && w.Key.Same(e.Key) && c.weaker(w, e.status) {
			replaced[w.ID] = w
		}
	}
	if len(replaced) == 0 {
		return rule.Finding{}, false
	}
	var reads []*flow.Value
	for _, r := range c.reads(e.Access) {
		if evidence.Reaches(g, e.ID, r, flow.AllEdges) {
			reads = append(reads, g.Nodes[r].Res)
		}
	}
	heads := map[int32]bool{}
	for _, h := range g.LoopsAround(e.ID) {
		heads[h] = true
	}
	flags, absent := c.concluded(e), c.absences(g, e.Key)
	p := g.Find(flow.Search{
		From: []int32{e.ID}, After: true, Track: reads,
		Goal: func(id int32, _ *flow.Node, f flow.Facts) bool {
			_, hit := replaced[id]
			return hit && !excludes(f, reads, e.status)
		},
		Stop:  func(id int32) bool { return heads[id] || id == flow.ExitNode },
		Avoid: func(id int32, n *flow.Node) bool { return replaced[id].Node == nil && c.touches(n, e.Key) },
		Edge: func(n *flow.Node, edge flow.Edge) bool {
			return !flags.contradicts(n, edge) && !absent[cut{n, edge.Kind}]
		},
	})
	if p == nil {
		return rule.Finding{}, false
	}
	w := replaced[p.Nodes[len(p.Nodes)-1]]
	_, spot := evidence.Meet(e.Node, w.Node)
	if c.reported[spot.Src] {
		return rule.Finding{}, false
	}
	c.reported[spot.Src] = true
	return c.goesOn(w, e, spot), true
}

// excludes reports whether one of some registers is known to hold another
// status.
func excludes(f flow.Facts, regs []*flow.Value, t *flow.Value) bool {
	for _, r := range regs {
		if f.ExcludesConst(r, t) {
			return true
		}
	}
	return false
}

// flags are the fields that are set to a terminal status beside an end.
type flags map[*flow.Location]*flow.Value

// concluded returns the flags that the function which stores an end, or that
// calls what stores it, sets to a terminal status as well.
func (c *check) concluded(e end) flags {
	out := flags{}
	g := e.Entry.Graph
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Op != flow.SetFlag || !c.st.Terminal(n.Val) || n.Frame != e.Frame && n.Frame != e.Frame.Caller {
			continue
		}
		if evidence.Reaches(g, int32(i), e.ID, nil) || evidence.Reaches(g, e.ID, int32(i), nil) {
			out[n.Loc] = n.Val
		}
	}
	return out
}

// contradicts reports whether an edge is taken only when a flag does not hold
// what it was set to.
func (fs flags) contradicts(n *flow.Node, e flow.Edge) bool {
	if n.Op != flow.Branch || n.Val == nil || n.Val.Kind != flow.Result || fs[n.Val.Loc] == nil {
		return false
	}
	yes, known := n.Outcome(fs[n.Val.Loc])
	return known && yes != (e.Kind == flow.True)
}

// rival returns a step of another thread that can store a terminal status just
// before a write replaces it.
func (c *check) rival(w component.Access) (end, bool) {
	it := evidence.IterationAround(w.Entry.Graph, w.ID, w.Key)
	reads := c.reads(w)
	tried := map[string]bool{}
	for _, e := range c.ends {
		if c.st.Comp.Meet(w.Entry, e.Access) == component.Ordered || e.Src == w.Src || !c.weaker(w, e.status) {
			continue
		}
		firm := c.firm(w, reads, e)
		id := e.status.ID() + fmt.Sprint(firm)
		if tried[id] {
			continue
		}
		if !c.unstopped(w, e.status, firm, it) {
			tried[id] = true
			continue
		}
		if !c.begins(w, e) && !c.exclusive(w, e) {
			return e, true
		}
	}
	return end{}, false
}

// begins reports whether a write is where requests begin: a hook stores the
// status whatever is there, and nothing else stores one for an absent key, unless
// it ends the request. An end that needs no entry can come first.
func (c *check) begins(w component.Access, e end) bool {
	if ownThread(w.Entry) || !c.creates(w) {
		return false
	}
	for _, a := range c.st.Comp.Accesses(c.loc) {
		if stores(a.Node) && a.Src != w.Src && a.Mode&flow.Initial == 0 && (a.Src == e.Src || !c.st.Terminal(a.Val)) && c.creates(a) {
			return false
		}
	}
	return true
}

// firm returns the reads whose outcome holds until a write: a terminal write
// cannot come in between, or the write follows at once.
func (c *check) firm(w component.Access, reads []int32, e end) []int32 {
	var out []int32
	for _, r := range reads {
		if !w.Entry.Graph.Lingers(r, w.ID) || c.st.Comp.Between(w.Entry, r, w.ID, []component.Access{e.Access}) == nil {
			out = append(out, r)
		}
	}
	return out
}

// exclusive reports whether a write and an end cannot both happen to a request:
// the write needs an entry of another container, which the end takes away under
// a lock that both hold, or has taken away before.
func (c *check) exclusive(w component.Access, e end) bool {
	g := c.st.Comp.Group(c.loc)
	if g == nil {
		return false
	}
	for _, l := range g.Locs {
		if l == c.loc || l.Outer != nil || !evidence.Requires(w, l) {
			continue
		}
		if component.CommonLock(w.Node, e.Node) != nil && takesAway(e, l) || c.claims(e, w, l) {
			return true
		}
	}
	return false
}

// takes reports whether a step removes the entry of an end from another container.
func takes(e end, l *flow.Location, n *flow.Node) bool {
	return n.Op == flow.Del && n.Loc == l && len(n.Path) == 0 && n.Key.Same(e.Key)
}

// takesAway reports whether an end removes the entry of another container, before or after.
func takesAway(e end, l *flow.Location) bool {
	it := evidence.IterationAround(e.Entry.Graph, e.ID, e.Key)
	return it.Through([]int32{e.ID}, func(n *flow.Node) bool { return takes(e, l, n) }, nil) == nil
}

// claims reports whether an end has removed the entry of another container, under a lock
// under which a write tests for it, so that the write comes before that or not at all. The
// entry must not come back meanwhile: one statement alone makes it.
func (c *check) claims(e end, w component.Access, l *flow.Location) bool {
	g := e.Entry.Graph
	taken := map[int32]bool{}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if !takes(e, l, n) {
			continue
		}
		if lock := component.CommonLock(w.Node, n); lock != nil && lock.Loc.Outer == nil && testsUnder(w, l, lock) {
			taken[int32(i)] = true
		}
	}
	if len(taken) == 0 || !c.madeOnce(l) {
		return false
	}
	it := evidence.IterationAround(g, e.ID, e.Key)
	return g.Find(flow.Search{
		From: it.Start(), After: true, Blind: true, Stop: it.Ends,
		Goal:  func(id int32, _ *flow.Node, _ flow.Facts) bool { return id == e.ID },
		Avoid: func(id int32, _ *flow.Node) bool { return taken[id] },
	}) == nil
}

// testsUnder reports whether a write still holds a lock under which it has found its key in
// another container.
func testsUnder(w component.Access, l *flow.Location, lock *flow.Value) bool {
	g := w.Entry.Graph
	tested := false
	for i := range g.Nodes {
		for _, edge := range g.Nodes[i].Succ {
			gd, ok := evidence.GuardAt(g, int32(i), edge)
			if !ok || !gd.Holds || gd.Read.Loc != l || !gd.Read.Key.Same(w.Key) || !evidence.Reaches(g, gd.ID, w.ID, nil) {
				continue
			}
			if !component.HeldThrough(g, gd.ID, w.ID, lock.Loc) {
				return false
			}
			tested = true
		}
	}
	return tested
}

// madeOnce reports whether one statement alone brings entries into a container.
func (c *check) madeOnce(l *flow.Location) bool {
	var by any
	for _, a := range c.st.Comp.Accesses(l) {
		switch a.Op {
		case flow.PutAll:
			return false
		case flow.Rebind:
			if a.Mode&flow.Initial == 0 {
				return false
			}
		case flow.Put:
			if evidence.Requires(a, l) {
				continue
			}
			if by != nil && by != any(a.Src) {
				return false
			}
			by = a.Src
		}
	}
	return true
}
