package parser

import (
	"fmt"

	"github.com/kvrace/kvrace/parser/ast"
)

// block parses the block of a compound statement. The statement, or its
// clause, starts at start, and what says how an error message calls it.
//
//	':' block
//	block: NEWLINE INDENT statements DEDENT | simple_stmts
func (p *parser) block(start ast.Pos, what string) []ast.Stmt {
	p.force(colon)
	return p.blockBody(start, what)
}

func (p *parser) blockBody(start ast.Pos, what string) []ast.Stmt {
	mark := p.stmts.mark()
	if p.tok != newline {
		p.simpleStmts()
		return p.takeBlock(mark)
	}
	p.next()
	return p.indented(start, what)
}

// takeBlock returns the statements of a block that began at mark. Where errors
// have cost all of them there is a pass statement without width: nobody has to
// think of blocks that are empty.
func (p *parser) takeBlock(mark int) []ast.Stmt {
	if p.stmts.mark() == mark {
		p.stmts.push(&ast.Pass{Range: p.span(p.prevEnd)})
	}
	return p.stmts.take(mark)
}

// indented parses the statements between INDENT and DEDENT.
func (p *parser) indented(start ast.Pos, what string) []ast.Stmt {
	if p.tok != indent {
		if p.tok == illegal {
			p.failToken()
		}
		p.faults.add(p.pos, p.blockExpected(start, what))
		return p.takeBlock(p.stmts.mark())
	}
	p.enter()
	defer p.leave()
	mark := p.stmts.mark()
	p.next()
	p.lastFail = false
	p.statements()
	p.lastFail = false
	p.accept(dedent)
	return p.takeBlock(mark)
}

// blockExpected is the error of a statement without a block.
func (p *parser) blockExpected(start ast.Pos, what string) string {
	return fmt.Sprintf("expected an indented block after %s on line %d", what, p.line(start))
}

// clause parses the header of a clause after the first one of a compound
// statement with header, and its block. An error in the header costs only the
// header.
func (p *parser) clause(what string, header func()) []ast.Stmt {
	start := p.pos
	p.next()
	if p.attempt(func() { header(); p.force(colon) }) {
		return p.blockBody(start, what)
	}
	if p.tok != indent {
		return p.takeBlock(p.stmts.mark())
	}
	return p.indented(start, what)
}

// ifStmt parses
//
//	if_stmt:   'if' named_expression ':' block (elif_stmt | [else_block])
//	elif_stmt: 'elif' named_expression ':' block (elif_stmt | [else_block])
func (p *parser) ifStmt() ast.Stmt {
	start := p.pos
	p.next()
	s := p.nodes.conditional.new()
	s.Test = p.namedExpression()
	s.Body = p.block(start, "'if' statement")
	s.Orelse = p.elifs()
	s.Range = p.span(start)
	return s
}

// elifs parses the rest of an if_stmt after its first block. An elif_stmt without
// a test, after an error, is replaced by its block.
func (p *parser) elifs() []ast.Stmt {
	if p.tok != kwElif {
		return p.elseBlock()
	}
	p.enter()
	defer p.leave()
	start := p.pos
	s := p.nodes.conditional.new()
	s.Body = p.clause("'elif' statement", func() { s.Test = p.namedExpression() })
	s.Orelse = p.elifs()
	s.Range = p.span(start)
	if s.Test == nil {
		return append(s.Body, s.Orelse...)
	}
	mark := p.stmts.mark()
	p.stmts.push(s)
	return p.stmts.take(mark)
}

// elseBlock parses
//
//	else_block: 'else' ':' block
//
// or nothing.
func (p *parser) elseBlock() []ast.Stmt {
	if p.tok != kwElse {
		return nil
	}
	return p.clause("'else' statement", func() {})
}

// whileStmt parses
//
//	while_stmt: 'while' named_expression ':' block [else_block]
func (p *parser) whileStmt() ast.Stmt {
	start := p.pos
	p.next()
	s := &ast.While{Test: p.namedExpression()}
	s.Body = p.block(start, "'while' statement")
	s.Orelse = p.elseBlock()
	s.Range = p.span(start)
	return s
}

// forStmt parses
//
//	for_stmt: ['async'] 'for' star_targets 'in' ~ star_expressions ':' block [else_block]
//
// after the "async" at start.
func (p *parser) forStmt(start ast.Pos) ast.Stmt {
	s := &ast.For{Async: p.pos != start}
	p.next()
	s.Target = p.forTarget()
	s.Iter = p.starExpressions()
	s.Body = p.block(start, "'for' statement")
	s.Orelse = p.elseBlock()
	s.Range = p.span(start)
	return s
}

