package ast

import "unsafe"

// Id returns the identifier.
func (n *Name) Id() string {
	if n.bits&isApart != 0 {
		return (*apart)(n.at).value
	}
	return n.source()
}

// Ctx tells what happens to the name.
func (n *Name) Ctx() Ctx { return Ctx(n.tag()) }

// SetCtx sets what Ctx returns.
func (n *Name) SetCtx(ctx Ctx) { n.setTag(uint32(ctx)) }

// Set makes n the identifier id at r. Like the other methods called Set, it
// takes the source of the module, or "" for a node that is not in the source.
func (n *Name) Set(src string, r Range, id string) {
	if fits(src, r) && src[r.Start:r.Stop] == id {
		n.put(src, r)
	} else {
		n.putApart(r, id)
	}
}

// Attr returns the identifier after the dot.
func (n *Attribute) Attr() string {
	if n.bits&isApart != 0 {
		return (*apart)(n.at).value
	}
	return lastWord(n.source())
}

// Ctx tells what happens to the attribute.
func (n *Attribute) Ctx() Ctx { return Ctx(n.tag()) }

// SetCtx sets what Ctx returns.
func (n *Attribute) SetCtx(ctx Ctx) { n.setTag(uint32(ctx)) }

// NewAttribute returns an attribute that is not in any source; r tells what it
// stands for.
func NewAttribute(r Range, value Expr, attr string) *Attribute {
	n := &Attribute{Value: value}
	n.Set("", r, attr)
	return n
}

// Set makes n the attribute attr of n.Value at r.
func (n *Attribute) Set(src string, r Range, attr string) {
	if fits(src, r) && lastWord(src[r.Start:r.Stop]) == attr {
		n.put(src, r)
	} else {
		n.putApart(r, attr)
	}
}

// Args returns the positional arguments.
func (n *Call) Args() []Expr { return unsafe.Slice(n.args, n.nargs) }

// Keywords returns the keyword arguments.
func (n *Call) Keywords() []*Keyword { return unsafe.Slice(n.keywords, n.nwords) }

// Callee returns the last name of what is called, as f of f() and of a.f(); ""
// for anything else.
func (n *Call) Callee() string {
	switch f := n.Func.(type) {
	case *Name:
		return f.Id()
	case *Attribute:
		return f.Attr()
	}
	return ""
}

// SetArgs sets what Args and Keywords return.
func (n *Call) SetArgs(args []Expr, keywords []*Keyword) {
	n.args, n.nargs = unsafe.SliceData(args), uint32(len(args))
	n.keywords, n.nwords = unsafe.SliceData(keywords), uint32(len(keywords))
}

// Arg returns the name of the parameter.
func (n *Arg) Arg() string {
	if n.bits&isApart != 0 {
		return (*apart)(n.at).value
	}
	return firstWord(n.source())
}

// Set makes n the parameter arg at r.
func (n *Arg) Set(src string, r Range, arg string) {
	if fits(src, r) && firstWord(src[r.Start:r.Stop]) == arg {
		n.put(src, r)
	} else {
		n.putApart(r, arg)
	}
}

// Arg returns the name of the argument, and "" for "**value".
func (n *Keyword) Arg() string {
	if n.bits&isApart != 0 {
		return (*apart)(n.at).value
	}
	return firstWord(n.source())
}

// Set makes n the argument arg at r.
func (n *Keyword) Set(src string, r Range, arg string) {
	if fits(src, r) && firstWord(src[r.Start:r.Stop]) == arg {
		n.put(src, r)
	} else {
		n.putApart(r, arg)
	}
}

// The tag of a constant: its kind, and two flags.
const (
	constKind    = 1<<4 - 1
	constUnicode = 1 << 4
	constBare    = 1 << 5 // the text of a string without quotes, in an f-string
)

// Kind returns the type of the constant.
func (n *Constant) Kind() ConstKind { return ConstKind(n.bits & constKind) }

// Unicode reports whether the literal has the prefix u, which CPython records as
// kind='u'.
func (n *Constant) Unicode() bool { return n.bits&constUnicode != 0 }

// SetUnicode makes Unicode return true.
func (n *Constant) SetUnicode() { n.bits |= constUnicode }

// Value returns the decoded text of a string (escapes replaced; a lone
// surrogate has its three-byte generalized UTF-8 form), the bytes of a bytes
// literal, and the spelling in the source of a number. It is "" for the other
// kinds.
func (n *Constant) Value() string {
	if n.bits&isApart != 0 {
		return (*apart)(n.at).value
	}
	switch kind := n.Kind(); {
	case kind < Int:
		return ""
	case kind < Str || n.bits&constBare != 0:
		return n.source()
	}
	return unquote(n.source())
}

// NewConstant returns a constant that is not in any source; r tells what it
// stands for.
func NewConstant(r Range, kind ConstKind, value string) *Constant {
	n := new(Constant)
	n.Set("", r, kind, value)
	return n
}

// Set makes n a constant at r. It leaves Unicode as it is.
func (n *Constant) Set(src string, r Range, kind ConstKind, value string) {
	n.setTag(uint32(kind) | n.bits&constUnicode)
	if !fits(src, r) {
		n.putApart(r, value)
		return
	}
	n.put(src, r)
	switch text := n.source(); {
	case n.Value() == value:
	case kind == Str && text == value:
		n.bits |= constBare
	default:
		n.putApart(r, value)
	}
}
