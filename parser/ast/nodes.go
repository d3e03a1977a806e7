// Package ast declares the types of Python syntax trees.
//
// There is one Go struct for each node class of CPython's ast module, and it
// has the same name; the fields are the fields of the class in CamelCase. The
// exceptions keep the number of types small: the async variants are flags
// (FunctionDef.Async, For.Async, With.Async), so is the star of "except*"
// (Try.Star), and the class Expr is [ExprStmt], because [Expr] is the
// interface of all expressions. [Dump] prints the names of CPython.
//
// A field that CPython may leave at None is nil, or "" for an identifier: no
// identifier is empty.
package ast

import "sync"

// Pos is an offset in bytes from the start of [Module.Source].
type Pos int32

// Node is implemented by every type of this package that has a place in the
// source. Pos is the offset of its first byte and End the offset after its
// last one.
type Node interface {
	Pos() Pos
	End() Pos
}

// Range is the part of the source that a node covers; every node embeds one.
type Range struct {
	Start Pos // first byte
	Stop  Pos // after the last byte
}

// Pos returns the offset of the first byte of the range.
func (r Range) Pos() Pos { return r.Start }

// End returns the offset after the last byte of the range.
func (r Range) End() Pos { return r.Stop }

// Expr is implemented by all expressions.
type Expr interface {
	Node
	exprNode()
}

// Stmt is implemented by all statements.
type Stmt interface {
	Node
	stmtNode()
}

// Pattern is implemented by the patterns of match statements.
type Pattern interface {
	Node
	patternNode()
}

// TypeParam is implemented by the parameters of generic classes, functions
// and type aliases: [TypeVar], [ParamSpec] and [TypeVarTuple].
type TypeParam interface {
	Node
	typeParamNode()
}

// Module is one source file.
type Module struct {
	Range
	Body     []Stmt
	Comments []Comment // in source order
	// Name is the file name that was given to the parser.
	Name string
	// Source is the text that all positions refer to: the bytes of the file
	// as they are, or their UTF-8 form when the file declares another
	// encoding.
	Source []byte
	// Encoding is the encoding that the file declares, normalized as in
	// Python's tokenize.detect_encoding, and "" when it declares none.
	Encoding string
	Lines    Lines

	notes sync.Map // see Note
}

// Note returns what find finds out about a module, and does so once unless several ask
// at a time. The result must not be changed, and each kind of note needs a key of its
// own type.
func Note[T any](m *Module, key any, find func() T) T {
	if known, ok := m.notes.Load(key); ok {
		return known.(T)
	}
	found := find()
	m.notes.Store(key, found)
	return found
}

// Position returns the line and the column of p, both from 1; the column
// counts bytes of UTF-8. A byte order mark has no width.
func (m *Module) Position(p Pos) (line, column int) {
	line = m.Lines.Of(p)
	if line == 0 {
		return 1, 1
	}
	return line, max(int(p-m.Lines.Start(line)), 0) + 1
}

// Text returns the source of n. The bytes belong to the module.
func (m *Module) Text(n Node) []byte { return m.Source[n.Pos():n.End()] }

// Comment is one comment, from its "#" to the end of the line, exclusive.
type Comment struct{ Range }

