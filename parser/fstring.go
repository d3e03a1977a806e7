package parser

import (
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
)

// literalKinds says what adjacent string literals consist of.
type literalKinds struct{ str, bytes, fstring, tmpl bool }

// concatenated parses the string literals at the current token, which are
// adjacent to the constant first if that is not nil, as one expression. Texts
// of strings and f-strings that touch become one constant.
func (p *parser) concatenated(start ast.Pos, first *ast.Constant) ast.Expr {
	var kinds literalKinds
	mark := p.exprs.mark()
	if first != nil {
		kinds.add(first)
		p.exprs.push(first)
	}
	for {
		switch p.tok {
		case stringToken:
			c := p.stringConstant()
			kinds.add(c)
			p.exprs.push(c)
			continue
		case fstringStart:
			p.fstring(&kinds)
			continue
		}
		break
	}
	switch {
	case kinds.bytes && (kinds.str || kinds.fstring || kinds.tmpl):
		p.failAt(start, "cannot mix bytes and nonbytes literals")
	case kinds.tmpl && (kinds.str || kinds.fstring):
		p.failAt(start, "cannot mix t-string literals with string or f-string literals")
	}
	p.foldConstants(mark, kinds)
	switch {
	case kinds.tmpl:
		return &ast.TemplateStr{Range: p.span(start), Values: p.exprs.take(mark)}
	case kinds.fstring:
		return &ast.JoinedStr{Range: p.span(start), Values: p.exprs.take(mark)}
	}
	c := p.exprs.items[mark].(*ast.Constant)
	p.exprs.drop(mark)
	c.Set(p.src, p.span(start), c.Kind(), c.Value())
	return c
}

func (k *literalKinds) add(c *ast.Constant) {
	if c.Kind() == ast.Bytes {
		k.bytes = true
	} else {
		k.str = true
	}
}

// foldConstants merges the runs of constants among the expressions since mark,
// and drops those that are empty unless they are the whole literal.
func (p *parser) foldConstants(mark int, kinds literalKinds) {
	parts := p.exprs.items[mark:]
	kept := 0
	for i := 0; i < len(parts); {
		c, ok := parts[i].(*ast.Constant)
		j := i + 1
		if !ok {
			parts[kept] = parts[i]
			kept++
			i = j
			continue
		}
		for j < len(parts) && isConstant(parts[j]) {
			j++
		}
		if j > i+1 {
			all := ast.Range{Start: c.Pos(), Stop: parts[j-1].End()}
			c.Set(p.src, all, c.Kind(), joinValues(parts[i:j]))
		}
		if c.Value() != "" || !kinds.fstring && !kinds.tmpl {
			parts[kept] = c
			kept++
		}
		i = j
	}
	p.exprs.drop(mark + kept)
}

func isConstant(x ast.Expr) bool {
	_, ok := x.(*ast.Constant)
	return ok
}

func joinValues(parts []ast.Expr) string {
	var b strings.Builder
	for _, part := range parts {
		b.WriteString(part.(*ast.Constant).Value())
	}
	return b.String()
}

// fstring parses an f-string or t-string and pushes its parts:
//
//	fstring: FSTRING_START fstring_middle* FSTRING_END
//	tstring: TSTRING_START tstring_middle* TSTRING_END
func (p *parser) fstring(kinds *literalKinds) {
	m := p.modes[len(p.modes)-1]
	if m.tmpl {
		p.require(py314, m.start, "a t-string")
		kinds.tmpl = true
	} else {
		kinds.fstring = true
	}
	p.next()
	p.fstringParts(&m)
	if p.tok != fstringEnd {
		p.failToken()
	}
	p.next()
}

// fstringParts parses and pushes the parts of an f-string or format spec:
//
//	fstring_middle: fstring_replacement_field | FSTRING_MIDDLE
func (p *parser) fstringParts(m *fmode) {
	for {
		switch p.tok {
		case fstringMiddle:
			if c := p.fstringText(m); c.Value() != "" {
				p.exprs.push(c)
			}
		case lbrace:
			p.replacementField(m)
		default:
			return
		}
	}
}

// fstringText consumes literal text.
func (p *parser) fstringText(m *fmode) *ast.Constant {
	c := p.nodes.constants.new()
	text := p.src[p.pos:p.end]
	if p.doubled {
		text = text[:len(text)-1]
	}
	value := p.decodeLiteral(text, p.pos, ast.Str, m.raw)
	c.Set(p.src, ast.Range{Start: p.pos, Stop: p.end}, ast.Str, value)
	p.next()
	return c
}

