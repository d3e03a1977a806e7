package lostupdate

import (
	_ "embed"
	"fmt"
	"maps"
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

// Rule is KV204.
var Rule = &rule.Rule{
	ID: "KV204", Name: "lost-update", Severity: report.SeverityError,
	Doc: rule.ExtractDoc(doc), Analyzer: Analyzer,
}

// Analyzer finds writes that undo those of another thread.
var Analyzer = &analysis.Analyzer{
	Name:       "lostupdate",
	Doc:        rule.ExtractDoc(doc),
	Run:        run,
	Requires:   []*analysis.Analyzer{program.Analyzer, status.Analyzer},
	ResultType: rule.FindingsType,
}

func run(pass *analysis.Pass) (any, error) {
	s := survey{prog: pass.ResultOf[program.Analyzer].(*program.Program), seen: map[any]bool{}}
	for _, st := range pass.ResultOf[status.Analyzer].([]*status.Facts) {
		for _, e := range st.Comp.Entries {
			if e.Role != flow.Init && !evidence.Closes(e) {
				s.look(st, e)
			}
		}
	}
	return s.out, nil
}

// survey collects the findings of a program, one for each write.
type survey struct {
	prog *program.Program
	out  []rule.Finding
	seen map[any]bool
}

func (s *survey) look(st *status.Facts, e *flow.Entry) {
	for i := range e.Graph.Nodes {
		n := &e.Graph.Nodes[i]
		if n.Loc == nil || n.Mode&flow.Initial != 0 {
			continue
		}
		w := write{prog: s.prog, st: st, entry: e, g: e.Graph, id: int32(i), n: n}
		switch {
		case n.Op == flow.Rebind && n.Mode&flow.Filter != 0:
			w.filtered(s)
		case n.Op == flow.Clear:
			w.cleared(s)
		case n.Mode&flow.Update != 0 && (n.Op == flow.Put || n.Op == flow.SetFlag):
			w.counted(s)
		}
	}
}

// report adds a finding unless there is one for the same cause.
func (s *survey) report(cause any, f rule.Finding) {
	if !s.seen[cause] {
		s.seen[cause] = true
		s.out = append(s.out, f)
	}
}

// write is a step that ends a read-modify-write.
type write struct {
	prog  *program.Program
	st    *status.Facts
	entry *flow.Entry
	g     *flow.Graph
	id    int32
	n     *flow.Node
}

// filtered reports a container that is stored back filtered.
func (w write) filtered(s *survey) {
	from := w.readBefore(func(n *flow.Node) bool { return n.Op == flow.Iter && n.Stmt == w.n.Stmt })
	if from < 0 {
		from = w.readBefore(func(n *flow.Node) bool { return n.Op == flow.Iter })
	}
	if from < 0 {
		return
	}
	rivals := w.rivals(func(n *flow.Node) bool {
		return n.Op == flow.Put || n.Op == flow.PutAll || n.Op == flow.Del || n.Op == flow.DelAll || n.Op == flow.Rebind && n.Mode&flow.Filter != 0
	})
	r := w.st.Comp.Between(w.entry, from, w.id, rivals)
	if r == nil {
		return
	}
	lost := "what " + name(r, w.entry) + " inserts"
	if r.Op == flow.Del || r.Op == flow.DelAll {
		lost = "the removal by " + name(r, w.entry)
	} else if r.Op == flow.Rebind {
		lost = "what " + name(r, w.entry) + " stores"
	}
	f := w.finding(w.n, w.entry, fmt.Sprintf("%s is filtered and stored back: %s in between is lost", w.n.Loc.Root().Name, lost))
	f.Related = append(f.Related, rule.Related{Place: rule.AtStep(&w.g.Nodes[from]), Role: report.RoleContext, Entry: w.entry, Message: "the content as it is stored back"})
	f.Related = append(f.Related, evidence.RivalOf(r, w.entry, does(r.Node))...)
	f.Threat = w.threat(from, r)
	f.Fixes = w.inPlace()
	f.Fixes = append(f.Fixes, w.locked(from, r)...)
	f.Fixes = append(f.Fixes, w.shared(rivals)...)
	s.report(w.n.Src, f)
}

// cleared reports the inserts that are lost between a copy and a clear.
func (w write) cleared(s *survey) {
	from := w.readBefore(func(n *flow.Node) bool {
		return n.Op == flow.Iter && (n.Mode&flow.Live == 0 || w.st.IsDrained(n.Loc)) || n.Op == flow.Call
	})
	if from < 0 || w.walkedOver(from) {
		return
	}
	rivals := w.rivals(func(n *flow.Node) bool { return n.Op == flow.Put || n.Op == flow.PutAll })
	r := w.st.Comp.Between(w.entry, from, w.id, rivals)
	if r == nil {
		return
	}
	f := w.finding(r.Node, r.Entry, fmt.Sprintf("what is added to %s here can be lost: %s copies it and then empties it", r.Loc.Root().Name, w.entry.Name()))
	f.Key = evidence.KeyText(r.Node)
	f.Related = append(f.Related,
		rule.Related{Place: rule.AtStep(&w.g.Nodes[from]), Role: report.RoleContext, Entry: w.entry, Message: "the copy, which the entry is not in"},
		rule.Related{Place: rule.AtStep(w.n), Role: report.RoleRival, Entry: w.entry, Message: w.entry.Name() + " empties it, the entry included"})
	for _, o := range rivals {
		if o.Src != r.Src && w.st.Comp.Between(w.entry, from, w.id, []component.Access{o}) != nil {
			f.Related = append(f.Related, rule.Related{Place: rule.AtStep(o.Node), Role: report.RoleOther, Entry: o.Entry, Message: "adds to it as well"})
		}
	}
	f.Related = append(f.Related, evidence.Spawns(r.Entry)...)
	if w.st.IsDrained(w.n.Loc) {
		f.Consequence = evidence.NeverConcludes(w.st)
	}
	f.Threat = w.threat(from, r)
	f.Fixes = append(w.takenOut(from), w.atOnce(from)...)
	f.Fixes = append(f.Fixes, w.locked(from, r)...)
	if w.g.Nodes[from].Op != flow.Call { // a lock would not reach over what a call reads
		f.Fixes = append(f.Fixes, w.shared(rivals)...)
	}
	f.Fixes = append(f.Fixes, w.takenAside(from)...)
	f.Fixes = append(f.Fixes, w.whatWasCopied(from)...)
	s.report(w.n.Src, f)
}

// counted reports a read-modify-write that meets another one.
func (w write) counted(s *survey) {
	if w.n.Op == flow.SetFlag && !shared(w.n.Obj) || field(w.n) {
		return
	}
	from := w.readBefore(func(n *flow.Node) bool {
		return (n.Op == flow.Read || n.Op == flow.GetFlag) && n.Stmt == w.n.Stmt
	})
	if from < 0 {
		return
	}
	rivals := w.rivals(func(n *flow.Node) bool {
		return n.Op == w.n.Op && n.Mode&flow.Update != 0 && !field(n) && (n.Op != flow.SetFlag || shared(n.Obj))
	})
	if w.takesTurns() || w.handsOn() {
		rivals = slices.DeleteFunc(rivals, func(a component.Access) bool { return a.Entry == w.entry })
	}
	r := w.st.Comp.Between(w.entry, from, w.id, rivals)
	if r == nil || !w.decides() {
		return
	}
	what := w.n.Loc.Root().Name
	if w.n.Op == flow.Put {
		what = evidence.Access(w.n)
	}
	f := w.finding(w.n, w.entry, fmt.Sprintf("%s is read, changed and written back: a change by %s in between is lost", what, name(r, w.entry)))
	f.Related = append(f.Related, evidence.RivalOf(r, w.entry, "changes it in the same way")...)
	f.Threat = w.threat(from, r)
	f.Consequence = what + " drifts, nothing corrects it, and what is decided by it goes wrong"
	resets := w.resets()
	for _, fix := range w.locked(from, r) {
		if !slices.ContainsFunc(resets, func(a component.Access) bool { return !sharesLock(a.Node, r) }) {
			f.Fixes = append(f.Fixes, fix)
		}
	}
	f.Fixes = append(f.Fixes, w.shared(append(rivals[:len(rivals):len(rivals)], resets...))...)
	f.Related = append(f.Related, w.others()...)
	s.report(w.n.Loc, f)
}

// resets returns the places that store something in the attribute, whatever it was: one that
// comes between the read and the write is lost like a change.
func (w write) resets() []component.Access {
	if w.n.Op != flow.SetFlag {
		return nil
	}
	var out []component.Access
	for _, a := range w.st.Comp.Accesses(w.n.Loc) {
		if a.Op == flow.SetFlag && a.Mode&(flow.Update|flow.Initial) == 0 && a.Entry.Role != flow.Init && shared(a.Obj) {
			out = append(out, a)
		}
	}
	return out
}

// sharesLock reports whether a step holds a lock that a rival holds.
func sharesLock(n *flow.Node, r *component.Rival) bool {
	return slices.ContainsFunc(n.Locks, func(h *flow.Value) bool {
		return slices.ContainsFunc(r.Locks, func(l *flow.Value) bool { return h.Loc != nil && h.Loc == l.Loc })
	})
}

// others returns the other places that change the location in the same way.
func (w write) others() []rule.Related {
	var out []rule.Related
	seen := map[ast.Node]bool{w.n.Src: true}
	for _, a := range w.st.Comp.Accesses(w.n.Loc) {
		if a.Op == w.n.Op && a.Mode&flow.Update != 0 && !seen[a.Src] {
			seen[a.Src] = true
			out = append(out, rule.Related{Place: rule.AtStep(a.Node), Role: report.RoleOther, Entry: a.Entry, Message: "changes it as well"})
		}
	}
	return out
}

// finding starts a finding at a step.
func (w write) finding(at *flow.Node, e *flow.Entry, message string) rule.Finding {
	return rule.Finding{
		Place: rule.AtStep(at), Function: at.Fn.Qual, Entry: e, Component: w.st.Comp.Class,
		Containers: []string{w.n.Loc.Root().Name}, Message: message, Shape: "lost:" + w.n.Loc.String(),
	}
}

// threat is that a rival comes between the read and the write.
func (w write) threat(from int32, r *component.Rival) *rule.Threat {
	read, write := rule.Step{Entry: w.entry, ID: from}, rule.Step{Entry: w.entry, ID: w.id, By: rule.TheFirst}
	return &rule.Threat{
		Property: rule.LosesNone, Status: w.st,
		Steps: []rule.Step{read, {Entry: r.Entry, ID: r.ID, By: rule.Another}, write},
		Undo:  []rule.Step{{Entry: w.entry, ID: from, By: rule.TheFirst}, write},
	}
}

// readBefore returns the last step before the write, in the order of the graph,
// that reads its location in a certain way and leads to it; -1 for none.
func (w write) readBefore(is func(*flow.Node) bool) int32 {
	for i := w.id - 1; i > 0; i-- {
		n := &w.g.Nodes[i]
		if is(n) && w.reads(n) && w.leads(i) {
			return i
		}
	}
	return -1
}

// walkedOver reports whether all walks from a copy to the write walk over the container
// once more, to its end: what has been added until then is seen there.
func (w write) walkedOver(from int32) bool {
	heads, once := map[*flow.Node]bool{}, map[int32]bool{}
	for i := range w.g.Nodes {
		n := &w.g.Nodes[i]
		if n.Op != flow.Iter || n.Loc != w.n.Loc {
			continue
		}
		once[int32(i)] = true
		for _, e := range n.Succ {
			if next := &w.g.Nodes[e.To]; next.Op == flow.Next || next.Op == flow.LoopHead && loopOver(next, n) {
				heads[next] = true // it may be left on the way
				delete(once, int32(i))
			}
		}
	}
	return w.g.Find(flow.Search{
		From: []int32{from}, After: true, Blind: true,
		Avoid: func(id int32, _ *flow.Node) bool { return once[id] },
		Edge: func(n *flow.Node, e flow.Edge) bool {
			if e.Kind == flow.False && (n.Op == flow.Next || n.Op == flow.LoopHead) {
				return !heads[n]
			}
			return flow.KnownEdges(n, e)
		},
		Goal: func(id int32, _ *flow.Node, _ flow.Facts) bool { return id == w.id },
	}) == nil
}

// loopOver reports whether a head is that of the for statement that makes an iterator.
func loopOver(head, iter *flow.Node) bool {
	loop, ok := head.Src.(*ast.For)
	return ok && iter.Src != nil && ast.Encloses(loop.Iter, iter.Src)
}

// reads reports whether a step reads the location of the write, be it as an
// argument of a call.
func (w write) reads(n *flow.Node) bool {
	if n.Op == flow.Call {
		return n.Val != nil && takesWhole(n.Val, w.n.Loc)
	}
	return n.Loc == w.n.Loc
}

// takesWhole reports whether a container is an argument of a call.
func takesWhole(args *flow.Value, l *flow.Location) bool {
	for _, a := range args.Args {
		if (a.Kind == flow.Container || a.Kind == flow.View) && (a.Loc == l || a.Base != nil && a.Base.Kind == flow.Container && a.Base.Loc == l) {
			return true
		}
	}
	return false
}

// leads reports whether a step leads to the write within an iteration.
func (w write) leads(from int32) bool {
	return w.g.Find(flow.Search{
		From: []int32{from}, Blind: true,
		Goal: func(id int32, _ *flow.Node, _ flow.Facts) bool { return id == w.id },
		Stop: func(id int32) bool { return w.g.Nodes[id].Mode&flow.Forever != 0 },
	}) != nil
}

// rivals returns the writes of other entrypoints, or other instances, to the
// same location.
func (w write) rivals(is func(*flow.Node) bool) []component.Access {
	var out []component.Access
	for _, a := range w.st.Comp.Accesses(w.n.Loc) {
		if is(a.Node) && a.Mode&flow.Initial == 0 && evidence.MayBeSameKey(a.Node, w.n) && (a.Entry != w.entry || a.Entry.Many) {
			out = append(out, a)
		}
	}
	return out
}

// field reports whether a step changes an entry under a constant key: such a
// dictionary is a record, of statistics more often than not.
func field(n *flow.Node) bool { return n.Key != nil && n.Key.Kind == flow.Const }

// shared reports whether an object is one that several entrypoints have: self,
// or what an attribute refers to.
func shared(obj *flow.Value) bool {
	for obj != nil && obj.Kind == flow.Attribute {
		obj = obj.Base
	}
	return obj != nil && obj.Kind == flow.Param
}

// decides reports whether what the component does depends on the attribute.
func (w write) decides() bool {
	for _, e := range w.st.Comp.Entries {
		for i := range e.Graph.Nodes {
			n := &e.Graph.Nodes[i]
			if n.Op == flow.Branch && (dependsOn(n.Val, w.n.Loc) || dependsOn(n.Want, w.n.Loc)) && matters(e.Graph, n) {
				return true
			}
		}
	}
	return false
}

// matters reports whether the ways out of a branch lead to different effects.
// They do not where all that it decides is whether something is logged.
func matters(g *flow.Graph, n *flow.Node) bool {
	var first map[int32]bool
	for _, e := range n.Succ {
		if e.Kind == flow.Exc {
			continue
		}
		next := effects(g, e.To)
		if first == nil {
			first = next
		} else if !maps.Equal(first, next) {
			return true
		}
	}
	return false
}

// effects returns the first steps from a step on that do more than look.
func effects(g *flow.Graph, from int32) map[int32]bool {
	out := map[int32]bool{}
	seen := map[int32]bool{from: true}
	for todo := []int32{from}; len(todo) > 0; {
		id := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		n := &g.Nodes[id]
		if !looks(g, n) {
			out[id] = true
			continue
		}
		for _, e := range n.Succ {
			if e.Kind != flow.Exc && !seen[e.To] {
				seen[e.To] = true
				todo = append(todo, e.To)
			}
		}
	}
	return out
}

// looks reports whether a step has no effect but on what it yields, and a step
// that joins values, not even that.
func looks(g *flow.Graph, n *flow.Node) bool {
	switch n.Op {
	case flow.Nop, flow.Read, flow.Has, flow.Size, flow.GetFlag, flow.Branch, flow.Clock:
		return true
	case flow.Move:
		return !used(g, n.Res)
	}
	return false
}

// used reports whether any step takes a value, be it as a part of another one.
func used(g *flow.Graph, v *flow.Value) bool {
	seen := map[*flow.Value]bool{} // the values of a loop contain each other
	var contains func(w *flow.Value) bool
	contains = func(w *flow.Value) bool {
		switch {
		case w == nil || seen[w]:
			return false
		case w.Same(v):
			return true
		}
		seen[w] = true
		return slices.ContainsFunc(w.Args, contains) || slices.ContainsFunc(w.Path(), contains) || contains(w.Base)
	}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		for _, w := range []*flow.Value{n.Key, n.Val, n.Def, n.Want, n.Obj, n.Recv} {
			if contains(w) {
				return true
			}
		}
		if slices.ContainsFunc(n.Path, contains) {
			return true
		}
	}
	return false
}

func dependsOn(v *flow.Value, l *flow.Location) bool {
	if v == nil {
		return false
	}
	if v.Kind == flow.Result {
		return v.Loc == l
	}
	for _, a := range v.Args {
		if dependsOn(a, l) {
			return true
		}
	}
	return false
}

// name returns who a rival is, seen from an entrypoint.
func name(r *component.Rival, e *flow.Entry) string {
	if r.Entry == e {
		return "another " + e.Name()
	}
	return r.Entry.Name()
}

func does(n *flow.Node) string {
	switch n.Op {
	case flow.Del, flow.DelAll:
		return "removes from " + n.Loc.Root().Name
	case flow.Rebind:
		return "stores a filtered " + n.Loc.Root().Name + ", too"
	}
	return "inserts into " + n.Loc.Root().Name
}
