package parser

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kvrace/kvrace/parser/ast"
)

// The scanner follows CPython's Parser/tokenizer.c (3.12 and later): it knows
// f-strings, so that a replacement field may hold any expression, with nested
// strings, comments and line breaks. It hands out one token at a time, and its
// state is small enough to be copied for the few look-aheads of the grammar.

const (
	maxBrackets     = 200 // nesting of ( [ {, as in CPython
	maxIndents      = 100 // nesting of blocks, as in CPython
	maxFStrings     = 150 // nesting of f-strings, as in CPython
	maxFieldsInSpec = 2   // replacement fields in format specs, as in CPython
	tabSize         = 8
)

// bracket is an open (, [ or {.
type bracket struct {
	pos  ast.Pos
	open kind
}

// indentation is the width of a line's indentation. It is measured twice,
// with tabs to the next multiple of eight and with tabs of one column, so that
// an inconsistent mixture is noticed.
type indentation struct{ col, alt int }

// fmode is the literal text of an f-string, or of a format spec in one, that
// the scanner is in.
type fmode struct {
	start  ast.Pos // of the prefix
	quote  byte
	triple bool
	raw    bool
	tmpl   bool // a t-string
	spec   bool // a format spec
	// late is set when a replacement field in a format spec has ended. CPython
	// then reads the rest of the spec by the rules of plain text in two ways:
	// "{{" is a brace, and a line break does not end the spec.
	late bool
	// field is the number of brackets open in the replacement field that is
	// being scanned, including its own, and 0 outside of fields.
	field int
}

// problem is the reason why a token is illegal.
type problem struct {
	pos ast.Pos
	msg string
}

type scanner struct {
	src   string
	lines *ast.Lines
	off   int // of the next byte to scan

	// The current token. Those of layout are empty.
	tok        kind
	pos, end   ast.Pos
	prevEnd    ast.Pos // end of the last token that is not layout
	hasEscapes bool    // the string token has a backslash or a carriage return
	nonASCII   bool    // the name token has non-ASCII letters
	problem    problem // set when tok is illegal
	doubled    bool    // the text of an f-string ends with a doubled brace

	atLineStart bool // the indentation of the next line is not measured yet
	inText      bool // in the literal text of the innermost f-string
	pending     int  // DEDENT tokens still to come
	indents     []indentation
	brackets    []bracket
	modes       []fmode

	comments []ast.Comment
	// layoutProblems are faults of the indentation. They do not make a token
	// illegal, because the statements are still good.
	layoutProblems []problem
}

// reuse returns a scanner for src, which has these lines, with the memory
// of s, which may be the zero value.
func (s *scanner) reuse(src string, lines *ast.Lines) scanner {
	return scanner{
		src: src, lines: lines, off: int(lines.Start(1)), atLineStart: true,
		indents:  append(s.indents[:0], indentation{}),
		brackets: s.brackets[:0],
		modes:    s.modes[:0],
		comments: s.comments[:0],
	}
}

// snapshot returns a copy of the scanner that shares no state with it.
func (s *scanner) snapshot() scanner {
	c := *s
	c.brackets = slices.Clone(s.brackets)
	c.modes = slices.Clone(s.modes)
	return c
}

// peek returns the byte n after the next one, and 0 after the end.
func (s *scanner) peek(n int) byte {
	if i := s.off + n; i < len(s.src) {
		return s.src[i]
	}
	return 0
}

// set makes [start, s.off) the current token.
func (s *scanner) set(k kind, start int) {
	s.tok, s.pos, s.end = k, ast.Pos(start), ast.Pos(s.off)
}

// setLayout makes an empty token of layout at the current offset.
func (s *scanner) setLayout(k kind) {
	s.tok, s.pos, s.end = k, ast.Pos(s.off), ast.Pos(s.off)
}

