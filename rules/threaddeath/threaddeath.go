package threaddeath

import (
	_ "embed"
	"fmt"
	"sort"

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

// Rule is KV205.
var Rule = &rule.Rule{
	ID: "KV205", Name: "thread-death", Severity: report.SeverityError,
	Doc: rule.ExtractDoc(doc), Analyzer: Analyzer, Across: true,
}

// Analyzer finds exceptions that leave the loop of a thread.
var Analyzer = &analysis.Analyzer{
	Name:       "threaddeath",
	Doc:        rule.ExtractDoc(doc),
	Run:        run,
	Requires:   []*analysis.Analyzer{flow.Analyzer, status.Analyzer},
	ResultType: rule.FindingsType,
}

func run(pass *analysis.Pass) (any, error) {
	var out []rule.Finding
	index := pass.ResultOf[flow.Analyzer].(*flow.Program).Index
	reported := map[*program.Func]bool{}
	for _, st := range pass.ResultOf[status.Analyzer].([]*status.Facts) {
		for _, e := range st.Comp.Entries {
			if e.Role != flow.ThreadOf || reported[e.Func] {
				continue
			}
			t := thread{index: index, st: st, entry: e, g: e.Graph, head: evidence.ServiceLoop(e.Graph)}
			if t.head < 0 {
				continue
			}
			if f, ok := t.finding(); ok {
				reported[e.Func] = true
				out = append(out, f)
			}
		}
	}
	return out, nil
}

// thread is an entrypoint that loops for ever.
type thread struct {
	index *program.Program
	st    *status.Facts
	entry *flow.Entry
	g     *flow.Graph
	head  int32

	blocks   map[blockID]*said
	waitsAt  []ast.Node
	getsLast *ast.Pos
	clearAt  []bool         // which statements of the loop an iteration comes to without a debt
	inside   map[int32]bool // what the loop comes to
	early    map[int32]bool // what it comes to before it has waited for something
}

// kind is the sort of a step that ends a thread, the most telling first.
type kind uint8

const (
	absent kind = iota
	failed
	raised
	mismatched // a message of another length, an object of another class
)

// end is a step that can end the thread.
type end struct {
	id   int32
	n    *flow.Node
	kind kind
}

func (t *thread) finding() (rule.Finding, bool) {
	ends := t.ends()
	if len(ends) == 0 {
		return rule.Finding{}, false
	}
	d := ends[0]
	f := rule.Finding{
		Place: rule.AtStep(d.n), Function: d.n.Fn.Qual, Entry: t.entry, Component: t.st.Comp.Class,
		Message: fmt.Sprintf("%s, and nothing in the loop of %s handles that", t.what(d), t.entry.Name()),
		Shape:   "thread:" + t.entry.Name(),
		Consequence: fmt.Sprintf("%s; whatever it would have handled from then on waits for ever",
			evidence.Raised(t.entry, evidence.Exception(d.n))),
		Threat: &rule.Threat{Property: rule.Survives, Status: t.st, Then: []rule.Step{{Entry: t.entry, ID: d.id}}},
	}
	if d.n.Loc != nil {
		f.Containers, f.Key = []string{d.n.Loc.Root().Name}, evidence.KeyText(d.n)
	}
	loop, _ := evidence.LoopOf(&t.g.Nodes[t.head])
	f.Related = append(f.Related, rule.Related{
		Place: rule.At(t.g.Nodes[t.head].Mod, loop), Role: report.RoleContext, Entry: t.entry, Message: "the loop that ends",
	})
	if r := t.remover(d); r != nil {
		f.Related = append(f.Related, rule.Related{
			Place: rule.AtStep(r.Node), Role: report.RoleRival, Entry: r.Entry,
			Message: fmt.Sprintf("%s removes %s", r.Entry.Name(), evidence.Access(r.Node)),
		})
	}
	for _, o := range ends[1:] {
		f.Related = append(f.Related, rule.Related{Place: rule.AtStep(o.n), Role: report.RoleOther, Entry: t.entry, Message: t.what(o)})
	}
	f.Related = append(f.Related, evidence.Spawns(t.entry)...)
	f.Related = append(f.Related, t.siblings()...)
	f.Fixes = t.fixes(ends)
	return f, true
}

// ends returns the steps of the loop whose exception leaves it, one for each
// place, the most telling first. Messages of another length or class alone are not
// worth a word: their sender is of the same program.
func (t *thread) ends() []end {
	var out []end
	seen := map[ast.Node]bool{}
	for i := range t.g.Nodes {
		n := &t.g.Nodes[i]
		k, ok := t.kindOf(int32(i), n)
		if !ok || seen[n.Src] || !t.escapes(int32(i), k) || !t.inLoop(int32(i)) || t.caughtAround(n) {
			continue
		}
		seen[n.Src] = true
		out = append(out, end{int32(i), n, k})
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].kind < out[j].kind })
	if len(out) > 0 && out[0].kind == mismatched {
		return nil
	}
	return out
}

