package parser

import (
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
)

// modeOf returns the mode that a string prefix starts; its quote is 0 if the
// prefix is not that of an f-string or t-string.
func modeOf(prefix string) (m fmode) {
	for i := range len(prefix) {
		switch prefix[i] | 0x20 {
		case 'f':
			m.quote = 'f'
		case 't':
			m.quote, m.tmpl = 't', true
		case 'r':
			m.raw = true
		}
	}
	return m
}

// noun returns what the error messages call the literal.
func (m *fmode) noun() string {
	if m.tmpl {
		return "t-string"
	}
	return "f-string"
}

func (s *scanner) startFString(m fmode) {
	if len(s.modes) >= maxFStrings {
		s.fail(int(m.start), int(m.start), "too many nested %ss", m.noun())
		return
	}
	s.modes = append(s.modes, m)
	s.inText = true
	s.set(fstringStart, int(m.start))
}

// closingQuotes reports whether the quotes that end m are at off.
func (s *scanner) closingQuotes(m *fmode, off int) bool {
	return s.src[off] == m.quote && (!m.triple || strings.HasPrefix(s.src[off+1:], tripleTails[m.quote]))
}

// scanText scans the next token in the literal text of an f-string or of a
// format spec: text, a bracket of a replacement field, or the closing quotes.
func (s *scanner) scanText() {
	m := &s.modes[len(s.modes)-1]
	start := s.off
	s.hasEscapes, s.doubled = false, false
	for s.off < len(s.src) {
		switch c := s.src[s.off]; c {
		case m.quote:
			if !s.closingQuotes(m, s.off) {
				s.off++
				continue
			}
			if s.textBefore(start) {
				return
			}
			s.endFString(m)
			return
		case '\n', '\r':
			if m.triple {
				s.hasEscapes = s.hasEscapes || c == '\r'
				s.off++
				continue
			}
			if m.spec && !m.late {
				s.endSpecAtLineBreak(start)
				return
			}
			s.unterminatedFString(start, m)
			return
		case '{':
			if s.peek(1) == '{' && (!m.spec || m.late) {
				s.doubledBrace(start)
				return
			}
			if !s.textBefore(start) {
				s.openField(m)
			}
			return
		case '}':
			if s.peek(1) == '}' && !m.spec {
				s.doubledBrace(start)
				return
			}
			if !s.textBefore(start) {
				s.closeSpec(m)
			}
			return
		case '\\':
			s.hasEscapes = true
			s.skipEscape(m)
		default:
			s.off++
		}
	}
	s.unterminatedFString(start, m)
}

// textBefore makes the text from start, if there is any, a token.
func (s *scanner) textBefore(start int) bool {
	if s.off == start {
		return false
	}
	s.set(fstringMiddle, start)
	return true
}

// doubledBrace ends the text at two braces, of which the token has both and
// its text the first.
func (s *scanner) doubledBrace(start int) {
	s.off += 2
	s.set(fstringMiddle, start)
	s.doubled = true
}

// skipEscape skips a backslash and what belongs to it. A brace after it still
// counts, except in the name of a character.
func (s *scanner) skipEscape(m *fmode) {
	s.off++
	switch s.peek(0) {
	case '{', '}', 0:
		return
	case 'N':
		s.off++
		if m.raw || s.peek(0) != '{' {
			return
		}
		for s.off < len(s.src) {
			switch c := s.src[s.off]; {
			case c == '}':
				s.off++
				return
			case c == '\n', c == '\r', c == m.quote:
				return
			}
			s.off++
		}
	case '\r':
		s.skipLineBreak()
	default:
		s.off++
	}
}

func (s *scanner) endFString(m *fmode) {
	start := s.off
	s.off++
	if m.triple {
		s.off += 2
	}
	if m.spec {
		s.fail(start, start, "%s: expecting '}'", m.noun())
		return
	}
	s.modes = s.modes[:len(s.modes)-1]
	s.inText = false
	s.set(fstringEnd, start)
}

func (s *scanner) unterminatedFString(start int, m *fmode) {
	what := m.noun() + " literal"
	if m.triple {
		what = "triple-quoted " + what
	}
	s.unterminated(start, int(m.start), s.off, what)
	// Leave the f-string and the fields of it that are open.
	owner := len(s.modes) - 1 - s.specDepth()
	if field := s.modes[owner].field; field > 0 {
		s.brackets = s.brackets[:field-1]
	}
	s.modes = s.modes[:owner]
	s.inText = false
}

func (s *scanner) openField(m *fmode) {
	start := s.off
	s.off++
	if s.specDepth() > maxFieldsInSpec {
		s.fail(start, start, "%s: expressions nested too deeply", m.noun())
		return
	}
	s.push(lbrace, start)
	m.field = len(s.brackets)
	s.inText = false
}

// specDepth returns how many format specs the innermost text is in.
func (s *scanner) specDepth() int {
	n := len(s.modes)
	for n > 0 && s.modes[n-1].spec {
		n--
	}
	return len(s.modes) - n
}

// closeSpec scans the "}" that ends a format spec and its field.
func (s *scanner) closeSpec(m *fmode) {
	start := s.off
	s.off++
	if !m.spec {
		s.fail(start, start, "%s: single '}' is not allowed", m.noun())
		return
	}
	s.modes = s.modes[:len(s.modes)-1]
	s.pop(rbrace, start)
}

// endSpecAtLineBreak ends a format spec of a string with single quotes; what
// follows is scanned as the end of the field.
func (s *scanner) endSpecAtLineBreak(start int) {
	s.modes = s.modes[:len(s.modes)-1]
	s.inText = false
	s.set(fstringMiddle, start)
}

// inField reports whether the scanner is directly in a replacement field, not
// in brackets inside of it.
func (s *scanner) inField() bool {
	return len(s.modes) > 0 && s.modes[len(s.modes)-1].field == len(s.brackets) && len(s.brackets) > 0
}

// scanColon scans the rest of ":" or ":=". In a replacement field a colon
// starts the format spec.
func (s *scanner) scanColon(start int) {
	if s.inField() {
		m := s.modes[len(s.modes)-1]
		m.spec, m.late, m.field = true, false, 0
		s.modes = append(s.modes, m)
		s.inText = true
		s.set(colon, start)
		return
	}
	s.either('=', walrus, colon, start)
}

// scanExclam scans the rest of "!=", or of "!" in a replacement field.
func (s *scanner) scanExclam(start int) {
	switch {
	case s.peek(0) == '=':
		s.off++
		s.set(notEqual, start)
	case s.inField():
		s.set(exclam, start)
	default:
		s.fail(start, start, "invalid syntax")
	}
}

// fieldText returns the source of a replacement field from start to end as a
// field with "=" shows it: without comments, and with "\n" as line break.
func (s *scanner) fieldText(start, end ast.Pos) string {
	if text := s.src[start:end]; strings.IndexByte(text, '#') < 0 && strings.IndexByte(text, '\r') < 0 {
		return text
	}
	var b strings.Builder
	before := len(commentsBefore(s.comments, start))
	for _, c := range s.comments[before:] {
		if c.Stop <= end {
			b.WriteString(s.src[start:c.Start])
			start = c.Stop
		}
	}
	b.WriteString(s.src[start:end])
	return normalizeLineBreaks(b.String())
}

// normalizeLineBreaks replaces "\r\n" and "\r" by "\n".
func normalizeLineBreaks(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}
