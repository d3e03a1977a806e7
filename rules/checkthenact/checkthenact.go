package checkthenact

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

// Rule is KV201.
var Rule = &rule.Rule{
	ID: "KV201", Name: "check-then-act", Severity: report.SeverityError,
	Doc: rule.ExtractDoc(doc), Analyzer: Analyzer, Across: true,
}

// Analyzer finds strict accesses that rest on a check which does not hold.
var Analyzer = &analysis.Analyzer{
	Name:       "checkthenact",
	Doc:        rule.ExtractDoc(doc),
	Run:        run,
	Requires:   []*analysis.Analyzer{status.Analyzer},
	ResultType: rule.FindingsType,
}

func run(pass *analysis.Pass) (any, error) {
	s := survey{byPlace: map[rule.Place]int{}}
	for _, st := range pass.ResultOf[status.Analyzer].([]*status.Facts) {
		for _, e := range st.Comp.Entries {
			if e.Role != flow.Init {
				s.look(st, e)
			}
		}
	}
	var out []rule.Finding
	seen := map[ast.Node]bool{}
	for _, u := range s.uses {
		seen[u.lapse.Access.Src] = true
	}
	for _, c := range causes(s.groups()) {
		out = append(out, c.finding())
	}
	for _, st := range pass.ResultOf[status.Analyzer].([]*status.Facts) {
		out = append(out, doubted(st, seen)...)
	}
	return out, nil
}

// use is a strict access that can fail.
type use struct {
	st    *status.Facts
	entry *flow.Entry
	lapse *evidence.Lapse
	site  evidence.Site
}

// survey collects the uses of a program, one for each place.
type survey struct {
	uses    []use
	byPlace map[rule.Place]int
}

func (s *survey) look(st *status.Facts, e *flow.Entry) {
	for i := range e.Graph.Nodes {
		n := &e.Graph.Nodes[i]
		if n.Mode&flow.Strict == 0 || n.Key == nil || n.Loc == nil || !evidence.Escapes(e.Graph, int32(i)) {
			continue
		}
		a := component.Access{Entry: e, ID: int32(i), Node: n}
		l := evidence.LapseOf(st.Comp, a)
		if l == nil {
			continue
		}
		u := use{st: st, entry: e, lapse: l}
		u.site = evidence.SiteFor(n, u.before())
		s.add(u)
	}
}

func (s *survey) add(u use) {
	i, have := s.byPlace[u.site.Place]
	switch {
	case !have:
		s.byPlace[u.site.Place] = len(s.uses)
		s.uses = append(s.uses, u)
	case u.better(s.uses[i]):
		s.uses[i] = u
	}
}

// group is the uses that rest on one check of one container, directly or through
// each other, by place.
type group struct {
	uses []use
}

func (s *survey) groups() []*group {
	sort.SliceStable(s.uses, func(i, j int) bool {
		a, b := s.uses[i].site, s.uses[j].site
		if a.Mod != b.Mod {
			return a.Mod.File < b.Mod.File
		}
		return a.From < b.From
	})
	var out []*group
	for _, u := range s.uses {
		if g := groupOf(out, u); g != nil {
			g.uses = append(g.uses, u)
		} else {
			out = append(out, &group{uses: []use{u}})
		}
	}
	return out
}

func groupOf(groups []*group, u use) *group {
	ground := u.before().Src
	for _, g := range groups {
		for _, v := range g.uses {
			if v.lapse.Access.Loc == u.lapse.Access.Loc && (v.before().Src == ground || v.lapse.Access.Src == ground) {
				return g
			}
		}
	}
	return nil
}

// cause is the groups of one function, by place, that one removal of one container
// breaks.
type cause struct {
	groups []*group
}

func causes(groups []*group) []*cause {
	type breach struct {
		fn      *program.Func
		loc     *flow.Location
		removal rule.Place
	}
	var out []*cause
	known := map[breach]*cause{}
	for _, g := range groups {
		u := g.uses[0]
		if u.lapse.Rival == nil {
			out = append(out, &cause{groups: []*group{g}})
			continue
		}
		b := breach{u.site.Fn, u.lapse.Access.Loc, rule.AtStep(u.lapse.Rival.Node)}
		if c := known[b]; c != nil {
			c.groups = append(c.groups, g)
			continue
		}
		known[b] = &cause{groups: []*group{g}}
		out = append(out, known[b])
	}
	return out
}

// before returns the step that the use rests on.
func (u use) before() *flow.Node {
	if u.lapse.Own != 0 {
		return &u.entry.Graph.Nodes[u.lapse.Own]
	}
	return &u.entry.Graph.Nodes[u.lapse.Check.ID]
}

// better reports whether a use shows the danger better than another one at the
// same place: it ends a thread, or its rival removes just this key.
func (u use) better(v use) bool {
	if a, b := u.entry.Role == flow.ThreadOf, v.entry.Role == flow.ThreadOf; a != b {
		return a
	}
	if a, b := u.athome(), v.athome(); a != b {
		return a
	}
	return u.lapse.Rival != nil && v.lapse.Rival != nil && u.lapse.Rival.Op == flow.Del && v.lapse.Rival.Op != flow.Del
}

