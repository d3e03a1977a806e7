package parser

import (
	"fmt"

	"github.com/kvrace/kvrace/parser/ast"
)

// This pass finds what CPython reports only when it compiles a tree: the
// errors of Python/symtable.c, Python/future.c and Python/compile.c. Each
// function, class body and comprehension is a scope; names are collected while
// the tree is visited in the order of evaluation, as in the symbol table, and
// nonlocal declarations are resolved when the whole module has been seen.

// scopeKind is the kind of a scope.
type scopeKind uint8

const (
	moduleScope scopeKind = iota
	classScope
	functionScope
	lambdaScope
	comprehensionScope
	typeScope // type parameters, their bounds, and the value of a type alias
)

// use tells how a scope uses a name; it is a set.
type use uint8

const (
	isParam use = 1 << iota
	isBound
	isUsed
	isAnnotated
	isGlobal
	isNonlocal
	isIteration // iteration variable of a comprehension
	isTypeParam
)

// blockKind is the kind of a statement that CPython keeps on its block stack.
type blockKind uint8

const (
	otherBlock blockKind = iota
	loopBlock
	exceptStarBlock
)

// maxBlocks is the depth of CPython's block stack.
const maxBlocks = 20

// scope is one name space.
type scope struct {
	kind   scopeKind
	parent *scope
	names  map[string]use
	class  string // the innermost class, whose private names are mangled

	async       bool   // an async def
	what        string // names a comprehension or a typeScope in messages
	generator   bool   // the comprehension is a generator expression
	coroutine   bool   // the comprehension awaits
	inIterable  int    // depth of the comprehension iterables around the current node
	inTarget    bool   // in the target of a comprehension
	hasYield    bool
	valueReturn ast.Node // the first return statement with a value
	blocks      []blockKind
	nonlocals   []declaration
}

// declaration is a name in a nonlocal statement.
type declaration struct {
	name string
	stmt ast.Node
}

type checker struct {
	faults  *faults
	version Version
	scope   *scope
	scopes  []*scope // those with nonlocal declarations
	futures bool     // from __future__ import annotations
}

// check reports the errors that CPython finds when it compiles a tree.
func check(m *ast.Module, version Version, f *faults) {
	c := &checker{faults: f, version: version}
	c.push(&scope{kind: moduleScope})
	c.checkFutures(m.Body)
	c.stmts(m.Body)
	for _, s := range c.scopes {
		c.checkNonlocals(s)
	}
}

func (c *checker) fail(n ast.Node, format string, args ...any) {
	c.faults.add(n.Pos(), fmt.Sprintf(format, args...))
}

func (c *checker) push(s *scope) *scope {
	if s.parent = c.scope; s.parent != nil {
		s.inIterable = s.parent.inIterable
		if s.class == "" {
			s.class = s.parent.class
		}
	}
	s.names = map[string]use{}
	c.scope = s
	return s
}

func (c *checker) pop() {
	if len(c.scope.nonlocals) > 0 {
		c.scopes = append(c.scopes, c.scope)
	}
	c.scope = c.scope.parent
}

// inBlock calls f in a block of the given kind.
func (c *checker) inBlock(kind blockKind, n ast.Node, f func()) {
	s := c.scope
	if len(s.blocks) >= maxBlocks {
		c.fail(n, "too many statically nested blocks")
	}
	s.blocks = append(s.blocks, kind)
	f()
	s.blocks = s.blocks[:len(s.blocks)-1]
}

// checkFutures reports imports of __future__ that are not at the beginning of
// the file or that name no feature.
func (c *checker) checkFutures(body []ast.Stmt) {
	i := 0
	if len(body) > 0 && isDocstring(body[0]) {
		i = 1
	}
	for ; i < len(body); i++ {
		imp, ok := body[i].(*ast.ImportFrom)
		if !ok || imp.Module != "__future__" || imp.Level != 0 {
			break
		}
		for _, name := range imp.Names {
			c.checkFeature(name)
		}
	}
	for _, s := range body[i:] {
		ast.Inspect(s, func(n ast.Node) bool {
			if imp, ok := n.(*ast.ImportFrom); ok && imp.Module == "__future__" && imp.Level == 0 {
				c.fail(imp, "from __future__ imports must occur at the beginning of the file")
			}
			_, isExpr := n.(ast.Expr)
			return !isExpr
		})
	}
}

