package statusresurrection

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

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

// Rule is KV106.
var Rule = &rule.Rule{
	ID: "KV106", Name: "status-resurrection", Severity: report.SeverityError,
	Doc: rule.ExtractDoc(doc), Analyzer: Analyzer,
}

// Analyzer finds stores that bring a removed entry back.
var Analyzer = &analysis.Analyzer{
	Name:       "statusresurrection",
	Doc:        rule.ExtractDoc(doc),
	Run:        run,
	Requires:   []*analysis.Analyzer{status.Analyzer},
	ResultType: rule.FindingsType,
}

func run(pass *analysis.Pass) (any, error) {
	var out []rule.Finding
	for _, st := range pass.ResultOf[status.Analyzer].([]*status.Facts) {
		c := check{
			st: st, lives: map[*flow.Location]life{}, registered: map[*flow.Location][]component.Access{},
			cleared: map[*flow.Node][]*flow.Location{}, consumed: map[*flow.Node]bool{}, concluded: map[*flow.Node]int32{},
		}
		for _, e := range st.Comp.Entries {
			if e.Role != flow.Init {
				out = append(out, c.findings(e)...)
				out = append(out, c.listings(e)...)
				out = append(out, c.unheard(e)...)
			}
		}
	}
	return evidence.OncePerFunction(out), nil
}

// check looks at one component.
type check struct {
	st         *status.Facts
	lives      map[*flow.Location]life
	registered map[*flow.Location][]component.Access // memo of registrations
	cleared    map[*flow.Node][]*flow.Location       // memo of clearedWith
	consumed   map[*flow.Node]bool                   // memo of consumes
	concluded  map[*flow.Node]int32                  // memo of conclusion, -1 for none
}

// A revival is a store that can follow a removal.
type revival struct {
	put   component.Access
	del   component.Access
	known component.Access // registers the request before; of the remover itself when it concludes blindly
	sweep *component.Access
}

// findings returns the revivals by one entrypoint, one for each iteration and
// key: what one late event brings back has one cause.
func (c *check) findings(e *flow.Entry) []rule.Finding {
	var causes [][]revival
	for i := range e.Graph.Nodes {
		put := component.Access{Entry: e, ID: int32(i), Node: &e.Graph.Nodes[i]}
		if !stores(put.Node) || !c.of(put.Loc) || c.stands(put) {
			continue
		}
		r, ok := c.revival(put)
		if !ok {
			continue
		}
		joined := false
		for j, have := range causes {
			if sameCause(have[0].put, put) {
				causes[j] = append(have, r)
				joined = true
				break
			}
		}
		if !joined {
			causes = append(causes, []revival{r})
		}
	}
	var out []rule.Finding
	for _, rs := range causes {
		out = append(out, c.finding(rs))
	}
	return out
}

// of reports whether a location belongs to objects of the component, and keeps
// one entry for each key.
func (c *check) of(l *flow.Location) bool {
	switch l.Type.Kind {
	case program.Dict, program.DefaultDict, program.Counter:
	default:
		return false
	}
	if l.Outer != nil || l.HoldsTools() || c.st.IsDrained(l) || c.st.Comp.Group(l) == nil {
		return false
	}
	life := c.life(l)
	return len(life.removals) > 0 && !life.indexes
}

// stores reports whether a step can create an entry.
func stores(n *flow.Node) bool {
	if n.Loc == nil || n.Mode&flow.Initial != 0 || len(n.Path) > 0 {
		return false
	}
	switch n.Op {
	case flow.Put:
		return n.Key != nil
	case flow.Read:
		return n.Key != nil && n.Mode&flow.Upsert != 0 && n.Loc.Type.Kind != program.Counter
	case flow.PutAll:
		return true
	}
	return false
}

// sameCause reports whether two stores of one entrypoint serve the same event.
func sameCause(a, b component.Access) bool {
	if a.Key == nil || b.Key == nil {
		return a.Src == b.Src
	}
	return a.Key.Same(b.Key)
}

