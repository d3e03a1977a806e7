package parser

import "github.com/kvrace/kvrace/parser/ast"

// kind is the kind of a token.
type kind uint8

const (
	// Layout: tokens that are not part of any node's range.
	eof kind = iota
	newline
	indent
	dedent

	// illegal is text that is no token; scanner.problem says why.
	illegal

	name
	intNumber
	floatNumber
	imagNumber
	stringToken   // a whole string or bytes literal, with prefix and quotes
	fstringStart  // prefix and opening quotes of an f-string or t-string
	fstringMiddle // literal text inside of one
	fstringEnd    // its closing quotes

	lparen
	rparen
	lbrack
	rbrack
	lbrace
	rbrace
	comma
	colon
	semicolon
	dot
	ellipsis
	arrow
	at
	assign
	walrus
	exclam // before the conversion of a replacement field

	plus
	minus
	star
	doubleStar
	slash
	doubleSlash
	percent
	lshift
	rshift
	pipe
	caret
	ampersand
	tilde

	equal
	notEqual
	less
	lessEqual
	greater
	greaterEqual

	plusAssign
	minusAssign
	starAssign
	doubleStarAssign
	slashAssign
	doubleSlashAssign
	percentAssign
	atAssign
	lshiftAssign
	rshiftAssign
	pipeAssign
	caretAssign
	ampersandAssign

	kwFalse
	kwNone
	kwTrue
	kwAnd
	kwAs
	kwAssert
	kwAsync
	kwAwait
	kwBreak
	kwClass
	kwContinue
	kwDef
	kwDel
	kwElif
	kwElse
	kwExcept
	kwFinally
	kwFor
	kwFrom
	kwGlobal
	kwIf
	kwImport
	kwIn
	kwIs
	kwLambda
	kwNonlocal
	kwNot
	kwOr
	kwPass
	kwRaise
	kwReturn
	kwTry
	kwWhile
	kwWith
	kwYield

	kindCount
)

const (
	lastLayout   = dedent
	firstKeyword = kwFalse
)

// spellings holds the text of the operators and keywords.
var spellings = [kindCount]string{
	lparen: "(", rparen: ")", lbrack: "[", rbrack: "]", lbrace: "{", rbrace: "}",
	comma: ",", colon: ":", semicolon: ";", dot: ".", ellipsis: "...", arrow: "->", at: "@",
	assign: "=", walrus: ":=", exclam: "!",
	plus: "+", minus: "-", star: "*", doubleStar: "**", slash: "/", doubleSlash: "//", percent: "%",
	lshift: "<<", rshift: ">>", pipe: "|", caret: "^", ampersand: "&", tilde: "~",
	equal: "==", notEqual: "!=", less: "<", lessEqual: "<=", greater: ">", greaterEqual: ">=",
	plusAssign: "+=", minusAssign: "-=", starAssign: "*=", doubleStarAssign: "**=", slashAssign: "/=",
	doubleSlashAssign: "//=", percentAssign: "%=", atAssign: "@=", lshiftAssign: "<<=",
	rshiftAssign: ">>=", pipeAssign: "|=", caretAssign: "^=", ampersandAssign: "&=",
	kwFalse: "False", kwNone: "None", kwTrue: "True", kwAnd: "and", kwAs: "as", kwAssert: "assert",
	kwAsync: "async", kwAwait: "await", kwBreak: "break", kwClass: "class", kwContinue: "continue",
	kwDef: "def", kwDel: "del", kwElif: "elif", kwElse: "else", kwExcept: "except",
	kwFinally: "finally", kwFor: "for", kwFrom: "from", kwGlobal: "global", kwIf: "if",
	kwImport: "import", kwIn: "in", kwIs: "is", kwLambda: "lambda", kwNonlocal: "nonlocal",
	kwNot: "not", kwOr: "or", kwPass: "pass", kwRaise: "raise", kwReturn: "return", kwTry: "try",
	kwWhile: "while", kwWith: "with", kwYield: "yield",
}

// binary describes a binary operator: its node's operator and its precedence,
// zero for tokens that are none.
type binary struct {
	op   ast.Operator
	prec uint8
}

// binaryOperators covers the rules bitwise_or to term of the grammar; "**"
// binds differently and is not among them.
var binaryOperators = [kindCount]binary{
	pipe:        {ast.BitOr, 1},
	caret:       {ast.BitXor, 2},
	ampersand:   {ast.BitAnd, 3},
	lshift:      {ast.LShift, 4},
	rshift:      {ast.RShift, 4},
	plus:        {ast.Add, 5},
	minus:       {ast.Sub, 5},
	star:        {ast.Mult, 6},
	slash:       {ast.Div, 6},
	doubleSlash: {ast.FloorDiv, 6},
	percent:     {ast.Mod, 6},
	at:          {ast.MatMult, 6},
}

// augmentedOperator returns the operator of "op=".
func augmentedOperator(k kind) (op ast.Operator, ok bool) {
	switch k {
	case plusAssign:
		return ast.Add, true
	case minusAssign:
		return ast.Sub, true
	case starAssign:
		return ast.Mult, true
	case doubleStarAssign:
		return ast.Pow, true
	case slashAssign:
		return ast.Div, true
	case doubleSlashAssign:
		return ast.FloorDiv, true
	case percentAssign:
		return ast.Mod, true
	case atAssign:
		return ast.MatMult, true
	case lshiftAssign:
		return ast.LShift, true
	case rshiftAssign:
		return ast.RShift, true
	case pipeAssign:
		return ast.BitOr, true
	case caretAssign:
		return ast.BitXor, true
	case ampersandAssign:
		return ast.BitAnd, true
	}
	return 0, false
}

// keywordTable maps the hash of each keyword to its kind.
var keywordTable = func() (table [keywordSlots]kind) {
	for k := firstKeyword; k < kindCount; k++ {
		table[keywordHash(spellings[k])] = k
	}
	return table
}()

const keywordSlots = 128

// keywordHash is free of collisions among the keywords, see TestKeywords. The
// word has at least two bytes.
func keywordHash(word string) uint8 {
	return (word[0] + word[len(word)-1]*83 + word[1] + uint8(len(word))) % keywordSlots
}

// lookupKeyword returns the kind of the keyword that word is, or name.
func lookupKeyword(word string) kind {
	if len(word) < 2 || len(word) > 8 {
		return name
	}
	if k := keywordTable[keywordHash(word)]; spellings[k] == word {
		return k
	}
	return name
}
