package conditionalcleanup

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

// Rule is KV101.
var Rule = &rule.Rule{
	ID: "KV101", Name: "conditional-cleanup", Severity: report.SeverityError,
	Doc: rule.ExtractDoc(doc), Analyzer: Analyzer,
}

// Analyzer finds entries that are removed beside a guarded conclusion.
var Analyzer = &analysis.Analyzer{
	Name:       "conditionalcleanup",
	Doc:        rule.ExtractDoc(doc),
	Run:        run,
	Requires:   []*analysis.Analyzer{status.Analyzer},
	ResultType: rule.FindingsType,
}

func run(pass *analysis.Pass) (any, error) {
	var out []rule.Finding
	for _, st := range pass.ResultOf[status.Analyzer].([]*status.Facts) {
		if len(st.Maps) == 0 && len(st.Drained) == 0 {
			continue
		}
		for _, e := range st.Comp.Entries {
			if e.Role == flow.Init {
				continue
			}
			c := check{st: st, entry: e, g: e.Graph, governs: map[crossing]int32{}}
			out = append(out, c.findings()...)
		}
	}
	return out, nil
}

// check looks at one entrypoint.
type check struct {
	st      *status.Facts
	entry   *flow.Entry
	g       *flow.Graph
	governs map[crossing]int32 // memo of governed
	absents map[[2]int32]bool  // memo of absentAt
}

// A crossing is a way past a branch, in the iteration that handles a key.
type crossing struct {
	branch, to int32
	it         evidence.Iteration
	key        string
}

// candidate is a removal, the conclusion that it should go with, and the guard
// between them.
type candidate struct {
	del   int32
	write int32
	guard evidence.Guard
}

func (c *check) findings() []rule.Finding {
	var out []rule.Finding
	reported := map[any]bool{}
	for i := range c.g.Nodes {
		d := &c.g.Nodes[i]
		if d.Op != flow.Del || d.Key == nil || d.Mode&flow.AnyKey != 0 || !c.companion(d) || reported[d.Src] {
			continue
		}
		if cand, ok := c.candidate(int32(i)); ok {
			if why, ok := c.falseWhileLive(cand); ok {
				reported[d.Src] = true
				out = append(out, c.finding(cand, why))
				continue
			}
		}
		if writes := c.disables(int32(i)); len(writes) > 0 {
			reported[d.Src] = true
			out = append(out, c.disabling(int32(i), writes))
		}
	}
	return out
}

// companion reports whether a removal concerns a container that belongs to the
// key group of a carrier without being one.
func (c *check) companion(d *flow.Node) bool {
	root := d.Loc.Root()
	if c.st.IsMap(root) || c.st.IsDrained(root) {
		return false
	}
	g := c.st.Comp.Group(root)
	if g == nil {
		return false
	}
	for _, l := range g.Locs {
		if c.st.IsMap(l) || c.st.IsDrained(l) {
			return true
		}
	}
	return false
}

// candidate looks for a walk that removes without concluding, and parts at a
// guard from one that concludes.
func (c *check) candidate(del int32) (candidate, bool) {
	key := component.RootKey(&c.g.Nodes[del])
	it := evidence.IterationAround(c.g, del, key)
	path := it.Through([]int32{del},
		func(n *flow.Node) bool { return c.leaves(n, key) },
		func(n *flow.Node, e flow.Edge) bool {
			return !evidence.AlreadyOver(c.st, c.entry, n, e) && !removedNothing(n, e, &c.g.Nodes[del]) && !c.knownAbsent(n, e, del)
		})
	if path == nil {
		return candidate{}, false
	}
	for i := len(path.Edges) - 1; i >= 0; i-- {
		guard, ok := evidence.GuardAt(c.g, path.Nodes[i], path.Edges[i])
		if !ok || guard.Holds || !component.RootKey(guard.Read).Same(key) || c.st.Comp.Group(guard.Read.Loc) == nil {
			continue
		}
		write, ok := c.governed(path.Nodes[i], path.Edges[i], it, key)
		if !ok || it.Through([]int32{del, write}, nil, nil) == nil {
			continue
		}
		return candidate{del: del, write: write, guard: guard}, true
	}
	return candidate{}, false
}

// silentWalk returns a walk of the iteration that removes an entry of a request
// that is not over, and neither concludes the request nor hands it on.
func (c *check) silentWalk(del int32) *flow.Path {
	d := &c.g.Nodes[del]
	key := component.RootKey(d)
	return evidence.IterationAround(c.g, del, key).Through([]int32{del},
		func(n *flow.Node) bool { return c.leaves(n, key) },
		func(n *flow.Node, e flow.Edge) bool {
			return !evidence.AlreadyOver(c.st, c.entry, n, e) && !removedNothing(n, e, d) && !c.knownAbsent(n, e, del)
		})
}

