package flow

import (
	"slices"
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/program"
)

// A record is an object that is made of what its constructor is given, and keeps it:
//
//	Order = namedtuple("Order", "rid blocks")
//	self.orders.put(Order(rid, blocks))
//
// Whoever takes it gets the same rid as order.rid, or as the first element.

// A part is an attribute of a record, with what it holds.
type part struct {
	name  string
	value *Value
	at    int64 // the number of the element, -1 if a record has none
}

// A field is an attribute of a record that is made of a parameter.
type field struct {
	name  string
	param string
	index int // of the parameter, without self; -1 for one that only has a name
	tuple bool
}

// Part returns what an attribute of a record holds since it was made, or, without a name, its
// element, or that of a tuple, of some number; nil if that is not known.
func (v *Value) Part(name string, at int64) *Value {
	if name == "" && v.Kind == Derived {
		return element(v, at)
	}
	for _, p := range v.more().parts {
		if name != "" && p.name == name || name == "" && p.at >= 0 && p.at == at {
			return p.value
		}
	}
	return nil
}

// element returns the element of a tuple at a place, which is counted from the end if it is
// negative; nil if that is not known, as behind a starred one.
func element(v *Value, at int64) *Value {
	if v.Kind != Derived || v.Name != "tuple" {
		return nil
	}
	var on []*Value // on the way to it
	switch {
	case at < 0 && -at <= int64(len(v.Args)):
		at += int64(len(v.Args))
		on = v.Args[at:]
	case at >= 0 && at < int64(len(v.Args)):
		on = v.Args[:at+1]
	default:
		return nil
	}
	if counted(on) < len(on) {
		return nil
	}
	return v.Args[at]
}

// record notes what a new object is made of.
func (b *builder) record(v *Value, fields []field, pos []*Value, kw map[string]*Value) {
	var parts []part
	pos = pos[:counted(pos)]
	for i, f := range fields {
		p := part{name: f.name, at: -1}
		switch {
		case f.index >= 0 && f.index < len(pos):
			p.value = pos[f.index]
		case kw[f.param] != nil:
			p.value = kw[f.param]
		}
		if f.tuple {
			p.at = int64(i)
		}
		if p.value != nil {
			parts = append(parts, p)
		}
	}
	if len(parts) > 0 {
		v.change().parts = parts
	}
}

// fields returns the attributes that the objects of a class get from the arguments of its
// constructor, and that nothing stores to afterwards.
func (p *Program) fields(c *program.Class) []field {
	if fs, known := p.records[c]; known {
		return fs
	}
	if p.records == nil {
		p.records = map[*program.Class][]field{}
	}
	fs := p.findFields(c)
	p.records[c] = fs
	return fs
}

func (p *Program) findFields(c *program.Class) []field {
	init := c.Methods["__init__"]
	if init == nil {
		return p.declaredFields(c)
	}
	stored := map[string]int{}
	var out []field
	for _, st := range init.Body() {
		ast.Inspect(st, func(n ast.Node) bool {
			if x, ok := n.(*ast.Name); ok && x.Ctx() == ast.Store {
				stored[x.Id()]++
			}
			return true
		})
	}
	for _, st := range init.Body() {
		as, ok := st.(*ast.Assign)
		if !ok || len(as.Targets) != 1 {
			continue
		}
		to, ok := as.Targets[0].(*ast.Attribute)
		name, plain := as.Value.(*ast.Name)
		if !ok || !plain || stored[name.Id()] > 0 || p.Index.Stores(to.Attr()) != 1 {
			continue
		}
		if self, ok := to.Value.(*ast.Name); !ok || len(init.Params) == 0 || self.Id() != init.Params[0].Name {
			continue
		}
		for _, param := range init.Params[1:] {
			if param.Name != name.Id() {
				continue
			}
			switch param.Variadic {
			case program.Single:
				out = append(out, field{name: to.Attr(), param: param.Name, index: param.Index - 1})
			case program.NameOnly:
				out = append(out, field{name: to.Attr(), param: param.Name, index: -1})
			}
		}
	}
	return out
}

// declaredFields returns the fields of a dataclass, or of a named tuple that is a class.
func (p *Program) declaredFields(c *program.Class) []field {
	tuple := slices.Contains(c.External, "typing.NamedTuple")
	if c.Node == nil || len(c.Bases) > 0 || !tuple && (!c.Dataclass || len(c.External) > 0) || c.Method("__post_init__") != nil || c.Method("__new__") != nil {
		return nil
	}
	var out []field
	for _, st := range c.Node.Body {
		as, ok := st.(*ast.AnnAssign)
		if !ok {
			continue
		}
		name, ok := as.Target.(*ast.Name)
		if !ok || mentions(as.Annotation, "ClassVar") || mentions(as.Annotation, "KW_ONLY") || !plainDefault(as.Value) {
			return nil
		}
		if !tuple && p.Index.Stores(name.Id()) > 0 {
			name = nil
		}
		f := field{param: "", index: len(out), tuple: tuple}
		if name != nil {
			f.name, f.param = name.Id(), name.Id()
		}
		out = append(out, f)
	}
	return slices.DeleteFunc(out, func(f field) bool { return f.name == "" })
}

// plainDefault reports whether a field has no default, or a literal: field() may say that it is
// no parameter.
func plainDefault(e ast.Expr) bool {
	_, literal := e.(*ast.Constant)
	return e == nil || literal
}

func mentions(e ast.Expr, name string) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.Name:
			found = found || x.Id() == name
		case *ast.Attribute:
			found = found || x.Attr() == name
		}
		return !found
	})
	return found
}

// namedTuple returns the fields of the objects that a call makes, if it calls what
// collections.namedtuple has returned.
func (b *builder) namedTuple(e *ast.Call) []field {
	name, ok := e.Func.(*ast.Name)
	if !ok {
		return nil
	}
	bind, _ := b.frame.Fn.Scope.Lookup(name.Id())
	if bind == nil || len(bind.Defs) != 1 {
		return nil
	}
	made, ok := bind.Defs[0].Value.(*ast.Call)
	if !ok || bind.Defs[0].Index >= 0 || len(made.Args()) != 2 || len(made.Keywords()) > 0 ||
		b.prog.Resolve(made.Func, nil, b.frame.Fn.Module).External != "collections.namedtuple" {
		return nil
	}
	var names []string
	switch x := made.Args()[1].(type) {
	case *ast.Constant:
		if x.Kind() == ast.Str {
			names = strings.Fields(strings.ReplaceAll(x.Value(), ",", " "))
		}
	case *ast.List:
		names = texts(x.Elts)
	case *ast.Tuple:
		names = texts(x.Elts)
	}
	var out []field
	for i, n := range names {
		out = append(out, field{name: n, param: n, index: i, tuple: true})
	}
	return out
}

// texts returns the strings of a display, nil if it has anything else.
func texts(elts []ast.Expr) []string {
	var out []string
	for _, e := range elts {
		c, ok := e.(*ast.Constant)
		if !ok || c.Kind() != ast.Str {
			return nil
		}
		out = append(out, c.Value())
	}
	return out
}
