package counterimbalance

import (
	_ "embed"

	"golang.org/x/tools/go/analysis"

	"github.com/kvrace/kvrace/parser/facts/status"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/rule"
)

//go:embed doc.go
var doc string

// Rule is KV304.
var Rule = &rule.Rule{
	ID: "KV304", Name: "counter-imbalance", Severity: report.SeverityError,
	Doc: rule.ExtractDoc(doc), Analyzer: Analyzer,
}

// Analyzer finds exits on which a counter of a request is not restored.
var Analyzer = &analysis.Analyzer{
	Name:       "counterimbalance",
	Doc:        rule.ExtractDoc(doc),
	Run:        run,
	Requires:   []*analysis.Analyzer{status.Analyzer},
	ResultType: rule.FindingsType,
}

func run(pass *analysis.Pass) (any, error) {
	var out []rule.Finding
	for _, st := range pass.ResultOf[status.Analyzer].([]*status.Facts) {
		for _, c := range countersOf(st.Comp) {
			for _, e := range c.downEntries() {
				k := check{st: st, counter: c, entry: e, g: e.Graph}
				out = append(out, k.findings()...)
			}
		}
	}
	return out, nil
}
