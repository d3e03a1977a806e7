package parser

import (
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
)

// bind adds a use of a name that binds it.
func (c *checker) bind(name string, n ast.Node, how use) {
	if name == "__debug__" {
		c.fail(n, "cannot assign to __debug__")
	}
	s := c.scope
	name = c.mangle(name)
	if s.inTarget && s.kind == comprehensionScope {
		if s.names[name]&(isGlobal|isNonlocal) != 0 {
			c.fail(n, "comprehension inner loop cannot rebind assignment expression target '%s'", name)
		}
		how |= isIteration
	}
	s.names[name] |= how
}

// mangle returns the name that a private name of a class stands for, as in
// section 6.2.1 of the Python reference.
func (c *checker) mangle(name string) string {
	class := strings.TrimLeft(c.scope.class, "_")
	if class == "" || !strings.HasPrefix(name, "__") || strings.HasSuffix(name, "__") {
		return name
	}
	return "_" + class + name
}

// global declares a name.
func (c *checker) global(n *ast.Global, name string) {
	name = c.mangle(name)
	flags := c.scope.names[name]
	switch {
	case flags&isParam != 0:
		c.fail(n, "name '%s' is parameter and global", name)
	case flags&isNonlocal != 0:
		c.fail(n, "name '%s' is nonlocal and global", name)
	default:
		c.checkDeclared(n, name, flags, "global")
	}
	c.scope.names[name] |= isGlobal
}

// nonlocal declares a name.
func (c *checker) nonlocal(n *ast.Nonlocal, name string) {
	s := c.scope
	name = c.mangle(name)
	flags := s.names[name]
	switch {
	case s.kind == moduleScope:
		c.fail(n, "nonlocal declaration not allowed at module level")
		return
	case flags&isParam != 0:
		c.fail(n, "name '%s' is parameter and nonlocal", name)
	case flags&isGlobal != 0:
		c.fail(n, "name '%s' is nonlocal and global", name)
	default:
		c.checkDeclared(n, name, flags, "nonlocal")
	}
	s.names[name] |= isNonlocal
	s.nonlocals = append(s.nonlocals, declaration{name, n})
}

// checkDeclared reports a declaration that comes after a use of its name.
func (c *checker) checkDeclared(n ast.Node, name string, flags use, what string) {
	switch {
	case flags&isUsed != 0:
		c.fail(n, "name '%s' is used prior to %s declaration", name, what)
	case flags&isAnnotated != 0:
		c.fail(n, "annotated name '%s' can't be %s", name, what)
	case flags&isBound != 0:
		c.fail(n, "name '%s' is assigned to before %s declaration", name, what)
	}
}

// checkNonlocals reports the nonlocal declarations of s that nothing binds.
func (c *checker) checkNonlocals(s *scope) {
	for _, d := range s.nonlocals {
		if flags := boundOutside(s, d.name); flags&isTypeParam != 0 {
			c.fail(d.stmt, "nonlocal binding not allowed for type parameter '%s'", d.name)
		} else if flags == 0 {
			c.fail(d.stmt, "no binding for nonlocal '%s' found", d.name)
		}
	}
}

// boundOutside returns how the functions around s bind a name.
func boundOutside(s *scope, name string) use {
	for o := s.parent; o != nil; o = o.parent {
		switch o.kind {
		case moduleScope:
			return 0
		case classScope:
			if name == "__class__" {
				return isBound
			}
			continue
		}
		flags := o.names[name]
		if flags&isGlobal != 0 {
			return 0
		}
		if flags&isNonlocal == 0 && flags&(isBound|isParam) != 0 {
			return flags
		}
	}
	return 0
}

func (c *checker) exprs(list []ast.Expr) {
	for _, x := range list {
		c.expr(x)
	}
}

func (c *checker) optional(x ast.Expr) {
	if x != nil {
		c.expr(x)
	}
}

func (c *checker) expr(x ast.Expr) {
	switch x := x.(type) {
	case *ast.Name:
		c.name(x)
	case *ast.Attribute:
		if x.Ctx() != ast.Load && x.Attr() == "__debug__" {
			c.fail(x, "cannot %s __debug__", contextVerb(x.Ctx()))
		}
		c.expr(x.Value)
	case *ast.Starred:
		c.fail(x, "can't use starred expression here")
		c.expr(x.Value)
	case *ast.Tuple:
		c.items(x.Elts, x.Ctx)
	case *ast.List:
		c.items(x.Elts, x.Ctx)
	case *ast.Set:
		c.items(x.Elts, ast.Load)
	case *ast.Call:
		c.expr(x.Func)
		c.arguments(x.Args(), x.Keywords())
	case *ast.Lambda:
		c.defaults(x.Args)
		c.push(&scope{kind: lambdaScope})
		c.params(x.Args)
		c.expr(x.Body)
		c.pop()
	case *ast.NamedExpr:
		c.namedExpr(x)
	case *ast.Yield:
		c.yield(x)
		c.optional(x.Value)
	case *ast.YieldFrom:
		c.yield(x)
		if c.scope.async {
			c.fail(x, "'yield from' inside async function")
		}
		c.expr(x.Value)
	case *ast.Await:
		c.await(x)
		c.expr(x.Value)
	case *ast.ListComp:
		c.comprehension(x, "list comprehension", x.Generators, x.Elt)
	case *ast.SetComp:
		c.comprehension(x, "set comprehension", x.Generators, x.Elt)
	case *ast.DictComp:
		c.comprehension(x, "dict comprehension", x.Generators, x.Key, x.Value)
	case *ast.GeneratorExp:
		c.comprehension(x, "generator expression", x.Generators, x.Elt)
	default:
		c.children(x)
	}
}

