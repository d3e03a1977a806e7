package flow

import (
	"reflect"

	"golang.org/x/tools/go/analysis"

	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/parser/facts/syntax"
)

// Analyzer lowers the entrypoints of the program; its result is a *Program.
var Analyzer = &analysis.Analyzer{
	Name:       "flow",
	Doc:        "lower entrypoints to access programs",
	Requires:   []*analysis.Analyzer{syntax.Analyzer, program.Analyzer},
	ResultType: reflect.TypeFor[*Program](),
	Run: func(pass *analysis.Pass) (any, error) {
		index := pass.ResultOf[program.Analyzer].(*program.Program)
		return BuildAround(index, pass.ResultOf[syntax.Analyzer].(*syntax.Result).Focus), nil
	},
}