// knownAbsent reports whether an edge is taken only when the container of a removal, or of
// the copy that leaves an entry out, has no such entry at the removal.
func (c *check) knownAbsent(n *flow.Node, e flow.Edge, del int32) bool {
	d := &c.g.Nodes[del]
	gd, ok := evidence.GuardOf(c.g, n, e)
	if !ok || gd.Holds || !gd.Certain || gd.Read.Loc != d.Loc || !component.RootKey(gd.Read).Same(component.RootKey(d)) {
		return false
	}
	if c.absents == nil {
		c.absents = map[[2]int32]bool{}
	}
	at := [2]int32{gd.ID, del}
	absent, known := c.absents[at]
	if !known {
		absent = c.absentAt(gd.ID, del)
		c.absents[at] = absent
	}
	return absent
}

// absentAt reports whether an entry that a step has not found cannot be there when another
// step removes it: the removal comes later, in one iteration, and nobody stores one meanwhile.
func (c *check) absentAt(read, del int32) bool {
	d := &c.g.Nodes[del]
	it := evidence.IterationAround(c.g, del, component.RootKey(d))
	if it.Reaches(del, read) || !it.Reaches(read, del) {
		return false
	}
	var stores []component.Access
	for _, a := range c.st.Comp.Accesses(d.Loc) {
		switch a.Op {
		case flow.Put, flow.PutAll, flow.Rebind:
			if a.Entry == c.entry && it.After(read, a.ID, del) && it.After(a.ID, del, read) {
				return false
			}
			stores = append(stores, a)
		}
	}
	return c.st.Comp.Between(c.entry, read, del, stores) == nil
}

// leaves reports whether a step ends the request with the key, or hands it on.
func (c *check) leaves(n *flow.Node, key *flow.Value) bool {
	switch {
	case n.Op == flow.Enqueue, n.Op == flow.Raise:
		return true
	case n.Op == flow.SetFlag:
		return c.st.Concludes(n)
	case n.Op == flow.Put && len(n.Path) == 0 && !c.st.IsMap(n.Loc) && !n.Loc.HoldsTools():
		return n.Key.Same(key) // into another container: handed on
	}
	return c.st.MayConclude(n) && component.RootKey(n).Same(key)
}

// removedNothing reports whether an edge is taken only when a tolerant removal
// has found no entry.
func removedNothing(n *flow.Node, e flow.Edge, del *flow.Node) bool {
	if n.Op != flow.Branch || del.Res == nil || n.Val == nil || !n.Val.Same(del.Res) {
		return false
	}
	return n.Test == flow.TestNone && e.Kind == flow.True || n.Test == flow.TestTruth && e.Kind == flow.False
}

// governed returns a conclusion that the other side of a branch reaches within
// the iteration, and this side does not.
func (c *check) governed(branch int32, taken flow.Edge, it evidence.Iteration, key *flow.Value) (int32, bool) {
	at := crossing{branch: branch, to: taken.To, it: it}
	if key != nil {
		at.key = key.ID()
	}
	write, known := c.governs[at]
	if !known {
		write = c.governing(branch, taken, it, key)
		c.governs[at] = write
	}
	return write, write >= 0
}

// governing works out governed; -1 stands for none.
func (c *check) governing(branch int32, taken flow.Edge, it evidence.Iteration, key *flow.Value) int32 {
	concludes := func(_ int32, n *flow.Node, _ flow.Facts) bool {
		return n.Op == flow.Put && c.st.MayConclude(n) && component.RootKey(n).Same(key)
	}
	for _, e := range c.g.Nodes[branch].Succ {
		if e.To == taken.To || e.Kind == flow.Exc {
			continue
		}
		hit := it.From(e.To, concludes)
		if hit == nil {
			continue
		}
		write := hit.Nodes[len(hit.Nodes)-1]
		if !it.Reaches(taken.To, write) {
			return write
		}
	}
	return -1
}

// reason says why the guard can be false while the request is alive.
type reason struct {
	late   *component.Access // the insert that comes before the guarded entry
	first  *component.Access // the step that makes the guard true, later
	remove *component.Access // the step that makes it false again
}

