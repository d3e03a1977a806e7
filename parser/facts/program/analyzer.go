package program

import (
	"reflect"

	"golang.org/x/tools/go/analysis"

	"github.com/kvrace/kvrace/parser/facts/syntax"
)

// Analyzer indexes the parsed files; its result is a *Program.
var Analyzer = &analysis.Analyzer{
	Name:       "program",
	Doc:        "index modules, classes, functions and types",
	Requires:   []*analysis.Analyzer{syntax.Analyzer},
	ResultType: reflect.TypeFor[*Program](),
	Run: func(pass *analysis.Pass) (any, error) {
		syn := pass.ResultOf[syntax.Analyzer].(*syntax.Result)
		if syn.Taught == nil {
			return New(syn.Modules), nil
		}
		return NewWith(syn.Modules, syn.Taught.Lock), nil
	},
}
