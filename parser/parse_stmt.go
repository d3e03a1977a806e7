package parser

import (
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
)

// statements parses statements up to a DEDENT or the end of the file and pushes
// what is correct of them:
//
//	statements: statement+
//	statement:  compound_stmt | simple_stmts
func (p *parser) statements() {
	for !p.attempt(p.allStatements) {
		p.lastFail = true
		if p.pos == p.statement && p.tok > dedent {
			p.next()
		}
	}
}

func (p *parser) allStatements() {
	for p.tok != dedent && p.tok != eof {
		p.chains = 0
		p.statement = p.pos
		failed := p.lastFail
		p.lastFail = false
		switch {
		case p.tok == newline:
			p.next()
		case p.tok == indent:
			p.unexpectedIndent(failed)
		case failed && continuesStatement(p.tok):
			p.skipClause()
		default:
			p.compoundOrSimple()
		}
	}
}

// continuesStatement reports whether a line that starts with k belongs to the
// statement before it.
func continuesStatement(k kind) bool {
	return k == kwElse || k == kwElif || k == kwExcept || k == kwFinally
}

// skipClause skips the header of a clause whose statement had an error. Its
// block is then parsed as if it were indented by mistake, without an error.
func (p *parser) skipClause() {
	for p.tok != newline && p.tok != eof {
		p.next()
	}
	p.accept(newline)
	p.lastFail = true
}

// unexpectedIndent parses the statements of a block without a header. If the
// header had an error, that has been reported.
func (p *parser) unexpectedIndent(reported bool) {
	if !reported {
		p.faults.add(p.pos, "unexpected indent")
	}
	p.next()
	p.statements()
	p.accept(dedent)
	p.lastFail = reported
}

// compoundOrSimple parses a compound statement or a line of simple ones.
func (p *parser) compoundOrSimple() {
	start := p.pos
	switch p.tok {
	case kwIf:
		p.stmts.push(p.ifStmt())
	case kwDef:
		p.stmts.push(p.functionDef(start, nil))
	case kwFor:
		p.stmts.push(p.forStmt(start))
	case kwWith:
		p.stmts.push(p.withStmt(start))
	case kwTry:
		p.stmts.push(p.tryStmt())
	case kwWhile:
		p.stmts.push(p.whileStmt())
	case kwClass:
		p.stmts.push(p.classDef(nil))
	case at:
		p.stmts.push(p.decorated())
	case kwAsync:
		p.stmts.push(p.asyncStmt())
	case name:
		if p.word("match") && p.isMatch() {
			p.stmts.push(p.matchStmt())
			return
		}
		p.simpleStmts()
	default:
		p.simpleStmts()
	}
}

// simpleStmts parses
//
//	simple_stmts: ';'.simple_stmt+ [';'] NEWLINE
func (p *parser) simpleStmts() {
	for {
		p.stmts.push(p.simpleStmt())
		if !p.accept(semicolon) || p.tok == newline {
			break
		}
	}
	if p.tok != newline {
		p.failAfterStatement()
	}
	p.next()
}

// failAfterStatement leaves the statement because something follows it on its
// line.
func (p *parser) failAfterStatement() {
	last := len(p.stmts.items) - 1
	n := p.stmts.items[last]
	p.stmts.drop(last)
	if e, ok := n.(*ast.ExprStmt); ok && startsExpression[p.tok] {
		if id, ok := e.Value.(*ast.Name); ok && (id.Id() == "print" || id.Id() == "exec") {
			p.failAt(n.Pos(), "Missing parentheses in call to '%s'. Did you mean %s(...)?", id.Id(), id.Id())
		}
	}
	p.failToken()
}

// simpleStmt parses
//
//	simple_stmt: assignment | type_alias | star_expressions | return_stmt | import_stmt | raise_stmt
//	           | 'pass' | del_stmt | yield_stmt | assert_stmt | 'break' | 'continue'
//	           | global_stmt | nonlocal_stmt
func (p *parser) simpleStmt() ast.Stmt {
	start := p.pos
	switch p.tok {
	case kwReturn:
		return p.returnStmt()
	case kwImport:
		return p.importStmt()
	case kwFrom:
		return p.importFrom()
	case kwRaise:
		return p.raiseStmt()
	case kwPass:
		p.next()
		return &ast.Pass{Range: p.span(start)}
	case kwBreak:
		p.next()
		return &ast.Break{Range: p.span(start)}
	case kwContinue:
		p.next()
		return &ast.Continue{Range: p.span(start)}
	case kwDel:
		return p.delStmt()
	case kwAssert:
		return p.assertStmt()
	case kwGlobal:
		names := p.nameList()
		return &ast.Global{Range: p.span(start), Names: names}
	case kwNonlocal:
		names := p.nameList()
		return &ast.Nonlocal{Range: p.span(start), Names: names}
	case name:
		if p.word("type") && p.isTypeAlias() {
			return p.typeAlias()
		}
	}
	return p.expressionStmt()
}