// revival decides whether a removal by another entrypoint can come before a
// store although nothing makes sure that the request is still known.
func (c *check) revival(put component.Access) (revival, bool) {
	l := c.life(put.Loc)
	safe := map[string]bool{} // by what is cleared together
	for _, d := range l.removals {
		if d.Entry == put.Entry || waitsAgain(put, d) || c.waitsNoMore(put, d) {
			continue
		}
		r := revival{put: put, del: d}
		var ok bool
		if r.known, ok = c.knownBefore(put, d); !ok {
			continue
		}
		if l.sweep != nil {
			if !c.concludes(*l.sweep) && !c.passesOn(*l.sweep) || !c.concludes(d) {
				continue
			}
			r.sweep = l.sweep
		}
		id := c.traces(d)
		if _, ok := safe[id]; !ok {
			safe[id] = c.protected(put, d) || c.removedAgain(put) || c.dropsWaiting(put, d)
		}
		if !safe[id] {
			return r, true
		}
	}
	return revival{}, false
}

// knownBefore returns the step that makes the request known before the store
// can happen, so that the store is not the beginning of it: a registration by
// another entrypoint, or the removal itself, when it concludes the request
// without having found the entry.
func (c *check) knownBefore(put, del component.Access) (component.Access, bool) {
	hook := evidence.IsHook(put.Entry)
	how := c.st.Comp.Meet(put.Entry, del)
	for _, l := range c.clearedWith(del) {
		if how == component.Ordered || c.consumes(del) || l != put.Loc && c.handsOver(put, del) {
			continue
		}
		if hook && !c.comesAfter(put, del, l, how) {
			continue
		}
		for _, a := range c.registrations(l) {
			if a.Entry != put.Entry && (a.Src != put.Src || constructs(a) && c.begun(put)) && !insteadOf(a, put.Entry) && !sameProduct(a, put) {
				return a, true
			}
		}
	}
	if hook && c.endsUnseen(put, del) {
		return del, true
	}
	return component.Access{}, false
}

// comesAfter reports whether the store of a hook is no registration: a thread
// that removes the request asks for it in a container that another hook fills.
func (c *check) comesAfter(put, del component.Access, l *flow.Location, how component.Parallelism) bool {
	return how == component.Threads && !evidence.IsHook(del.Entry) && l != put.Loc && !c.inserts(put.Entry, l) && evidence.Requires(del, l)
}

func (c *check) inserts(e *flow.Entry, l *flow.Location) bool {
	for _, a := range c.st.Comp.Accesses(l) {
		if a.Entry == e && stores(a.Node) {
			return true
		}
	}
	return false
}

// clearedWith returns the containers from which the entrypoint of a removal
// removes the same key, that of the removal first.
func (c *check) clearedWith(del component.Access) []*flow.Location {
	if known := c.cleared[del.Node]; known != nil {
		return known
	}
	out := []*flow.Location{del.Loc}
	seen := map[*flow.Location]bool{del.Loc: true}
	for i := range del.Entry.Graph.Nodes {
		n := &del.Entry.Graph.Nodes[i]
		if n.Op == flow.Del && n.Loc.Outer == nil && n.Key != nil && n.Key.Same(del.Key) && !seen[n.Loc] {
			seen[n.Loc] = true
			out = append(out, n.Loc)
		}
	}
	c.cleared[del.Node] = out
	return out
}

// consumes reports whether the entrypoint of a removal looks at the value of the
// entry, which is no status: it takes what others have made for it.
func (c *check) consumes(del component.Access) bool {
	known, ok := c.consumed[del.Node]
	if !ok {
		known = !c.st.IsMap(del.Loc) && slices.ContainsFunc(del.Entry.Graph.Nodes, func(n flow.Node) bool {
			return n.Op == flow.Read && n.Loc == del.Loc && n.Mode&flow.Upsert == 0 && n.Key.Same(del.Key)
		})
		c.consumed[del.Node] = known
	}
	return known
}

