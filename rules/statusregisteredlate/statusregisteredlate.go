package statusregisteredlate

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

// Rule is KV111.
var Rule = &rule.Rule{
	ID: "KV111", Name: "status-registered-late", Severity: report.SeverityError,
	Doc: rule.ExtractDoc(doc), Analyzer: Analyzer,
}

// Analyzer finds requests that are published before they have a status.
var Analyzer = &analysis.Analyzer{
	Name:       "statusregisteredlate",
	Doc:        rule.ExtractDoc(doc),
	Run:        run,
	Requires:   []*analysis.Analyzer{status.Analyzer},
	ResultType: rule.FindingsType,
}

func run(pass *analysis.Pass) (any, error) {
	var out []rule.Finding
	for _, st := range pass.ResultOf[status.Analyzer].([]*status.Facts) {
		reported := map[rule.Place]bool{}
		for _, l := range st.Maps {
			c := check{st: st, status: l}
			for _, end := range st.Comp.Accesses(l) {
				f, ok := c.finding(end)
				if ok && !reported[f.Place] {
					reported[f.Place] = true
					out = append(out, f)
				}
			}
		}
	}
	return out, nil
}

// check looks at one status map.
type check struct {
	st     *status.Facts
	status *flow.Location
}

// finding decides whether a conclusion that needs a status can come too early.
func (c *check) finding(end component.Access) (rule.Finding, bool) {
	if end.Op != flow.Put || end.Key == nil || !c.st.MayConclude(end.Node) || !evidence.Requires(end, c.status) || handedOn(end) {
		return rule.Finding{}, false
	}
	g := end.Entry.Graph
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Op != flow.Del || n.Key == nil || n.Loc.Outer != nil || c.st.IsMap(n.Loc) || !n.Key.Same(end.Key) {
			continue
		}
		del := component.Access{Entry: end.Entry, ID: int32(i), Node: n}
		if c.st.Comp.Group(n.Loc) != c.st.Comp.Group(c.status) || !evidence.Requires(del, c.status) {
			continue
		}
		published := evidence.InsertedBefore(c.st, n.Loc, c.status, end)
		if published == nil {
			continue
		}
		if first, ok := c.registered(*published); ok {
			if c.marks(end) {
				return rule.Finding{}, false
			}
			return c.report(*published, first, end, del), true
		}
	}
	return rule.Finding{}, false
}

// handedOn reports whether a conclusion is about a request that came through a
// queue of the program: whoever put it there has registered it.
func handedOn(end component.Access) bool {
	n := evidence.Origin(end)
	return n != nil && (n.Op == flow.Dequeue || n.Op == flow.Del && n.Mode&flow.AnyKey != 0)
}

// registered returns the step that gives a published request its first status:
// after the publication, or in an entrypoint that looks the publication up.
func (c *check) registered(published component.Access) (component.Access, bool) {
	key := published.Key
	for _, a := range c.st.Comp.Accesses(c.status) {
		if a.Op != flow.Put || a.Key == nil || a.Mode&flow.Update != 0 || c.st.MayConclude(a.Node) || evidence.Requires(a, c.status) {
			continue
		}
		if a.Entry == published.Entry {
			it := evidence.IterationAround(a.Entry.Graph, published.ID, key)
			if a.Key.Same(key) && it.Reaches(published.ID, a.ID) {
				return a, true
			}
			continue
		}
		if c.looksUp(a, published.Loc) {
			return a, true
		}
	}
	return component.Access{}, false
}

// looksUp reports whether the entrypoint of a store uses the key in another
// container before.
func (c *check) looksUp(a component.Access, l *flow.Location) bool {
	for v := a.Key; v != nil; v = v.Base {
		if v.Kind == flow.Container && v.Loc == l {
			return true
		}
	}
	return evidence.Requires(a, l)
}

// marks reports whether the handler does something with the key when there is no
// status: it leaves a mark, or ends the request in another way.
func (c *check) marks(end component.Access) bool {
	g := end.Entry.Graph
	it := evidence.IterationAround(g, end.ID, end.Key)
	for i := range g.Nodes {
		n := &g.Nodes[i]
		for _, e := range n.Succ {
			gd, ok := evidence.GuardAt(g, int32(i), e)
			if !ok || gd.Holds || gd.Read.Loc != c.status || !component.RootKey(gd.Read).Same(end.Key) || !parts(it, n, e, end.ID) {
				continue
			}
			acts := it.From(e.To, func(_ int32, m *flow.Node, _ flow.Facts) bool {
				return m.Op == flow.Put && m.Key.Same(end.Key) && len(m.Path) == 0
			})
			if acts != nil {
				return true
			}
		}
	}
	return false
}