// asyncStmt parses a statement that starts with "async".
func (p *parser) asyncStmt() ast.Stmt {
	start := p.pos
	p.next()
	switch p.tok {
	case kwDef:
		return p.functionDef(start, nil)
	case kwFor:
		return p.forStmt(start)
	case kwWith:
		return p.withStmt(start)
	}
	p.failToken()
	return nil
}

// tryStmt parses
//
//	try_stmt: 'try' ':' block finally_block
//	        | 'try' ':' block except_block+ [else_block] [finally_block]
//	        | 'try' ':' block except_star_block+ [else_block] [finally_block]
func (p *parser) tryStmt() ast.Stmt {
	start := p.pos
	p.next()
	s := &ast.Try{Body: p.block(start, "'try' statement")}
	if p.tok != kwExcept && p.tok != kwFinally {
		p.failExpecting("expected 'except' or 'finally' block")
	}
	for p.tok == kwExcept {
		s.Handlers = append(s.Handlers, p.exceptHandler(s))
	}
	if len(s.Handlers) > 0 {
		s.Orelse = p.elseBlock()
	}
	if p.tok == kwFinally {
		s.Finalbody = p.clause("'finally' statement", func() {})
	}
	s.Range = p.span(start)
	return s
}

// exceptHandler parses
//
//	except_block:      'except' [expressions ['as' NAME]] ':' block
//	except_star_block: 'except' '*' expressions ['as' NAME] ':' block
func (p *parser) exceptHandler(try *ast.Try) *ast.ExceptHandler {
	start := p.pos
	h := &ast.ExceptHandler{}
	h.Body = p.clause("'except' statement", func() {
		isStar := p.tok == star
		if isStar {
			p.require(py311, p.pos, "except*")
			p.next()
		}
		if len(try.Handlers) > 0 && isStar != try.Star {
			p.failAt(start, "cannot have both 'except' and 'except*' on the same 'try'")
		}
		try.Star = isStar
		if !isStar && p.tok == colon {
			return
		}
		if isStar && p.tok == colon {
			p.failAt(p.pos, "expected one or more exception types")
		}
		h.Type = p.exceptionTypes()
		if p.accept(kwAs) {
			h.NamePos = p.pos
			h.Name = p.identifier()
		}
	})
	h.Range = p.span(start)
	return h
}

// exceptionTypes parses the types of a handler:
//
//	expression | expressions &':'
func (p *parser) exceptionTypes() ast.Expr {
	start := p.pos
	x := p.expression()
	if p.tok != comma {
		return x
	}
	mark := p.exprs.mark()
	p.exprs.push(x)
	for p.accept(comma) && startsExpression[p.tok] {
		p.exprs.push(p.expression())
	}
	t := p.tuple(start, mark)
	if p.version < py314 || p.tok == kwAs {
		p.failAt(start, "multiple exception types must be parenthesized")
	}
	return t
}

// functionDef parses
//
//	function_def_raw: ['async'] 'def' NAME [type_params] '(' [params] ')' ['->' expression] ':' block
//
// after the "async" at start.
func (p *parser) functionDef(start ast.Pos, decorators []ast.Expr) ast.Stmt {
	s := &ast.FunctionDef{Async: p.pos != start, DecoratorList: decorators}
	p.next()
	s.NamePos = p.pos
	s.Name = p.identifier()
	s.TypeParams = p.typeParams()
	p.force(lparen)
	s.Args = p.parameters(rparen)
	p.expect(rparen)
	if p.accept(arrow) {
		s.Returns = p.expression()
	}
	s.Body = p.block(start, "function definition")
	s.Range = p.span(start)
	return s
}

// classDef parses
//
//	class_def_raw: 'class' NAME [type_params] ['(' [arguments] ')'] ':' block
func (p *parser) classDef(decorators []ast.Expr) ast.Stmt {
	start := p.pos
	p.next()
	s := &ast.ClassDef{NamePos: p.pos, Name: p.identifier(), DecoratorList: decorators}
	s.TypeParams = p.typeParams()
	if p.tok == lparen {
		s.Bases, s.Keywords = p.arguments()
		p.refuseGenerator(s.Bases)
	}
	s.Body = p.block(start, "class definition")
	s.Range = p.span(start)
	return s
}

