package ast

// Operator is a binary operator of BinOp and AugAssign.
type Operator uint8

// The binary operators.
const (
	Add Operator = iota
	Sub
	Mult
	MatMult
	Div
	Mod
	Pow
	LShift
	RShift
	BitOr
	BitXor
	BitAnd
	FloorDiv
)

var operatorNames = [...]string{"Add", "Sub", "Mult", "MatMult", "Div", "Mod", "Pow", "LShift", "RShift", "BitOr", "BitXor", "BitAnd", "FloorDiv"}

// String returns the name of the operator's class in CPython.
func (o Operator) String() string { return operatorNames[o] }

// BoolOperator is the operator of a BoolOp.
type BoolOperator uint8

// The boolean operators.
const (
	And BoolOperator = iota
	Or
)

var boolOperatorNames = [...]string{"And", "Or"}

// String returns the name of the operator's class in CPython.
func (o BoolOperator) String() string { return boolOperatorNames[o] }

// UnaryOperator is the operator of a UnaryOp.
type UnaryOperator uint8

// The unary operators.
const (
	Invert UnaryOperator = iota
	Not
	UAdd
	USub
)

var unaryOperatorNames = [...]string{"Invert", "Not", "UAdd", "USub"}

// String returns the name of the operator's class in CPython.
func (o UnaryOperator) String() string { return unaryOperatorNames[o] }

// CmpOp is a comparison operator.
type CmpOp uint8

// The comparison operators.
const (
	Eq CmpOp = iota
	NotEq
	Lt
	LtE
	Gt
	GtE
	Is
	IsNot
	In
	NotIn
)

var cmpOpNames = [...]string{"Eq", "NotEq", "Lt", "LtE", "Gt", "GtE", "Is", "IsNot", "In", "NotIn"}

// String returns the name of the operator's class in CPython.
func (o CmpOp) String() string { return cmpOpNames[o] }

// Ctx tells what happens to a name, attribute, subscript or display.
type Ctx uint8

// The expression contexts.
const (
	Load  Ctx = iota // its value is used
	Store            // it is assigned to
	Del              // it is deleted
)

var ctxNames = [...]string{"Load", "Store", "Del"}

// String returns the name of the context's class in CPython.
func (c Ctx) String() string { return ctxNames[c] }

// ConstKind is the type of a constant.
type ConstKind uint8

// The kinds of constants.
const (
	None ConstKind = iota
	True
	False
	Ellipsis
	Int
	Float
	Complex
	Str
	Bytes
)

var constKindNames = [...]string{"None", "True", "False", "Ellipsis", "Int", "Float", "Complex", "Str", "Bytes"}

// String returns the name of the kind. That of None, True, False and Ellipsis
// is also their Python spelling.
func (k ConstKind) String() string { return constKindNames[k] }

// Conversion is the conversion of a replacement field: the "!r" of "{x!r}".
type Conversion int8

// The conversions. Their values are those of CPython.
const (
	NoConversion Conversion = -1
	ToStr        Conversion = 's'
	ToRepr       Conversion = 'r'
	ToASCII      Conversion = 'a'
)

// String returns the conversion as it is written, and "" for none.
func (c Conversion) String() string {
	if c == NoConversion {
		return ""
	}
	return "!" + string(rune(c))
}
