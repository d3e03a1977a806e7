package flow

import (
	"strconv"
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/program"
)

// ValueKind is the sort of a symbolic value.
type ValueKind uint8

// The kinds of values.
const (
	Opaque    ValueKind = iota // anything else; equal only to itself
	Const                      // a literal, or a member of a class of constants
	Param                      // a parameter of the entrypoint, self included
	Attribute                  // an attribute of Base that is not tracked
	Result                     // what a step yielded
	Element                    // an element that a loop takes from Base
	Derived                    // int(x), x % n, (a, b), f"{x}": Name tells how
	Phi                        // one of Args, where branches meet; with a Base, that Phi with fewer alternatives
	Container                  // a location; Path holds the keys on the way
	Function                   // a function, with what is bound to it
	Class                      // a class object
	Module                     // a module
	Object                     // a new instance
	ThreadObj                  // a thread that is not started yet
	View                       // keys, values, items or elements of Base, as Name says
)

// A Value is the symbolic result of an expression. Values are immutable, and
// the same derivation of the same values is the same pointer within a Graph.
//
// A large program has millions, so what few of them have is kept apart.
type Value struct {
	Kind ValueKind
	// Lit is the literal of a Const; Int its number when it has one.
	Lit    ast.ConstKind
	HasInt bool
	// Snapshot reports that a View is a copy, which nobody else changes.
	Snapshot bool

	Type *program.Type
	Base *Value
	Name string
	Args []*Value
	Loc  *Location // Container; Result of a read: where it was read
	Fn   *program.Func
	Cls  *program.Class // Class; Container: of the object that keeps it
	Mod  *program.Module
	Int  int64

	extra *extra // nil for most
	id    string
}

// An extra is what only containers, functions and threads have.
type extra struct {
	path  []*Value          // Container: keys on the way to it
	frame *Frame            // Function: the frame of the enclosing function
	self  *Value            // Function: the instance a method is bound to
	kwarg map[string]*Value // Function: keyword arguments of a partial
	spawn *Entry            // ThreadObj: what it will run
	parts []part            // Object, Result: what a record is made of
	many  bool              // Opaque: as many values as a starred one has
}

var noExtra extra

// more returns what few values have, to be read.
func (v *Value) more() *extra {
	if v.extra == nil {
		return &noExtra
	}
	return v.extra
}

// change returns what few values have, to be changed in this value alone.
func (v *Value) change() *extra {
	own := *v.more()
	v.extra = &own
	return v.extra
}

// Path returns the keys on the way to a Container.
func (v *Value) Path() []*Value { return v.more().path }

// Same reports whether two values of one graph are equal whenever both exist.
func (v *Value) Same(w *Value) bool {
	return v == w || v != nil && w != nil && v.id == w.id
}

// ID identifies the value within its graph.
func (v *Value) ID() string { return v.id }

// StandsFor reports whether the value is what an entrypoint gets for a value of the graph that
// starts it, if that is the only one.
func (v *Value) StandsFor(w *Value) bool { return v.Kind == Param && v.id == outer(w) }

// IsNone reports whether the value is the constant None.
func (v *Value) IsNone() bool {
	return v != nil && v.Kind == Const && v.Cls == nil && v.Lit == ast.None
}

// IsBool reports whether the value is the constant b.
func (v *Value) IsBool(b bool) bool {
	if v == nil || v.Kind != Const || v.Cls != nil {
		return false
	}
	return b && v.Lit == ast.True || !b && v.Lit == ast.False
}

// IsFormatted reports whether the value is the text of an f-string.
func (v *Value) IsFormatted() bool {
	return v.Kind == Derived && strings.HasPrefix(v.Name, "f") && strings.ContainsAny(v.Name, `"{`)
}

// Register reports whether the value is known only when the program runs, as
// the result of a step.
func (v *Value) Register() bool { return v.Kind == Result || v.Kind == Phi }

// Slots returns the constants that choose the value of a location out of the containers
// around it, as in locks[0]; "" when there are none, or something else chooses.
func (v *Value) Slots() string {
	if v.Kind != Container {
		return ""
	}
	out := ""
	for _, k := range v.Path() {
		if k.Kind != Const {
			return ""
		}
		out += "[" + k.String() + "]"
	}
	return out
}

