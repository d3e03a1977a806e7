package parser

import (
	"github.com/kvrace/kvrace/parser/ast"
)

// awaitPrimary parses
//
//	await_primary: 'await' primary | primary
func (p *parser) awaitPrimary() ast.Expr {
	if p.tok != kwAwait {
		return p.primary()
	}
	start := p.pos
	p.next()
	value := p.primary()
	return &ast.Await{Range: p.span(start), Value: value}
}

// primary parses
//
//	primary: primary '.' NAME | primary genexp | primary '(' [arguments] ')'
//	       | primary '[' slices ']' | atom
func (p *parser) primary() ast.Expr {
	start := p.pos
	x := p.atom()
	for n := 0; ; n++ {
		switch p.tok {
		case dot:
			p.link(n)
			p.next()
			a := p.nodes.attributes.new()
			a.Value = x
			id := p.identifier()
			a.Set(p.src, p.span(start), id)
			x = a
		case lparen:
			p.link(n)
			c := p.nodes.calls.new()
			c.Func = x
			c.SetArgs(p.arguments())
			c.Range = p.span(start)
			x = c
		case lbrack:
			p.link(n)
			p.next()
			slice := p.slices()
			p.closeBracket(rbrack, slice)
			s := p.nodes.subscripts.new()
			*s = ast.Subscript{Range: p.span(start), Value: x, Slice: slice}
			x = s
		default:
			return x
		}
	}
}

// atom parses
//
//	atom: NAME | 'True' | 'False' | 'None' | strings | NUMBER | (tuple | group | genexp)
//	    | (list | listcomp) | (dict | set | dictcomp | setcomp) | '...'
func (p *parser) atom() ast.Expr {
	switch p.tok {
	case name:
		return p.name()
	case stringToken, fstringStart:
		return p.strings()
	case intNumber:
		return p.constant(ast.Int, p.src[p.pos:p.end])
	case floatNumber:
		return p.constant(ast.Float, p.src[p.pos:p.end])
	case imagNumber:
		return p.constant(ast.Complex, p.src[p.pos:p.end])
	case lparen:
		return p.parenthesized()
	case lbrack:
		return p.list()
	case lbrace:
		return p.braced()
	case kwNone:
		return p.constant(ast.None, "")
	case kwTrue:
		return p.constant(ast.True, "")
	case kwFalse:
		return p.constant(ast.False, "")
	case ellipsis:
		return p.constant(ast.Ellipsis, "")
	}
	p.failToken()
	return nil
}

// name consumes a name.
func (p *parser) name() *ast.Name {
	n := p.nodes.names.new()
	n.Set(p.src, ast.Range{Start: p.pos, Stop: p.end}, p.nameText())
	p.next()
	return n
}

// constant consumes the current token, which is one.
func (p *parser) constant(kind ast.ConstKind, value string) ast.Expr {
	c := p.nodes.constants.new()
	c.Set(p.src, ast.Range{Start: p.pos, Stop: p.end}, kind, value)
	if kind == ast.Int && len(value) > maxIntDigits {
		p.checkIntDigits(value)
	}
	p.next()
	return c
}

// maxIntDigits is the length from which CPython refuses to convert a decimal
// number.
const maxIntDigits = 4300

func (p *parser) checkIntDigits(value string) {
	digits := 0
	for i := range len(value) {
		switch c := value[i]; {
		case c|0x20 == 'x', c|0x20 == 'o', c|0x20 == 'b' && i == 1:
			return
		case c != '_':
			digits++
		}
	}
	if digits > maxIntDigits {
		p.failAt(p.pos, "Exceeds the limit (%d digits) for integer string conversion: value has %d digits - Consider hexadecimal for huge integer literals to avoid decimal conversion limits.", maxIntDigits, digits)
	}
}

// closeBracket consumes the closing bracket after the item last.
func (p *parser) closeBracket(closing kind, last ast.Expr) {
	if p.tok != closing {
		p.failItem(last)
	}
	p.next()
}

