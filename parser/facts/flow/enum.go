package flow

import (
	"maps"
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/program"
)

// A test of what a member of an enumeration says of itself is one of the member:
//
//	status.value == 3                status is Status.DONE
//	status.name in ("DONE", "LOST")  status in (Status.DONE, Status.LOST)
//	int(status) < 2                  status < Status.DONE
//	status.is_over                   what the property tests

// memberAttr returns the attribute of a member of a class of constants.
func (b *builder) memberAttr(m *Value, name string, e ast.Expr) *Value {
	switch name {
	case "value":
		if v := b.memberValue(m.Cls, m.Name); v != nil {
			return v
		}
	case "name":
		return b.constant(ast.NewConstant(ast.Range{}, ast.Str, m.Name))
	}
	if m.Cls.Method(name) != nil {
		return b.instanceAttr(m, m.Cls, name, e)
	}
	return b.attribute(m, name, nil)
}

// memberValue returns the literal that a class gives to a member, or nil.
func (b *builder) memberValue(c *program.Class, name string) *Value {
	owner := c.AttrOwner(name)
	if owner == nil {
		return nil
	}
	for _, d := range owner.Attrs[name].Defs {
		switch lit := d.Value.(type) {
		case *ast.Constant:
			return b.constant(lit)
		case *ast.UnaryOp:
			if v := b.expr(lit); v.Kind == Const {
				return v
			}
		}
	}
	return nil
}

// enumOf returns the enumeration whose member a value is known to be, or nil.
func enumOf(v *Value) *program.Class {
	if v.Type.Kind == program.Instance && v.Type.Class.Enum() {
		return v.Type.Class
	}
	return nil
}

// plainly returns a comparison of what a member says of itself as one of the
// member, and any other comparison as it is.
func (b *builder) plainly(l, r *Value) (x, y *Value) {
	of, name := l, "value"
	switch {
	case l.Kind == Attribute && (l.Name == "value" || l.Name == "name"):
		of, name = l.Base, l.Name
	case l.Kind == Derived && (l.Name == "int" || l.Name == "str") && len(l.Args) == 1:
		of = l.Args[0]
	}
	c := enumOf(of)
	if c == nil || r.Kind != Const || r.Cls != nil || r.IsNone() {
		return l, r
	}
	for _, k := range c.MRO {
		for _, member := range slices.Sorted(maps.Keys(k.Attrs)) {
			if !k.Attrs[member].ClassLevel {
				continue
			}
			m := b.member(c, member)
			if m.Kind != Const || m.Cls == nil {
				continue
			}
			if name == "name" && m.Name == r.Name && r.Lit == ast.Str {
				return of, m
			}
			if v := b.memberValue(c, member); name == "value" && v != nil && v.Same(r) {
				return of, m
			}
		}
	}
	if name == "value" && r.HasInt {
		return of, r // between the members
	}
	return l, r
}

// predicate reports whether a function does nothing but answer: with one
// expression.
func predicate(f *program.Func) bool {
	body := f.Body()
	if len(body) > 0 {
		if doc, ok := body[0].(*ast.ExprStmt); ok {
			if _, ok := doc.Value.(*ast.Constant); ok {
				body = body[1:]
			}
		}
	}
	if len(body) != 1 {
		return false
	}
	_, ok := body[0].(*ast.Return)
	return ok
}
