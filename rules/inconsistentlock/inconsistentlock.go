package inconsistentlock

import (
	_ "embed"
	"fmt"

	"golang.org/x/tools/go/analysis"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/status"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/patch"
	"github.com/kvrace/kvrace/rules/remedy"
	"github.com/kvrace/kvrace/rules/rule"
)

//go:embed doc.go
var doc string

// Rule is KV203.
var Rule = &rule.Rule{
	ID: "KV203", Name: "inconsistent-lock", Severity: report.SeverityWarning,
	Doc: rule.ExtractDoc(doc), Analyzer: Analyzer,
}

// Analyzer finds writes without the lock that other accesses hold.
var Analyzer = &analysis.Analyzer{
	Name:       "inconsistentlock",
	Doc:        rule.ExtractDoc(doc),
	Run:        run,
	Requires:   []*analysis.Analyzer{status.Analyzer},
	ResultType: rule.FindingsType,
}

// enough is the number of places that make a lock the lock of a container.
const enough = 3

func run(pass *analysis.Pass) (any, error) {
	var out []rule.Finding
	reported := map[ast.Node]bool{}
	for _, st := range pass.ResultOf[status.Analyzer].([]*status.Facts) {
		for _, g := range st.Comp.Groups {
			for _, l := range g.Locs {
				u := usage{st: st, loc: l}
				u.survey()
				for _, a := range u.without {
					if reported[a.Src] || !writes(a.Node) {
						continue
					}
					if s := u.broken(a); s != nil {
						reported[a.Src] = true
						out = append(out, u.finding(a, s))
					}
				}
			}
		}
	}
	return out, nil
}

// usage is how the accesses of one container are locked.
type usage struct {
	st   *status.Facts
	loc  *flow.Location
	lock *flow.Location // that most hold; nil for none
	with []component.Access
	// without are the accesses that do not hold it.
	without []component.Access
}

// survey finds the lock that most places hold. A place that is reached with and
// without it counts for both.
func (u *usage) survey() {
	accesses := u.accesses()
	places := map[*flow.Location]map[ast.Node]bool{}
	var locks []*flow.Location
	for _, a := range accesses {
		for _, l := range a.Locks {
			if l.Loc == nil {
				continue
			}
			if places[l.Loc] == nil {
				places[l.Loc] = map[ast.Node]bool{}
				locks = append(locks, l.Loc)
			}
			places[l.Loc][a.Src] = true
		}
	}
	for _, l := range locks {
		if u.lock == nil || len(places[l]) > len(places[u.lock]) {
			u.lock = l
		}
	}
	if u.lock == nil || len(places[u.lock]) < enough {
		u.lock = nil
		return
	}
	bare := map[ast.Node]bool{}
	for _, a := range accesses {
		if holds(a.Node, u.lock) {
			u.with = append(u.with, a)
			continue
		}
		bare[a.Src] = true
		u.without = append(u.without, a)
	}
	if len(bare) >= len(places[u.lock]) {
		u.without = nil
	}
}

// accesses returns the accesses after construction, of the handles as well: no
// other thread knows the key of a handle that is being made.
func (u *usage) accesses() []component.Access {
	var out []component.Access
	for _, a := range u.st.Comp.Accesses(u.loc) {
		if a.Mode&flow.Initial == 0 && a.Entry.Role != flow.Init && !evidence.Closes(a.Entry) {
			out = append(out, a)
		}
	}
	return out
}

func holds(n *flow.Node, lock *flow.Location) bool {
	for _, l := range n.Locks {
		if l.Loc == lock {
			return true
		}
	}
	return false
}

func writes(n *flow.Node) bool {
	switch n.Op {
	case flow.Put, flow.PutAll, flow.Del, flow.DelAll, flow.Clear:
		return true
	}
	return false
}

// section is a test and a write under one hold of the lock.
type section struct {
	test, write component.Access
}

// broken returns a section that a write can come into, or nil.
func (u *usage) broken(x component.Access) *section {
	for _, z := range u.with {
		if !u.rests(z, x) {
			continue
		}
		for _, a := range u.with {
			if a.Entry == z.Entry && tests(a.Node) && evidence.SameEntry(a.Node, z.Node) && u.together(a, z) {
				return &section{a, z}
			}
		}
	}
	return nil
}

// rests reports whether a write of a section goes wrong when another write comes
// right before it, in a way that no other rule speaks of.
func (u *usage) rests(z, x component.Access) bool {
	if !writes(z.Node) || z.Mode&(flow.Strict|flow.Update) != 0 || z.Key == nil || !evidence.MayBeSameKey(z.Node, x.Node) {
		return false
	}
	if component.CommonLock(x.Node, z.Node) != nil || u.st.Comp.Apart(x, z) {
		return false
	}
	return z.Op == flow.Put && u.st.Comp.Meet(x.Entry, z) == component.Threads
}

