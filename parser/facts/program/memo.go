package program

import "github.com/kvrace/kvrace/parser/ast"

// A memo holds the types of expressions in code that runs on objects of one class,
// and those of the attributes of such objects. Most expressions are of three kinds;
// a map of pointers is much faster than one of nodes.
type memo struct {
	attrs map[string]*Type

	names      map[*ast.Name]*Type
	attributes map[*ast.Attribute]*Type
	calls      map[*ast.Call]*Type
	others     map[ast.Expr]*Type

	// What a question from outside was answered about a parameter, or what a function
	// returns.
	params  map[*Param]*Type
	returns map[*Func]*Type
}

func (p *Program) memoOf(self *Class) *memo {
	if self == nil {
		return &p.types
	}
	return &self.types
}

// of returns the type of an expression, or nil when it is not known yet.
func (m *memo) of(e ast.Expr) *Type {
	switch e := e.(type) {
	case *ast.Name:
		return m.names[e]
	case *ast.Attribute:
		return m.attributes[e]
	case *ast.Call:
		return m.calls[e]
	}
	return m.others[e]
}

func (m *memo) set(e ast.Expr, t *Type) {
	switch e := e.(type) {
	case *ast.Name:
		put(&m.names, e, t)
	case *ast.Attribute:
		put(&m.attributes, e, t)
	case *ast.Call:
		put(&m.calls, e, t)
	default:
		put(&m.others, e, t)
	}
}

func (m *memo) drop(e ast.Expr) {
	switch e := e.(type) {
	case *ast.Name:
		delete(m.names, e)
	case *ast.Attribute:
		delete(m.attributes, e)
	case *ast.Call:
		delete(m.calls, e)
	default:
		delete(m.others, e)
	}
}

func put[E comparable](m *map[E]*Type, e E, t *Type) {
	if *m == nil {
		*m = map[E]*Type{}
	}
	(*m)[e] = t
}
