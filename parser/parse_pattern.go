package parser

import (
	"github.com/kvrace/kvrace/parser/ast"
)

// isMatch reports whether the soft keyword match, the current token, starts a
// match statement. That is so if its line ends with ":".
func (p *parser) isMatch() bool {
	s := p.snapshot()
	s.next()
	switch s.tok {
	case name, intNumber, floatNumber, imagNumber, stringToken, fstringStart, lbrace, tilde, ellipsis,
		kwFalse, kwNone, kwTrue, kwNot, kwLambda, kwAwait, lparen, lbrack, plus, minus, star:
	default:
		return false
	}
	last := s.tok
	for s.tok > illegal {
		last = s.tok
		s.next()
	}
	return s.tok == newline && last == colon
}

// matchStmt parses
//
//	match_stmt: "match" subject_expr ':' NEWLINE INDENT case_block+ DEDENT
func (p *parser) matchStmt() ast.Stmt {
	start := p.pos
	p.require(py310, start, "the match statement")
	p.next()
	s := &ast.Match{Subject: p.subject()}
	p.force(colon)
	p.expect(newline)
	if p.tok != indent {
		p.failExpecting(p.blockExpected(start, "'match' statement"))
	}
	p.next()
	for p.tok != dedent && p.tok != eof {
		s.Cases = append(s.Cases, p.caseBlock())
	}
	p.accept(dedent)
	s.Range = p.span(start)
	return s
}

// subject parses
//
//	subject_expr: star_named_expression ',' [star_named_expressions] | named_expression
func (p *parser) subject() ast.Expr {
	start := p.pos
	x := p.starNamedExpression()
	if p.tok != comma {
		p.checkElement(x)
		return x
	}
	mark := p.exprs.mark()
	p.itemsAfter(x, colon)
	return p.tuple(start, mark)
}

// caseBlock parses
//
//	case_block: "case" patterns ['if' named_expression] ':' block
func (p *parser) caseBlock() *ast.MatchCase {
	if !p.word("case") {
		p.failExpecting("expected 'case'")
	}
	start := p.pos
	p.next()
	c := &ast.MatchCase{Pattern: p.patterns()}
	if p.accept(kwIf) {
		c.Guard = p.namedExpression()
	}
	c.Body = p.block(start, "'case' statement")
	c.Range = p.span(start)
	return c
}

// patterns parses
//
//	patterns: open_sequence_pattern | pattern
//	open_sequence_pattern: maybe_star_pattern ',' [maybe_sequence_pattern]
func (p *parser) patterns() ast.Pattern {
	start := p.pos
	first := p.maybeStarPattern()
	if p.tok != comma {
		if _, ok := first.(*ast.MatchStar); ok {
			p.failAt(start, "invalid syntax")
		}
		return first
	}
	list := []ast.Pattern{first}
	for p.accept(comma) && p.tok != colon && p.tok != kwIf {
		list = append(list, p.maybeStarPattern())
	}
	return &ast.MatchSequence{Range: p.span(start), Patterns: list}
}

// maybeStarPattern parses
//
//	maybe_star_pattern: star_pattern | pattern
//	star_pattern:       '*' (pattern_capture_target | wildcard_pattern)
func (p *parser) maybeStarPattern() ast.Pattern {
	if p.tok != star {
		return p.pattern()
	}
	start := p.pos
	p.next()
	id := p.identifier()
	if id == "_" {
		id = ""
	}
	return &ast.MatchStar{Range: p.span(start), Name: id}
}

// pattern parses
//
//	pattern:    as_pattern | or_pattern
//	as_pattern: or_pattern 'as' pattern_capture_target
func (p *parser) pattern() ast.Pattern {
	p.enter()
	defer p.leave()
	start := p.pos
	x := p.orPattern()
	if !p.accept(kwAs) {
		return x
	}
	at := p.pos
	if p.word("_") {
		p.failAt(at, "cannot use '_' as a target")
	}
	if p.tok != name {
		p.failExpecting("invalid pattern target")
	}
	id := p.identifier()
	if p.tok == dot || p.tok == lparen {
		p.failAt(at, "invalid pattern target")
	}
	return &ast.MatchAs{Range: p.span(start), Pattern: x, Name: id}
}