// failItem leaves the statement because neither a comma nor the end of the
// list follows the item last.
func (p *parser) failItem(last ast.Expr) {
	if last != nil && startsExpression[p.tok] {
		p.failAt(last.Pos(), "invalid syntax. Perhaps you forgot a comma?")
	}
	p.failToken()
}

// parenthesized parses
//
//	tuple:  '(' [star_named_expression ',' [star_named_expressions]] ')'
//	group:  '(' (yield_expr | named_expression) ')'
//	genexp: '(' (assignment_expression | expression !':=') for_if_clauses ')'
func (p *parser) parenthesized() ast.Expr {
	start := p.pos
	p.next()
	switch p.tok {
	case rparen:
		p.next()
		return &ast.Tuple{Range: p.span(start)}
	case kwYield:
		x := p.yieldExpr()
		p.closeBracket(rparen, x)
		return x
	}
	x := p.starNamedExpression()
	switch p.tok {
	case rparen:
		if s, ok := x.(*ast.Starred); ok {
			p.failAt(s.Start, "cannot use starred expression here")
		}
		p.next()
		return x
	case comma:
		mark := p.exprs.mark()
		last := p.itemsAfter(x, rparen)
		p.closeBracket(rparen, last)
		return p.tuple(start, mark)
	case kwFor, kwAsync:
		p.checkElement(x)
		generators := p.comprehensions()
		p.closeBracket(rparen, nil)
		return &ast.GeneratorExp{Range: p.span(start), Elt: x, Generators: generators}
	}
	p.failItem(x)
	return nil
}

// itemsAfter pushes x and the items after it, up to the closing bracket, and
// returns the last one:
//
//	star_named_expressions: ','.star_named_expression+ [',']
func (p *parser) itemsAfter(x ast.Expr, closing kind) ast.Expr {
	p.exprs.push(x)
	for p.accept(comma) && p.tok != closing {
		x = p.starNamedExpression()
		p.exprs.push(x)
	}
	return x
}

// checkElement refuses a starred element of a comprehension.
func (p *parser) checkElement(x ast.Expr) {
	if s, ok := x.(*ast.Starred); ok {
		p.failAt(s.Start, "iterable unpacking cannot be used in comprehension")
	}
}

// list parses
//
//	list:     '[' [star_named_expressions] ']'
//	listcomp: '[' named_expression for_if_clauses ']'
func (p *parser) list() ast.Expr {
	start := p.pos
	p.next()
	if p.accept(rbrack) {
		return &ast.List{Range: p.span(start)}
	}
	x := p.starNamedExpression()
	if p.tok == kwFor || p.tok == kwAsync {
		p.checkElement(x)
		generators := p.comprehensions()
		p.closeBracket(rbrack, nil)
		return &ast.ListComp{Range: p.span(start), Elt: x, Generators: generators}
	}
	mark := p.exprs.mark()
	last := p.itemsAfter(x, rbrack)
	p.closeBracket(rbrack, last)
	return &ast.List{Range: p.span(start), Elts: p.exprs.take(mark)}
}

// braced parses
//
//	set:      '{' star_named_expressions '}'
//	setcomp:  '{' named_expression for_if_clauses '}'
//	dict:     '{' [double_starred_kvpairs] '}'
//	dictcomp: '{' kvpair for_if_clauses '}'
func (p *parser) braced() ast.Expr {
	start := p.pos
	p.next()
	if p.accept(rbrace) {
		return &ast.Dict{Range: p.span(start)}
	}
	if p.tok == doubleStar {
		return p.dict(start, nil)
	}
	first := p.pos
	x := p.starNamedExpression()
	switch p.tok {
	case colon:
		p.checkKey(x, first)
		return p.dict(start, x)
	case kwFor, kwAsync:
		p.checkElement(x)
		generators := p.comprehensions()
		p.closeBracket(rbrace, nil)
		return &ast.SetComp{Range: p.span(start), Elt: x, Generators: generators}
	}
	mark := p.exprs.mark()
	last := p.itemsAfter(x, rbrace)
	p.closeBracket(rbrace, last)
	return &ast.Set{Range: p.span(start), Elts: p.exprs.take(mark)}
}