// Statements.
type (
	// FunctionDef is a def or an async def statement. The range starts at
	// "def" or "async", not at the decorators.
	FunctionDef struct {
		Range
		Async         bool
		NamePos       Pos
		Name          string
		TypeParams    []TypeParam
		Args          *Arguments
		Returns       Expr
		Body          []Stmt
		DecoratorList []Expr
	}

	// ClassDef is a class statement. The range starts at "class", not at the
	// decorators.
	ClassDef struct {
		Range
		NamePos       Pos
		Name          string
		TypeParams    []TypeParam
		Bases         []Expr
		Keywords      []*Keyword
		Body          []Stmt
		DecoratorList []Expr
	}

	// Return is a return statement; Value is nil when there is none.
	Return struct {
		Range
		Value Expr
	}

	// Delete is a del statement.
	Delete struct {
		Range
		Targets []Expr
	}

	// Assign is "target = target = value".
	Assign struct {
		Range
		Targets []Expr
		Value   Expr
	}

	// TypeAlias is "type Name[TypeParams] = Value".
	TypeAlias struct {
		Range
		Name       Expr // a *Name
		TypeParams []TypeParam
		Value      Expr
	}

	// AugAssign is "target op= value".
	AugAssign struct {
		Range
		Op     Operator
		Target Expr
		Value  Expr
	}

	// AnnAssign is "target: annotation = value"; Value may be nil. Simple
	// reports whether the target is a name without parentheses.
	AnnAssign struct {
		Range
		Simple     bool
		Target     Expr
		Annotation Expr
		Value      Expr
	}

	// For is a for or an async for statement.
	For struct {
		Range
		Async  bool
		Target Expr
		Iter   Expr
		Body   []Stmt
		Orelse []Stmt
	}

	// While is a while statement.
	While struct {
		Range
		Test   Expr
		Body   []Stmt
		Orelse []Stmt
	}

	// If is an if statement; an elif is an If alone in Orelse.
	If struct {
		Range
		Test   Expr
		Body   []Stmt
		Orelse []Stmt
	}

	// With is a with or an async with statement.
	With struct {
		Range
		Async bool
		Items []*WithItem
		Body  []Stmt
	}

	// Match is a match statement.
	Match struct {
		Range
		Subject Expr
		Cases   []*MatchCase
	}

	// Raise is "raise exc from cause"; both may be nil.
	Raise struct {
		Range
		Exc   Expr
		Cause Expr
	}

	// Try is a try statement. Star reports whether its handlers are except*
	// clauses.
	Try struct {
		Range
		Star      bool
		Body      []Stmt
		Handlers  []*ExceptHandler
		Orelse    []Stmt
		Finalbody []Stmt
	}

	// Assert is an assert statement; Msg may be nil.
	Assert struct {
		Range
		Test Expr
		Msg  Expr
	}

	// Import is "import a.b as c, d".
	Import struct {
		Range
		Names []*Alias
	}

	// ImportFrom is "from module import names". Level counts the leading
	// dots, and Module is "" in "from . import x".
	ImportFrom struct {
		Range
		Level  int32
		Module string
		Names  []*Alias
	}

	// Global is a global statement.
	Global struct {
		Range
		Names []string
	}

	// Nonlocal is a nonlocal statement.
	Nonlocal struct {
		Range
		Names []string
	}

	// ExprStmt is an expression used as a statement. CPython calls it Expr.
	ExprStmt struct {
		Range
		Value Expr
	}

	// Pass is a pass statement.
	Pass struct{ Range }

	// Break is a break statement.
	Break struct{ Range }

	// Continue is a continue statement.
	Continue struct{ Range }
)

