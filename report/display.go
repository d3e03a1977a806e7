package report

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// Names of files and text of sources are written by strangers, so everything
// that reaches a terminal goes through this file: control characters, escape
// sequences, bytes that are not UTF-8 and the invisible characters that
// reorder text are spelled out, the way Go spells them in a string literal.

// tabWidth is the distance of the tab stops in printed source.
const tabWidth = 4

// visible returns s as one line that is safe to print on a terminal.
func visible(s string) string {
	if isPlain(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if esc := escapeRune(r, s[i:i+size]); esc != "" {
			b.WriteString(esc)
		} else {
			b.WriteString(s[i : i+size])
		}
		i += size
	}
	return b.String()
}

// isPlain reports whether s consists of printable ASCII.
func isPlain(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// escapeRune returns the spelling of a rune that must not be printed as it
// is, or "". Raw is its encoding, which matters when it is not valid UTF-8.
func escapeRune(r rune, raw string) string {
	switch {
	case r == '\n':
		return `\n`
	case r == '\r':
		return `\r`
	case r == '\t':
		return `\t`
	case r == utf8.RuneError && len(raw) == 1:
		return fmt.Sprintf(`\x%02x`, raw[0])
	case r < ' ' || r == 0x7f:
		return fmt.Sprintf(`\x%02x`, r)
	case !hidden(r):
		return ""
	case r > 0xffff:
		return fmt.Sprintf(`\U%08x`, r)
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// hidden reports whether a rune controls how text is shown instead of being
// shown: controls, line separators, and formats such as those that turn the
// direction of text. Joiners are not, being part of words and emoji.
func hidden(r rune) bool {
	if r < 0x7f {
		return r < ' '
	}
	return r != '\u200c' && r != '\u200d' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

// linkMarks matches the escape sequences before and behind a hyperlink.
var linkMarks = regexp.MustCompile("\x1b]8;;[^\x1b]*\x1b\\\\")

// width returns the number of terminal columns that visible text fills, which
// may hold hyperlinks.
func width(s string) int {
	if isPlain(s) {
		return len(s)
	}
	return uniseg.StringWidth(linkMarks.ReplaceAllString(s, ""))
}

// pad returns s filled with blanks to a width of n columns.
func pad(s string, n int) string {
	if gap := n - width(s); gap > 0 {
		return s + strings.Repeat(" ", gap)
	}
	return s
}

// wrap breaks visible text at blanks into lines of at most n columns, where
// its words allow. A limit of 0 or less means one line.
func wrap(s string, n int) []string {
	if n <= 0 || width(s) <= n {
		return []string{s}
	}
	var lines []string
	line, used := "", 0
	for _, word := range strings.Fields(s) {
		w := width(word)
		if used > 0 && used+1+w > n {
			lines = append(lines, line)
			line, used = "", 0
		}
		if used > 0 {
			line += " "
			used++
		}
		line += word
		used += w
	}
	return append(lines, line)
}

// A displayLine is one line of source as a terminal shows it.
type displayLine struct {
	text string
	// columns maps each byte of the source line, and its end, to the display
	// column from 0 at which the character it belongs to starts.
	columns []int
}

// layout expands tabs and escapes in a line of source without its end.
func layout(line string) displayLine {
	var b strings.Builder
	columns := make([]int, 0, len(line)+1)
	column, state := 0, -1
	for rest := line; rest != ""; {
		var cluster string
		var w int
		cluster, rest, w, state = uniseg.FirstGraphemeClusterInString(rest, state)
		text := visible(cluster)
		switch {
		case cluster == "\t":
			w = tabWidth - column%tabWidth
			text = strings.Repeat(" ", w)
		case text != cluster:
			w = width(text)
		}
		b.WriteString(text)
		for range len(cluster) {
			columns = append(columns, column)
		}
		column += w
	}
	return displayLine{text: b.String(), columns: append(columns, column)}
}

// at returns the display column of a byte column that counts from 1; what
// lies outside the line is moved to its ends.
func (d displayLine) at(column int) int {
	return d.columns[min(max(column-1, 0), len(d.columns)-1)]
}

// distinct maps each name to its shortest suffix of whole parts, which sep
// separates, that no other name shares.
func distinct(names []string, sep string) map[string]string {
	short := make(map[string]string, len(names))
	for _, name := range names {
		parts := strings.Split(name, sep)
		for n := 1; n <= len(parts); n++ {
			suffix := strings.Join(parts[len(parts)-n:], sep)
			if n == len(parts) || !sharedSuffix(names, name, sep+suffix, suffix) {
				short[name] = suffix
				break
			}
		}
	}
	return short
}

// sharedSuffix reports whether a name other than own ends in tail or is whole.
func sharedSuffix(names []string, own, tail, whole string) bool {
	for _, name := range names {
		if name != own && (name == whole || strings.HasSuffix(name, tail)) {
			return true
		}
	}
	return false
}
