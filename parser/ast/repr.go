package ast

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// appendConstant appends what Python's repr makes of the value of c.
func appendConstant(b []byte, c *Constant) []byte {
	switch c.Kind() {
	case Str:
		return appendStr(b, c.Value())
	case Bytes:
		return appendBytes(b, c.Value())
	case Int:
		return appendInt(b, c.Value())
	case Float:
		return appendFloat(b, number(c.Value()))
	case Complex:
		return appendImaginary(b, number(c.Value()[:len(c.Value())-1]))
	}
	return append(b, c.Kind().String()...)
}

// unicode151 holds the characters that Unicode 15.1 added, the version of
// Python 3.13; Go's tables are those of Unicode 15.0.
var unicode151 = &unicode.RangeTable{
	R16: []unicode.Range16{{Lo: 0x2FFC, Hi: 0x2FFF, Stride: 1}, {Lo: 0x31EF, Hi: 0x31EF, Stride: 1}},
	R32: []unicode.Range32{{Lo: 0x2EBF0, Hi: 0x2EE5D, Stride: 1}},
}

// appendStr appends the repr of a str.
func appendStr(b []byte, s string) []byte {
	quote := byte('\'')
	if strings.IndexByte(s, '\'') >= 0 && strings.IndexByte(s, '"') < 0 {
		quote = '"'
	}
	b = append(b, quote)
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			b = appendCharacter(b, c, quote)
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			r = surrogate(s[i:])
			size = 3
			b = appendHex(b, 'u', 4, r)
		case unicode.IsPrint(r) || unicode.Is(unicode151, r):
			b = append(b, s[i:i+size]...)
		case r <= 0xFF:
			b = appendHex(b, 'x', 2, r)
		case r <= 0xFFFF:
			b = appendHex(b, 'u', 4, r)
		default:
			b = appendHex(b, 'U', 8, r)
		}
		i += size
	}
	return append(b, quote)
}

// surrogate decodes the surrogate, in generalized UTF-8, at the start of s; for
// other bytes it returns a value that only a broken source can lead to.
func surrogate(s string) rune {
	if len(s) < 3 {
		return utf8.RuneError
	}
	return rune(s[0]&0x0F)<<12 | rune(s[1]&0x3F)<<6 | rune(s[2]&0x3F)
}

// appendCharacter appends an ASCII character in quotes.
func appendCharacter(b []byte, c, quote byte) []byte {
	switch {
	case c == quote || c == '\\':
		return append(b, '\\', c)
	case c == '\n':
		return append(b, `\n`...)
	case c == '\r':
		return append(b, `\r`...)
	case c == '\t':
		return append(b, `\t`...)
	case c < ' ' || c == 0x7F:
		return appendHex(b, 'x', 2, rune(c))
	}
	return append(b, c)
}

// appendHex appends an escape with the given letter and width.
func appendHex(b []byte, letter byte, width int, r rune) []byte {
	b = append(b, '\\', letter)
	for shift := 4 * (width - 1); shift >= 0; shift -= 4 {
		b = append(b, "0123456789abcdef"[r>>shift&0xF])
	}
	return b
}

// appendBytes appends the repr of a bytes object.
func appendBytes(b []byte, s string) []byte {
	quote := byte('\'')
	if strings.IndexByte(s, '\'') >= 0 && strings.IndexByte(s, '"') < 0 {
		quote = '"'
	}
	b = append(b, 'b', quote)
	for i := range len(s) {
		if c := s[i]; c < utf8.RuneSelf {
			b = appendCharacter(b, c, quote)
		} else {
			b = appendHex(b, 'x', 2, rune(c))
		}
	}
	return append(b, quote)
}

// appendInt appends the decimal form of an integer literal.
func appendInt(b []byte, spelling string) []byte {
	digits := strings.ReplaceAll(spelling, "_", "")
	if v, err := strconv.ParseInt(trimZeros(digits), 0, 64); err == nil {
		return strconv.AppendInt(b, v, 10)
	}
	v, ok := new(big.Int).SetString(trimZeros(digits), 0)
	if !ok {
		return append(b, spelling...)
	}
	return v.Append(b, 10)
}

// trimZeros removes zeros that would make Go read an octal number.
func trimZeros(digits string) string {
	if strings.Trim(digits, "0") == "" {
		return "0"
	}
	return digits
}

// number returns the value of the spelling of a float.
func number(spelling string) float64 {
	v, _ := strconv.ParseFloat(strings.ReplaceAll(spelling, "_", ""), 64)
	return v // ±Inf when out of range, as in Python
}

// appendFloat appends the repr of a float.
func appendFloat(b []byte, v float64) []byte {
	start := len(b)
	b = appendShortest(b, v)
	if strings.ContainsAny(string(b[start:]), ".ei") {
		return b
	}
	return append(b, ".0"...)
}

// appendImaginary appends the repr of a complex number without real part.
func appendImaginary(b []byte, v float64) []byte {
	return append(appendShortest(b, v), 'j')
}

// appendShortest appends the shortest digits that stand for v, with an
// exponent where Python's repr has one.
func appendShortest(b []byte, v float64) []byte {
	if math.IsInf(v, 0) {
		return append(b, "inf"...)
	}
	if v != 0 && (v < 1e-4 || v >= 1e16) {
		return strconv.AppendFloat(b, v, 'e', -1, 64)
	}
	return strconv.AppendFloat(b, v, 'f', -1, 64)
}

// Repr returns what Python's repr makes of the value of c.
func Repr(c *Constant) string { return string(appendConstant(nil, c)) }