// Expressions. As in CPython, the range of an expression leaves out the
// parentheses around it, except for a Tuple and a GeneratorExp, which own
// them.
type (
	// BoolOp is "a and b and c" or "a or b or c".
	BoolOp struct {
		Range
		Op     BoolOperator
		Values []Expr
	}

	// NamedExpr is "target := value".
	NamedExpr struct {
		Range
		Target Expr // a *Name
		Value  Expr
	}

	// BinOp is "left op right".
	BinOp struct {
		Range
		Op    Operator
		Left  Expr
		Right Expr
	}

	// UnaryOp is "op operand".
	UnaryOp struct {
		Range
		Op      UnaryOperator
		Operand Expr
	}

	// Lambda is a lambda expression.
	Lambda struct {
		Range
		Args *Arguments
		Body Expr
	}

	// IfExp is "body if test else orelse".
	IfExp struct {
		Range
		Test   Expr
		Body   Expr
		Orelse Expr
	}

	// Dict is a dict display. Keys and Values have the same length; the key
	// of "**mapping" is nil.
	Dict struct {
		Range
		Keys   []Expr
		Values []Expr
	}

	// Set is a set display.
	Set struct {
		Range
		Elts []Expr
	}

	// ListComp is a list comprehension.
	ListComp struct {
		Range
		Elt        Expr
		Generators []*Comprehension
	}

	// SetComp is a set comprehension.
	SetComp struct {
		Range
		Elt        Expr
		Generators []*Comprehension
	}

	// DictComp is a dict comprehension.
	DictComp struct {
		Range
		Key        Expr
		Value      Expr
		Generators []*Comprehension
	}

	// GeneratorExp is a generator expression. As the only argument of a call
	// its range covers the parentheses of the call.
	GeneratorExp struct {
		Range
		Elt        Expr
		Generators []*Comprehension
	}

	// Await is an await expression.
	Await struct {
		Range
		Value Expr
	}

	// Yield is a yield expression; Value may be nil.
	Yield struct {
		Range
		Value Expr
	}

	// YieldFrom is "yield from value".
	YieldFrom struct {
		Range
		Value Expr
	}

	// Compare is "left ops[0] comparators[0] ops[1] comparators[1] ...".
	Compare struct {
		Range
		Left        Expr
		Ops         []CmpOp
		Comparators []Expr
	}

	// Call is a call. A starred argument is a Starred in Args, and a
	// "**mapping" a Keyword without a name; see [Call.SetArgs].
	Call struct {
		Range
		Func Expr
		// Calls are frequent, and slices would take half as much again.
		args          *Expr
		keywords      **Keyword
		nargs, nwords uint32
	}

	// FormattedValue is one replacement field of an f-string. FormatSpec is
	// nil or a *JoinedStr.
	FormattedValue struct {
		Range
		Conversion Conversion
		Value      Expr
		FormatSpec Expr
	}

	// Interpolation is one replacement field of a t-string; Str is the source
	// of the expression.
	Interpolation struct {
		Range
		Conversion Conversion
		Value      Expr
		Str        string
		FormatSpec Expr
	}

	// JoinedStr is an f-string. Adjacent string literals are one node.
	JoinedStr struct {
		Range
		Values []Expr
	}

	// TemplateStr is a t-string.
	TemplateStr struct {
		Range
		Values []Expr
	}

	// Constant is a literal or one of the names None, True, False and "...".
	Constant struct{ Text }

	// Attribute is "value.attr".
	Attribute struct {
		Text
		Value Expr
	}

	// Subscript is "value[slice]".
	Subscript struct {
		Range
		Ctx   Ctx
		Value Expr
		Slice Expr
	}

	// Starred is "*value".
	Starred struct {
		Range
		Ctx   Ctx
		Value Expr
	}

	// Name is an identifier used as an expression.
	Name struct{ Text }

	// List is a list display, or a list of targets.
	List struct {
		Range
		Ctx  Ctx
		Elts []Expr
	}

	// Tuple is a tuple display, or a tuple of targets.
	Tuple struct {
		Range
		Ctx  Ctx
		Elts []Expr
	}

	// Slice is "lower:upper:step" in a subscript; each part may be nil.
	Slice struct {
		Range
		Lower Expr
		Upper Expr
		Step  Expr
	}
)

// Parts of statements and expressions.
type (
	// Arguments are the parameters of a function or lambda. Defaults belong
	// to the last of PosOnlyArgs and Args; KwDefaults has one entry for each
	// of KwOnlyArgs, nil when there is no default. The range is empty when
	// there are no parameters.
	Arguments struct {
		Range
		PosOnlyArgs []*Arg
		Args        []*Arg
		Vararg      *Arg
		KwOnlyArgs  []*Arg
		KwDefaults  []Expr
		Kwarg       *Arg
		Defaults    []Expr
	}

	// Arg is one parameter, without its default.
	Arg struct {
		Text
		Annotation Expr
	}

	// Keyword is "arg=value" in a call or class statement, and "**value".
	Keyword struct {
		Text
		Value Expr
	}

	// Alias is one name of an import statement; AsName is "" when it is not
	// renamed. Name holds the dots of "a.b.c", and is "*" in "import *".
	Alias struct {
		Range
		Name   string
		AsName string
	}

	// WithItem is "contextExpr as optionalVars"; OptionalVars may be nil.
	WithItem struct {
		Range
		ContextExpr  Expr
		OptionalVars Expr
	}

	// ExceptHandler is "except type as name:"; Type may be nil.
	ExceptHandler struct {
		Range
		NamePos Pos
		Name    string
		Type    Expr
		Body    []Stmt
	}

	// MatchCase is "case pattern if guard:"; Guard may be nil.
	MatchCase struct {
		Range
		Pattern Pattern
		Guard   Expr
		Body    []Stmt
	}

	// Comprehension is "for target in iter if ifs[0] if ifs[1]".
	Comprehension struct {
		Range
		IsAsync bool
		Target  Expr
		Iter    Expr
		Ifs     []Expr
	}
)