// contextVerb returns what an error message calls a use of a target.
func contextVerb(ctx ast.Ctx) string {
	if ctx == ast.Del {
		return "delete"
	}
	return "assign to"
}

func (c *checker) name(x *ast.Name) {
	switch x.Ctx() {
	case ast.Load:
		c.scope.names[c.mangle(x.Id())] |= isUsed
	case ast.Store:
		c.bind(x.Id(), x, isBound)
	case ast.Del:
		if x.Id() == "__debug__" {
			c.fail(x, "cannot delete __debug__")
			return
		}
		c.bind(x.Id(), x, isBound)
	}
}

// items visits the elements of a display or of a list of targets, in which
// starred expressions are allowed.
func (c *checker) items(list []ast.Expr, ctx ast.Ctx) {
	starred := 0
	for _, x := range list {
		s, ok := x.(*ast.Starred)
		if !ok {
			c.expr(x)
			continue
		}
		starred++
		if ctx == ast.Store && starred == 2 {
			c.fail(s, "multiple starred expressions in assignment")
		}
		c.expr(s.Value)
	}
}

// target visits a target of an assignment.
func (c *checker) target(x ast.Expr) {
	if s, ok := x.(*ast.Starred); ok {
		c.fail(s, "starred assignment target must be in a list or tuple")
		x = s.Value
	}
	c.expr(x)
}

func (c *checker) arguments(args []ast.Expr, keywords []*ast.Keyword) {
	c.items(args, ast.Load)
	seen := map[string]bool{}
	for _, k := range keywords {
		switch {
		case k.Arg() == "__debug__":
			c.fail(k, "cannot assign to __debug__")
		case k.Arg() != "" && seen[k.Arg()]:
			c.fail(k, "keyword argument repeated: %s", k.Arg())
		}
		seen[k.Arg()] = true
		c.expr(k.Value)
	}
}

// refuseInType reports an expression that a typeScope cannot hold.
func (c *checker) refuseInType(x ast.Expr, what string) bool {
	if c.scope.kind != typeScope {
		return false
	}
	c.fail(x, "%s cannot be used within %s", what, c.scope.what)
	return true
}

func (c *checker) yield(x ast.Expr) {
	s := c.scope
	s.hasYield = true
	switch s.kind {
	case typeScope:
		c.refuseInType(x, "yield expression")
	case comprehensionScope:
		c.fail(x, "'yield' inside %s", s.what)
	case moduleScope, classScope:
		c.fail(x, "'yield' outside function")
	}
}

func (c *checker) await(x ast.Expr) {
	s := c.scope
	switch s.kind {
	case typeScope:
		c.refuseInType(x, "await expression")
	case comprehensionScope:
		s.coroutine = true
	case moduleScope, classScope:
		c.fail(x, "'await' outside function")
	default:
		if !s.async {
			c.fail(x, "'await' outside async function")
		}
	}
}

// namedExpr binds the target of an assignment expression, which belongs to the
// scope around the comprehensions it is in.
func (c *checker) namedExpr(x *ast.NamedExpr) {
	if c.refuseInType(x, "named expression") {
		return
	}
	if c.scope.inIterable > 0 {
		c.fail(x, "assignment expression cannot be used in a comprehension iterable expression")
	}
	name := x.Target.(*ast.Name)
	if c.scope.kind == comprehensionScope {
		c.bindOutside(x, name.Id())
	}
	c.expr(x.Value)
	if c.scope.kind != comprehensionScope {
		c.expr(name)
	}
}

func (c *checker) bindOutside(x ast.Expr, name string) {
	if name == "__debug__" {
		c.fail(x, "cannot assign to __debug__")
	}
	name = c.mangle(name)
	for s := c.scope; s != nil; s = s.parent {
		switch s.kind {
		case comprehensionScope:
			if s.names[name]&isIteration != 0 {
				c.fail(x, "assignment expression cannot rebind comprehension iteration variable '%s'", name)
				return
			}
			s.names[name] |= isNonlocal
			continue
		case classScope:
			c.fail(x, "assignment expression within a comprehension cannot be used in a class body")
		case typeScope:
			c.fail(x, "assignment expression within a comprehension cannot be used within %s", s.what)
		default:
			s.names[name] |= isBound
		}
		return
	}
}

// comprehension visits a comprehension. Its first iterable belongs to the
// scope around it.
func (c *checker) comprehension(x ast.Expr, what string, generators []*ast.Comprehension, elements ...ast.Expr) {
	outer := c.scope
	c.iterable(generators[0].Iter)
	s := c.push(&scope{kind: comprehensionScope, what: what})
	_, s.generator = x.(*ast.GeneratorExp)
	for i, g := range generators {
		s.coroutine = s.coroutine || g.IsAsync
		s.inTarget = true
		c.target(g.Target)
		s.inTarget = false
		if i > 0 {
			c.iterable(g.Iter)
		}
		c.exprs(g.Ifs)
	}
	c.exprs(elements)
	c.pop()
	if !s.coroutine || s.generator {
		return
	}
	switch {
	case outer.kind == comprehensionScope:
		outer.coroutine = true
	case !outer.async:
		c.fail(x, "asynchronous comprehension outside of an asynchronous function")
	}
}

func (c *checker) iterable(x ast.Expr) {
	c.scope.inIterable++
	c.expr(x)
	c.scope.inIterable--
}
