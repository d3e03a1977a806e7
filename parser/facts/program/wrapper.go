package program

import (
	"strconv"

	"github.com/kvrace/kvrace/parser/ast"
)

// Wrapper returns a function inside of outer that calls the method which an
// attribute names: for c.discard and one argument, lambda container, item: container.discard(item). It
// stands at the place of the attribute.
func (p *Program) Wrapper(method *ast.Attribute, outer *Func, args int) *Func {
	p.asking.Lock()
	defer p.asking.Unlock()
	key := wrapperKey{method, args}
	if f := p.wrapped[key]; f != nil {
		return f
	}
	name := func(id string) *ast.Name {
		n := &ast.Name{}
		n.Set("", method.Range(), id)
		return n
	}
	call := &ast.Call{Range: method.Range(), Func: ast.NewAttribute(method.Range(), name("container"), method.Attr())}
	lam := &ast.Lambda{Range: method.Range(), Args: &ast.Arguments{Range: method.Range()}, Body: call}
	f := &Func{Module: outer.Module, Name: method.Attr(), Qual: outer.Qual + "." + method.Attr(), Node: lam, Outer: outer, Returns: []ast.Expr{call}}
	f.Scope = newScope(outer.Scope, f)
	bind := func(id string) {
		prm := &Param{Func: f, Index: len(f.Params), Name: id}
		f.Params = append(f.Params, prm)
		f.Scope.names[id] = &Binding{Name: id, Param: prm}
	}
	bind("container")
	var passed []ast.Expr
	for i := range args {
		id := "item"
		if i > 0 {
			id += strconv.Itoa(i)
		}
		bind(id)
		passed = append(passed, name(id))
	}
	call.SetArgs(passed, nil)
	if p.wrapped == nil {
		p.wrapped = map[wrapperKey]*Func{}
	}
	p.wrapped[key] = f
	return f
}

// Again returns the call that a loop over iter(f, end) makes in each turn, which stands at
// the place of f; nil for any other expression.
func (p *Program) Again(x ast.Expr) *ast.Call {
	call, ok := x.(*ast.Call)
	if !ok || len(call.Args()) != 2 || len(call.Keywords()) > 0 {
		return nil
	}
	if name, ok := call.Func.(*ast.Name); !ok || name.Id() != "iter" {
		return nil
	}
	p.asking.Lock()
	defer p.asking.Unlock()
	again := p.again[call]
	if again == nil {
		f := call.Args()[0]
		again = &ast.Call{Range: ast.Range{Start: f.Pos(), Stop: f.End()}, Func: f}
		if p.again == nil {
			p.again = map[*ast.Call]*ast.Call{}
		}
		p.again[call] = again
	}
	return again
}

type wrapperKey struct {
	method *ast.Attribute
	args   int
}
