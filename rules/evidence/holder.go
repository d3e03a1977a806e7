package evidence

import (
	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/program"
)

// NamesAttr reports whether a function, those nested in it apart, names an attribute.
func NamesAttr(f *program.Func, name string) bool {
	found := false
	ast.EachInScope(f.Body(), func(n ast.Node) {
		at, ok := n.(*ast.Attribute)
		found = found || ok && at.Attr() == name
	})
	return found
}

// HolderOf returns the attribute that the methods of class c store first, of those that
// hold an object of another class, or "".
func HolderOf(p *program.Program, c, held *program.Class) string {
	for _, k := range c.MRO {
		for _, m := range k.MethodList() {
			found := ""
			ast.EachInScope(m.Body(), func(n ast.Node) {
				at, ok := n.(*ast.Attribute)
				if !ok || found != "" || at.Ctx() != ast.Store || m.SelfAttr(at) == "" {
					return
				}
				if t := p.AttrType(c, at.Attr()); t.Kind == program.Instance && t.Class.IsSubclass(held) {
					found = at.Attr()
				}
			})
			if found != "" {
				return found
			}
		}
	}
	return ""
}
