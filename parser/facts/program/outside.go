package program

import (
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
)

// outsideStore is an assignment to an attribute of an object other than self, in
// a function: boss.desk.rows = {}.
type outsideStore struct {
	fn     *Func
	holder ast.Expr
	name   string
	def    Def
}

// storeOutside notes an assignment to an attribute, unless the object is self.
func (c *collector) storeOutside(t *ast.Attribute, d Def) {
	if d.Func == nil || d.Value == nil {
		return
	}
	if m := d.Func.SelfFunc(); m != nil && isName(t.Value, m.Params[0].Name) {
		return
	}
	switch t.Value.(type) {
	case *ast.Name, *ast.Attribute, *ast.Subscript, *ast.Call:
		c.prog.outside = append(c.prog.outside, outsideStore{d.Func, t.Value, t.Attr(), d})
	}
}

// attrsFromOutside gives classes the attributes that other code sets on their
// objects, where the type of the object is known and the class does not say what
// the attribute holds. What is set that way may make the type of another object
// known: it goes on until nothing is found.
func (p *Program) attrsFromOutside() {
	for left, more := p.outside, true; more; {
		more = false
		left = slices.DeleteFunc(left, func(s outsideStore) bool {
			env := Env{Module: s.fn.Module, Func: s.fn, Self: s.fn.SelfClass()}
			t := p.exprType(s.holder, env)
			if t.Kind == Instance && p.adds(t.Class, s) {
				more = more || len(p.exprType(s.def.Value, env).Classes()) > 0
			}
			return t.Kind == Instance
		})
		if more { // the types of other objects may be known now
			p.types = memo{}
			for _, c := range p.Classes {
				c.types = memo{}
			}
		}
	}
	p.outside = nil
}

// adds records an assignment with the attribute of a class, and reports whether
// this tells something new.
func (p *Program) adds(c *Class, s outsideStore) bool {
	if c.Enum() || c.Method(s.name) != nil {
		return false // of a member, or through a property
	}
	owner := c.AttrOwner(s.name)
	if owner != nil {
		switch t := p.typeOfAttr(c, s.name); t.Kind {
		case Unknown, None:
		default:
			return false
		}
	} else {
		owner = c
	}
	delete(c.types.attrs, s.name)
	a := owner.attr(s.name)
	a.Outside = append(a.Outside, s.def)
	return true
}
