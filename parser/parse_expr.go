package parser

import (
	"github.com/kvrace/kvrace/parser/ast"
)

// startsExpression tells which tokens an expression may start with, "*" and
// yield not included.
var startsExpression = [kindCount]bool{
	name: true, intNumber: true, floatNumber: true, imagNumber: true, stringToken: true, fstringStart: true,
	lparen: true, lbrack: true, lbrace: true, ellipsis: true, minus: true, plus: true, tilde: true,
	kwFalse: true, kwNone: true, kwTrue: true, kwNot: true, kwLambda: true, kwAwait: true,
}

// continuesExpression tells which tokens after a primary make it the operand of
// an expression.
var continuesExpression = func() (table [kindCount]bool) {
	for k := range table {
		table[k] = binaryOperators[k].prec > 0
	}
	for _, k := range []kind{doubleStar, equal, notEqual, less, lessEqual, greater, greaterEqual,
		kwAnd, kwIf, kwIn, kwIs, kwNot, kwOr} {
		table[k] = true
	}
	return table
}()

// startsItem reports whether the current token may start an item of a list of
// expressions: an expression or "*".
func (p *parser) startsItem() bool { return startsExpression[p.tok] || p.tok == star }

// annotatedRHS parses
//
//	annotated_rhs: yield_expr | star_expressions
func (p *parser) annotatedRHS() ast.Expr {
	if p.tok == kwYield {
		return p.yieldExpr()
	}
	return p.starExpressions()
}

// starExpressions parses
//
//	star_expressions: star_expression (',' star_expression)* [',']
//	star_expression:  '*' bitwise_or | expression
func (p *parser) starExpressions() ast.Expr {
	start := p.pos
	x := p.starExpression()
	if p.tok != comma {
		return x
	}
	mark := p.exprs.mark()
	p.exprs.push(x)
	for p.accept(comma) && p.startsItem() {
		p.exprs.push(p.starExpression())
	}
	return p.tuple(start, mark)
}

// tuple makes a tuple of the expressions since mark.
func (p *parser) tuple(start ast.Pos, mark int) *ast.Tuple {
	t := p.nodes.tuples.new()
	t.Range = p.span(start)
	t.Elts = p.exprs.take(mark)
	return t
}

func (p *parser) starExpression() ast.Expr {
	if p.tok == star {
		return p.starred()
	}
	return p.expression()
}

// starred parses
//
//	'*' bitwise_or
func (p *parser) starred() ast.Expr {
	start := p.pos
	p.next()
	value := p.bitwiseOr()
	return &ast.Starred{Range: p.span(start), Value: value}
}

// starNamedExpression parses
//
//	star_named_expression: '*' bitwise_or | named_expression
func (p *parser) starNamedExpression() ast.Expr {
	if p.tok == star {
		return p.starred()
	}
	return p.namedExpression()
}

// namedExpression parses
//
//	named_expression: NAME ':=' expression | expression !':='
func (p *parser) namedExpression() ast.Expr {
	start := p.pos
	x := p.expression()
	switch p.tok {
	case walrus:
		return p.assignmentExpression(start, x)
	case assign:
		p.failNamedAssign(start, x)
	}
	return x
}

// assignmentExpression parses the rest of a named_expression after its target
// x, which started at start.
func (p *parser) assignmentExpression(start ast.Pos, x ast.Expr) ast.Expr {
	target, ok := x.(*ast.Name)
	if !ok {
		p.failAt(start, "cannot use assignment expressions with %s", describe(x))
	}
	if target.Pos() != start {
		p.failToken()
	}
	p.next()
	target.SetCtx(ast.Store)
	value := p.expression()
	return &ast.NamedExpr{Range: p.span(start), Target: target, Value: value}
}