// replacementField parses and pushes
//
//	fstring_replacement_field:
//	    '{' annotated_rhs ['='] [fstring_conversion] [fstring_full_format_spec] '}'
//	fstring_conversion: '!' NAME
//
// With "=" the source of the expression is pushed before it.
func (p *parser) replacementField(m *fmode) {
	p.enter()
	defer p.leave()
	start := p.pos
	p.next()
	switch p.tok {
	case rbrace, colon, exclam, assign:
		p.failAt(p.pos, "%s: valid expression required before '%s'", m.noun(), spellings[p.tok])
	}
	value := p.annotatedRHS()
	str := p.prevEnd
	debug := p.tok == assign
	if debug {
		p.next()
	}
	debugEnd := p.pos
	conversion := p.conversion(m)
	switch {
	case startsExpression[p.tok] && !debug:
		p.failItem(value)
	case p.tok == illegal && strings.HasPrefix(p.src[p.problem.pos:], string(m.quote)):
		p.failAt(p.pos, "%s: expecting '}'", m.noun())
	}
	if !debug && conversion == ast.NoConversion && p.tok != colon && p.tok != rbrace && p.tok != illegal {
		p.failExpecting(m.noun() + ": expecting '=', or '!', or ':', or '}'")
	}
	var spec ast.Expr
	if p.tok == colon {
		spec = p.formatSpec(m)
	}
	if p.tok != rbrace {
		p.failExpecting(m.noun() + ": expecting '}'")
	}
	p.checkOldField(m, start, debugEnd)
	p.next()
	if debug {
		p.pushDebugText(start+1, debugEnd)
		if conversion == ast.NoConversion && spec == nil {
			conversion = ast.ToRepr
		}
	}
	if m.tmpl {
		p.exprs.push(&ast.Interpolation{Range: p.span(start), Value: value, Str: p.fieldText(start+1, str), Conversion: conversion, FormatSpec: spec})
		return
	}
	p.exprs.push(&ast.FormattedValue{Range: p.span(start), Value: value, Conversion: conversion, FormatSpec: spec})
}

// pushDebugText pushes the text from start to end, that of a field with "=".
func (p *parser) pushDebugText(start, end ast.Pos) {
	c := p.nodes.constants.new()
	c.Set(p.src, ast.Range{Start: start, Stop: end}, ast.Str, p.fieldText(start, end))
	p.exprs.push(c)
}

func (p *parser) conversion(m *fmode) ast.Conversion {
	if p.tok != exclam {
		return ast.NoConversion
	}
	end := p.end
	p.next()
	if p.tok != name {
		p.failExpecting(m.noun() + ": missing conversion character")
	}
	if p.pos != end {
		p.failAt(p.pos, "%s: conversion type must come right after the exclamation mark", m.noun())
	}
	text := p.nameText()
	switch text {
	case "s", "r", "a":
	default:
		p.failAt(p.pos, "%s: invalid conversion character '%s': expected 's', 'r', or 'a'", m.noun(), text)
	}
	p.next()
	return ast.Conversion(text[0])
}

// formatSpec parses
//
//	fstring_full_format_spec: ':' fstring_format_spec*
//	fstring_format_spec:      FSTRING_MIDDLE | fstring_replacement_field
//
// That of a t-string is an f-string, too.
func (p *parser) formatSpec(m *fmode) ast.Expr {
	start := p.pos
	p.next()
	mark := p.exprs.mark()
	text := *m
	text.tmpl = false
	p.fstringParts(&text)
	p.foldConstants(mark, literalKinds{fstring: true})
	return &ast.JoinedStr{Range: p.span(start), Values: p.exprs.take(mark)}
}

// checkOldField reports what the expressions of replacement fields, from start
// to end, could not hold before Python 3.12.
func (p *parser) checkOldField(m *fmode, start, end ast.Pos) {
	if p.version >= py312 {
		return
	}
	text := p.src[start:end]
	quotes := string(m.quote)
	if m.triple {
		quotes = strings.Repeat(quotes, 3)
	}
	switch {
	case strings.Contains(text, quotes):
		p.require(py312, start, "reusing the quotes of an f-string in an expression")
	case strings.ContainsRune(text, '\\'):
		p.require(py312, start, "a backslash in the expression part of an f-string")
	case !m.triple && strings.ContainsAny(text, "\r\n"):
		p.require(py312, start, "a line break in the expression part of an f-string")
	case strings.ContainsRune(text, '#'):
		p.require(py312, start, "a comment or '#' in the expression part of an f-string")
	}
}
