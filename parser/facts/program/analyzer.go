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
		opt := Options{Imported: syn.Imported}
		if syn.Taught != nil {
			opt.IsLock = syn.Taught.Lock
		}
		return NewWith(syn.Modules, opt), nil
	},
}
