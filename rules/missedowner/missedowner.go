package missedowner

import (
	_ "embed"
	"fmt"
	"slices"
	"sort"

	"golang.org/x/tools/go/analysis"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/rule"
)

//go:embed doc.go
var doc string

// Rule is KV109.
var Rule = &rule.Rule{
	ID: "KV109", Name: "missed-owner", Severity: report.SeverityWarning,
	Doc: rule.ExtractDoc(doc), Analyzer: Analyzer,
}

// Analyzer finds scans that leave out a place.
var Analyzer = &analysis.Analyzer{
	Name:       "missedowner",
	Doc:        rule.ExtractDoc(doc),
	Run:        run,
	Requires:   []*analysis.Analyzer{flow.Analyzer},
	ResultType: rule.FindingsType,
}

func run(pass *analysis.Pass) (any, error) {
	p := pass.ResultOf[flow.Analyzer].(*flow.Program)
	var out []rule.Finding
	for _, c := range p.Index.Classes {
		if !p.Concerns(c) || !answers(c) {
			continue
		}
		o := newObject(p.Index, c)
		o.flow = p
		if len(o.moves) > 0 || len(o.owners) > 2 {
			for _, f := range o.findings() {
				f.Threat = f.unseen(p)
				out = append(out, f.Finding)
			}
		}
	}
	return out, nil
}

// answers reports whether a class has a public method of its own, of which there can
// be a finding.
func answers(c *program.Class) bool {
	return slices.ContainsFunc(c.MethodList(), func(f *program.Func) bool {
		return f.SelfFunc() == f && f.Public() && f.Name != "__init__"
	})
}

// findings returns the scans of the object that leave out a place.
func (o *object) findings() []missed {
	var out []missed
	for _, m := range o.methods {
		if m.fn.Class != o.class || !m.fn.Public() {
			continue
		}
		seen := o.seen(m, 0)
		missing := ""
		switch {
		case m.scans() && m.acts:
			missing = o.missedBy(m, seen)
			if f, ok := o.unlooked(m); ok {
				out = append(out, f)
			}
		case m.asks():
			missing = o.forgotten(seen)
		}
		if missing == "" && (m.asks() || m.tallies()) {
			if f, ok := o.unasked(m); ok {
				out = append(out, f)
			}
		}
		if missing != "" {
			out = append(out, o.finding(m, seen, missing))
		}
	}
	return out
}

// missedBy returns a place that an abort does not look in, or "".
func (o *object) missedBy(m *method, seen map[string]bool) string {
	for _, set := range o.sets() {
		visited := 0
		for _, a := range set {
			if m.looked[a] {
				visited++
			}
		}
		if visited == 0 {
			continue
		}
		for _, a := range set {
			if seen[a] || o.objects[a] && !o.filled(a) || o.isIndex(a, set) || o.together(a, m.looked, false) || o.withinOne(a) || o.noted(m, a) {
				continue
			}
			if visited >= 2 && len(set) >= 3 && o.leads(a, set) || o.queueBefore(a, m.looked) {
				return a
			}
		}
	}
	return ""
}

// onDemand reports whether items move on from a place only when a message asks for it.
func (o *object) onDemand(a string) bool {
	found := false
	for _, mv := range o.moves {
		if mv.from != a {
			continue
		}
		if !o.flow.Handler(mv.fn) {
			return false
		}
		found = true
	}
	return found
}

// forgotten returns a place that an abort looks in together with all that a
// predicate asks about, or "".
func (o *object) forgotten(seen map[string]bool) string {
	for _, m := range o.methods {
		if !m.scans() || !m.fn.Public() {
			continue
		}
		all := m.looked
		common, rest := 0, ""
		for _, a := range o.owners {
			switch {
			case seen[a] && all[a]:
				common++
			case all[a] && rest == "" && o.filled(a) && !o.isIndex(a, o.owners) && !o.together(a, seen, true) && !o.sink(a) && !o.onDemand(a):
				rest = a
			}
		}
		if common >= 2 && rest != "" {
			return rest
		}
	}
	return ""
}

