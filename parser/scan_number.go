package parser

import (
	"strings"
	"unicode/utf8"
)

// scanNumber scans a number, as CPython's tok_get_normal_mode does.
func (s *scanner) scanNumber(start int) {
	if s.src[start] == '0' {
		switch s.peek(1) | 0x20 {
		case 'x':
			s.scanRadix(start, "hexadecimal", classHex, '9')
			return
		case 'o':
			s.scanRadix(start, "octal", classDigit, '7')
			return
		case 'b':
			s.scanRadix(start, "binary", classDigit, '1')
			return
		}
	}
	if s.src[start] == '.' {
		s.scanFraction(start)
		return
	}
	if !s.scanDigits(start, "decimal") {
		return
	}
	digits := s.src[start:s.off]
	switch c := s.peek(0); {
	case c == '.':
		s.scanFraction(start)
	case c|0x20 == 'e' && s.scanExponent(start):
	case c|0x20 == 'j':
		s.scanImaginary(start)
	case digits[0] == '0' && strings.Trim(digits, "0_") != "":
		s.fail(start, start, "leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal integers")
	default:
		s.endNumber(start, intNumber, "decimal")
	}
}

// scanRadix scans the rest of a number with the prefix 0x, 0o or 0b.
func (s *scanner) scanRadix(start int, what string, class uint8, last byte) {
	s.off += 2
	for {
		if s.peek(0) == '_' {
			s.off++
		}
		first := s.off
		for classes[s.peek(0)]&class != 0 {
			if c := s.peek(0); c <= '9' && c > last {
				s.fail(start, s.off, "invalid digit '%c' in %s literal", c, what)
				s.off++
				return
			}
			s.off++
		}
		if s.off == first {
			s.fail(start, s.off, "invalid %s literal", what)
			return
		}
		if s.peek(0) != '_' {
			break
		}
	}
	s.endNumber(start, intNumber, what)
}

// scanDigits scans decimal digits with single underscores between them. It
// returns false if it met an illegal token.
func (s *scanner) scanDigits(start int, what string) bool {
	for {
		for classes[s.peek(0)]&classDigit != 0 {
			s.off++
		}
		if s.peek(0) != '_' {
			return true
		}
		s.off++
		if classes[s.peek(0)]&classDigit == 0 {
			s.fail(start, s.off-1, "invalid %s literal", what)
			return false
		}
	}
}

// scanFraction scans the rest of a number from its "." on.
func (s *scanner) scanFraction(start int) {
	s.off++
	if classes[s.peek(0)]&classDigit != 0 && !s.scanDigits(start, "decimal") {
		return
	}
	switch c := s.peek(0) | 0x20; {
	case c == 'e' && s.scanExponent(start):
	case c == 'j':
		s.scanImaginary(start)
	default:
		s.endNumber(start, floatNumber, "decimal")
	}
}

// scanExponent scans the rest of a number from its "e" on. It returns false if
// that is no exponent but the start of a keyword.
func (s *scanner) scanExponent(start int) bool {
	n := 1
	if c := s.peek(1); c == '+' || c == '-' {
		n = 2
	}
	if classes[s.peek(n)]&classDigit == 0 {
		if n == 2 {
			s.off += n
			s.fail(start, s.off-1, "invalid decimal literal")
		}
		return n == 2
	}
	s.off += n
	if !s.scanDigits(start, "decimal") {
		return true
	}
	if s.peek(0)|0x20 == 'j' {
		s.scanImaginary(start)
	} else {
		s.endNumber(start, floatNumber, "decimal")
	}
	return true
}

func (s *scanner) scanImaginary(start int) {
	s.off++
	s.endNumber(start, imagNumber, "imaginary")
}

// endNumber makes [start, s.off) a number unless a letter follows directly.
// Keywords that may follow an operand are allowed, as in "1if x else y".
func (s *scanner) endNumber(start int, k kind, what string) {
	c := s.peek(0)
	if classes[c]&classWord == 0 {
		s.set(k, start)
		return
	}
	if c < utf8.RuneSelf && s.keywordFollows() {
		s.set(k, start)
		return
	}
	if c >= utf8.RuneSelf {
		if r, _ := utf8.DecodeRuneInString(s.src[s.off:]); !isIdentifierRune(r, false) {
			s.set(k, start) // the character is a fault of its own
			return
		}
	}
	s.fail(start, s.off-1, "invalid %s literal", what)
}

// keywordFollows reports whether the text goes on with a keyword that may
// stand after an operand.
func (s *scanner) keywordFollows() bool {
	rest := s.src[s.off:]
	for _, word := range [...]string{"and", "else", "for", "if", "in", "is", "not", "or"} {
		if strings.HasPrefix(rest, word) {
			return true
		}
	}
	return false
}