// refuseGenerator refuses a generator expression that borrows the parentheses
// around the bases of a class.
func (p *parser) refuseGenerator(bases []ast.Expr) {
	if len(bases) != 1 {
		return
	}
	if g, ok := bases[0].(*ast.GeneratorExp); ok && g.Stop == p.prevEnd {
		p.failAt(g.Start, "invalid syntax")
	}
}

// decorated parses
//
//	decorators: ('@' named_expression NEWLINE)+
//
// and the definition after them.
func (p *parser) decorated() ast.Stmt {
	mark := p.exprs.mark()
	for p.tok == at {
		p.next()
		start := p.pos
		x := p.namedExpression()
		if p.version < py39 && !isPlainDecorator(x, start) {
			p.require(py39, start, "a decorator that is not a dotted name or a call of one")
		}
		p.exprs.push(x)
		p.expect(newline)
	}
	decorators := p.exprs.take(mark)
	start := p.pos
	switch p.tok {
	case kwDef:
		return p.functionDef(start, decorators)
	case kwClass:
		return p.classDef(decorators)
	case kwAsync:
		p.next()
		if p.tok == kwDef {
			return p.functionDef(start, decorators)
		}
	}
	p.failToken()
	return nil
}

// isPlainDecorator reports whether x, which starts at start, is a decorator of
// Python 3.8:
//
//	decorator: '@' dotted_name ['(' [arglist] ')'] NEWLINE
func isPlainDecorator(x ast.Expr, start ast.Pos) bool {
	if c, ok := x.(*ast.Call); ok {
		x = c.Func
	}
	for {
		switch y := x.(type) {
		case *ast.Name:
			return y.Pos() == start
		case *ast.Attribute:
			x = y.Value
		default:
			return false
		}
	}
}

// withStmt parses
//
//	with_stmt: ['async'] 'with' '(' ','.with_item+ [','] ')' ':' block
//	         | ['async'] 'with' ','.with_item+ ':' block
//
// after the "async" at start.
func (p *parser) withStmt(start ast.Pos) ast.Stmt {
	s := &ast.With{Async: p.pos != start}
	p.next()
	if p.tok == lparen && p.parenthesizedItems() {
		p.require(py39, p.pos, "a parenthesized list of context managers")
		p.next()
		s.Items = p.withItems(rparen)
		p.expect(rparen)
	} else {
		s.Items = p.withItems(colon)
	}
	s.Body = p.block(start, "'with' statement")
	s.Range = p.span(start)
	return s
}

// withItems parses
//
//	','.with_item+ [',']
//
// up to the token end; only in parentheses there may be a comma before it.
func (p *parser) withItems(end kind) []*ast.WithItem {
	var items []*ast.WithItem
	for {
		items = append(items, p.withItem())
		if !p.accept(comma) || p.tok == end && end == rparen {
			return items
		}
	}
}

// withItem parses
//
//	with_item: expression ['as' star_target]
func (p *parser) withItem() *ast.WithItem {
	start := p.pos
	item := &ast.WithItem{ContextExpr: p.expression()}
	if p.accept(kwAs) {
		item.OptionalVars = p.targetItem()
		p.setTarget(item.OptionalVars, ast.Store)
	}
	item.Range = p.span(start)
	return item
}

// parenthesizedItems reports whether the current token, the parenthesis after
// "with", encloses several with_items rather than being part of the first. It
// looks at the tokens up to its end.
func (p *parser) parenthesizedItems() bool {
	s := p.snapshot()
	depth := len(s.brackets)
	items, commas := false, false
	first, inLambda := true, false
	for {
		previous := s.tok
		s.next()
		if s.tok <= illegal {
			return false
		}
		if len(s.brackets) < depth {
			s.next()
			// Without "as", Python 3.8 takes them for a tuple.
			return s.tok == colon && (items || commas && p.version >= py39)
		}
		if len(s.brackets) > depth || len(s.modes) > len(p.modes) {
			first = false
			continue
		}
		switch s.tok {
		case kwAs:
			items = true
		case kwLambda:
			inLambda = true
		case colon:
			inLambda = false
		case comma:
			commas = commas || !inLambda
		case walrus, kwYield, kwFor:
			return false
		case star:
			if first || previous == comma && !inLambda {
				return false
			}
		}
		first = false
	}
}
