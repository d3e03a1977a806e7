package ast

// Generators returns the clauses of a comprehension or generator expression, the
// outermost first, and nil for other nodes.
func Generators(n Node) []*Comprehension {
	switch n := n.(type) {
	case *ListComp:
		return n.Generators
	case *SetComp:
		return n.Generators
	case *DictComp:
		return n.Generators
	case *GeneratorExp:
		return n.Generators
	}
	return nil
}