// expressionStmt parses an expression used as a statement, or
//
//	assignment: NAME ':' expression ['=' annotated_rhs]
//	          | ('(' single_target ')' | single_subscript_attribute_target) ':' expression ['=' annotated_rhs]
//	          | (star_targets '=')+ annotated_rhs !'='
//	          | single_target augassign ~ annotated_rhs
func (p *parser) expressionStmt() ast.Stmt {
	start := p.pos
	x := p.annotatedRHS()
	switch p.tok {
	case newline:
	case assign:
		return p.assignment(start, x)
	case colon:
		return p.annotation(start, x)
	case walrus:
		if n, ok := x.(*ast.Name); !ok || n.Pos() != start {
			p.failAt(start, "cannot use assignment expressions with %s", describe(x))
		}
	default:
		if op, ok := augmentedOperator(p.tok); ok {
			return p.augmented(start, x, op)
		}
	}
	s := p.nodes.exprStmts.new()
	*s = ast.ExprStmt{Range: p.span(start), Value: x}
	return s
}

func (p *parser) assignment(start ast.Pos, x ast.Expr) ast.Stmt {
	mark := p.exprs.mark()
	for p.tok == assign {
		if p.exprs.mark() == mark {
			p.checkComparisonMeant(start, x)
		}
		p.setTarget(x, ast.Store)
		p.exprs.push(x)
		p.next()
		x = p.annotatedRHS()
	}
	s := p.nodes.assigns.new()
	*s = ast.Assign{Range: p.span(start), Targets: p.exprs.take(mark), Value: x}
	return s
}

// checkComparisonMeant reports a first target of an assignment for which "=="
// was more likely meant.
func (p *parser) checkComparisonMeant(start ast.Pos, x ast.Expr) {
	switch x := x.(type) {
	case *ast.Name, *ast.Attribute, *ast.Subscript, *ast.Starred, *ast.List, *ast.Tuple,
		*ast.GeneratorExp, *ast.ListComp, *ast.SetComp, *ast.DictComp,
		*ast.Lambda, *ast.IfExp, *ast.Compare, *ast.BoolOp:
		return
	case *ast.Yield, *ast.YieldFrom:
		if x.Pos() == start {
			p.failAt(start, "assignment to yield expression not possible")
		}
	case *ast.Constant:
		if x.Kind() <= ast.False {
			return
		}
	}
	p.failAt(x.Pos(), "cannot assign to %s here. Maybe you meant '==' instead of '='?", describe(x))
}

func (p *parser) annotation(start ast.Pos, x ast.Expr) ast.Stmt {
	simple := false
	switch x := x.(type) {
	case *ast.Name:
		simple = x.Pos() == start
	case *ast.Attribute, *ast.Subscript:
	case *ast.List, *ast.Tuple:
		p.failAt(start, "only single target (not %s) can be annotated", describe(x))
	default:
		p.failAt(start, "illegal target for annotation")
	}
	p.setTarget(x, ast.Store)
	p.next()
	s := &ast.AnnAssign{Simple: simple, Target: x, Annotation: p.expression()}
	if p.accept(assign) {
		s.Value = p.annotatedRHS()
	}
	s.Range = p.span(start)
	return s
}

func (p *parser) augmented(start ast.Pos, x ast.Expr, op ast.Operator) ast.Stmt {
	switch x.(type) {
	case *ast.Name, *ast.Attribute, *ast.Subscript:
	default:
		p.failAt(start, "'%s' is an illegal expression for augmented assignment", describe(x))
	}
	p.setTarget(x, ast.Store)
	p.next()
	value := p.annotatedRHS()
	return &ast.AugAssign{Range: p.span(start), Op: op, Target: x, Value: value}
}