// checkKey refuses a first key, which starts at start, that only a set may
// hold.
func (p *parser) checkKey(key ast.Expr, start ast.Pos) {
	switch key.(type) {
	case *ast.Starred, *ast.NamedExpr:
		if key.Pos() == start {
			p.failToken()
		}
	}
}

// dict parses the rest of a dict or dictcomp after its first key, which is nil
// before "**":
//
//	double_starred_kvpairs: ','.double_starred_kvpair+ [',']
//	double_starred_kvpair:  '**' bitwise_or | kvpair
//	kvpair:                 expression ':' expression
func (p *parser) dict(start ast.Pos, key ast.Expr) ast.Expr {
	mark := p.exprs.mark()
	value := p.dictValue(key)
	if p.tok == kwFor || p.tok == kwAsync {
		if key == nil {
			p.failAt(p.pos, "dict unpacking cannot be used in dict comprehension")
		}
		generators := p.comprehensions()
		p.closeBracket(rbrace, nil)
		return &ast.DictComp{Range: p.span(start), Key: key, Value: value, Generators: generators}
	}
	p.exprs.push(key)
	p.exprs.push(value)
	for p.accept(comma) && p.tok != rbrace {
		key = nil
		if p.tok != doubleStar {
			key = p.expression()
		}
		value = p.dictValue(key)
		p.exprs.push(key)
		p.exprs.push(value)
	}
	p.closeBracket(rbrace, value)
	keys, values := p.splitPairs(mark)
	return &ast.Dict{Range: p.span(start), Keys: keys, Values: values}
}

// dictValue parses the value of a key, or the mapping after "**".
func (p *parser) dictValue(key ast.Expr) ast.Expr {
	if key == nil {
		p.next()
		return p.bitwiseOr()
	}
	if p.tok != colon {
		p.failExpecting("':' expected after dictionary key")
	}
	p.next()
	if !startsExpression[p.tok] {
		if p.tok == star {
			p.failAt(p.pos, "cannot use a starred expression in a dictionary value")
		}
		p.failExpecting("expression expected after dictionary key and ':'")
	}
	return p.expression()
}

// splitPairs takes the expressions since mark, which are pairs, as two lists.
func (p *parser) splitPairs(mark int) (keys, values []ast.Expr) {
	end := p.exprs.mark()
	for i := mark + 1; i < end; i += 2 {
		p.exprs.push(p.exprs.items[i])
	}
	values = p.exprs.take(end)
	items := p.exprs.items
	for i := mark; i < end; i += 2 {
		items[mark+(i-mark)/2] = items[i]
	}
	p.exprs.drop(mark + (end-mark)/2)
	return p.exprs.take(mark), values
}

// comprehensions parses
//
//	for_if_clauses: for_if_clause+
//	for_if_clause:  ['async'] 'for' star_targets 'in' ~ disjunction ('if' disjunction)*
func (p *parser) comprehensions() []*ast.Comprehension {
	var list []*ast.Comprehension
	for p.tok == kwFor || p.tok == kwAsync {
		start := p.pos
		c := &ast.Comprehension{IsAsync: p.accept(kwAsync)}
		p.expect(kwFor)
		c.Target = p.forTarget()
		c.Iter = p.disjunction()
		mark := p.exprs.mark()
		for p.accept(kwIf) {
			p.exprs.push(p.disjunction())
		}
		c.Ifs = p.exprs.take(mark)
		c.Range = p.span(start)
		list = append(list, c)
	}
	return list
}

