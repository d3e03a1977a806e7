package parser

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/kvrace/kvrace/parser/ast"
)

// strings parses
//
//	strings: (STRING | fstring | tstring)+
func (p *parser) strings() ast.Expr {
	start := p.pos
	if p.tok == stringToken {
		c := p.stringConstant()
		if p.tok != stringToken && p.tok != fstringStart {
			return c
		}
		return p.concatenated(start, c)
	}
	return p.concatenated(start, nil)
}

// stringConstant consumes a string token.
func (p *parser) stringConstant() *ast.Constant {
	c := p.nodes.constants.new()
	text := p.src[p.pos:p.end]
	quote := 0
	raw := false
	kind := ast.Str
	for text[quote] != '"' && text[quote] != '\'' {
		switch text[quote] {
		case 'b', 'B':
			kind = ast.Bytes
		case 'r', 'R':
			raw = true
		case 'u':
			c.SetUnicode() // CPython looks at the lower case letter only
		}
		quote++
	}
	width := 1
	if strings.HasPrefix(text[quote+1:], tripleTails[text[quote]]) && len(text) >= quote+6 {
		width = 3
	}
	value := p.decodeLiteral(text[quote+width:len(text)-width], p.pos, kind, raw)
	c.Set(p.src, ast.Range{Start: p.pos, Stop: p.end}, kind, value)
	p.next()
	return c
}

// decodeLiteral returns the value of the literal text of the current token;
// the error of a bad escape is reported at pos.
func (p *parser) decodeLiteral(text string, pos ast.Pos, kind ast.ConstKind, raw bool) string {
	if kind == ast.Bytes && !isASCII(text) {
		p.failAt(pos, "bytes can only contain ASCII literal characters")
	}
	switch {
	case !p.hasEscapes:
		return text
	case raw:
		return normalizeLineBreaks(text)
	}
	value, err := unescape(text, kind)
	if err != nil {
		p.failAt(pos, "%s", err)
	}
	return value
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// simpleEscapes maps the letter after a backslash to the character that the
// two stand for.
var simpleEscapes = [utf8.RuneSelf]byte{
	'\\': '\\', '\'': '\'', '"': '"', 'a': '\a', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v',
}

// unescape replaces the escapes of a literal, as in section 2.4.1 of the
// Python reference. Those it does not know stay as they are.
func unescape(text string, kind ast.ConstKind) (string, error) {
	b := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		c := text[i]
		if c == '\r' {
			b = append(b, '\n')
			i += lineBreakWidth(text[i:])
			continue
		}
		if c != '\\' || i+1 == len(text) {
			b = append(b, c)
			i++
			continue
		}
		var n int
		var err error
		b, n, err = appendEscape(b, text[i:], i, kind)
		if err != nil {
			return "", err
		}
		i += n
	}
	return string(b), nil
}

// lineBreakWidth returns the length of the line break that text starts with.
func lineBreakWidth(text string) int {
	if strings.HasPrefix(text, "\r\n") {
		return 2
	}
	return 1
}

// appendEscape appends the value of the escape at the start of text, which is
// at offset at of its literal, and returns its length.
func appendEscape(b []byte, text string, at int, kind ast.ConstKind) ([]byte, int, error) {
	c := text[1]
	switch {
	case c == '\n' || c == '\r':
		return b, 1 + lineBreakWidth(text[1:]), nil
	case c >= '0' && c <= '7':
		value, n := digits(text[1:], 3, 8)
		if kind == ast.Bytes {
			return append(b, byte(value)), 1 + n, nil
		}
		return utf8.AppendRune(b, rune(value)), 1 + n, nil
	case c == 'x' && kind == ast.Bytes:
		value, n := digits(text[2:], 2, 16)
		if n < 2 {
			return nil, 0, fmt.Errorf("(value error) invalid \\x escape at position %d", at)
		}
		return append(b, byte(value)), 4, nil
	case c < utf8.RuneSelf && simpleEscapes[c] != 0:
		return append(b, simpleEscapes[c]), 2, nil
	case kind == ast.Bytes:
	case c == 'x':
		return appendHex(b, text, at, 2, `truncated \xXX escape`)
	case c == 'u':
		return appendHex(b, text, at, 4, `truncated \uXXXX escape`)
	case c == 'U':
		return appendHex(b, text, at, 8, `truncated \UXXXXXXXX escape`)
	case c == 'N':
		return appendNamed(b, text, at)
	}
	return append(b, '\\'), 1, nil
}

// digits reads up to max digits of the given base and returns their value and
// number.
func digits(text string, max int, base uint32) (value uint32, n int) {
	for n < max && n < len(text) {
		d := digit(text[n])
		if d >= base {
			break
		}
		value = value*base + d
		n++
	}
	return value, n
}

// digit returns the value of a hexadecimal digit, and a large number for other
// characters.
func digit(c byte) uint32 {
	switch {
	case c >= '0' && c <= '9':
		return uint32(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return uint32(c|0x20-'a') + 10
	}
	return 1 << 16
}

func unicodeError(from, to int, msg string) error {
	return fmt.Errorf("(unicode error) 'unicodeescape' codec can't decode bytes in position %d-%d: %s", from, to, msg)
}

func appendHex(b []byte, text string, at, width int, problem string) ([]byte, int, error) {
	value, n := digits(text[2:], width, 16)
	if n < width {
		return nil, 0, unicodeError(at, at+1+n, problem)
	}
	if value > utf8.MaxRune {
		return nil, 0, unicodeError(at, at+1+n, "illegal Unicode character")
	}
	return appendCodePoint(b, rune(value)), 2 + width, nil
}

// appendCodePoint appends r, and a surrogate in generalized UTF-8.
func appendCodePoint(b []byte, r rune) []byte {
	if r >= 0xD800 && r <= 0xDFFF {
		return append(b, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0xBF, 0x80|byte(r)&0xBF)
	}
	return utf8.AppendRune(b, r)
}

// appendNamed appends the character of a \N{name} escape.
func appendNamed(b []byte, text string, at int) ([]byte, int, error) {
	if len(text) < 3 || text[2] != '{' {
		return nil, 0, unicodeError(at, at+1, `malformed \N character escape`)
	}
	end := strings.IndexByte(text, '}')
	if end <= 3 {
		return nil, 0, unicodeError(at, at+len(text)-1, `malformed \N character escape`)
	}
	r, ok := characterNamed(text[3:end])
	if !ok {
		return nil, 0, unicodeError(at, at+end, "unknown Unicode character name")
	}
	return utf8.AppendRune(b, r), end + 1, nil
}
