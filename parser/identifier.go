package parser

import (
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// isIdentifierRune reports whether a name may contain r, and if first is set,
// may start with it: the properties XID_Start and XID_Continue of Unicode
// Standard Annex 31, as section 2.3 of the Python reference asks for.
func isIdentifierRune(r rune, first bool) bool {
	if first {
		return r == '_' || unicode.In(r, unicode.L, unicode.Nl, cjkExtensionI, unicode.Other_ID_Start) && !unicode.In(r, notXIDStart, unicode.Pattern_Syntax, unicode.Pattern_White_Space)
	}
	return unicode.In(r, unicode.L, unicode.Nl, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode151Continue, unicode.Other_ID_Start, unicode.Other_ID_Continue) &&
		!unicode.In(r, notXIDContinue, unicode.Pattern_Syntax, unicode.Pattern_White_Space)
}

// Characters of ID_Start and ID_Continue that XID_Start and XID_Continue leave
// out, because their compatibility decomposition is no identifier.
var (
	notXIDContinue = &unicode.RangeTable{R16: []unicode.Range16{
		{Lo: 0x037A, Hi: 0x037A, Stride: 1},
		{Lo: 0x309B, Hi: 0x309C, Stride: 1},
		{Lo: 0xFC5E, Hi: 0xFC63, Stride: 1},
		{Lo: 0xFDFA, Hi: 0xFDFB, Stride: 1},
		{Lo: 0xFE70, Hi: 0xFE7E, Stride: 2},
	}}
	notXIDStart = &unicode.RangeTable{R16: []unicode.Range16{
		{Lo: 0x037A, Hi: 0x037A, Stride: 1},
		{Lo: 0x0E33, Hi: 0x0E33, Stride: 1},
		{Lo: 0x0EB3, Hi: 0x0EB3, Stride: 1},
		{Lo: 0x309B, Hi: 0x309C, Stride: 1},
		{Lo: 0xFC5E, Hi: 0xFC63, Stride: 1},
		{Lo: 0xFDFA, Hi: 0xFDFB, Stride: 1},
		{Lo: 0xFE70, Hi: 0xFE7E, Stride: 2},
		{Lo: 0xFF9E, Hi: 0xFF9F, Stride: 1},
	}}
)

// normalizeName returns the form of a name in which Python compares it.
func normalizeName(text string) string { return norm.NFKC.String(text) }

// What Unicode 15.1 added, the version of Python 3.13, to that of Go's tables,
// 15.0: letters, and more characters inside of names.
var (
	cjkExtensionI      = &unicode.RangeTable{R32: []unicode.Range32{{Lo: 0x2EBF0, Hi: 0x2EE5D, Stride: 1}}}
	unicode151Continue = &unicode.RangeTable{
		R16: []unicode.Range16{
			{Lo: 0x200C, Hi: 0x200D, Stride: 1},
			{Lo: 0x30FB, Hi: 0x30FB, Stride: 1},
			{Lo: 0xFF65, Hi: 0xFF65, Stride: 1},
		},
		R32: []unicode.Range32{{Lo: 0x2EBF0, Hi: 0x2EE5D, Stride: 1}},
	}
)
