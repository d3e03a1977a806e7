package partialcleanup

import (
	_ "embed"

	"golang.org/x/tools/go/analysis"

	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/parser/facts/status"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/rule"
)

//go:embed doc.go
var doc string

// Rule is KV301.
var Rule = &rule.Rule{
	ID: "KV301", Name: "partial-cleanup", Severity: report.SeverityWarning,
	Doc: rule.ExtractDoc(doc), Analyzer: Analyzer,
}

// Analyzer finds the ends of requests that leave entries behind.
var Analyzer = &analysis.Analyzer{
	Name:       "partialcleanup",
	Doc:        rule.ExtractDoc(doc),
	Run:        run,
	Requires:   []*analysis.Analyzer{flow.Analyzer, status.Analyzer},
	ResultType: rule.FindingsType,
}

func run(pass *analysis.Pass) (any, error) {
	flows := pass.ResultOf[flow.Analyzer].(*flow.Program)
	index := flows.Index
	elsewhere, releases := removalsIn(index), releasesIn(index)
	indices := map[*program.Func]map[string]bool{}
	facts := pass.ResultOf[status.Analyzer].([]*status.Facts)
	out := neverGivenBack(flows, facts)
	for _, st := range facts {
		escaped := escapes(st.Comp)
		for _, g := range st.Comp.Groups {
			members := membersOf(st.Comp, g, escaped)
			if len(members) < 2 {
				continue
			}
			c := check{st: st, index: index, members: members, elsewhere: elsewhere, indices: indices}
			out = append(out, c.findings()...)
		}
		out = append(out, debts(st, releases)...)
	}
	return out, nil
}

// check looks at one key group.
type check struct {
	st        *status.Facts
	index     *program.Program
	members   []*member
	elsewhere map[string]int
	indices   map[*program.Func]map[string]bool // memo of indicesIn
}

// A leak is a removal that ends a request, and the members of the key group
// whose entries it leaves.
type leak struct {
	shape  shape
	exit   component.Access
	member *member // of exit
	left   []*member
	// other is where an entry of the first member in left is removed, on
	// another way out; nil when it never is.
	other *component.Access
	// renewed says that exit is followed by a new entry: nothing is known to end a request.
	renewed bool
}

// shape is the way in which entries are left behind.
type shape uint8

const (
	never     shape = iota // no step of the program removes the entry
	exclusive              // only where the other member is still there
	concluded              // only on some of the ways on which a request is concluded
)

func (s shape) String() string { return [...]string{"never", "exclusive", "concluded"}[s] }

func (c *check) findings() []rule.Finding {
	var leaks []leak
	for _, m := range c.members {
		if !m.keyed() || m.bulk || m.escapes {
			continue
		}
		if l, ok := c.leakOf(m); ok && !local(m) && !c.notes(m) {
			leaks = merge(leaks, l)
		}
	}
	var out []rule.Finding
	for _, l := range leaks {
		out = append(out, c.finding(l))
	}
	return out
}

// leakOf returns how entries of a member are left behind, if they are.
func (c *check) leakOf(m *member) (leak, bool) {
	if len(m.removes) == 0 {
		return c.neverRemoved(m)
	}
	if l, ok := c.leftByConclusion(m); ok {
		return l, true
	}
	return c.leftByExit(m)
}

// merge adds a leak to those of the same removal: they have one cause.
func merge(leaks []leak, l leak) []leak {
	for i := range leaks {
		if leaks[i].exit.Src == l.exit.Src && leaks[i].shape == l.shape {
			leaks[i].left = append(leaks[i].left, l.left...)
			return leaks
		}
	}
	return append(leaks, l)
}