// Patterns.
type (
	// MatchValue matches a value by equality: a literal or a dotted name.
	MatchValue struct {
		Range
		Value Expr
	}

	// MatchSingleton matches None, True or False by identity.
	MatchSingleton struct {
		Range
		Value ConstKind
	}

	// MatchSequence is "[patterns]" or "(patterns,)".
	MatchSequence struct {
		Range
		Patterns []Pattern
	}

	// MatchMapping is "{keys[0]: patterns[0], **rest}".
	MatchMapping struct {
		Range
		Keys     []Expr
		Patterns []Pattern
		Rest     string
	}

	// MatchClass is "cls(patterns, kwdAttrs[0]=kwdPatterns[0])".
	MatchClass struct {
		Range
		Cls         Expr
		Patterns    []Pattern
		KwdAttrs    []string
		KwdPatterns []Pattern
	}

	// MatchStar is "*name" in a sequence pattern; Name is "" in "*_".
	MatchStar struct {
		Range
		Name string
	}

	// MatchAs is "pattern as name"; a nil Pattern is a capture of the name,
	// and without a name too it is the wildcard "_".
	MatchAs struct {
		Range
		Name    string
		Pattern Pattern
	}

	// MatchOr is "a | b | c".
	MatchOr struct {
		Range
		Patterns []Pattern
	}
)

// Type parameters.
type (
	// TypeVar is "name: bound = default"; Bound and DefaultValue may be nil.
	TypeVar struct {
		Range
		Name         string
		Bound        Expr
		DefaultValue Expr
	}

	// ParamSpec is "**name = default".
	ParamSpec struct {
		Range
		Name         string
		DefaultValue Expr
	}

	// TypeVarTuple is "*name = default".
	TypeVarTuple struct {
		Range
		Name         string
		DefaultValue Expr
	}
)

func (*FunctionDef) stmtNode() {}
func (*ClassDef) stmtNode()    {}
func (*Return) stmtNode()      {}
func (*Delete) stmtNode()      {}
func (*Assign) stmtNode()      {}
func (*TypeAlias) stmtNode()   {}
func (*AugAssign) stmtNode()   {}
func (*AnnAssign) stmtNode()   {}
func (*For) stmtNode()         {}
func (*While) stmtNode()       {}
func (*If) stmtNode()          {}
func (*With) stmtNode()        {}
func (*Match) stmtNode()       {}
func (*Raise) stmtNode()       {}
func (*Try) stmtNode()         {}
func (*Assert) stmtNode()      {}
func (*Import) stmtNode()      {}
func (*ImportFrom) stmtNode()  {}
func (*Global) stmtNode()      {}
func (*Nonlocal) stmtNode()    {}
func (*ExprStmt) stmtNode()    {}
func (*Pass) stmtNode()        {}
func (*Break) stmtNode()       {}
func (*Continue) stmtNode()    {}

func (*BoolOp) exprNode()         {}
func (*NamedExpr) exprNode()      {}
func (*BinOp) exprNode()          {}
func (*UnaryOp) exprNode()        {}
func (*Lambda) exprNode()         {}
func (*IfExp) exprNode()          {}
func (*Dict) exprNode()           {}
func (*Set) exprNode()            {}
func (*ListComp) exprNode()       {}
func (*SetComp) exprNode()        {}
func (*DictComp) exprNode()       {}
func (*GeneratorExp) exprNode()   {}
func (*Await) exprNode()          {}
func (*Yield) exprNode()          {}
func (*YieldFrom) exprNode()      {}
func (*Compare) exprNode()        {}
func (*Call) exprNode()           {}
func (*FormattedValue) exprNode() {}
func (*Interpolation) exprNode()  {}
func (*JoinedStr) exprNode()      {}
func (*TemplateStr) exprNode()    {}
func (*Constant) exprNode()       {}
func (*Attribute) exprNode()      {}
func (*Subscript) exprNode()      {}
func (*Starred) exprNode()        {}
func (*Name) exprNode()           {}
func (*List) exprNode()           {}
func (*Tuple) exprNode()          {}
func (*Slice) exprNode()          {}

func (*MatchValue) patternNode()     {}
func (*MatchSingleton) patternNode() {}
func (*MatchSequence) patternNode()  {}
func (*MatchMapping) patternNode()   {}
func (*MatchClass) patternNode()     {}
func (*MatchStar) patternNode()      {}
func (*MatchAs) patternNode()        {}
func (*MatchOr) patternNode()        {}

func (*TypeVar) typeParamNode()      {}
func (*ParamSpec) typeParamNode()    {}
func (*TypeVarTuple) typeParamNode() {}