// insteadOf reports whether an entrypoint that starts another one does so only
// where it does not pass a step.
func insteadOf(a component.Access, e *flow.Entry) bool {
	starts := false
	for i := range a.Entry.Graph.Nodes {
		n := &a.Entry.Graph.Nodes[i]
		if n.Op != flow.Spawn || n.Entry != e {
			continue
		}
		starts = true
		it := evidence.IterationAround(a.Entry.Graph, a.ID, a.Key)
		if it.Reaches(a.ID, int32(i)) || it.Reaches(int32(i), a.ID) {
			return false
		}
	}
	return starts
}

// sameProduct reports whether two steps store what one function makes, in one
// container: either may be the one that makes the entry.
func sameProduct(a, b component.Access) bool {
	maker := madeBy(a)
	return a.Loc == b.Loc && maker != "" && maker == madeBy(b)
}

// madeBy returns the name of the callee whose result a step stores, or "".
func madeBy(a component.Access) string {
	if a.Val == nil {
		return ""
	}
	for _, leaf := range a.Val.Leaves() {
		if at := a.Entry.Graph.Producer(leaf); at >= 0 && a.Entry.Graph.Nodes[at].Op == flow.Call {
			return a.Entry.Graph.Nodes[at].Name
		}
	}
	return ""
}

// handsOver reports whether a removal takes what the store has left: it uses
// the value, or needs the entry to be there.
func (c *check) handsOver(put, del component.Access) bool {
	return del.Mode&flow.Strict != 0 || !statement(del.Node) || evidence.Requires(del, put.Loc)
}

// traces identifies what a removal does to the containers of its key, so far as
// a test for the key can see it.
func (c *check) traces(del component.Access) string {
	var b strings.Builder
	for _, l := range c.clearedWith(del) {
		b.WriteString(l.ID + " ")
	}
	for _, l := range c.st.Comp.Group(del.Loc).Locs {
		if c.leftBy(del)[l] {
			b.WriteString("+" + l.ID + " ")
		}
	}
	return b.String()
}

// endsUnseen reports whether a remover that hears of the request from elsewhere
// concludes it without having found the entry, and the hook that stores the
// entry sends nothing after it that the other side could be waiting for.
func (c *check) endsUnseen(put, del component.Access) bool {
	if del.Mode&flow.Strict != 0 || !statement(del.Node) || !fromOutside(evidence.Origin(del)) || put.Mode&flow.Update != 0 {
		return false
	}
	end, ok := c.conclusion(del)
	if !ok {
		return false
	}
	after := c.filledAfter(put)
	return !evidence.RequiresAny(del, after) && !evidence.RequiresAny(end, after) && !sendsAfter(put)
}

// filledAfter returns the containers that get a key only from the entrypoint of a store, or
// once they have it from there: whoever finds a key in one of them comes after that.
func (c *check) filledAfter(put component.Access) map[*flow.Location]bool {
	out, more := map[*flow.Location]bool{}, map[*flow.Location]bool{}
	for _, l := range c.st.Comp.Group(put.Loc).Locs {
		out[l] = c.insertsWith(put, l)
		more[l] = !out[l] && l.Outer == nil
		out[l] = out[l] || more[l]
	}
	for changed := true; changed; {
		changed = false
		for l := range more {
			if out[l] && more[l] && !c.filledOnlyAfter(l, out) {
				out[l], changed = false, true
			}
		}
	}
	return out
}

// filledOnlyAfter reports whether all that stores in a container has found the key in one
// of some containers.
func (c *check) filledOnlyAfter(l *flow.Location, others map[*flow.Location]bool) bool {
	return !slices.ContainsFunc(c.st.Comp.Accesses(l), func(a component.Access) bool {
		if a.Op == flow.Rebind && a.Mode&(flow.Initial|flow.Filter) == 0 {
			return true // of which nobody knows what is in it
		}
		return stores(a.Node) && (a.Key == nil || !evidence.RequiresAny(a, others))
	})
}

