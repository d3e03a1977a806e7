package flow

import (
	"strconv"

	"github.com/kvrace/kvrace/parser/ast"
)

// methodValue returns a method of a container that is used as a value as a function
// which can begin a thread of control: for self.tasks.discard, the function that
// takes a container and so many arguments and calls the method, bound to the
// container.
func (b *builder) methodValue(m *Value, args int) *Value {
	v := *b.function(b.prog.Wrapper(b.readAs[m.Base.id+"."+m.Name], b.frame.Fn, args), nil)
	v.Args = append([]*Value{m.Base}, m.Args...)
	v.id += " on " + m.Base.id + " with " + strconv.Itoa(args)
	return b.intern(&v)
}

// methodRead notes where a method of a container is read as a value.
func (b *builder) methodRead(v *Value, at *ast.Attribute) *Value {
	if v.Kind == Attribute && v.Base.Kind == Container {
		b.readAs[v.Base.id+"."+v.Name] = at
	}
	return v
}