// forTarget parses the target of a for clause and the "in" after it:
//
//	star_targets 'in'
func (p *parser) forTarget() ast.Expr {
	start := p.pos
	x := p.targetItem()
	if p.tok == comma {
		mark := p.exprs.mark()
		p.exprs.push(x)
		for p.accept(comma) && p.startsItem() {
			p.exprs.push(p.targetItem())
		}
		x = p.tuple(start, mark)
	}
	p.setTarget(x, ast.Store)
	p.expect(kwIn)
	return x
}

// targetItem parses one target, which is still to be checked:
//
//	star_target: '*' (!'*' star_target) | target_with_star_atom
func (p *parser) targetItem() ast.Expr {
	if p.tok == star {
		return p.starred()
	}
	return p.bitwiseOr()
}

// slices parses
//
//	slices: slice !',' | ','.(slice | starred_expression)+ [',']
func (p *parser) slices() ast.Expr {
	start := p.pos
	x := p.slice()
	if s, ok := x.(*ast.Starred); p.tok != comma && !ok {
		return x
	} else if ok {
		p.require(py311, s.Start, "unpacking in a subscript")
	}
	mark := p.exprs.mark()
	p.exprs.push(x)
	for p.accept(comma) && p.tok != rbrack {
		x = p.slice()
		if s, ok := x.(*ast.Starred); ok {
			p.require(py311, s.Start, "unpacking in a subscript")
		}
		p.exprs.push(x)
	}
	return p.tuple(start, mark)
}

// slice parses
//
//	slice: [expression] ':' [expression] [':' [expression]] | named_expression
//	starred_expression: '*' expression
func (p *parser) slice() ast.Expr {
	start := p.pos
	var lower ast.Expr
	switch p.tok {
	case star:
		return p.starredArgument()
	case colon:
	default:
		lower = p.namedExpression()
		if p.tok != colon {
			return lower
		}
		if n, ok := lower.(*ast.NamedExpr); ok && n.Start == start {
			p.failToken()
		}
	}
	p.next()
	s := &ast.Slice{Lower: lower}
	if p.tok != colon && startsExpression[p.tok] {
		s.Upper = p.expression()
	}
	if p.accept(colon) && startsExpression[p.tok] {
		s.Step = p.expression()
	}
	s.Range = p.span(start)
	return s
}

// starredArgument parses
//
//	starred_expression: '*' expression
func (p *parser) starredArgument() ast.Expr {
	start := p.pos
	p.next()
	value := p.expression()
	return &ast.Starred{Range: p.span(start), Value: value}
}

// arguments parses the arguments of a call or class statement with the
// parentheses around them:
//
//	arguments: args [',']
//	args:      ','.(starred_expression | (assignment_expression | expression !':=') !'=')+
//	           [',' kwargs] | kwargs
//	kwargs:    ','.kwarg_or_starred+ [',' ','.kwarg_or_double_starred+]
func (p *parser) arguments() ([]ast.Expr, []*ast.Keyword) {
	list := argList{open: p.pos, exprs: p.exprs.mark(), keywords: p.keywords.mark()}
	p.next()
	var last ast.Expr
	for p.tok != rparen {
		last = p.argument(&list)
		if p.tok != comma {
			break
		}
		p.next()
	}
	if p.tok != rparen {
		p.failItem(last)
	}
	p.next()
	return p.exprs.take(list.exprs), p.keywords.take(list.keywords)
}

// argList is the state of the arguments of a call that are being parsed.
type argList struct {
	open            ast.Pos // of the parenthesis
	exprs, keywords int     // marks where its lists start
	unpacked        bool    // there was a "**mapping"
}

