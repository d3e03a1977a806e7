package doublerelease

import (
	_ "embed"

	"golang.org/x/tools/go/analysis"

	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/status"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/rule"
)

//go:embed doc.go
var doc string

// Rule is KV303.
var Rule = &rule.Rule{
	ID: "KV303", Name: "double-release", Severity: report.SeverityError,
	Doc: rule.ExtractDoc(doc), Analyzer: Analyzer,
}

// Analyzer finds resources that are given back twice.
var Analyzer = &analysis.Analyzer{
	Name:       "doublerelease",
	Doc:        rule.ExtractDoc(doc),
	Run:        run,
	Requires:   []*analysis.Analyzer{flow.Analyzer, status.Analyzer},
	ResultType: rule.FindingsType,
}

func run(pass *analysis.Pass) (any, error) {
	index := pass.ResultOf[flow.Analyzer].(*flow.Program).Index
	var out []rule.Finding
	for _, st := range pass.ResultOf[status.Analyzer].([]*status.Facts) {
		for _, e := range st.Comp.Entries {
			c := check{st: st, index: index, entry: e, g: e.Graph, reported: map[any]bool{}}
			c.entries()
			c.calls()
			c.owners()
			c.reports()
			out = append(out, c.out...)
		}
	}
	return out, nil
}
