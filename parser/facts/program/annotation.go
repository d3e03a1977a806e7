package program

import (
	"github.com/kvrace/kvrace/parser"
	"github.com/kvrace/kvrace/parser/ast"
)

// parseExpr parses an annotation that is written as a string. It returns nil
// for a string that is no expression.
func parseExpr(s string) ast.Expr {
	m, err := parser.ParseFile("", []byte(s), parser.Options{})
	if err != nil || len(m.Body) != 1 {
		return nil
	}
	if st, ok := m.Body[0].(*ast.ExprStmt); ok {
		return st.Value
	}
	return nil
}
