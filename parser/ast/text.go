package ast

import (
	"unicode/utf8"
	"unsafe"
)

// Text is the part of the source that a node covers, together with the source
// itself. Most of the nodes of a tree are names, attributes and literals; they
// embed a Text instead of a [Range] and read what they are called, or which
// value they have, where it is written. A string would take as much memory as
// all of a Text.
//
// A value that does not stand in the source as it is, because it has escapes or
// is not in Unicode normal form, is kept apart.
type Text struct {
	start Pos
	// bits are, from the lowest: what the node is (textTag), isApart, and the
	// length of the source.
	bits uint32
	at   unsafe.Pointer // first byte of the source, or an *apart
}

const (
	textTag     = 1<<6 - 1
	isApart     = 1 << 6
	textShift   = 7
	maxTextSize = 1<<(32-textShift) - 1
)

// apart is what a Text refers to when its value cannot be read in the source.
type apart struct {
	stop  Pos
	value string
}

// Pos returns the offset of the first byte of the node.
func (t *Text) Pos() Pos { return t.start }

// End returns the offset after the last byte of the node.
func (t *Text) End() Pos {
	if t.bits&isApart != 0 {
		return (*apart)(t.at).stop
	}
	return t.start + Pos(t.bits>>textShift)
}

// Range returns the range of the node.
func (t *Text) Range() Range { return Range{t.start, t.End()} }

// source returns the source of a node whose value is not kept apart.
func (t *Text) source() string { return unsafe.String((*byte)(t.at), t.bits>>textShift) }

// tag returns what the node is.
func (t *Text) tag() uint32 { return t.bits & textTag }

func (t *Text) setTag(tag uint32) { t.bits = t.bits&^textTag | tag }

// put makes t the part r of a module with the source src.
func (t *Text) put(src string, r Range) {
	t.start = r.Start
	t.bits = uint32(r.Stop-r.Start)<<textShift | t.tag()
	t.at = unsafe.Pointer(unsafe.StringData(src[r.Start:]))
}

// fits reports whether a module has the source src, and r is not too long for
// a Text that refers to it.
func fits(src string, r Range) bool {
	return src != "" && r.Start < r.Stop && r.Stop-r.Start <= maxTextSize
}

// putApart makes t the range r with a value that cannot be read there.
func (t *Text) putApart(r Range, value string) {
	t.start = r.Start
	t.bits = isApart | t.tag()
	t.at = unsafe.Pointer(&apart{r.Stop, value})
}

// isWord reports whether a name may contain c.
func isWord(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_' || c >= utf8.RuneSelf
}

// firstWord returns the name that text starts with.
func firstWord(text string) string {
	for i := range len(text) {
		if !isWord(text[i]) {
			return text[:i]
		}
	}
	return text
}

// lastWord returns the name that text ends with.
func lastWord(text string) string {
	i := len(text)
	for i > 0 && isWord(text[i-1]) {
		i--
	}
	return text[i:]
}

// unquote returns the text between the quotes of a literal.
func unquote(literal string) string {
	quote := 0
	for quote < len(literal) && literal[quote] != '"' && literal[quote] != '\'' {
		quote++
	}
	text := literal[quote:]
	width := 1
	if len(text) >= 6 && text[1] == text[0] && text[2] == text[0] {
		width = 3
	}
	if len(text) < 2*width {
		return ""
	}
	return text[width : len(text)-width]
}