// fail makes [start, s.off) an illegal token with a problem at pos.
func (s *scanner) fail(start, pos int, format string, args ...any) {
	s.set(illegal, start)
	s.problem = problem{ast.Pos(pos), fmt.Sprintf(format, args...)}
}

// next advances to the next token.
func (s *scanner) next() {
	if s.tok > lastLayout {
		s.prevEnd = s.end
	}
	if s.inText {
		s.scanText()
		return
	}
	if (s.atLineStart || s.pending > 0) && s.scanLineStart() {
		return
	}
	for s.off < len(s.src) && s.src[s.off] == ' ' {
		s.off++
	}
	// Most tokens are words; for those that is all.
	if s.off < len(s.src) && classes[s.src[s.off]]&classLetter != 0 {
		s.scanWord(s.off)
		return
	}
	if !s.skipBlanks() {
		return
	}
	if s.off >= len(s.src) {
		s.scanEOF()
		return
	}
	start := s.off
	c := s.src[start]
	switch class := classes[c]; {
	case class&classLetter != 0:
		s.scanWord(start)
	case class&classDigit != 0, c == '.' && classes[s.peek(1)]&classDigit != 0:
		s.scanNumber(start)
	case c == '"' || c == '\'':
		s.scanString(start, start)
	case c == '\n' || c == '\r':
		s.skipLineBreak()
		s.atLineStart = true
		s.tok, s.pos, s.end = newline, ast.Pos(start), ast.Pos(start)
	default:
		s.scanOperator(start, c)
	}
}

// skipBlanks skips blanks, comments, joined lines and, in brackets, line
// breaks. It returns false if it met an illegal token.
func (s *scanner) skipBlanks() bool {
	for s.off < len(s.src) {
		switch s.src[s.off] {
		case ' ', '\t', '\f':
			s.off++
		case '#':
			s.skipComment()
		case '\\':
			if !s.skipJoin() {
				return false
			}
		case '\n', '\r':
			if len(s.brackets) == 0 {
				return true
			}
			s.off++
		default:
			return true
		}
	}
	return true
}

// skipJoin skips a backslash and the line break after it.
func (s *scanner) skipJoin() bool {
	start := s.off
	s.off++
	switch s.peek(0) {
	case '\n', '\r':
		s.skipLineBreak()
		if s.off >= len(s.src) {
			s.fail(start, start, "unexpected EOF while parsing")
			return false
		}
		return true
	}
	if s.off >= len(s.src) {
		s.fail(start, start, "unexpected EOF while parsing")
		return false
	}
	s.fail(start, s.off, "unexpected character after line continuation character")
	return false
}

// skipLineBreak skips "\n", "\r\n" or "\r".
func (s *scanner) skipLineBreak() {
	if s.src[s.off] == '\r' && s.peek(1) == '\n' {
		s.off++
	}
	s.off++
}

func (s *scanner) skipComment() {
	start := s.off
	s.off = lineEnd(s.src, start)
	s.comments = append(s.comments, ast.Comment{Range: ast.Range{Start: ast.Pos(start), Stop: ast.Pos(s.off)}})
}

// lineEnd returns the offset of the first line break at or after off.
func lineEnd(src string, off int) int {
	rest := src[off:]
	if i := strings.IndexByte(rest, '\n'); i >= 0 {
		rest = rest[:i]
	}
	if i := strings.IndexByte(rest, '\r'); i >= 0 {
		rest = rest[:i]
	}
	return off + len(rest)
}

// scanLineStart measures the indentation of the next line that is not blank,
// and reports whether that made a token of layout.
func (s *scanner) scanLineStart() bool {
	if s.pending > 0 {
		s.pending--
		s.setLayout(dedent)
		return true
	}
	width, ok := s.skipBlankLines()
	if !ok {
		return true
	}
	s.atLineStart = false
	top := s.indents[len(s.indents)-1]
	switch {
	case width.col == top.col:
		if width.alt != top.alt {
			s.inconsistentTabs()
		}
		return false
	case width.col > top.col:
		if width.alt <= top.alt {
			s.inconsistentTabs()
		}
		if len(s.indents) >= maxIndents {
			s.fail(s.off, s.off, "too many levels of indentation")
			return true
		}
		s.indents = append(s.indents, width)
		s.setLayout(indent)
		return true
	}
	return s.scanDedent(width)
}