// ignores returns the look for a status after which the handler drops an event
// about a request without one, or -1.
func (c *check) ignores(end component.Access) int32 {
	g := end.Entry.Graph
	it := evidence.IterationAround(g, end.ID, end.Key)
	for i := range g.Nodes {
		n := &g.Nodes[i]
		for _, e := range n.Succ {
			gd, ok := evidence.GuardAt(g, int32(i), e)
			if ok && gd.Read.Loc == c.status && component.RootKey(gd.Read).Same(end.Key) && parts(it, n, e, end.ID) {
				return gd.ID
			}
		}
	}
	return -1
}

// parts reports whether a branch leads to a step by another edge only.
func parts(it evidence.Iteration, n *flow.Node, e flow.Edge, to int32) bool {
	if it.Reaches(e.To, to) {
		return false
	}
	for _, other := range n.Succ {
		if other.To != e.To && it.Reaches(other.To, to) {
			return true
		}
	}
	return false
}

func (c *check) report(published, first, end, del component.Access) rule.Finding {
	p := published
	f := rule.Finding{
		Place: evidence.AccessPlace(p.Node), Function: p.Fn.Qual, Entry: p.Entry, Component: c.st.Comp.Class,
		Containers: []string{p.Loc.Name, c.status.Name}, Key: evidence.KeyText(p.Node), Shape: "late:" + c.status.Name,
		Message: fmt.Sprintf("%s is stored before %s has the key: %s ignores a request without a status",
			evidence.Access(p.Node), c.status.Name, end.Entry.Name()),
		Consequence: evidence.NeverConcludes(c.st),
	}
	f.Related = []rule.Related{
		{Place: rule.AtStep(first.Node), Role: report.RoleContext, Entry: first.Entry,
			Message: fmt.Sprintf("%s gives the request its status, later", first.Entry.Name())},
		{Place: rule.AtStep(end.Node), Role: report.RoleRival, Entry: end.Entry,
			Message: fmt.Sprintf("%s concludes the request only when it has a status, and drops the event otherwise", end.Entry.Name())},
		{Place: rule.AtStep(del.Node), Role: report.RoleRival, Entry: del.Entry,
			Message: fmt.Sprintf("%s removes %s then as well", del.Entry.Name(), evidence.Access(del.Node))},
	}
	f.Related = append(f.Related, evidence.Spawns(end.Entry)...)
	f.Fixes = append(remedy.StoreFirst(p, first, "store the status first"), c.widened(p, end)...)
	f.Threat = &rule.Threat{Property: rule.Concludes, Status: c.st, Steps: []rule.Step{{Entry: p.Entry, ID: p.ID}}}
	if g := c.ignores(end); g >= 0 {
		f.Threat.Steps = append(f.Threat.Steps, rule.Step{Entry: end.Entry, ID: g, When: rule.Absent})
	}
	return f
}

// widened suggests to conclude a request that is published without a status, too: the
// test of the handler accepts it.
func (c *check) widened(published, end component.Access) []rule.Fix {
	g := c.ignores(end)
	if g < 0 || end.Stmt == nil || published.Loc.Outer != nil {
		return nil
	}
	read := &end.Entry.Graph.Nodes[g]
	var guard *ast.If
	ast.Inspect(end.Fn.Node, func(n ast.Node) bool {
		st, ok := n.(*ast.If)
		if ok && read.Src != nil && ast.Encloses(st.Test, read.Src) && ast.Covers(st.Body, end.Stmt) {
			guard = st
		}
		return guard == nil
	})
	key := evidence.KeyArg(end.Node)
	place := remedy.Ending{Facts: c.st, Func: end.Fn, Key: key}
	known, status := place.Container(published.Loc), place.Container(c.status)
	if guard == nil || read.Fn != end.Fn || key == "" || known == "" || status == "" {
		return nil
	}
	test := rule.Text(end.Node, guard.Test) + " or " + key + " in " + known
	if cmp, ok := guard.Test.(*ast.Compare); !ok || len(cmp.Ops) != 1 || cmp.Ops[0] != ast.In {
		test += " and " + key + " not in " + status
	}
	edit := patch.NewEditor(end.Mod.AST).ReplaceExpr(guard.Test, test)
	return []rule.Fix{{Description: "conclude a request without a status as well", Safety: report.SafetyReview, Edits: []patch.Edit{edit}}}
}
