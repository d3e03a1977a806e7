package program_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/program"
)

// TestBoundOfOneQuestion asks for the type of a variable that hangs on more
// variables than one question may look at, and then for that of another one.
func TestBoundOfOneQuestion(t *testing.T) {
	var src strings.Builder
	src.WriteString("-- m.py --\ndef f(start):\n")
	for i := range 5000 {
		fmt.Fprintf(&src, "    v%d = start\n", i)
	}
	src.WriteString("    last = v0")
	for i := range 5000 {
		fmt.Fprintf(&src, " or v%d", i)
	}
	src.WriteString("\n    table = {}\n    return table\n")
	p := index(t, src.String())
	f := p.Funcs[0]
	env := program.Env{Module: f.Module, Func: f}
	for _, name := range []string{"last", "table"} {
		ast.Inspect(f.Node, func(n ast.Node) bool {
			a, ok := n.(*ast.Assign)
			if !ok {
				return true
			}
			if at, ok := a.Targets[0].(*ast.Name); ok && at.Id() == name {
				typ := p.TypeOf(a.Value, env)
				if name == "table" && typ.Kind != program.Dict {
					t.Errorf("type of table is %v after a question that reached the bound", typ.Kind)
				}
			}
			return true
		})
	}
}