// argument parses one argument and pushes it.
func (p *parser) argument(list *argList) ast.Expr {
	start := p.pos
	switch p.tok {
	case star:
		if list.unpacked {
			p.failAt(start, "iterable argument unpacking follows keyword argument unpacking")
		}
		x := p.starredArgument()
		if p.tok == kwFor || p.tok == kwAsync {
			p.checkElement(x)
		}
		p.exprs.push(x)
		return x
	case doubleStar:
		list.unpacked = true
		p.next()
		return p.keyword(start, "")
	}
	x := p.expression()
	switch p.tok {
	case assign:
		return p.keywordArgument(start, x)
	case walrus:
		x = p.assignmentExpression(start, x)
	}
	if p.tok == kwFor || p.tok == kwAsync {
		first := p.exprs.mark() == list.exprs && p.keywords.mark() == list.keywords
		x = p.bareGenerator(list.open, start, x, first)
	} else if list.unpacked {
		p.failAt(start, "positional argument follows keyword argument unpacking")
	} else if p.keywords.mark() > list.keywords {
		p.failAt(start, "positional argument follows keyword argument")
	}
	p.exprs.push(x)
	return x
}

// bareGenerator parses the rest of a generator expression without parentheses
// of its own, which must be the only argument.
func (p *parser) bareGenerator(open, start ast.Pos, elt ast.Expr, first bool) ast.Expr {
	generators := p.comprehensions()
	if !first || p.tok == comma {
		p.failAt(start, "Generator expression must be parenthesized")
	}
	if p.tok != rparen {
		p.failItem(elt)
	}
	return &ast.GeneratorExp{Range: ast.Range{Start: open, Stop: p.end}, Elt: elt, Generators: generators}
}

// keywordArgument parses the rest of
//
//	NAME '=' expression
//
// after its name x.
func (p *parser) keywordArgument(start ast.Pos, x ast.Expr) ast.Expr {
	n, ok := x.(*ast.Name)
	if !ok || n.Pos() != start {
		if c, ok := x.(*ast.Constant); ok && c.Kind() <= ast.False {
			p.failAt(start, "cannot assign to %s", c.Kind())
		}
		p.failAt(start, "expression cannot contain assignment, perhaps you meant \"==\"?")
	}
	p.next()
	if p.tok == comma || p.tok == rparen {
		p.failAt(start, "expected argument value expression")
	}
	id := n.Id()
	p.nodes.names.undo()
	return p.keyword(start, id)
}

// keyword parses the value of a keyword argument and pushes the argument.
func (p *parser) keyword(start ast.Pos, arg string) ast.Expr {
	k := p.nodes.keywords.new()
	k.Value = p.expression()
	k.Set(p.src, p.span(start), arg)
	p.keywords.push(k)
	if p.tok == kwFor && arg != "" {
		p.failAt(start, "invalid syntax. Maybe you meant '==' or ':=' instead of '='?")
	}
	return k.Value
}

// describe returns what an error message calls x.
func describe(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Attribute:
		return "attribute"
	case *ast.Subscript:
		return "subscript"
	case *ast.Starred:
		return "starred"
	case *ast.Name:
		return "name"
	case *ast.List:
		return "list"
	case *ast.Tuple:
		return "tuple"
	case *ast.Lambda:
		return "lambda"
	case *ast.Call:
		return "function call"
	case *ast.GeneratorExp:
		return "generator expression"
	case *ast.Yield, *ast.YieldFrom:
		return "yield expression"
	case *ast.Await:
		return "await expression"
	case *ast.ListComp:
		return "list comprehension"
	case *ast.SetComp:
		return "set comprehension"
	case *ast.DictComp:
		return "dict comprehension"
	case *ast.Dict:
		return "dict literal"
	case *ast.Set:
		return "set display"
	case *ast.JoinedStr:
		return "f-string expression"
	case *ast.TemplateStr:
		return "t-string expression"
	case *ast.Compare:
		return "comparison"
	case *ast.IfExp:
		return "conditional expression"
	case *ast.NamedExpr:
		return "named expression"
	case *ast.Constant:
		switch x.Kind() {
		case ast.None, ast.True, ast.False:
			return x.Kind().String()
		case ast.Ellipsis:
			return "ellipsis"
		}
		return "literal"
	}
	return "expression"
}
