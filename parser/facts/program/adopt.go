package program

import (
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
)

// adoptMethods makes methods of the functions that a module gives to a class, as in
//
//	def drop(self, key): ...
//	Table.drop = drop
//
// A function that several classes get, or one class under two names, or that is a
// method already, stays what it is.
func (p *Program) adoptMethods() {
	type gift struct {
		class *Class
		name  string
	}
	given := map[*Func][]gift{}
	var order []*Func
	for _, m := range p.Modules {
		for _, st := range m.AST.Body {
			class, name, value := giftOf(st)
			if class == nil {
				continue
			}
			c := p.resolveExpr(class, m.Scope, m).Class
			f := p.resolveExpr(value, m.Scope, m).Func
			if c == nil || f == nil || f.Class != nil || f.Outer != nil || len(f.Params) == 0 || c.Methods[name] != nil {
				continue
			}
			if given[f] == nil {
				order = append(order, f)
			}
			given[f] = append(given[f], gift{c, name})
		}
	}
	for _, f := range order {
		g := given[f]
		if len(g) > 1 {
			continue
		}
		f.Class, f.Name, f.Qual = g[0].class, g[0].name, g[0].class.Qual+"."+g[0].name
		f.Class.addMethod(f)
		f.Module.Funcs = slices.DeleteFunc(f.Module.Funcs, func(x *Func) bool { return x == f })
	}
}

// giftOf returns the class, the name and the function of a statement of the form
// Class.name = function or setattr(Class, "name", function).
func giftOf(st ast.Stmt) (class ast.Expr, name string, value ast.Expr) {
	switch st := st.(type) {
	case *ast.Assign:
		if at, ok := st.Targets[0].(*ast.Attribute); ok && len(st.Targets) == 1 {
			return at.Value, at.Attr(), st.Value
		}
	case *ast.ExprStmt:
		call, ok := st.Value.(*ast.Call)
		if !ok || !isName(call.Func, "setattr") || len(call.Args()) != 3 {
			break
		}
		if c, ok := call.Args()[1].(*ast.Constant); ok && c.Kind() == ast.Str {
			return call.Args()[0], c.Value(), call.Args()[2]
		}
	}
	return nil, "", nil
}
