package nodeadline

import (
	"fmt"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/patch"
	"github.com/kvrace/kvrace/rules/rule"
)

// siblingCheck is the statement by which the same method of a parallel class
// looks at the clock.
type siblingCheck struct {
	class *program.Class
	fn    *program.Func
	stmt  ast.Stmt
}

// siblingChecks returns the checks of parallel classes that the class of a
// poller could call as well.
func siblingChecks(p *flow.Entry) []siblingCheck {
	if p.Class == nil {
		return nil
	}
	var out []siblingCheck
	for _, s := range evidence.Siblings(p.Class) {
		f := s.Methods[p.Func.Name]
		if f == nil || f == p.Func {
			continue
		}
		for _, st := range f.Body() {
			if name := methodOfSelf(st, f); name != "" && p.Class.Method(name) != nil && readsClock(p.Class.Method(name)) {
				out = append(out, siblingCheck{s, f, st})
				break
			}
		}
	}
	return out
}

// methodOfSelf returns the method of the instance that a statement calls first.
func methodOfSelf(st ast.Stmt, f *program.Func) string {
	name := ""
	ast.Inspect(st, func(n ast.Node) bool {
		if call, ok := n.(*ast.Call); ok && name == "" {
			if at, ok := call.Func.(*ast.Attribute); ok {
				if x, ok := at.Value.(*ast.Name); ok && len(f.Params) > 0 && x.Id() == f.Params[0].Name {
					name = at.Attr()
				}
			}
		}
		return name == ""
	})
	return name
}

// readsClock reports whether a function reads the time.
func readsClock(f *program.Func) bool {
	found := false
	for _, st := range f.Body() {
		ast.Inspect(st, func(n ast.Node) bool {
			if call, ok := n.(*ast.Call); ok {
				switch call.Callee() {
				case "time", "monotonic", "perf_counter", "time_ns", "monotonic_ns":
					found = true
				}
			}
			return !found
		})
	}
	return found
}

func (s siblingCheck) related() rule.Related {
	return rule.Related{
		Place: rule.At(s.fn.Module, s.stmt), Role: report.RoleSibling,
		Message: fmt.Sprintf("%s.%s looks at the clock", s.class.Qual, s.fn.Name),
	}
}

// fixes suggests the check of a sibling where it is a statement of its own.
func fixes(p *flow.Entry, siblings []siblingCheck) []rule.Fix {
	first := firstStatement(p.Func)
	if first == nil {
		return nil
	}
	for _, s := range siblings {
		if _, ok := s.stmt.(*ast.ExprStmt); !ok || s.fn.Params[0].Name != p.Func.Params[0].Name {
			continue
		}
		edits, err := patch.NewEditor(p.Func.Module.AST).InsertBefore(first, evidence.Lines(s.fn.Module, s.stmt)...)
		if err != nil {
			continue
		}
		return []rule.Fix{{Description: "look at the clock as " + s.class.Name + " does", Safety: report.SafetyReview, Edits: edits}}
	}
	return nil
}

// firstStatement returns the first statement of a function after its docstring.
func firstStatement(f *program.Func) ast.Stmt {
	for i, st := range f.Body() {
		if e, ok := st.(*ast.ExprStmt); ok && i == 0 {
			if k, ok := e.Value.(*ast.Constant); ok && k.Kind() == ast.Str {
				continue
			}
		}
		return st
	}
	return nil
}