// athome reports whether the entrypoint belongs to the class that the code of the
// use is written in.
func (u use) athome() bool {
	m := u.site.Fn.SelfFunc()
	return m != nil && m.Class == u.entry.Class
}

// threat is that the use raises, after the check and the removal that the finding
// speaks of.
func (u use) threat() *rule.Threat {
	t := &rule.Threat{Property: rule.Survives, Status: u.st, Then: []rule.Step{{Entry: u.entry, ID: u.lapse.Access.ID}}}
	from := u.lapse.Own
	if from == 0 {
		from = u.lapse.Check.ID
	}
	t.Steps = []rule.Step{{Entry: u.entry, ID: from}}
	switch u.entry.Graph.Nodes[from].Op {
	case flow.Has, flow.Read:
		t.Steps[0].When = rule.Present
	}
	if r := u.lapse.Rival; r != nil {
		t.Steps = append(t.Steps, rule.Step{Entry: r.Entry, ID: r.ID, By: rule.Another})
		t.Then[0].By = rule.TheFirst
		t.Undo = []rule.Step{{Entry: u.entry, ID: from, By: rule.TheFirst}, t.Then[0]}
	}
	return t
}

func (c *cause) finding() rule.Finding {
	u := c.groups[0].uses[0]
	a, n := u.lapse.Access, u.lapse.Access.Node
	f := rule.Finding{
		Place: u.site.Place, Function: u.site.Fn.Qual, Entry: u.entry, Component: u.st.Comp.Class,
		Containers: []string{a.Loc.Root().Name}, Key: evidence.KeyText(n),
		Message:     u.message(),
		Consequence: evidence.Raised(u.entry, evidence.Exception(n)),
		Shape:       u.shape(),
		Threat:      u.threat(),
	}
	f.Related = append(f.Related, rule.Related{Place: rule.AtStep(u.before()), Role: report.RoleGuard, Entry: u.entry, Message: u.ground()})
	if u.site.Src != n.Src {
		f.Related = append(f.Related, rule.Related{Place: rule.AtStep(n), Role: report.RoleContext, Entry: u.entry, Message: "the access that fails"})
	}
	if r := u.lapse.Rival; r != nil {
		f.Related = append(f.Related, evidence.RivalOf(r, u.entry, "removes "+evidence.Access(r.Node))...)
	}
	f.Related = append(f.Related, c.others()...)
	f.Related = append(f.Related, evidence.TolerantElsewhere(u.st.Comp, a)...)
	f.Fixes = c.fixes()
	return f
}

// others returns the uses beside the first one.
func (c *cause) others() []rule.Related {
	var out []rule.Related
	for i, g := range c.groups {
		uses := g.uses
		if i == 0 {
			uses = uses[1:]
		}
		for _, v := range uses {
			out = append(out, rule.Related{Place: v.site.Place, Role: report.RoleOther, Entry: v.entry, Message: "takes the entry for present as well"})
		}
	}
	return out
}

// shape tells a use from others of the same container in the same function.
func (u use) shape() string {
	b := u.before()
	if st, ok := b.Stmt.(*ast.If); ok {
		return fmt.Sprintf("%s:%v:%s", u.lapse.Access.Loc, u.lapse.Access.Op, rule.Text(b, st.Test))
	}
	return fmt.Sprintf("%s:%v:%v", u.lapse.Access.Loc, u.lapse.Access.Op, u.lapse.Check.Kind)
}

// verbs for what was done first and what is done then.
var (
	first = map[evidence.CheckKind]string{
		evidence.Tested: "tested", evidence.WasRead: "read", evidence.Inserted: "inserted",
		evidence.Iterated: "taken from a copy", evidence.Companion: "taken for present",
	}
	then = map[flow.Op]string{flow.Read: "read", flow.Del: "removed"}
)

func (u use) message() string {
	n := u.lapse.Access.Node
	act := then[n.Op] + " as if it were still there"
	if u.lapse.Own != 0 {
		return fmt.Sprintf("%s is removed, then %s", evidence.Access(n), act)
	}
	name := u.lapse.Rival.Entry.Name()
	if u.lapse.Rival.Entry == u.entry {
		name = "another " + name
	}
	before := first[u.lapse.Check.Kind]
	if b := u.before(); u.lapse.Check.Kind == evidence.Iterated && b.Mode&flow.Live != 0 {
		before = "met on a walk"
	}
	return fmt.Sprintf("%s is %s, then %s: %s can remove it in between", evidence.Access(n), before, act, name)
}

// ground words what a use rests on.
func (u use) ground() string {
	b := u.before()
	switch {
	case u.lapse.Own != 0:
		return fmt.Sprintf("%s removes the entry before", u.entry.Name())
	case u.lapse.Check.Kind == evidence.Companion:
		return fmt.Sprintf("holds for %s, which says nothing about %s", b.Loc.Root().Name, u.lapse.Access.Loc.Root().Name)
	case u.lapse.Rival.How == component.AtAwait:
		return "no longer holds after the next await"
	}
	return "no longer holds at the next step"
}
