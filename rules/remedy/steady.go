package remedy

import (
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
)

// steady reports whether a variable that is set before the statement with the check
// stands for the entry wherever it is read: the check is made whenever the statement
// is, and no read comes again later, in a loop or in a function that somebody calls.
func (b *binding) steady() bool {
	if !b.readWith(b.check.Stmt) {
		return false
	}
	cmp, ok := b.check.Src.(*ast.Compare)
	if !ok {
		return true
	}
	return b.unconditional(cmp) && (cmp.Ops[0] != ast.NotIn || b.leaves(cmp))
}

// fresh reports whether a variable that the check itself sets stands for the entry
// wherever it is read: no read comes again without the check. A check in the iterable of
// a comprehension cannot set one.
func (b *binding) fresh() bool {
	cmp, ok := b.check.Src.(*ast.Compare)
	if !ok || len(cmp.Ops) != 1 || cmp.Ops[0] != ast.In && cmp.Ops[0] != ast.NotIn || !b.readWith(cmp) {
		return false
	}
	if cmp.Ops[0] == ast.NotIn && !b.leaves(cmp) && slices.ContainsFunc(b.reads, func(x ast.Expr) bool { return !elsewhere(b.check.Stmt, cmp, x) }) {
		return false
	}
	for _, n := range pathTo(b.fn.Node, cmp) {
		switch n := n.(type) {
		case *ast.Lambda, *ast.FunctionDef:
			if n != b.fn.Node {
				return false
			}
		case *ast.Assert:
			return false // it is left out where nobody debugs
		}
		for _, g := range ast.Generators(n) {
			if ast.Encloses(g.Iter, cmp) {
				return false
			}
		}
	}
	return true
}

// elsewhere reports whether an expression of a statement is evaluated only where a test in
// it has not held: as an alternative to it, or behind it.
func elsewhere(st ast.Stmt, test, x ast.Expr) bool {
	var around ast.Node
	for _, n := range pathTo(st, test) {
		if ast.Encloses(n, x) {
			around = n
		}
	}
	switch n := around.(type) {
	case *ast.BoolOp:
		return n.Op == ast.Or && test.Pos() < x.Pos()
	case *ast.IfExp:
		return ast.Encloses(n.Test, test) && ast.Encloses(n.Orelse, x)
	}
	return false
}

// readWith reports whether no read comes again later without a node: in a loop or a
// function around the read alone.
func (b *binding) readWith(check ast.Node) bool {
	home := pathTo(b.fn.Node, check)
	for _, x := range b.reads {
		if sub, ok := x.(*ast.Subscript); ok && sub.Ctx != ast.Load {
			return false // d[k] += 1 stores as well
		}
		path := pathTo(b.fn.Node, x)
		for i, n := range path {
			if i < len(home)-1 && home[i] == n {
				continue // around both
			}
			if again(n, x) {
				return false
			}
		}
	}
	return true
}

// again reports whether a node can evaluate what is in it more than once, or later.
func again(n, inner ast.Node) bool {
	switch n := n.(type) {
	case *ast.While, *ast.Lambda, *ast.FunctionDef:
		return n != inner
	case *ast.For:
		return !ast.Encloses(n.Iter, inner)
	}
	generators := ast.Generators(n) // the first iterable is evaluated at once
	return len(generators) > 0 && !ast.Encloses(generators[0].Iter, inner)
}

// unconditional reports whether a test is evaluated whenever its statement begins, or
// might as well be: it asks for a variable in a container that is there.
func (b *binding) unconditional(cmp *ast.Compare) bool {
	return evaluated(b.check.Stmt, cmp, func(around *ast.BoolOp) bool { return b.harmless(cmp, around) })
}

// evaluated reports whether an expression is evaluated once whenever the statement, or
// the expression, that it is part of begins. Excused tells of a place behind another operand that it does no harm to be
// evaluated there; nil excuses none.
func evaluated(st ast.Node, x ast.Expr, excused func(*ast.BoolOp) bool) bool {
	path := pathTo(st, x)
	for i, n := range path[:max(0, len(path)-1)] {
		next := path[i+1]
		switch n := n.(type) {
		case *ast.IfExp:
			if next != n.Test {
				return false
			}
		case *ast.BoolOp:
			if next != n.Values[0] && (excused == nil || !excused(n)) {
				return false
			}
		default:
			if again(n, x) {
				return false
			}
		}
	}
	return len(path) > 0
}

// harmless reports whether a look-up in place of a test can neither fail nor ask for
// something else where what stands before the test has not been evaluated.
func (b *binding) harmless(cmp *ast.Compare, around *ast.BoolOp) bool {
	switch cmp.Left.(type) {
	case *ast.Name, *ast.Constant:
	default:
		if !b.evaluatedFirst(cmp.Left, around) {
			return false
		}
	}
	if b.check.Loc.Optional {
		return false
	}
	switch c := cmp.Comparators[0].(type) {
	case *ast.Name:
	case *ast.Attribute:
		self := b.fn.SelfFunc()
		if x, ok := c.Value.(*ast.Name); !ok || self == nil || x.Id() != self.Params[0].Name {
			return false
		}
	default:
		return false
	}
	binds := false
	ast.Inspect(around, func(n ast.Node) bool {
		_, walrus := n.(*ast.NamedExpr)
		binds = binds || walrus
		return !binds
	})
	return !binds
}

// evaluatedFirst reports whether an attribute of a variable, as in job.key, is evaluated
// whenever an operation begins, so that it does as little harm before that.
func (b *binding) evaluatedFirst(key ast.Expr, around *ast.BoolOp) bool {
	if at, ok := key.(*ast.Attribute); !ok || !isName(at.Value) {
		return false
	}
	first, found := around.Values[0], false
	ast.Inspect(first, func(n ast.Node) bool {
		x, ok := n.(*ast.Attribute)
		if ok && b.text(x) == b.text(key) && evaluated(first, x, nil) {
			found = true
		}
		return !found
	})
	return found
}

func isName(x ast.Expr) bool {
	_, ok := x.(*ast.Name)
	return ok
}

// leaves reports whether an if statement with a test for an absent entry ends what
// the function does here, and nothing is read before it does; or whether the test
// alone reads the entry.
func (b *binding) leaves(cmp *ast.Compare) bool {
	st, ok := b.check.Stmt.(*ast.If)
	if !ok || !ast.Encloses(st.Test, cmp) {
		return false
	}
	if !slices.ContainsFunc(b.reads, func(x ast.Expr) bool { return !ast.Encloses(st.Test, x) }) {
		return true
	}
	if st.Test == cmp && len(st.Orelse) > 0 && !slices.ContainsFunc(b.reads, func(x ast.Expr) bool { return !ast.Covers(st.Orelse, x) }) {
		return true // on the other side only
	}
	for _, x := range b.reads {
		for _, inner := range st.Body {
			if ast.Encloses(inner, x) {
				return false
			}
		}
	}
	switch st.Body[len(st.Body)-1].(type) {
	case *ast.Return, *ast.Raise, *ast.Continue, *ast.Break:
		return true
	}
	return false
}

// pathTo returns the nodes from one down to another in it, both included, or nil.
func pathTo(root, target ast.Node) []ast.Node {
	var path, found []ast.Node
	ast.Walk(root, func(n ast.Node) bool {
		if found != nil || !ast.Encloses(n, target) && n != root {
			return false
		}
		path = append(path, n)
		if n == target {
			found = slices.Clone(path)
		}
		return true
	}, func() { path = path[:len(path)-1] })
	return found
}
