package status

import (
	"reflect"

	"golang.org/x/tools/go/analysis"

	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/taught"
)

// Analyzer infers the statuses of every component; its result is a []*Facts,
// in the order of the components.
var Analyzer = &analysis.Analyzer{
	Name:       "status",
	Doc:        "infer status maps, terminal values and pollers",
	Requires:   []*analysis.Analyzer{component.Analyzer, taught.Analyzer},
	ResultType: reflect.TypeFor[[]*Facts](),
	Run: func(pass *analysis.Pass) (any, error) {
		var out []*Facts
		lore := pass.ResultOf[taught.Analyzer].(*taught.Lore)
		for _, c := range pass.ResultOf[component.Analyzer].([]*component.Component) {
			out = append(out, InferWith(c, DefaultWords, lore))
		}
		return out, nil
	},
}