// setTarget makes x the target of an assignment or a deletion:
//
//	star_target: '*' (!'*' star_target) | target_with_star_atom
//	del_target:  t_primary '.' NAME | t_primary '[' slices ']' | del_t_atom
func (p *parser) setTarget(x ast.Expr, ctx ast.Ctx) {
	switch x := x.(type) {
	case *ast.Name:
		x.SetCtx(ctx)
		return
	case *ast.Attribute:
		x.SetCtx(ctx)
		return
	case *ast.Subscript:
		x.Ctx = ctx
		return
	case *ast.List:
		x.Ctx = ctx
		p.setTargets(x.Elts, ctx)
		return
	case *ast.Tuple:
		x.Ctx = ctx
		p.setTargets(x.Elts, ctx)
		return
	case *ast.Starred:
		if ctx == ast.Store {
			x.Ctx = ctx
			p.setTarget(x.Value, ctx)
			return
		}
	}
	if ctx == ast.Del {
		p.failAt(x.Pos(), "cannot delete %s", describe(x))
	}
	p.failAt(x.Pos(), "cannot assign to %s", describe(x))
}

func (p *parser) setTargets(list []ast.Expr, ctx ast.Ctx) {
	for _, x := range list {
		p.setTarget(x, ctx)
	}
}

// returnStmt parses
//
//	return_stmt: 'return' [star_expressions]
func (p *parser) returnStmt() ast.Stmt {
	start := p.pos
	p.next()
	s := &ast.Return{}
	if p.startsItem() {
		s.Value = p.starExpressions()
	}
	s.Range = p.span(start)
	return s
}

// raiseStmt parses
//
//	raise_stmt: 'raise' expression ['from' expression] | 'raise'
func (p *parser) raiseStmt() ast.Stmt {
	start := p.pos
	p.next()
	s := &ast.Raise{}
	if startsExpression[p.tok] {
		s.Exc = p.expression()
		if p.accept(kwFrom) {
			s.Cause = p.expression()
		}
	}
	s.Range = p.span(start)
	return s
}

// delStmt parses
//
//	del_stmt: 'del' del_targets &(';' | NEWLINE)
func (p *parser) delStmt() ast.Stmt {
	start := p.pos
	p.next()
	mark := p.exprs.mark()
	for {
		x := p.starExpression()
		p.setTarget(x, ast.Del)
		p.exprs.push(x)
		if !p.accept(comma) || !p.startsItem() {
			break
		}
	}
	return &ast.Delete{Range: p.span(start), Targets: p.exprs.take(mark)}
}

// assertStmt parses
//
//	assert_stmt: 'assert' expression [',' expression]
func (p *parser) assertStmt() ast.Stmt {
	start := p.pos
	p.next()
	at := p.pos
	s := &ast.Assert{Test: p.expression()}
	if p.tok == assign {
		p.failNamedAssign(at, s.Test)
	}
	if p.accept(comma) {
		s.Msg = p.expression()
	}
	s.Range = p.span(start)
	return s
}

// nameList parses the rest of
//
//	global_stmt:   'global' ','.NAME+
//	nonlocal_stmt: 'nonlocal' ','.NAME+
func (p *parser) nameList() []string {
	p.next()
	names := []string{p.identifier()}
	for p.accept(comma) {
		names = append(names, p.identifier())
	}
	return names
}

// importStmt parses
//
//	import_name: 'import' ','.dotted_as_name+
func (p *parser) importStmt() ast.Stmt {
	start := p.pos
	p.next()
	p.expectNames()
	mark := p.aliases.mark()
	for {
		at := p.pos
		p.alias(at, p.dottedName())
		if !p.accept(comma) {
			break
		}
	}
	return &ast.Import{Range: p.span(start), Names: p.aliases.take(mark)}
}

// expectNames reports an import without names.
func (p *parser) expectNames() {
	if p.tok == newline {
		p.failAt(p.pos, "Expected one or more names after 'import'")
	}
}

// alias parses the rest of an alias that starts at start, and pushes it:
//
//	['as' NAME]
func (p *parser) alias(start ast.Pos, id string) {
	a := p.nodes.aliases.new()
	a.Name = id
	if p.accept(kwAs) {
		a.AsName = p.identifier()
	}
	a.Range = p.span(start)
	p.aliases.push(a)
}

// dottedName parses
//
//	dotted_name: dotted_name '.' NAME | NAME
func (p *parser) dottedName() string {
	start := p.pos
	id := p.identifier()
	if p.tok != dot {
		return id
	}
	parts := []string{id}
	length := len(id)
	for p.accept(dot) {
		id := p.identifier()
		parts = append(parts, id)
		length += 1 + len(id)
	}
	if text := p.src[start:p.prevEnd]; len(text) == length {
		if joined := strings.Join(parts, "."); joined != text {
			return joined
		}
		return text
	}
	return strings.Join(parts, ".")
}