// failNamedAssign reports a "=" after an expression where only ":=" or "=="
// can be meant. In calls the caller deals with it.
func (p *parser) failNamedAssign(start ast.Pos, x ast.Expr) {
	switch x := x.(type) {
	case *ast.Name:
		if x.Pos() == start {
			p.failAt(start, "invalid syntax. Maybe you meant '==' or ':=' instead of '='?")
		}
	case *ast.List, *ast.Tuple, *ast.GeneratorExp:
		return
	case *ast.Constant:
		if x.Kind() <= ast.False {
			return
		}
	}
	p.failAt(start, "cannot assign to %s here. Maybe you meant '==' instead of '='?", describe(x))
}

// yieldExpr parses
//
//	yield_expr: 'yield' 'from' expression | 'yield' [star_expressions]
func (p *parser) yieldExpr() ast.Expr {
	start := p.pos
	p.next()
	if p.accept(kwFrom) {
		value := p.expression()
		return &ast.YieldFrom{Range: p.span(start), Value: value}
	}
	var value ast.Expr
	if p.startsItem() {
		value = p.starExpressions()
	}
	return &ast.Yield{Range: p.span(start), Value: value}
}

// expression parses
//
//	expression: disjunction 'if' disjunction 'else' expression
//	          | disjunction
//	          | lambdef
func (p *parser) expression() ast.Expr {
	p.enter()
	var x ast.Expr
	if p.tok == kwLambda {
		x = p.lambda()
	} else {
		x = p.conditional()
	}
	p.leave()
	return x
}

// conditional parses an expression that is no lambda.
func (p *parser) conditional() ast.Expr {
	start := p.pos
	var x ast.Expr
	if p.tok == name {
		// Most expressions are names, attributes and calls. They take this way
		// past the levels of precedence.
		x = p.primary()
		if !continuesExpression[p.tok] {
			return x
		}
		x = p.powerRest(start, x)
		x = p.binaryRest(start, x, 1)
		x = p.comparisonRest(start, x)
		x = p.conjunctionRest(start, x)
		x = p.disjunctionRest(start, x)
	} else {
		x = p.disjunction()
	}
	if p.tok != kwIf {
		return x
	}
	p.next()
	test := p.disjunction()
	if p.tok != kwElse {
		p.failAt(start, "expected 'else' after 'if' expression")
	}
	p.next()
	orelse := p.expression()
	return &ast.IfExp{Range: p.span(start), Test: test, Body: x, Orelse: orelse}
}

// lambda parses
//
//	lambdef: 'lambda' [lambda_params] ':' expression
func (p *parser) lambda() ast.Expr {
	start := p.pos
	p.next()
	args := p.parameters(colon)
	if p.tok == colon && p.inText {
		p.failAt(start, "f-string: lambda expressions are not allowed without parentheses")
	}
	p.force(colon)
	body := p.expression()
	return &ast.Lambda{Range: p.span(start), Args: args, Body: body}
}

// disjunction parses
//
//	disjunction: conjunction ('or' conjunction)*
func (p *parser) disjunction() ast.Expr {
	start := p.pos
	return p.disjunctionRest(start, p.conjunction())
}

// The methods with Rest in their names parse the rest of a rule after its
// first operand x, which starts at start.

func (p *parser) disjunctionRest(start ast.Pos, x ast.Expr) ast.Expr {
	if p.tok != kwOr {
		return x
	}
	mark := p.exprs.mark()
	p.exprs.push(x)
	for p.accept(kwOr) {
		p.exprs.push(p.conjunction())
	}
	return &ast.BoolOp{Range: p.span(start), Op: ast.Or, Values: p.exprs.take(mark)}
}

// conjunction parses
//
//	conjunction: inversion ('and' inversion)*
func (p *parser) conjunction() ast.Expr {
	start := p.pos
	return p.conjunctionRest(start, p.inversion())
}

func (p *parser) conjunctionRest(start ast.Pos, x ast.Expr) ast.Expr {
	if p.tok != kwAnd {
		return x
	}
	mark := p.exprs.mark()
	p.exprs.push(x)
	for p.accept(kwAnd) {
		p.exprs.push(p.inversion())
	}
	return &ast.BoolOp{Range: p.span(start), Op: ast.And, Values: p.exprs.take(mark)}
}

