package patch

import "bytes"

// linesInStrings returns the offsets of the lines in src[from:to] that start
// inside a string literal: changing their indentation would change a value.
// From must be the start of a token outside a string. The replacement fields
// of a multi-line f-string count as part of it, even where their indentation
// would not matter.
//
// The tree alone does not tell: it joins adjacent literals into one node, and
// between them the indentation is free.
func linesInStrings(src []byte, from, to int) map[int]bool {
	l := literalScanner{src: src[:to], pos: from, inside: make(map[int]bool)}
	l.code(false)
	return l.inside
}

// A literalScanner finds the string literals in Python source. It is recursive
// in the nesting of f-strings, which the parser has limited before.
type literalScanner struct {
	src    []byte
	pos    int
	inside map[int]bool // offsets of the lines that start inside a literal
}

// code scans tokens up to the end of the source. In a replacement field of an
// f-string it stops after the brace that closes the field.
func (l *literalScanner) code(field bool) {
	depth := 0
	for l.pos < len(l.src) {
		switch c := l.src[l.pos]; {
		case c == '#':
			l.comment()
		case c == '"' || c == '\'':
			start := l.pos
			l.literal(l.prefix())
			if !field {
				l.note(start)
			}
		case field && depth == 0 && c == ':':
			l.pos++
			l.formatSpec()
			return
		case field && depth == 0 && c == '}':
			l.pos++
			return
		case c == '(' || c == '[' || c == '{':
			depth++
			l.pos++
		case c == ')' || c == ']' || c == '}':
			depth--
			l.pos++
		default:
			l.pos++
		}
	}
}

// comment skips a comment, without its line end.
func (l *literalScanner) comment() {
	for l.pos < len(l.src) && !isNewline(l.src[l.pos]) {
		l.pos++
	}
}

// A literalKind says how the text of a literal is read.
type literalKind struct {
	raw       bool // backslashes stand for themselves
	formatted bool // an f-string or a t-string
}

// prefix returns the kind of the literal whose quote is at pos, from the
// letters before it.
func (l *literalScanner) prefix() literalKind {
	start := l.pos
	for start > 0 && isNameByte(l.src[start-1]) {
		start--
	}
	letters := bytes.ToLower(l.src[start:l.pos])
	if len(letters) > 2 { // a name, as in code that does not parse
		return literalKind{}
	}
	return literalKind{
		raw:       bytes.ContainsRune(letters, 'r'),
		formatted: bytes.ContainsAny(letters, "ft"),
	}
}

// note notes the lines that start in the literal from start to pos.
func (l *literalScanner) note(start int) {
	for p := start; p+1 < l.pos; p++ {
		if endsLine(l.src, p) {
			l.inside[p+1] = true
		}
	}
}

// literal scans a literal from its quote.
func (l *literalScanner) literal(kind literalKind) {
	quote := l.src[l.pos : l.pos+1]
	if triple := bytes.Repeat(quote, 3); bytes.HasPrefix(l.src[l.pos:], triple) {
		quote = triple
	}
	l.pos += len(quote)
	l.text(quote, kind)
}

// text scans the text of a literal and its closing quote. A literal that its
// line leaves open ends there.
func (l *literalScanner) text(quote []byte, kind literalKind) {
	for l.pos < len(l.src) {
		switch c := l.src[l.pos]; {
		case bytes.HasPrefix(l.src[l.pos:], quote):
			l.pos += len(quote)
			return
		case isNewline(c) && len(quote) == 1:
			return
		case c == '\\':
			l.escape(kind)
		case c == '{' && kind.formatted && !bytes.HasPrefix(l.src[l.pos:], []byte("{{")):
			l.pos++
			l.code(true)
		case c == '{' && kind.formatted:
			l.pos += 2
		default:
			l.pos++
		}
	}
}

// escape skips a backslash and what it hides from the scanner: a quote or a
// line end, also in a raw literal, and the braces of \N{...}.
func (l *literalScanner) escape(kind literalKind) {
	rest := l.src[l.pos+1:]
	switch {
	case bytes.HasPrefix(rest, []byte("\r\n")):
		l.pos += 3
	case kind.formatted && !kind.raw && bytes.HasPrefix(rest, []byte("N{")):
		l.pos += 3
	case kind.formatted && len(rest) > 0 && (rest[0] == '{' || rest[0] == '}'):
		l.pos++
	default:
		l.pos += 2
	}
	l.pos = min(l.pos, len(l.src))
}

// formatSpec scans the text after the colon of a replacement field, with the
// brace that closes the field. It may have fields of its own.
func (l *literalScanner) formatSpec() {
	for l.pos < len(l.src) {
		c := l.src[l.pos]
		l.pos++
		switch c {
		case '{':
			l.code(true)
		case '}':
			return
		}
	}
}

func isNewline(c byte) bool { return c == '\n' || c == '\r' }

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\f' }

// isNameByte reports whether c can be part of an identifier or a number.
func isNameByte(c byte) bool {
	return c == '_' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// endsLine reports whether the byte at p is the last one of a line end: "\n",
// "\r\n" or a lone "\r".
func endsLine(src []byte, p int) bool {
	return src[p] == '\n' || src[p] == '\r' && (p+1 == len(src) || src[p+1] != '\n')
}