func isDocstring(s ast.Stmt) bool {
	e, ok := s.(*ast.ExprStmt)
	if !ok {
		return false
	}
	k, ok := e.Value.(*ast.Constant)
	return ok && k.Kind() == ast.Str
}

func (c *checker) checkFeature(a *ast.Alias) {
	switch a.Name {
	case "annotations":
		c.futures = true
	case "nested_scopes", "generators", "division", "absolute_import", "with_statement",
		"print_function", "unicode_literals", "barry_as_FLUFL", "generator_stop":
	case "braces":
		c.fail(a, "not a chance")
	default:
		c.fail(a, "future feature %s is not defined", a.Name)
	}
}

func (c *checker) stmts(list []ast.Stmt) {
	for _, s := range list {
		c.stmt(s)
	}
}

// children visits the nodes directly below n.
func (c *checker) children(n ast.Node) {
	ast.Inspect(n, func(child ast.Node) bool {
		switch child := child.(type) {
		case ast.Stmt:
			if child == n {
				return true
			}
			c.stmt(child)
		case ast.Expr:
			if child == n {
				return true
			}
			c.expr(child)
		default:
			return true
		}
		return false
	})
}

func (c *checker) stmt(n ast.Stmt) {
	switch n := n.(type) {
	case *ast.FunctionDef:
		c.functionDef(n)
	case *ast.ClassDef:
		c.classDef(n)
	case *ast.TypeAlias:
		c.typeAlias(n)
	case *ast.Return:
		c.returnStmt(n)
	case *ast.Assign:
		c.optional(n.Value)
		for _, target := range n.Targets {
			c.target(target)
		}
	case *ast.AugAssign:
		c.augTarget(n.Target)
		c.expr(n.Value)
	case *ast.AnnAssign:
		c.annAssign(n)
	case *ast.For:
		c.forStmt(n)
	case *ast.While:
		c.expr(n.Test)
		c.inBlock(loopBlock, n, func() { c.stmts(n.Body) })
		c.stmts(n.Orelse)
	case *ast.With:
		c.withStmt(n)
	case *ast.Try:
		c.tryStmt(n)
	case *ast.Match:
		c.matchStmt(n)
	case *ast.Break:
		c.loopExit(n, "'break' outside loop")
	case *ast.Continue:
		c.loopExit(n, "'continue' not properly in loop")
	case *ast.Import:
		for _, a := range n.Names {
			c.importName(a)
		}
	case *ast.ImportFrom:
		c.importFrom(n)
	case *ast.Global:
		for _, name := range n.Names {
			c.global(n, name)
		}
	case *ast.Nonlocal:
		for _, name := range n.Names {
			c.nonlocal(n, name)
		}
	default:
		c.children(n)
	}
}

func (c *checker) functionDef(n *ast.FunctionDef) {
	c.exprs(n.DecoratorList)
	c.defaults(n.Args)
	c.bind(n.Name, n, isBound)
	typed := c.typeParams(n.TypeParams)
	c.annotations(n)
	s := c.push(&scope{kind: functionScope, async: n.Async})
	c.params(n.Args)
	c.stmts(n.Body)
	if s.async && s.hasYield && s.valueReturn != nil {
		c.fail(s.valueReturn, "'return' with value in async generator")
	}
	c.pop()
	if typed {
		c.pop()
	}
}

func (c *checker) classDef(n *ast.ClassDef) {
	c.exprs(n.DecoratorList)
	c.bind(n.Name, n, isBound)
	typed := c.typeParams(n.TypeParams)
	c.arguments(n.Bases, n.Keywords)
	c.push(&scope{kind: classScope, class: n.Name})
	c.stmts(n.Body)
	c.pop()
	if typed {
		c.pop()
	}
}

func (c *checker) typeAlias(n *ast.TypeAlias) {
	c.expr(n.Name)
	typed := c.typeParams(n.TypeParams)
	c.push(&scope{kind: typeScope, what: "a type alias"})
	c.expr(n.Value)
	c.pop()
	if typed {
		c.pop()
	}
}

