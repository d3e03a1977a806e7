package flow

import (
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/program"
)

// isTest reports whether a module is a test of other modules: it imports a
// library for tests. What tests call are no calls of the program: a method that
// only they call is called by a framework otherwise. Neither are tests
// entrypoints, since each works on objects of its own. A program that is nothing
// but tests is taken as any other.
func (p *Program) isTest(m *program.Module) bool {
	if p.tests == nil {
		p.tests = map[*program.Module]bool{}
		for _, m := range p.Index.Modules {
			if importsTests(m.AST.Body) {
				p.tests[m] = true
			}
		}
		if len(p.tests) == len(p.Index.Modules) {
			clear(p.tests)
		}
	}
	return p.tests[m]
}

func importsTests(body []ast.Stmt) bool {
	for _, st := range body {
		switch st := st.(type) {
		case *ast.Import:
			for _, a := range st.Names {
				if isTestLibrary(a.Name) {
					return true
				}
			}
		case *ast.ImportFrom:
			if st.Level == 0 && isTestLibrary(st.Module) {
				return true
			}
		}
	}
	return false
}

func isTestLibrary(name string) bool {
	top, _, _ := strings.Cut(name, ".")
	return top == "unittest" || top == "pytest"
}