// escapes reports whether the exception of a step leaves the thread. A handler
// that raises again wants the thread to end, but not for an absent entry.
func (t *thread) escapes(id int32, k kind) bool {
	if k == absent {
		return evidence.Escapes(t.g, id)
	}
	return evidence.Unhandled(t.g, id)
}

// inLoop reports whether the loop of the thread comes to a step before it is over.
func (t *thread) inLoop(id int32) bool {
	if !evidence.Inside(&t.g.Nodes[id], &t.g.Nodes[t.head]) {
		return false
	}
	if t.inside == nil {
		t.inside = t.reached(nil)
	}
	return t.inside[id]
}

// kindOf reports whether, and in which way, a step raises by itself.
func (t *thread) kindOf(id int32, n *flow.Node) (kind, bool) {
	switch n.Op {
	case flow.Read, flow.Del:
		a := component.Access{Entry: t.entry, ID: id, Node: n}
		return absent, n.Mode&flow.Strict != 0 && n.Key != nil && t.mayBeAbsent(a)
	case flow.Assert:
		if t.ofOtherClass(n) {
			return mismatched, t.aboutItem(id)
		}
		return failed, t.aboutItem(id) && !t.asksSource(n)
	case flow.Raise:
		if aboutLengths(n) || t.ofOtherClass(n) {
			return mismatched, n.Mode&flow.Reraise == 0 && !inHandler(n)
		}
		return raised, n.Mode&flow.Reraise == 0 && !inHandler(n) && !t.orphaned(n) && !t.asksSource(n)
	case flow.Call:
		return mismatched, n.Name == "unpack" && t.foreign(n.Val)
	}
	return 0, false
}

// mayBeAbsent reports whether a strict access has nothing to rest on: no step of
// the iteration has found or stored the entry, the key comes from a message, and
// somebody removes entries. What rests on a check that does not hold is a matter
// of KV201.
func (t *thread) mayBeAbsent(a component.Access) bool {
	return t.foreign(component.RootKey(a.Node)) && len(a.Path) == 0 &&
		t.removal(a) != nil && evidence.Unchecked(t.st.Comp, a) && evidence.LapseOf(t.st.Comp, a) == nil
}

// remover returns the removal that a strict access fails after, or nil.
func (t *thread) remover(d end) *component.Access {
	if d.kind != absent {
		return nil
	}
	return t.removal(component.Access{Entry: t.entry, ID: d.id, Node: d.n})
}

// removal returns a step that can have taken the entry of an access out before, or nil: none
// that comes only when the thread has ended, or is done with the entry.
func (t *thread) removal(a component.Access) *component.Access {
	for _, r := range evidence.Removers(t.st.Comp, a) {
		if !t.st.Comp.Behind(a, r) {
			return &r
		}
	}
	return nil
}

// foreign reports whether a value comes from outside of the thread: from a queue
// or from what the loop receives.
func (t *thread) foreign(v *flow.Value) bool {
	return evidence.FromMessage(t.g, v, func(id int32) bool { return t.g.Nodes[id].Op == flow.Dequeue || t.inLoop(id) })
}

