package resourceleak

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

// Rule is KV302.
var Rule = &rule.Rule{
	ID: "KV302", Name: "resource-leak-on-abort", Severity: report.SeverityError,
	Doc: rule.ExtractDoc(doc), Analyzer: Analyzer,
}

// Analyzer finds exits that keep what the normal exit gives back.
var Analyzer = &analysis.Analyzer{
	Name:       "resourceleak",
	Doc:        rule.ExtractDoc(doc),
	Run:        run,
	Requires:   []*analysis.Analyzer{flow.Analyzer, status.Analyzer},
	ResultType: rule.FindingsType,
}

func run(pass *analysis.Pass) (any, error) {
	facts := pass.ResultOf[status.Analyzer].([]*status.Facts)
	out := keptByFailed(pass.ResultOf[flow.Analyzer].(*flow.Program), facts)
	for _, st := range facts {
		for _, e := range st.Comp.Entries {
			c := check{st: st, entry: e, g: e.Graph}
			out = append(out, c.findings()...)
		}
	}
	return out, nil
}