// importFrom parses
//
//	import_from: 'from' ('.' | '...')* dotted_name 'import' import_from_targets
//	           | 'from' ('.' | '...')+ 'import' import_from_targets
func (p *parser) importFrom() ast.Stmt {
	start := p.pos
	p.next()
	s := &ast.ImportFrom{}
	for p.tok == dot || p.tok == ellipsis {
		s.Level += int32(p.end - p.pos)
		p.next()
	}
	if s.Level == 0 || p.tok != kwImport {
		s.Module = p.dottedName()
	}
	p.expect(kwImport)
	s.Names = p.importTargets()
	s.Range = p.span(start)
	return s
}

// importTargets parses
//
//	import_from_targets: '(' import_from_as_names [','] ')' | import_from_as_names !',' | '*'
func (p *parser) importTargets() []*ast.Alias {
	switch p.tok {
	case star:
		a := &ast.Alias{Name: "*", Range: ast.Range{Start: p.pos, Stop: p.end}}
		p.next()
		return []*ast.Alias{a}
	}
	p.expectNames()
	parens := p.accept(lparen)
	mark := p.aliases.mark()
	for {
		at := p.pos
		p.alias(at, p.identifier())
		if !p.accept(comma) || parens && p.tok == rparen {
			break
		}
		if p.tok == newline {
			p.failAt(p.pos, "trailing comma not allowed without surrounding parentheses")
		}
	}
	if parens {
		p.expect(rparen)
	}
	return p.aliases.take(mark)
}

// isTypeAlias reports whether the soft keyword type, the current token, starts
// a type alias.
func (p *parser) isTypeAlias() bool {
	s := p.snapshot()
	s.next()
	return s.tok == name
}

// typeAlias parses
//
//	type_alias: "type" NAME [type_params] '=' expression
func (p *parser) typeAlias() ast.Stmt {
	start := p.pos
	p.require(py312, start, "the type statement")
	p.next()
	n := p.name()
	n.SetCtx(ast.Store)
	params := p.typeParams()
	p.expect(assign)
	value := p.expression()
	return &ast.TypeAlias{Range: p.span(start), Name: n, TypeParams: params, Value: value}
}

// typeParams parses
//
//	type_params: '[' ','.type_param+ [','] ']'
//
// or nothing.
func (p *parser) typeParams() []ast.TypeParam {
	if p.tok != lbrack {
		return nil
	}
	p.require(py312, p.pos, "a type parameter list")
	p.next()
	if p.tok == rbrack {
		p.failAt(p.pos, "Type parameter list cannot be empty")
	}
	var params []ast.TypeParam
	for {
		params = append(params, p.typeParam())
		if !p.accept(comma) || p.tok == rbrack {
			break
		}
	}
	p.expect(rbrack)
	return params
}

// typeParam parses
//
//	type_param: NAME [':' expression] ['=' expression] | '*' NAME ['=' star_expression]
//	          | '**' NAME ['=' expression]
func (p *parser) typeParam() ast.TypeParam {
	start := p.pos
	switch p.tok {
	case star:
		p.next()
		t := &ast.TypeVarTuple{Name: p.identifier()}
		p.refuseBound("TypeVarTuple")
		if p.typeDefault() {
			t.DefaultValue = p.starExpression()
		}
		t.Range = p.span(start)
		return t
	case doubleStar:
		p.next()
		t := &ast.ParamSpec{Name: p.identifier()}
		p.refuseBound("ParamSpec")
		if p.typeDefault() {
			t.DefaultValue = p.expression()
		}
		t.Range = p.span(start)
		return t
	}
	t := &ast.TypeVar{Name: p.identifier()}
	if p.accept(colon) {
		t.Bound = p.expression()
	}
	if p.typeDefault() {
		t.DefaultValue = p.expression()
	}
	t.Range = p.span(start)
	return t
}

func (p *parser) refuseBound(what string) {
	if p.tok == colon {
		p.failAt(p.pos, "cannot use bound with %s", what)
	}
}

// typeDefault consumes the "=" before a type parameter's default.
func (p *parser) typeDefault() bool {
	if p.tok != assign {
		return false
	}
	p.require(py313, p.pos, "a type parameter default")
	p.next()
	return true
}