// inversion parses
//
//	inversion: 'not' inversion | comparison
func (p *parser) inversion() ast.Expr {
	if p.tok != kwNot {
		return p.comparison()
	}
	start := p.pos
	p.enter()
	p.next()
	operand := p.inversion()
	p.leave()
	return &ast.UnaryOp{Range: p.span(start), Op: ast.Not, Operand: operand}
}

// comparison parses
//
//	comparison: bitwise_or (comp_op bitwise_or)*
//	comp_op:    '<' | '>' | '==' | '>=' | '<=' | '!=' | 'in' | 'not' 'in' | 'is' 'not' | 'is'
func (p *parser) comparison() ast.Expr {
	start := p.pos
	return p.comparisonRest(start, p.bitwiseOr())
}

func (p *parser) comparisonRest(start ast.Pos, x ast.Expr) ast.Expr {
	op, ok := p.comparisonOperator()
	if !ok {
		return x
	}
	exprs, ops := p.exprs.mark(), p.ops.mark()
	for ; ok; op, ok = p.comparisonOperator() {
		p.ops.push(op)
		p.exprs.push(p.bitwiseOr())
	}
	c := p.nodes.compares.new()
	c.Range = p.span(start)
	c.Left = x
	c.Ops = p.ops.take(ops)
	c.Comparators = p.exprs.take(exprs)
	return c
}

// comparisonOperator consumes a comp_op if there is one.
func (p *parser) comparisonOperator() (op ast.CmpOp, ok bool) {
	switch p.tok {
	case equal:
		op = ast.Eq
	case notEqual:
		op = ast.NotEq
	case less:
		op = ast.Lt
	case lessEqual:
		op = ast.LtE
	case greater:
		op = ast.Gt
	case greaterEqual:
		op = ast.GtE
	case kwIn:
		op = ast.In
	case kwNot:
		p.next()
		if p.tok != kwIn {
			p.failToken()
		}
		op = ast.NotIn
	case kwIs:
		p.next()
		if p.tok != kwNot {
			return ast.Is, true
		}
		op = ast.IsNot
	default:
		return 0, false
	}
	p.next()
	return op, true
}

// bitwiseOr parses
//
//	bitwise_or: bitwise_or '|' bitwise_xor | bitwise_xor
func (p *parser) bitwiseOr() ast.Expr { return p.binary(1) }

// binary parses the operators of at least the given precedence: the rules
// bitwise_or, bitwise_xor, bitwise_and, shift_expr, sum and term.
func (p *parser) binary(precedence uint8) ast.Expr {
	start := p.pos
	return p.binaryRest(start, p.factor(), precedence)
}

func (p *parser) binaryRest(start ast.Pos, x ast.Expr, precedence uint8) ast.Expr {
	for n := 0; ; n++ {
		operator := binaryOperators[p.tok]
		if operator.prec < precedence {
			return x
		}
		p.link(n)
		p.next()
		y := p.binary(operator.prec + 1)
		b := p.nodes.binOps.new()
		*b = ast.BinOp{Range: p.span(start), Op: operator.op, Left: x, Right: y}
		x = b
	}
}

// factor parses
//
//	factor: '+' factor | '-' factor | '~' factor | power
//	power:  await_primary '**' factor | await_primary
func (p *parser) factor() ast.Expr {
	start := p.pos
	var op ast.UnaryOperator
	switch p.tok {
	case plus:
		op = ast.UAdd
	case minus:
		op = ast.USub
	case tilde:
		op = ast.Invert
	default:
		return p.powerRest(start, p.awaitPrimary())
	}
	p.enter()
	p.next()
	operand := p.factor()
	p.leave()
	return &ast.UnaryOp{Range: p.span(start), Op: op, Operand: operand}
}

func (p *parser) powerRest(start ast.Pos, x ast.Expr) ast.Expr {
	if p.tok != doubleStar {
		return x
	}
	p.enter()
	p.next()
	y := p.factor()
	p.leave()
	return &ast.BinOp{Range: p.span(start), Op: ast.Pow, Left: x, Right: y}
}
