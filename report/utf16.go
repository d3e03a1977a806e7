package report

import (
	"unicode/utf16"
	"unicode/utf8"
)

// surrogates returns the two UTF-16 units of a rune above U+FFFF.
func surrogates(r rune) (hi, lo rune) { return utf16.EncodeRune(r) }

// units returns the number of UTF-16 code units of s, where each byte that is
// not UTF-8 counts as the one unit of U+FFFD.
func units(s string) int {
	n := 0
	for _, r := range s {
		n += max(utf16.RuneLen(r), 1)
	}
	return n
}

// unitColumn converts a column of a line from UTF-8 bytes to UTF-16 units,
// both from 1. A column beyond the line is beyond it by as much.
func unitColumn(line string, column int) int {
	n := column - 1
	if n <= 0 {
		return 1
	}
	if n > len(line) {
		return units(line) + n - len(line) + 1
	}
	for 0 < n && n < len(line) && !utf8.RuneStart(line[n]) {
		n--
	}
	return units(line[:n]) + 1
}
