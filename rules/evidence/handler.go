package evidence

import (
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/program"
)

// TakesAll reports whether a handler of a function takes every exception: it names none, or
// Exception or BaseException, by itself, among others, or by a variable that is bound once.
func TakesAll(index *program.Program, f *program.Func, h *ast.ExceptHandler) bool {
	return h.Type == nil || takesAny(index, f, h.Type, 0)
}

// maxAliases bounds how far variables that hold exception classes are followed.
const maxAliases = 4

func takesAny(index *program.Program, f *program.Func, e ast.Expr, depth int) bool {
	switch e := e.(type) {
	case *ast.Tuple:
		return slices.ContainsFunc(e.Elts, func(x ast.Expr) bool { return takesAny(index, f, x, depth) })
	case *ast.Name:
		v := index.Resolve(e, f, f.Module).Var
		if v == nil {
			return e.Id() == "Exception" || e.Id() == "BaseException"
		}
		if v.Param != nil || len(v.Defs) != 1 || v.Defs[0].Value == nil || v.Defs[0].Index >= 0 || depth == maxAliases {
			return false
		}
		return takesAny(index, f, v.Defs[0].Value, depth+1)
	}
	return false
}