// skipBlankLines skips blank lines, and returns the indentation of the line
// after them. It returns false if it met an illegal token.
func (s *scanner) skipBlankLines() (width indentation, ok bool) {
	joined := false
	for s.off < len(s.src) {
		switch s.src[s.off] {
		case ' ':
			if !joined {
				width.col++
				width.alt++
			}
			s.off++
		case '\t':
			if !joined {
				width.col = (width.col/tabSize + 1) * tabSize
				width.alt++
			}
			s.off++
		case '\f':
			if !joined {
				width = indentation{}
			}
			s.off++
		case '#':
			s.skipComment()
		case '\n', '\r':
			s.skipLineBreak()
			width, joined = indentation{}, false
		case '\\':
			// The first backslash ends the indentation, as in CPython.
			if !s.skipJoin() {
				return width, false
			}
			joined = joined || width.col > 0
		default:
			return width, true
		}
	}
	return indentation{}, true
}

// scanDedent closes the blocks that are indented more than width.
func (s *scanner) scanDedent(width indentation) bool {
	n := len(s.indents)
	for s.indents[n-1].col > width.col {
		n--
	}
	closed := len(s.indents) - n
	s.indents = s.indents[:n]
	if top := s.indents[n-1]; top.col != width.col {
		// Let the line belong to the last block that was closed.
		s.layoutProblem("unindent does not match any outer indentation level")
		s.indents = append(s.indents, width)
		closed--
	} else if top.alt != width.alt {
		s.inconsistentTabs()
	}
	if closed == 0 {
		return false
	}
	s.pending = closed - 1
	s.setLayout(dedent)
	return true
}

func (s *scanner) inconsistentTabs() {
	s.layoutProblem("inconsistent use of tabs and spaces in indentation")
}

func (s *scanner) layoutProblem(msg string) {
	s.layoutProblems = append(s.layoutProblems, problem{ast.Pos(s.off), msg})
}

// scanEOF ends the last line and closes all blocks before the end.
func (s *scanner) scanEOF() {
	switch {
	case len(s.brackets) > 0:
		s.setLayout(eof)
	case s.tok > lastLayout:
		s.setLayout(newline)
		s.atLineStart = true
	case len(s.indents) > 1:
		s.indents = s.indents[:len(s.indents)-1]
		s.setLayout(dedent)
	default:
		s.setLayout(eof)
	}
}

// resume makes the scanner start a new line at off, outside of all brackets.
func (s *scanner) resume(off int) {
	s.off = off
	s.tok = newline
	s.prevEnd = min(s.prevEnd, ast.Pos(off))
	s.atLineStart = true
	s.inText = false
	s.brackets = s.brackets[:0]
	s.modes = s.modes[:0]
}

// Classes of bytes.
const (
	classLetter uint8 = 1 << iota // may start a name
	classDigit
	classHex
)

const classWord = classLetter | classDigit

var classes = func() (table [256]uint8) {
	for c := range table {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_', c >= utf8.RuneSelf:
			table[c] = classLetter
		case c >= '0' && c <= '9':
			table[c] = classDigit
		}
	}
	for _, c := range "0123456789abcdefABCDEF" {
		table[c] |= classHex
	}
	return table
}()

// scanWord scans a name, a keyword, or a string with a prefix.
func (s *scanner) scanWord(start int) {
	src := s.src
	i := start + 1
	seen := src[start]
	for i < len(src) && classes[src[i]]&classWord != 0 {
		seen |= src[i]
		i++
	}
	s.off = i
	if i < len(src) && (src[i] == '"' || src[i] == '\'') && isStringPrefix(src[start:i]) {
		s.scanString(start, i)
		return
	}
	if s.nonASCII = seen >= utf8.RuneSelf; s.nonASCII {
		s.checkName(start)
		return
	}
	s.set(lookupKeyword(src[start:i]), start)
}