// insertsWith reports whether the entrypoint of a store inserts its key into a
// container as well. What the same hook inserts for the keys of another list may be
// of an earlier call.
func (c *check) insertsWith(put component.Access, l *flow.Location) bool {
	for _, a := range c.st.Comp.Accesses(l) {
		if a.Entry == put.Entry && stores(a.Node) && (a.Key == nil || put.Key == nil || a.Key.Same(put.Key)) {
			return true
		}
	}
	return false
}

// fromOutside reports whether the step that a key comes from calls, or waits for,
// what the program does not contain.
func fromOutside(n *flow.Node) bool {
	return n != nil && (n.Op == flow.Call || n.Op == flow.Await)
}

// concludes reports whether the entrypoint of a removal can conclude the request.
func (c *check) concludes(del component.Access) bool {
	_, ok := c.conclusion(del)
	return ok
}

// conclusion returns a step of the entrypoint of a removal that concludes the
// request.
func (c *check) conclusion(del component.Access) (component.Access, bool) {
	nodes := del.Entry.Graph.Nodes
	at, known := c.concluded[del.Node]
	if !known {
		key := component.RootKey(del.Node)
		at = -1
		for i := range nodes {
			if n := &nodes[i]; n.Op == flow.Put && c.st.MayConclude(n) && component.RootKey(n).Same(key) {
				at = int32(i)
				break
			}
		}
		c.concluded[del.Node] = at
	}
	if at < 0 {
		return component.Access{}, false
	}
	return component.Access{Entry: del.Entry, ID: at, Node: &nodes[at]}, true
}

// protected reports whether every walk to a store has made sure that the
// request is still known, and that holds until the store.
func (c *check) protected(put, del component.Access) bool {
	if put.Key == nil {
		return c.ownKeys(put)
	}
	marks := map[*flow.Location]bool{}
	for _, l := range c.clearedWith(del) {
		marks[l] = true
	}
	left := c.leftBy(del)
	if c.ignoresLate(put, marks) || c.taken(put, marks) || c.letsInFirstWords(put) {
		return true
	}
	return evidence.IterationAround(put.Entry.Graph, put.ID, put.Key).Unguarded(put.ID, func(g evidence.Guard) bool {
		if !component.RootKey(g.Read).Same(put.Key) {
			return false
		}
		root := g.Read.Loc.Root()
		if g.Holds && marks[root] || !g.Holds && left[root] {
			return c.holds(put, g.ID, root)
		}
		return false
	}) == nil
}

// ownKeys reports whether a step stores something for many keys that were in the same
// container just before, as d.update(dict.fromkeys(d, x)) does.
func (c *check) ownKeys(put component.Access) bool {
	g := put.Entry.Graph
	at := g.Producer(put.Val)
	if at < 0 || g.Nodes[at].Name != "fromkeys" || g.Nodes[at].Val == nil {
		return false
	}
	keys := g.Nodes[at].Val.Args
	return len(keys) > 0 && keys[0].Kind == flow.Container && keys[0].Loc == put.Loc && len(keys[0].Path()) == 0 && c.holds(put, at, put.Loc)
}

// taken reports whether a loop has taken the key of a store from a container that
// is cleared with it, and the entry is still there at the store.
func (c *check) taken(put component.Access, cleared map[*flow.Location]bool) bool {
	g := put.Entry.Graph
	for _, h := range g.LoopsAround(put.ID) {
		l, copied := evidence.TakenFrom(g, h, put.Key)
		if l != nil && cleared[l] && c.holds(put, copied, l) {
			return true
		}
	}
	return false
}