// orPattern parses
//
//	or_pattern: '|'.closed_pattern+
func (p *parser) orPattern() ast.Pattern {
	start := p.pos
	x := p.closedPattern()
	if p.tok != pipe {
		return x
	}
	list := []ast.Pattern{x}
	for p.accept(pipe) {
		list = append(list, p.closedPattern())
	}
	return &ast.MatchOr{Range: p.span(start), Patterns: list}
}

// closedPattern parses
//
//	closed_pattern: literal_pattern | capture_pattern | wildcard_pattern | value_pattern
//	              | group_pattern | sequence_pattern | mapping_pattern | class_pattern
func (p *parser) closedPattern() ast.Pattern {
	start := p.pos
	switch p.tok {
	case name:
		return p.namePattern()
	case kwNone:
		return p.singleton(ast.None)
	case kwTrue:
		return p.singleton(ast.True)
	case kwFalse:
		return p.singleton(ast.False)
	case lparen:
		return p.groupPattern()
	case lbrack:
		p.next()
		list, _ := p.sequence(rbrack)
		return &ast.MatchSequence{Range: p.span(start), Patterns: list}
	case lbrace:
		return p.mappingPattern()
	}
	value := p.literalPattern()
	return &ast.MatchValue{Range: p.span(start), Value: value}
}

func (p *parser) singleton(kind ast.ConstKind) ast.Pattern {
	start := p.pos
	p.next()
	return &ast.MatchSingleton{Range: p.span(start), Value: kind}
}

// literalPattern parses
//
//	literal_expr: signed_number !('+' | '-') | complex_number | strings
//	complex_number: signed_real_number ('+' | '-') imaginary_number
func (p *parser) literalPattern() ast.Expr {
	start := p.pos
	if p.tok == stringToken || p.tok == fstringStart {
		return p.strings()
	}
	x := p.signedNumber()
	if p.tok != plus && p.tok != minus {
		return x
	}
	if p.prevKindIsComplex(x) {
		p.failAt(start, "real number required in complex literal")
	}
	op := ast.Add
	if p.tok == minus {
		op = ast.Sub
	}
	p.next()
	if p.tok != imagNumber {
		p.failExpecting("imaginary number required in complex literal")
	}
	y := p.constant(ast.Complex, p.src[p.pos:p.end])
	return &ast.BinOp{Range: p.span(start), Op: op, Left: x, Right: y}
}

func (p *parser) prevKindIsComplex(x ast.Expr) bool {
	if u, ok := x.(*ast.UnaryOp); ok {
		x = u.Operand
	}
	return x.(*ast.Constant).Kind() == ast.Complex
}

// signedNumber parses
//
//	signed_number: NUMBER | '-' NUMBER
func (p *parser) signedNumber() ast.Expr {
	start := p.pos
	negative := p.accept(minus)
	switch p.tok {
	case intNumber, floatNumber, imagNumber:
	default:
		p.failToken()
	}
	x := p.atom()
	if negative {
		return &ast.UnaryOp{Range: p.span(start), Op: ast.USub, Operand: x}
	}
	return x
}

// namePattern parses a pattern that starts with a name:
//
//	capture_pattern:  !"_" NAME !('.' | '(' | '=')
//	wildcard_pattern: "_"
//	value_pattern:    attr !('.' | '(' | '=')
//	class_pattern:    name_or_attr '(' [patterns] ')'
func (p *parser) namePattern() ast.Pattern {
	start := p.pos
	if p.word("_") {
		p.next()
		return &ast.MatchAs{Range: p.span(start)}
	}
	x := p.nameOrAttr()
	if p.tok == lparen {
		return p.classPattern(start, x)
	}
	if n, ok := x.(*ast.Name); ok {
		return &ast.MatchAs{Range: p.span(start), Name: n.Id()}
	}
	return &ast.MatchValue{Range: p.span(start), Value: x}
}