// isStringPrefix reports whether word may stand before a string.
func isStringPrefix(word string) bool {
	switch len(word) {
	case 1:
		switch word[0] | 0x20 {
		case 'r', 'b', 'u', 'f', 't':
			return true
		}
	case 2:
		a, b := word[0]|0x20, word[1]|0x20
		if a == 'r' {
			a, b = b, a
		}
		return b == 'r' && (a == 'b' || a == 'f' || a == 't')
	}
	return false
}

// checkName makes [start, s.off) a name if it is a valid identifier.
func (s *scanner) checkName(start int) {
	for i, r := range s.src[start:s.off] {
		if r == utf8.RuneError || !isIdentifierRune(r, i == 0) {
			s.badCharacter(start, start+i)
			return
		}
	}
	s.set(name, start)
}

// badCharacter makes [start, s.off) illegal because of the character at pos.
func (s *scanner) badCharacter(start, pos int) {
	r, size := utf8.DecodeRuneInString(s.src[pos:])
	switch {
	case r == utf8.RuneError && size <= 1:
		s.fail(start, pos, "invalid UTF-8 byte 0x%02x", s.src[pos])
	case r == 0:
		s.fail(start, pos, "source code cannot contain null bytes")
	case unicode.IsPrint(r):
		s.fail(start, pos, "invalid character '%c' (U+%04X)", r, r)
	default:
		s.fail(start, pos, "invalid non-printable character U+%04X", r)
	}
}

// scanString scans a string whose prefix is at start and whose quotes are at
// quote. Of f-strings it scans the start only.
func (s *scanner) scanString(start, quote int) {
	src := s.src
	q := src[quote]
	triple := strings.HasPrefix(src[quote+1:], tripleTails[q])
	i := quote + 1
	if triple {
		i += 2
	}
	if m := modeOf(src[start:quote]); m.quote != 0 {
		m.start, m.quote, m.triple = ast.Pos(start), q, triple
		s.off = i
		s.startFString(m)
		return
	}
	s.hasEscapes = false
	for i < len(src) {
		switch c := src[i]; c {
		case q:
			if !triple || strings.HasPrefix(src[i+1:], tripleTails[q]) {
				s.off = i + 1
				if triple {
					s.off += 2
				}
				s.set(stringToken, start)
				return
			}
		case '\\':
			s.hasEscapes = true
			i++
			if i+1 < len(src) && src[i] == '\r' && src[i+1] == '\n' {
				i++
			}
		case '\n', '\r':
			if !triple {
				s.unterminated(start, start, i, "string literal")
				return
			}
			s.hasEscapes = s.hasEscapes || c == '\r'
		}
		i++
	}
	if triple {
		s.unterminated(start, start, len(src), "triple-quoted string literal")
		return
	}
	s.unterminated(start, start, len(src), "string literal")
}

var tripleTails = [utf8.RuneSelf]string{'"': `""`, '\'': "''"}

// unterminated makes [start, end) illegal because of the literal at pos.
func (s *scanner) unterminated(start, pos, end int, what string) {
	s.off = end
	line := s.line(ast.Pos(end))
	if end == len(s.src) && lineEnd(s.src, end-1) < end {
		line-- // after the last line break
	}
	s.fail(start, pos, "unterminated %s (detected at line %d)", what, line)
}

// line returns the number of the line of pos.
func (s *scanner) line(pos ast.Pos) int {
	return s.lines.Of(pos)
}

func (s *scanner) push(open kind, start int) {
	if len(s.brackets) >= maxBrackets {
		s.fail(start, start, "too many nested parentheses")
		return
	}
	s.set(open, start)
	s.brackets = append(s.brackets, bracket{s.pos, open})
}