func (o *object) finding(m *method, seen map[string]bool, missing string) missed {
	var visited []string
	for _, a := range o.owners {
		if seen[a] {
			visited = append(visited, a)
		}
	}
	sort.Strings(visited)
	f := rule.Finding{
		Place: rule.AtName(m.fn), Function: m.fn.Qual, Component: o.class,
		Containers: append([]string{missing}, visited...), Shape: "misses:" + missing,
		Message: fmt.Sprintf("%s looks in %s and not in %s, where a request can be as well", m.fn.Qual, list(visited), missing),
	}
	for _, e := range o.moves {
		if e.from == missing || e.to == missing {
			f.Related = append(f.Related, rule.Related{
				Place: rule.At(e.fn.Module, e.at), Role: report.RoleRival,
				Message: fmt.Sprintf("%s moves requests from %s to %s", e.fn.Qual, e.from, e.to),
			})
		}
	}
	if len(f.Related) == 0 {
		for _, p := range o.puts {
			if p.to == missing {
				f.Related = append(f.Related, rule.Related{
					Place: rule.At(p.fn.Module, p.at), Role: report.RoleRival, Message: fmt.Sprintf("%s puts requests there", p.fn.Qual),
				})
				break
			}
		}
	}
	var alike []string
	for _, a := range visited {
		if o.plain(a) {
			alike = append(alike, a)
		}
	}
	switch {
	case o.plain(missing):
		slices.SortStableFunc(alike, func(a, b string) int { return o.apart(a, missing) - o.apart(b, missing) })
		f.Fixes = likewise(m.fn, alike, missing)
	case o.slots[missing]:
		f.Fixes = likewiseSlot(m.fn, o.sources(alike, missing), missing)
	case o.queues[missing]:
		f.Fixes = o.movedFirst(m, missing)
	}
	f.Consequence = fmt.Sprintf("an abort of a request that is in %s is lost; the request keeps its memory and goes on for nobody", missing)
	if m.asks() {
		f.Consequence = fmt.Sprintf("with requests left in %s the answer is that nothing is left; whoever asks stops what would move them on", missing)
	}
	out := missed{Finding: f, fn: m.fn, class: o.class, place: missing}
	for _, a := range visited {
		out.seen = append(out.seen, owner{o.class, a})
	}
	return out
}

// sources returns those of some places from which items move to another one.
func (o *object) sources(places []string, to string) []string {
	return slices.DeleteFunc(slices.Clone(places), func(a string) bool {
		return !slices.ContainsFunc(o.moves, func(m move) bool { return m.from == a && m.to == to })
	})
}

// apart is 0 for two places from which items move on to the same one, so that what is
// in them is alike, else 1.
func (o *object) apart(a, b string) int {
	for _, m := range o.moves {
		for _, n := range o.moves {
			if m.from == a && n.from == b && m.to == n.to {
				return 0
			}
		}
	}
	return 1
}

// plain reports whether a place is a container that one can walk over.
func (o *object) plain(a string) bool { return !o.slots[a] && !o.queues[a] && !o.objects[a] }

func list(names []string) string {
	out := ""
	for i, n := range names {
		switch {
		case i == 0:
		case i == len(names)-1:
			out += " and "
		default:
			out += ", "
		}
		out += n
	}
	return out
}

// scans reports whether a method takes a request and looks for it: it has an
// argument that it compares or looks up, and moves nothing.
func (m *method) scans() bool {
	return len(m.fn.Params) > 1 && len(m.looked) > 0 && !m.moves && !m.puts
}

// asks reports whether a method only returns a condition.
func (m *method) asks() bool {
	if len(m.fn.Params) != 1 || m.fn.Kind == program.StaticMethod {
		return false
	}
	body := m.fn.Body()
	if len(body) > 0 {
		if e, ok := body[0].(*ast.ExprStmt); ok {
			if _, doc := e.Value.(*ast.Constant); doc {
				body = body[1:]
			}
		}
	}
	if len(body) != 1 {
		return false
	}
	ret, ok := body[0].(*ast.Return)
	return ok && condition(ret.Value)
}

// condition reports whether an expression yields a truth value.
func condition(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BoolOp, *ast.Compare:
		return true
	case *ast.UnaryOp:
		return e.Op == ast.Not
	case *ast.Call:
		n, ok := e.Func.(*ast.Name)
		return ok && (n.Id() == "any" || n.Id() == "all" || n.Id() == "bool")
	}
	return false
}