// ignoresLate reports whether every walk to a store looks the request up first, and
// asks of the answer both whether there is one and which status it is, with an
// outcome that drops the event: what is late is ignored on purpose.
func (c *check) ignoresLate(put component.Access, cleared map[*flow.Location]bool) bool {
	g := put.Entry.Graph
	it := evidence.IterationAround(g, put.ID, put.Key)
	for i := range g.Nodes {
		r := &g.Nodes[i]
		if r.Op != flow.Read || r.Res == nil || !cleared[r.Loc] || !component.RootKey(r).Same(put.Key) || r.Mode&(flow.Strict|flow.Upsert) != 0 {
			continue
		}
		if it.Without(int32(i), put.ID) {
			continue
		}
		absent, drops := false, false
		for j := range g.Nodes {
			b := &g.Nodes[j]
			if b.Op != flow.Branch || !b.Val.Same(r.Res) {
				continue
			}
			absent = absent || b.Test == flow.TestNone
			for _, e := range b.Succ {
				drops = drops || b.Test == flow.TestEq && !it.Reaches(e.To, put.ID)
			}
		}
		if absent && drops {
			return true
		}
	}
	return false
}

// leftBy returns the containers to which a remover adds the key it has removed.
func (c *check) leftBy(del component.Access) map[*flow.Location]bool {
	out := map[*flow.Location]bool{}
	for i := range del.Entry.Graph.Nodes {
		n := &del.Entry.Graph.Nodes[i]
		if n.Op == flow.Put && len(n.Path) == 0 && n.Key != nil && n.Key.Same(del.Key) {
			out[n.Loc] = true
		}
	}
	return out
}

// holds reports whether what a test has found about a container is still true
// at a store: the lock of the removers is held from one to the other, or
// nothing that takes time comes between.
func (c *check) holds(put component.Access, test int32, l *flow.Location) bool {
	g := put.Entry.Graph
	if !g.Lingers(test, put.ID) {
		return true
	}
	var rivals []component.Access
	for _, loc := range []*flow.Location{l, put.Loc} {
		for _, d := range c.life(loc).removals {
			if d.Entry != put.Entry {
				rivals = append(rivals, d)
			}
		}
	}
	head := evidence.IterationAround(g, put.ID, put.Key).Head()
	if !slices.Contains(g.LoopsAround(test), head) {
		return c.st.Comp.Between(put.Entry, test, put.ID, rivals) == nil
	}
	nextTurn := func(n *flow.Node) bool { return n == &g.Nodes[head] } // which is about another request
	return c.st.Comp.BetweenWithin(put.Entry, test, put.ID, nextTurn, rivals) == nil
}

// removedAgain reports whether the iteration that stores an entry always
// removes it as well, or looks at once whether it has to.
func (c *check) removedAgain(put component.Access) bool {
	if put.Key == nil {
		return false
	}
	if looksAgain(put) {
		return true
	}
	it := evidence.IterationAround(put.Entry.Graph, put.ID, put.Key)
	return it.Through([]int32{put.ID}, nil, nil) != nil &&
		it.Through([]int32{put.ID}, func(n *flow.Node) bool {
			return n.Op == flow.Del && n.Loc == put.Loc && n.Key != nil && n.Key.Same(put.Key)
		}, nil) == nil
}

// looksAgain reports whether a single test after a store decides whether the
// entry is removed again.
func looksAgain(put component.Access) bool {
	g := put.Entry.Graph
	at := put.ID
	for at == put.ID || g.Nodes[at].Op != flow.Branch {
		n := &g.Nodes[at]
		next := int32(-1)
		for _, e := range n.Succ {
			if e.Kind == flow.Normal {
				next = e.To
			}
		}
		if next < 0 {
			return false
		}
		at = next
		switch g.Nodes[at].Op {
		case flow.Branch, flow.Call, flow.GetFlag, flow.Has, flow.Read:
		default:
			return false
		}
	}
	for _, e := range g.Nodes[at].Succ {
		n := &g.Nodes[e.To]
		if n.Op == flow.Del && n.Loc == put.Loc && n.Key != nil && n.Key.Same(put.Key) {
			return true
		}
	}
	return false
}