// typeParams opens the scope of the type parameters, if there are any, and
// reports whether it did.
func (c *checker) typeParams(params []ast.TypeParam) bool {
	if len(params) == 0 {
		return false
	}
	s := c.push(&scope{kind: typeScope, what: "the definition of a generic"})
	defaulted := false
	for _, p := range params {
		name, bound, value := typeParamParts(p)
		if s.names[name]&isTypeParam != 0 {
			c.fail(p, "duplicate type parameter '%s'", name)
		}
		c.bind(name, p, isBound|isTypeParam)
		c.typeExpr(bound, "a TypeVar bound")
		c.typeExpr(value, "a TypeVar default")
		if defaulted && value == nil {
			c.fail(p, "non-default type parameter '%s' follows default type parameter", name)
		}
		defaulted = defaulted || value != nil
	}
	return true
}

func typeParamParts(p ast.TypeParam) (name string, bound, value ast.Expr) {
	switch p := p.(type) {
	case *ast.TypeVar:
		return p.Name, p.Bound, p.DefaultValue
	case *ast.ParamSpec:
		return p.Name, nil, p.DefaultValue
	case *ast.TypeVarTuple:
		return p.Name, nil, p.DefaultValue
	}
	return "", nil, nil
}

// typeExpr visits an expression that is evaluated in a scope of its own.
func (c *checker) typeExpr(x ast.Expr, what string) {
	if x == nil {
		return
	}
	c.push(&scope{kind: typeScope, what: what})
	if s, ok := x.(*ast.Starred); ok {
		x = s.Value
	}
	c.expr(x)
	c.pop()
}

// allParams returns the parameters in the order of their declaration.
func allParams(a *ast.Arguments) []*ast.Arg {
	list := append([]*ast.Arg(nil), a.PosOnlyArgs...)
	list = append(list, a.Args...)
	if a.Vararg != nil {
		list = append(list, a.Vararg)
	}
	list = append(list, a.KwOnlyArgs...)
	if a.Kwarg != nil {
		list = append(list, a.Kwarg)
	}
	return list
}

func (c *checker) defaults(a *ast.Arguments) {
	c.exprs(a.Defaults)
	for _, x := range a.KwDefaults {
		c.optional(x)
	}
}

func (c *checker) annotations(n *ast.FunctionDef) {
	for _, arg := range allParams(n.Args) {
		c.annotation(arg.Annotation)
	}
	c.annotation(n.Returns)
}

// annotation visits an annotation, which is not evaluated in place from
// Python 3.14 on and after the import of annotations from __future__.
func (c *checker) annotation(x ast.Expr) {
	if x == nil {
		return
	}
	if c.futures || c.version >= py314 {
		c.typeExpr(x, "an annotation")
		return
	}
	if s, ok := x.(*ast.Starred); ok {
		x = s.Value
	}
	c.expr(x)
}

func (c *checker) params(a *ast.Arguments) {
	for _, arg := range allParams(a) {
		if c.scope.names[c.mangle(arg.Arg())]&isParam != 0 {
			c.fail(arg, "duplicate argument '%s' in function definition", arg.Arg())
		}
		c.bind(arg.Arg(), arg, isParam)
	}
}

func (c *checker) returnStmt(n *ast.Return) {
	s := c.scope
	if s.kind != functionScope {
		c.fail(n, "'return' outside function")
	}
	for _, b := range s.blocks {
		if b == exceptStarBlock {
			c.fail(n, "'break', 'continue' and 'return' cannot appear in an except* block")
			break
		}
	}
	if n.Value != nil {
		if s.valueReturn == nil {
			s.valueReturn = n
		}
		c.expr(n.Value)
	}
}

// loopExit checks a break or continue statement.
func (c *checker) loopExit(n ast.Stmt, msg string) {
	blocks := c.scope.blocks
	for i := len(blocks) - 1; i >= 0; i-- {
		switch blocks[i] {
		case loopBlock:
			return
		case exceptStarBlock:
			c.fail(n, "'break', 'continue' and 'return' cannot appear in an except* block")
			return
		}
	}
	c.fail(n, "%s", msg)
}

