package evidence

import (
	"fmt"

	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/rule"
)

// SiblingsRemoving returns the methods of classes parallel to c that stand for
// function f and remove something from an attribute of the given name: evidence
// that f should, too.
func SiblingsRemoving(c *program.Class, f *program.Func, name string) []rule.Related {
	var out []rule.Related
	if c == nil {
		return nil
	}
	for _, s := range Siblings(c) {
		m := s.Methods[methodName(f)]
		if m != nil && m != outermost(f) && removesFrom(m, name) {
			out = append(out, rule.Related{
				Place: rule.AtName(m), Role: report.RoleSibling,
				Message: fmt.Sprintf("%s removes the entry of %s here", m.Qual, name),
			})
		}
	}
	return out
}
