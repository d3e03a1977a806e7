package parser

import "github.com/kvrace/kvrace/parser/ast"

// paramList is the state of a parameter list that is being parsed.
type paramList struct {
	args      *ast.Arguments
	end       kind // token after the list: ")" of a def, ":" of a lambda
	defaulted bool // a positional parameter had a default
	star      bool // after "*"
	unpack    bool // in the parameter after "*", whose annotation may be starred
	slash     bool // after "/"
}

// parameters parses the parameters of a def or lambda, up to the token end:
//
//	params: slash_no_default param_no_default* param_with_default* [star_etc]
//	      | slash_with_default param_with_default* [star_etc]
//	      | param_no_default+ param_with_default* [star_etc]
//	      | param_with_default+ [star_etc]
//	      | star_etc
//
// The rules of lambda_params are the same without annotations.
func (p *parser) parameters(end kind) *ast.Arguments {
	a := p.nodes.arguments.new()
	a.Range = ast.Range{Start: p.pos, Stop: p.pos}
	if p.tok == end {
		return a
	}
	l := paramList{args: a, end: end}
	positional, kwonly := p.args.mark(), 0
	defaults := p.exprs.mark()
	kwDefaults := 0
	for p.tok != end {
		if a.Kwarg != nil {
			p.failAt(p.pos, "arguments cannot follow var-keyword argument")
		}
		switch p.tok {
		case slash:
			p.slash(&l, positional)
		case star:
			if l.star {
				p.failAt(p.pos, "* argument may appear only once")
			}
			p.endPositional(&l, positional, defaults)
			kwonly, kwDefaults = p.args.mark(), p.exprs.mark()
			p.starParam(&l)
		case doubleStar:
			p.next()
			a.Kwarg = p.param(&l)
			p.refuseDefault("var-keyword argument cannot have default value")
		default:
			p.plainParam(&l)
		}
		if p.tok != comma {
			break
		}
		p.next()
	}
	if l.star {
		a.KwOnlyArgs = p.args.take(kwonly)
		a.KwDefaults = p.exprs.take(kwDefaults)
	} else {
		p.endPositional(&l, positional, defaults)
	}
	a.Range.Stop = p.prevEnd
	if p.tok != end {
		p.failParams(end)
	}
	return a
}

func (p *parser) failParams(end kind) {
	switch {
	case p.tok == lparen && end == colon:
		p.failAt(p.pos, "Lambda expression parameters cannot be parenthesized")
	case p.tok == lparen:
		p.failAt(p.pos, "Function parameters cannot be parenthesized")
	}
	p.failToken()
}

// endPositional takes the positional parameters and their defaults.
func (p *parser) endPositional(l *paramList, args, defaults int) {
	l.args.Args = p.args.take(args)
	l.args.Defaults = p.exprs.take(defaults)
}

// slash parses the "/" after positional-only parameters.
func (p *parser) slash(l *paramList, positional int) {
	switch {
	case l.slash:
		p.failAt(p.pos, "/ may appear only once")
	case l.star:
		p.failAt(p.pos, "/ must be ahead of *")
	case p.args.mark() == positional:
		p.failAt(p.pos, "at least one argument must precede /")
	}
	l.slash = true
	l.args.PosOnlyArgs = p.args.take(positional)
	p.next()
}

// starParam parses
//
//	star_etc: '*' param_no_default_star_annotation | '*' param_no_default | '*' ',' param_maybe_default
func (p *parser) starParam(l *paramList) {
	start := p.pos
	p.next()
	l.star = true
	if p.tok != comma && p.tok != l.end {
		l.unpack = true
		l.args.Vararg = p.param(l)
		l.unpack = false
		p.refuseDefault("var-positional argument cannot have default value")
		return
	}
	s := p.snapshot()
	if p.tok == comma {
		s.next()
	}
	if s.tok == l.end || s.tok == doubleStar {
		p.failAt(start, "named arguments must follow bare *")
	}
}

func (p *parser) refuseDefault(msg string) {
	if p.tok == assign {
		p.failAt(p.pos, "%s", msg)
	}
}

// plainParam parses a parameter without stars, and its default:
//
//	param_maybe_default: param [default] (',' | &')')
//	default:             '=' expression
func (p *parser) plainParam(l *paramList) {
	if p.tok == lparen {
		p.failParams(l.end)
	}
	start := p.pos
	p.args.push(p.param(l))
	if p.tok != assign {
		if l.star {
			p.exprs.push(nil)
		} else if l.defaulted {
			p.failAt(start, "parameter without a default follows parameter with a default")
		}
		return
	}
	at := p.pos
	p.next()
	if p.tok == comma || p.tok == l.end {
		p.failAt(at, "expected default value expression")
	}
	l.defaulted = true
	p.exprs.push(p.expression())
}

// param parses
//
//	param:                param_no_default: NAME [':' expression]
//	param_star_annotation: NAME ':' star_expression
func (p *parser) param(l *paramList) *ast.Arg {
	a := p.nodes.args.new()
	start := p.pos
	id := p.identifier()
	if l.end == rparen && p.accept(colon) {
		if l.unpack && p.tok == star {
			p.require(py311, p.pos, "unpacking in an annotation")
			a.Annotation = p.starred()
		} else {
			a.Annotation = p.expression()
		}
	}
	a.Set(p.src, p.span(start), id)
	return a
}