// String returns the value in the words of the source, as far as it has any.
func (v *Value) String() string {
	if v == nil {
		return "?"
	}
	switch v.Kind {
	case Const:
		if v.Cls != nil {
			return v.Cls.Name + "." + v.Name
		}
		if v.Lit == ast.Str {
			return strconv.Quote(v.Name)
		}
		return v.Name
	case Attribute:
		return v.Base.String() + "." + v.Name
	case Container:
		return v.Loc.String()
	case Derived:
		args := make([]string, len(v.Args))
		for i, a := range v.Args {
			args[i] = a.String()
		}
		return v.Name + "(" + strings.Join(args, ", ") + ")"
	case Element:
		if v.Name != "" {
			return v.Name
		}
		return "element of " + v.Base.String()
	case Result, Phi, Opaque, Param, Object:
		if v.Name != "" {
			return v.Name
		}
		if v.Kind == Result && v.Loc != nil {
			return v.Loc.String() + "[...]"
		}
		return "?"
	case Function:
		return v.Fn.Qual
	case Class:
		return v.Cls.Qual
	}
	return v.Name
}

// Walk calls f for a value and what it is computed from, but for what a Phi may be.
func (v *Value) Walk(f func(*Value)) {
	if v == nil {
		return
	}
	f(v)
	switch v.Kind {
	case Attribute, Element:
		v.Base.Walk(f)
	case Derived:
		for _, a := range v.Args {
			a.Walk(f)
		}
	}
}

// Leaves returns the values that v may be: itself, or the alternatives of a
// Phi.
func (v *Value) Leaves() []*Value {
	if v.Kind != Phi {
		return []*Value{v}
	}
	var out []*Value
	seen := map[*Value]bool{}
	var walk func(*Value)
	walk = func(x *Value) {
		if seen[x] {
			return
		}
		seen[x] = true
		if x.Kind != Phi {
			out = append(out, x)
			return
		}
		for _, a := range x.Args {
			walk(a)
		}
	}
	walk(v)
	return out
}

// External reports whether the value is what a dotted name stands for that comes from
// outside of the program, as pkg.Mode.IDLE does. Such a name keeps its meaning.
func (v *Value) External() bool {
	return v != nil && v.Kind == Opaque && strings.HasPrefix(v.id, external)
}

// external begins the IDs of such values.
const external = "ext "

// Distinct reports whether two values are known to differ: two constants that are not
// equal, or two names that come from one class or module outside of the program.
func (v *Value) Distinct(w *Value) bool {
	if v.Kind == Const && w.Kind == Const {
		equal, known := sameConst(v, w)
		return known && !equal
	}
	return v.External() && w.External() && namesDistinct(v.id, w.id)
}

// namesDistinct reports whether two dotted names differ in their last part alone.
func namesDistinct(v, w string) bool {
	i, j := strings.LastIndexByte(v, '.'), strings.LastIndexByte(w, '.')
	return i > 0 && i == j && v[:i] == w[:j] && v != w
}

// sameConst reports whether two constants are equal, and whether that is known.
func sameConst(a, b *Value) (equal, known bool) {
	if a.Kind != Const || b.Kind != Const {
		return false, false
	}
	if a.id == b.id {
		return true, true
	}
	if a.HasInt && b.HasInt && (a.Cls == nil || b.Cls == nil || a.Cls == b.Cls) {
		return a.Int == b.Int, true
	}
	return false, true
}

// Literal returns the value of a constant outside of any graph, or nil for what is none:
// None, a truth value, an integer or a string.
func Literal(e ast.Expr) *Value {
	k, ok := e.(*ast.Constant)
	if !ok {
		return nil
	}
	b := builder{p: &Program{noneType: &program.Type{Kind: program.None}, scalarType: &program.Type{Kind: program.Scalar}}, interned: map[string]*Value{}}
	switch k.Kind() {
	case ast.None, ast.True, ast.False, ast.Int, ast.Str:
		return b.constant(k)
	}
	return nil
}