func (s *scanner) pop(closing kind, start int) {
	n := len(s.brackets)
	if n == 0 {
		s.fail(start, start, "unmatched '%s'", spellings[closing])
		return
	}
	b := s.brackets[n-1]
	field := len(s.modes) > 0 && s.modes[len(s.modes)-1].field == n
	if b.open+1 != closing {
		s.mismatch(b, closing, start, field)
		return
	}
	s.brackets = s.brackets[:n-1]
	s.set(closing, start)
	if field {
		m := &s.modes[len(s.modes)-1]
		m.field, m.late = 0, true
		s.inText = true
	}
}

func (s *scanner) mismatch(b bracket, closing kind, start int, field bool) {
	if field {
		s.fail(start, start, "f-string: unmatched '%s'", spellings[closing])
		return
	}
	where := ""
	if line := s.line(b.pos); line != s.line(ast.Pos(start)) {
		where = fmt.Sprintf(" on line %d", line)
	}
	s.fail(start, start, "closing parenthesis '%s' does not match opening parenthesis '%s'%s", spellings[closing], spellings[b.open], where)
}

// scanOperator scans an operator or delimiter that starts with c.
func (s *scanner) scanOperator(start int, c byte) {
	s.off++
	switch c {
	case '(':
		s.push(lparen, start)
	case ')':
		s.pop(rparen, start)
	case '[':
		s.push(lbrack, start)
	case ']':
		s.pop(rbrack, start)
	case '{':
		s.push(lbrace, start)
	case '}':
		s.pop(rbrace, start)
	case ',':
		s.set(comma, start)
	case ';':
		s.set(semicolon, start)
	case '~':
		s.set(tilde, start)
	case ':':
		s.scanColon(start)
	case '!':
		s.scanExclam(start)
	case '.':
		if s.peek(0) == '.' && s.peek(1) == '.' {
			s.off += 2
			s.set(ellipsis, start)
			return
		}
		s.set(dot, start)
	case '=':
		s.either('=', equal, assign, start)
	case '+':
		s.either('=', plusAssign, plus, start)
	case '-':
		if s.peek(0) == '>' {
			s.off++
			s.set(arrow, start)
			return
		}
		s.either('=', minusAssign, minus, start)
	case '*':
		s.repeated('*', [4]kind{star, starAssign, doubleStar, doubleStarAssign}, start)
	case '/':
		s.repeated('/', [4]kind{slash, slashAssign, doubleSlash, doubleSlashAssign}, start)
	case '<':
		if s.peek(0) == '>' {
			s.off++
			s.fail(start, start, "invalid syntax. Maybe you meant '!=' instead of '<>'?")
			return
		}
		s.repeated('<', [4]kind{less, lessEqual, lshift, lshiftAssign}, start)
	case '>':
		s.repeated('>', [4]kind{greater, greaterEqual, rshift, rshiftAssign}, start)
	case '%':
		s.either('=', percentAssign, percent, start)
	case '@':
		s.either('=', atAssign, at, start)
	case '|':
		s.either('=', pipeAssign, pipe, start)
	case '^':
		s.either('=', caretAssign, caret, start)
	case '&':
		s.either('=', ampersandAssign, ampersand, start)
	case '$', '?', '`':
		s.fail(start, start, "invalid syntax")
	default:
		s.badCharacter(start, start)
	}
}

// either scans the rest of an operator: long if c follows, otherwise short.
func (s *scanner) either(c byte, long, short kind, start int) {
	if s.peek(0) == c {
		s.off++
		s.set(long, start)
		return
	}
	s.set(short, start)
}

// repeated scans the rest of an operator that may be doubled: kinds are those
// of "c", "c=", "cc" and "cc=".
func (s *scanner) repeated(c byte, kinds [4]kind, start int) {
	if s.peek(0) == c {
		s.off++
		s.either('=', kinds[3], kinds[2], start)
		return
	}
	s.either('=', kinds[1], kinds[0], start)
}