func (c *check) finding(rs []revival) rule.Finding {
	r := c.plainest(rs)
	p := r.put
	f := rule.Finding{
		Place: evidence.AccessPlace(p.Node), Function: p.Fn.Qual, Entry: p.Entry, Component: c.st.Comp.Class,
		Key: evidence.KeyText(p.Node), Shape: "revives:" + p.Loc.Name,
	}
	for _, x := range rs {
		f.Containers = append(f.Containers, x.put.Loc.Name)
	}
	f.Containers = evidence.Distinct(f.Containers)
	f.Message = c.message(r)
	f.Related = append(f.Related, c.related(rs)...)
	f.Related = append(f.Related, evidence.Spawns(p.Entry)...)
	f.Related = append(f.Related, evidence.Spawns(r.del.Entry)...)
	f.Consequence = consequence(r)
	f.Fixes = c.fixesOf(rs)
	f.Threat = &rule.Threat{Property: rule.StaysGone, Status: c.st, Steps: []rule.Step{{Entry: r.del.Entry, ID: r.del.ID}, {Entry: p.Entry, ID: p.ID, When: rule.Absent}}}
	if r.known.Node == r.del.Node {
		f.Threat.Steps[0].When = rule.Absent // it has heard of the end before there was anything to end
	}
	c.fromWaiting(f.Threat, r)
	if r.sweep != nil {
		f.Threat.Property, f.Threat.Steps[0].When = rule.Avoids, rule.Anyhow
		f.Threat.Then = []rule.Step{{Entry: r.sweep.Entry, ID: r.sweep.ID}}
	}
	return f
}

// plainest returns the first revival, or one in the same code that stores what begins no
// request: nobody can take that for a new one.
func (c *check) plainest(rs []revival) revival {
	for _, r := range rs {
		if r.put.Src == rs[0].put.Src && c.begun(r.put) {
			return r
		}
	}
	return rs[0]
}

func (c *check) message(r revival) string {
	what := evidence.Access(r.put.Node)
	if r.put.Op == flow.PutAll {
		what = "an entry of " + r.put.Loc.Name
	}
	verb := "is stored"
	if r.put.Op == flow.Read {
		verb = "is created by a look-up"
	}
	return fmt.Sprintf("%s %s even when %s has removed it: nothing makes sure that the request is still known",
		what, verb, r.del.Entry.Name())
}

func (c *check) related(rs []revival) []rule.Related {
	r := rs[0]
	out := []rule.Related{{
		Place: rule.AtStep(r.del.Node), Role: report.RoleRival, Entry: r.del.Entry,
		Message: fmt.Sprintf("%s removes %s", r.del.Entry.Name(), evidence.Access(r.del.Node)),
	}}
	if r.known.Node != r.del.Node {
		out = append(out, rule.Related{
			Place: rule.AtStep(r.known.Node), Role: report.RoleContext, Entry: r.known.Entry,
			Message: fmt.Sprintf("%s makes the request known before", r.known.Entry.Name()),
		})
	}
	if r.sweep != nil {
		out = append(out, rule.Related{
			Place: rule.AtStep(r.sweep.Node), Role: report.RoleConsequence, Entry: r.sweep.Entry,
			Message: fmt.Sprintf("%s finds the entry and concludes the request a second time", r.sweep.Entry.Name()),
		})
	}
	seen := map[rule.Place]bool{rule.AtStep(r.put.Node): true}
	for _, x := range rs[1:] {
		if p := rule.AtStep(x.put.Node); !seen[p] {
			seen[p] = true
			out = append(out, rule.Related{
				Place: p, Role: report.RoleOther, Entry: x.put.Entry,
				Message: evidence.Access(x.put.Node) + " comes back as well",
			})
		}
	}
	return out
}

// consequence says what becomes of the entry.
func consequence(r revival) string {
	if r.sweep != nil {
		return fmt.Sprintf("the entry outlives its request until %s concludes the request a second time", r.sweep.Entry.Name())
	}
	return fmt.Sprintf("the entry stays in %s: the request was cleared before, and nothing clears it again; a later request with the same key starts with it", r.put.Loc.Name)
}
