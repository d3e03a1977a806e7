package component

import (
	"reflect"

	"golang.org/x/tools/go/analysis"

	"github.com/kvrace/kvrace/parser/facts/flow"
)

// Analyzer groups the entrypoints; its result is a []*Component.
var Analyzer = &analysis.Analyzer{
	Name:       "component",
	Doc:        "group entrypoints by the state they share",
	Requires:   []*analysis.Analyzer{flow.Analyzer},
	ResultType: reflect.TypeFor[[]*Component](),
	Run: func(pass *analysis.Pass) (any, error) {
		return Build(pass.ResultOf[flow.Analyzer].(*flow.Program)), nil
	},
}