// falseWhileLive decides whether the guard can be false for a live request.
func (c *check) falseWhileLive(cand candidate) (reason, bool) {
	comp := c.st.Comp
	guarded := cand.guard.Read.Loc.Root()
	removed := c.g.Nodes[cand.del].Loc.Root()
	if guarded != removed {
		late := evidence.InsertedBefore(c.st, removed, guarded, c.at(cand.guard))
		if late != nil && (late.Entry.Role == flow.Caller || c.needed(removed)) {
			r := reason{late: late}
			r.first = evidence.FirstInsert(c.st, guarded)
			return r, true
		}
	}
	for _, a := range comp.Accesses(guarded) {
		if a.Op != flow.Del && a.Op != flow.Clear || a.Entry == c.entry || comp.Meet(c.entry, a) == component.Ordered {
			continue
		}
		if evidence.RemovesWithoutConcluding(c.st, a) && !evidence.EndsRequest(c.st, a) {
			return reason{remove: &a}, true
		}
	}
	return reason{}, false
}

// needed reports whether another entrypoint looks at a container: its loss changes
// what becomes of the request.
func (c *check) needed(l *flow.Location) bool {
	for _, a := range c.st.Comp.Accesses(l) {
		if a.Entry == c.entry {
			continue
		}
		switch a.Op {
		case flow.Read, flow.Has, flow.Iter, flow.Next, flow.Size:
			return true
		}
	}
	return false
}

// at returns the access that a guard tests.
func (c *check) at(g evidence.Guard) component.Access {
	return component.Access{Entry: c.entry, ID: g.ID, Node: g.Read}
}

func (c *check) finding(cand candidate, why reason) rule.Finding {
	d, w := &c.g.Nodes[cand.del], &c.g.Nodes[cand.write]
	guard := cand.guard
	f := rule.Finding{
		Place: evidence.AccessPlace(d), Function: d.Fn.Qual, Entry: c.entry, Component: c.st.Comp.Class,
		Containers: []string{d.Loc.Root().Name, guard.Read.Loc.Root().Name}, Key: evidence.KeyText(d),
		Shape: "guard:" + guard.Read.Loc.Root().Name,
	}
	f.Containers = evidence.Distinct(append(f.Containers, w.Loc.Root().Name))
	f.Message = fmt.Sprintf("%s is removed whether or not %s is concluded: %s only if %s",
		evidence.Access(d), f.Key, evidence.Stored(w), guard.Text())
	f.Related = append(f.Related, rule.Related{Place: guard.Place(), Role: report.RoleGuard, Message: c.guardMessage(guard, why), Entry: c.entry})
	if why.late != nil {
		f.Related = append(f.Related, rule.Related{
			Place: rule.AtStep(why.late.Node), Role: report.RoleRival, Entry: why.late.Entry,
			Message: fmt.Sprintf("%s inserts %s before %s is known to have the key", why.late.Entry.Name(), evidence.Access(why.late.Node), guard.Read.Loc.Root().Name),
		})
	}
	if why.remove != nil {
		f.Related = append(f.Related, rule.Related{
			Place: rule.AtStep(why.remove.Node), Role: report.RoleRival, Entry: why.remove.Entry,
			Message: fmt.Sprintf("%s removes %s and concludes nothing", why.remove.Entry.Name(), evidence.Access(why.remove.Node)),
		})
	}
	f.Related = append(f.Related, evidence.Droppers(c.st, d.Loc.Root(), c.entry)...)
	f.Related = append(f.Related, evidence.Spawns(c.entry)...)
	f.Related = append(f.Related, evidence.SiblingsWithout(c.st, d)...)
	f.Consequence = evidence.NeverConcludes(c.st)
	f.Fixes = append(c.concludeKnown(cand), c.fixes(cand)...)
	f.Fixes = append(f.Fixes, registerFirst(why)...)
	f.Fixes = append(f.Fixes, c.onlyGuarded(cand)...)
	f.Threat = &rule.Threat{Property: rule.Concludes, Status: c.st, Steps: []rule.Step{{Entry: c.entry, ID: cand.del}}}
	return f
}

func (c *check) guardMessage(g evidence.Guard, why reason) string {
	switch {
	case why.first != nil && why.first.Node.Mod == g.Read.Mod:
		return fmt.Sprintf("false until %s is first written, line %d", evidence.Access(why.first.Node), why.first.Node.Line())
	case why.first != nil:
		return fmt.Sprintf("false until %s is first written, %s:%d", evidence.Access(why.first.Node), why.first.Node.Mod.File, why.first.Node.Line())
	case why.remove != nil:
		return fmt.Sprintf("false once %s has removed the entry", why.remove.Entry.Name())
	}
	return "false while the entry is not registered"
}