// together reports whether a test leads to a write under one hold of the lock.
func (u *usage) together(a, z component.Access) bool {
	g := a.Entry.Graph
	return component.HeldThrough(g, a.ID, z.ID, u.lock) && g.Find(flow.Search{
		From: []int32{a.ID}, Blind: true,
		Goal:  func(id int32, _ *flow.Node, _ flow.Facts) bool { return id == z.ID },
		Avoid: func(_ int32, n *flow.Node) bool { return n.Op == flow.Release && n.Lock.Loc == u.lock },
	}) != nil
}

func tests(n *flow.Node) bool {
	return n.Op == flow.Has || n.Op == flow.Read && n.Mode&flow.Upsert == 0
}

func (u *usage) finding(x component.Access, s *section) rule.Finding {
	f := rule.Finding{
		Place: rule.AtStep(x.Node), Function: x.Fn.Qual, Entry: x.Entry, Component: u.st.Comp.Class,
		Containers: []string{u.loc.Root().Name}, Key: evidence.KeyText(x.Node), Shape: "unlocked:" + u.loc.String(),
		Message: fmt.Sprintf("%s is %s without %s, which %d other places hold", evidence.Access(x.Node), done(x.Node), u.lock.Name, u.places()),
	}
	f.Consequence = fmt.Sprintf("%s decides by an entry that has changed meanwhile", s.write.Entry.Name())
	f.Related = append(f.Related,
		rule.Related{Place: rule.AtStep(s.test.Node), Role: report.RoleGuard, Entry: s.test.Entry, Message: "no longer true when this write comes in between"},
		rule.Related{Place: rule.AtStep(s.write.Node), Role: report.RoleRival, Entry: s.write.Entry,
			Message: fmt.Sprintf("%s writes %s under the lock, as the test has told it", s.write.Entry.Name(), evidence.Access(s.write.Node))})
	f.Related = append(f.Related, evidence.Spawns(x.Entry)...)
	if x.Entry != s.write.Entry {
		f.Related = append(f.Related, evidence.Spawns(s.write.Entry)...)
	}
	f.Threat = &rule.Threat{
		Property: rule.Avoids, Status: u.st,
		Steps: []rule.Step{{Entry: s.test.Entry, ID: s.test.ID}, {Entry: x.Entry, ID: x.ID, By: rule.Another}, {Entry: s.write.Entry, ID: s.write.ID, By: rule.TheFirst}},
		Undo:  append(u.releases(s.write.Entry), rule.Step{Entry: s.test.Entry, ID: s.test.ID, By: rule.TheFirst}),
	}
	if edits := u.hold(x); edits != nil {
		f.Fixes = append(f.Fixes, rule.Fix{Description: "hold " + u.lock.Name, Safety: report.SafetyReview, Edits: edits})
	}
	return f
}

// releases returns the steps of an entrypoint that let go of the lock.
func (u *usage) releases(e *flow.Entry) []rule.Step {
	var out []rule.Step
	for i := range e.Graph.Nodes {
		if n := &e.Graph.Nodes[i]; n.Op == flow.Release && n.Lock.Loc == u.lock {
			out = append(out, rule.Step{Entry: e, ID: int32(i), By: rule.TheFirst})
		}
	}
	return out
}

// hold returns the edits that hold the lock at a write; around the call of its
// function when other callers of that hold the lock already.
func (u *usage) hold(x component.Access) []patch.Edit {
	g := x.Entry.Graph
	for _, a := range u.with {
		if a.Fn != x.Fn {
			continue
		}
		fr := x.Frame
		if fr.Caller == nil || fr.Self == nil || fr.Self != fr.Caller.Self {
			return nil
		}
		return remedy.Hold(u.st.Comp, u.lock, g, x.Node, fr.Caller.Fn, fr.Call, fr.Call)
	}
	return remedy.Hold(u.st.Comp, u.lock, g, x.Node, x.Fn, x.Src, x.Src)
}

// places returns the number of places that hold the lock.
func (u *usage) places() int {
	seen := map[ast.Node]bool{}
	for _, a := range u.with {
		seen[a.Src] = true
	}
	return len(seen)
}

// done words what a write does.
func done(n *flow.Node) string {
	switch n.Op {
	case flow.Put, flow.PutAll:
		return "stored"
	case flow.Clear:
		return "emptied"
	}
	return "removed"
}