// nameOrAttr parses
//
//	name_or_attr: name_or_attr '.' NAME | NAME
func (p *parser) nameOrAttr() ast.Expr {
	start := p.pos
	var x ast.Expr = p.name()
	for n := 0; p.tok == dot; n++ {
		p.link(n)
		p.next()
		a := &ast.Attribute{Value: x}
		id := p.identifier()
		a.Set(p.src, p.span(start), id)
		x = a
	}
	return x
}

// classPattern parses the rest of
//
//	class_pattern: name_or_attr '(' [positional_patterns [',' keyword_patterns] [','] | keyword_patterns [',']] ')'
func (p *parser) classPattern(start ast.Pos, cls ast.Expr) ast.Pattern {
	c := &ast.MatchClass{Cls: cls}
	p.next()
	for p.tok != rparen {
		at := p.pos
		if p.tok == name && p.assignFollows() {
			c.KwdAttrs = append(c.KwdAttrs, p.identifier())
			p.next()
			c.KwdPatterns = append(c.KwdPatterns, p.pattern())
		} else {
			x := p.pattern()
			if len(c.KwdAttrs) > 0 {
				p.failAt(at, "positional patterns follow keyword patterns")
			}
			c.Patterns = append(c.Patterns, x)
		}
		if !p.accept(comma) {
			break
		}
	}
	p.expect(rparen)
	c.Range = p.span(start)
	return c
}

// assignFollows reports whether "=" comes after the current token.
func (p *parser) assignFollows() bool {
	s := p.snapshot()
	s.next()
	return s.tok == assign
}

// groupPattern parses
//
//	group_pattern:    '(' pattern ')'
//	sequence_pattern: '(' [open_sequence_pattern] ')'
func (p *parser) groupPattern() ast.Pattern {
	start := p.pos
	p.next()
	list, commas := p.sequence(rparen)
	if len(list) == 1 && !commas {
		if _, ok := list[0].(*ast.MatchStar); ok {
			p.failAt(list[0].Pos(), "invalid syntax")
		}
		return list[0]
	}
	return &ast.MatchSequence{Range: p.span(start), Patterns: list}
}

// sequence parses the patterns up to a closing bracket and the bracket:
//
//	maybe_sequence_pattern: ','.maybe_star_pattern+ [',']
func (p *parser) sequence(closing kind) (list []ast.Pattern, commas bool) {
	for p.tok != closing {
		list = append(list, p.maybeStarPattern())
		if !p.accept(comma) {
			break
		}
		commas = true
	}
	p.expect(closing)
	return list, commas
}

// mappingPattern parses
//
//	mapping_pattern: '{' [items_pattern [',' double_star_pattern] [','] | double_star_pattern [',']] '}'
//	key_value_pattern: (literal_expr | attr) ':' pattern
func (p *parser) mappingPattern() ast.Pattern {
	start := p.pos
	p.next()
	m := &ast.MatchMapping{}
	for p.tok != rbrace {
		if m.Rest != "" {
			p.failAt(p.pos, "double star pattern must be the last pattern in a mapping pattern")
		}
		if p.accept(doubleStar) {
			if p.word("_") {
				p.failToken()
			}
			m.Rest = p.identifier()
		} else {
			m.Keys = append(m.Keys, p.mappingKey())
			p.expect(colon)
			m.Patterns = append(m.Patterns, p.pattern())
		}
		if !p.accept(comma) {
			break
		}
	}
	p.expect(rbrace)
	m.Range = p.span(start)
	return m
}

// mappingKey parses
//
//	literal_expr | attr
func (p *parser) mappingKey() ast.Expr {
	switch p.tok {
	case kwNone:
		return p.constant(ast.None, "")
	case kwTrue:
		return p.constant(ast.True, "")
	case kwFalse:
		return p.constant(ast.False, "")
	case name:
		x := p.nameOrAttr()
		if _, ok := x.(*ast.Name); ok {
			p.failAt(x.Pos(), "mapping pattern keys may only match literals and attribute lookups")
		}
		return x
	}
	return p.literalPattern()
}
