package flow

import (
	"reflect"

	"golang.org/x/tools/go/analysis"

	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/parser/facts/syntax"
	"github.com/kvrace/kvrace/parser/facts/taught"
)

// Analyzer lowers the entrypoints of the program; its result is a *Program.
var Analyzer = &analysis.Analyzer{
	Name:       "flow",
	Doc:        "lower entrypoints to access programs",
	Requires:   []*analysis.Analyzer{syntax.Analyzer, program.Analyzer, taught.Analyzer},
	ResultType: reflect.TypeFor[*Program](),
	Run: func(pass *analysis.Pass) (any, error) {
		index := pass.ResultOf[program.Analyzer].(*program.Program)
		lore := pass.ResultOf[taught.Analyzer].(*taught.Lore)
		syn := pass.ResultOf[syntax.Analyzer].(*syntax.Result)
		if syn.Classes != nil {
			return BuildClasses(index, lore, func(c *program.Class) bool {
				return syn.Classes[syntax.ClassName(c.Module.File, c.Qual)]
			}, func(m *program.Module) bool { return syn.Classes[m.File] }), nil
		}
		return BuildAround(index, lore, syn.Focus), nil
	},
}