func (c *checker) annAssign(n *ast.AnnAssign) {
	if name, ok := n.Target.(*ast.Name); ok {
		flags := c.scope.names[c.mangle(name.Id())]
		if n.Simple && flags&(isGlobal|isNonlocal) != 0 && c.scope.kind != moduleScope {
			what := "global"
			if flags&isNonlocal != 0 {
				what = "nonlocal"
			}
			c.fail(n, "annotated name '%s' can't be %s", name.Id(), what)
		}
		switch {
		case n.Simple:
			c.bind(name.Id(), name, isBound|isAnnotated)
		case n.Value != nil:
			c.bind(name.Id(), name, isBound)
		}
	} else {
		c.expr(n.Target)
	}
	if n.Simple && c.scope.kind == functionScope {
		c.localAnnotation(n.Annotation)
	} else {
		c.annotation(n.Annotation)
	}
	c.optional(n.Value)
}

// localAnnotation visits the annotation of a local variable, of which only the
// names count, as it is not compiled.
func (c *checker) localAnnotation(x ast.Expr) {
	ast.Inspect(x, func(n ast.Node) bool {
		if name, ok := n.(*ast.Name); ok {
			c.scope.names[c.mangle(name.Id())] |= isUsed
		}
		return true
	})
}

// augTarget visits the target of an augmented assignment. For attributes
// CPython does not refuse __debug__ there.
func (c *checker) augTarget(x ast.Expr) {
	switch x := x.(type) {
	case *ast.Name:
		c.name(x)
		c.scope.names[c.mangle(x.Id())] |= isUsed
	case *ast.Attribute:
		c.expr(x.Value)
	default:
		c.expr(x)
	}
}

func (c *checker) forStmt(n *ast.For) {
	c.requireAsync(n.Async, n, "'async for'")
	c.target(n.Target)
	c.expr(n.Iter)
	c.inBlock(loopBlock, n, func() { c.stmts(n.Body) })
	c.stmts(n.Orelse)
}

func (c *checker) withStmt(n *ast.With) {
	c.requireAsync(n.Async, n, "'async with'")
	c.withItems(n, n.Items)
}

// withItems visits the items, each of which opens a block, and the body.
func (c *checker) withItems(n *ast.With, items []*ast.WithItem) {
	if len(items) == 0 {
		c.stmts(n.Body)
		return
	}
	c.expr(items[0].ContextExpr)
	c.inBlock(otherBlock, n, func() {
		if items[0].OptionalVars != nil {
			c.target(items[0].OptionalVars)
		}
		c.withItems(n, items[1:])
	})
}

// requireAsync reports an asynchronous construct outside of an async def.
func (c *checker) requireAsync(async bool, n ast.Node, what string) {
	if async && !c.scope.async {
		c.fail(n, "%s outside async function", what)
	}
}

func (c *checker) tryStmt(n *ast.Try) {
	if len(n.Finalbody) > 0 {
		c.inBlock(otherBlock, n, func() { c.tryExcept(n) })
		c.inBlock(otherBlock, n, func() { c.stmts(n.Finalbody) })
		return
	}
	c.tryExcept(n)
}

func (c *checker) tryExcept(n *ast.Try) {
	if len(n.Handlers) == 0 {
		c.stmts(n.Body)
		return
	}
	c.inBlock(otherBlock, n, func() { c.stmts(n.Body) })
	kind := otherBlock
	if n.Star {
		kind = exceptStarBlock
	}
	for i, h := range n.Handlers {
		if h.Type == nil && i < len(n.Handlers)-1 {
			c.fail(h, "default 'except:' must be last")
		}
		c.inBlock(kind, h, func() { c.handler(h) })
	}
	c.stmts(n.Orelse)
}

func (c *checker) handler(h *ast.ExceptHandler) {
	c.optional(h.Type)
	if h.Name == "" {
		c.stmts(h.Body)
		return
	}
	c.bind(h.Name, h, isBound)
	c.inBlock(otherBlock, h, func() { c.stmts(h.Body) })
}

func (c *checker) importName(a *ast.Alias) {
	if a.AsName != "" {
		c.bind(a.AsName, a, isBound)
		return
	}
	name := a.Name
	for i := range len(name) {
		if name[i] == '.' {
			name = name[:i]
			break
		}
	}
	c.bind(name, a, isBound)
}

func (c *checker) importFrom(n *ast.ImportFrom) {
	for _, a := range n.Names {
		if a.Name != "*" {
			c.importName(a)
		} else if c.scope.kind != moduleScope {
			c.fail(n, "import * only allowed at module level")
		}
	}
}