// aboutItem reports whether the condition of a failing assert depends on a
// message or on shared state.
func (t *thread) aboutItem(id int32) bool {
	for _, p := range t.g.Nodes[id].Pred {
		n := &t.g.Nodes[p]
		if n.Op != flow.Branch || t.madeFor(n, &t.g.Nodes[id]) {
			continue
		}
		if t.foreign(n.Val) || t.foreign(n.Want) {
			return true
		}
		if at := t.g.Producer(n.Val); at >= 0 && t.g.Nodes[at].Key != nil {
			return t.removal(component.Access{Entry: t.entry, ID: at, Node: &t.g.Nodes[at]}) != nil
		}
	}
	return false
}

// inHandler reports whether a statement stands in an except clause.
func inHandler(n *flow.Node) bool {
	found := false
	for _, st := range n.Fn.Body() {
		ast.Inspect(st, func(x ast.Node) bool {
			if h, ok := x.(*ast.ExceptHandler); ok && ast.Encloses(h, n.Src) {
				found = true
			}
			return !found
		})
	}
	return found
}

// orphaned reports whether a raise tells that an object which is only referred to
// weakly is gone: the thread has nobody left to work for then.
func (t *thread) orphaned(n *flow.Node) bool {
	gone := map[string]bool{} // variables that hold what a weak reference yields
	found := false
	for _, st := range n.Fn.Body() {
		ast.Inspect(st, func(x ast.Node) bool {
			switch x := x.(type) {
			case *ast.Assign:
				if name, ok := x.Targets[0].(*ast.Name); ok && t.yieldsReferent(n.Fn, x.Value) {
					gone[name.Id()] = true
				}
			case *ast.If:
				cmp, ok := x.Test.(*ast.Compare)
				if !ok || len(cmp.Ops) != 1 || cmp.Ops[0] != ast.Is || x.Pos() > n.Src.Pos() || n.Src.End() > x.End() {
					return true
				}
				name, ok := cmp.Left.(*ast.Name)
				found = found || ok && gone[name.Id()]
			}
			return true
		})
	}
	return found
}

// yieldsReferent reports whether an expression calls a weak reference that an
// attribute keeps.
func (t *thread) yieldsReferent(f *program.Func, e ast.Expr) bool {
	call, ok := e.(*ast.Call)
	if !ok || len(call.Args()) > 0 || f.Class == nil {
		return false
	}
	at, ok := call.Func.(*ast.Attribute)
	if !ok {
		return false
	}
	owner := f.Class.AttrOwner(at.Attr())
	if owner == nil {
		return false
	}
	for _, d := range owner.Attrs[at.Attr()].Defs {
		if made, ok := d.Value.(*ast.Call); ok && t.index.Resolve(made.Func, d.Func, owner.Module).External == "weakref.ref" {
			return true
		}
	}
	return false
}

// what words how a step ends the thread.
func (t *thread) what(d end) string {
	switch d.kind {
	case absent:
		verb := "read"
		if d.n.Op == flow.Del {
			verb = "removed"
		}
		return fmt.Sprintf("%s is %s without a look whether it is there", evidence.Access(d.n), verb)
	case failed:
		return "an item can fail this assert"
	case raised:
		return fmt.Sprintf("an item can lead to this %s", d.n.Name)
	}
	if d.n.Op != flow.Call {
		return "an item of another length or class fails here"
	}
	return "a message of another length fails here"
}

// siblings returns the loops of other threads of the component that handle
// exceptions for each iteration, at most two.
func (t *thread) siblings() []rule.Related {
	var out []rule.Related
	for _, e := range t.st.Comp.Entries {
		if e.Role != flow.ThreadOf || e.Func == t.entry.Func {
			continue
		}
		head := evidence.ServiceLoop(e.Graph)
		if head < 0 {
			continue
		}
		n := &e.Graph.Nodes[head]
		_, body := evidence.LoopOf(n)
		for _, st := range body {
			if try, ok := st.(*ast.Try); ok && len(try.Handlers) > 0 && len(out) < 2 {
				out = append(out, rule.Related{
					Place: rule.At(n.Mod, try.Handlers[0]), Role: report.RoleSibling,
					Message: e.Name() + " handles exceptions for each iteration",
				})
			}
		}
	}
	return out
}
