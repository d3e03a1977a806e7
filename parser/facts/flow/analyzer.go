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
		syn := pass.ResultOf[syntax.Analyzer].(*syntax.Result)
		if syn.Classes != nil {
			return BuildClasses(index, func(c *program.Class) bool {
				return syn.Classes[syntax.ClassName(c.Module.File, c.Qual)]
			}), nil
		}
		return BuildAround(index, syn.Focus), nil
	},
}
