package parser

import "github.com/kvrace/kvrace/parser/ast"

// check reports the errors that CPython finds when it compiles a tree.
func check(m *ast.Module, f *faults) {}
