package program

import (
	"github.com/kvrace/kvrace/parser/ast"
)

// A Func is a function, method or lambda.
type Func struct {
	Module *Module
	Name   string // "<lambda>" for a lambda
	Qual   string // Class.method.inner, without the module
	Node   ast.Node
	// Class is the class whose body declares the function, or nil.
	Class *Class
	// Outer is the function that encloses it, or nil.
	Outer   *Func
	Params  []*Param
	Scope   *Scope
	Returns []ast.Expr // of its own return statements, and the body of a lambda
	Kind    FuncKind
	Async   bool
	// Cached reports whether a property is computed once and kept.
	Cached bool
	// Generator reports whether the body yields.
	Generator bool
	// Abstract reports whether the function is declared to be overridden: an
	// abstractmethod, or a body that only raises NotImplementedError.
	Abstract bool
}

// FuncKind tells how a function is bound when it is read through an object.
type FuncKind uint8

// The kinds of functions.
const (
	PlainFunc FuncKind = iota // a module function, nested function, lambda or instance method
	StaticMethod
	ClassMethod
	Property
	ContextManager // decorated with contextmanager or asynccontextmanager
)

// A Param is one parameter.
type Param struct {
	Func    *Func
	Index   int // among all parameters, self included
	Name    string
	Ann     ast.Expr
	Default ast.Expr
	Variadic
}

// Variadic tells whether a parameter collects arguments.
type Variadic uint8

// The kinds of parameters.
const (
	Single   Variadic = iota
	Args              // *args
	Kwargs            // **kwargs
	NameOnly          // after the star
)

// Body returns the statements of the function; a lambda has none.
func (f *Func) Body() []ast.Stmt {
	if n, ok := f.Node.(*ast.FunctionDef); ok {
		return n.Body
	}
	return nil
}

// IsMethod reports whether reading the function through an instance binds its
// first parameter to the instance.
func (f *Func) IsMethod() bool {
	return f.Class != nil && f.Kind != StaticMethod && f.Kind != ClassMethod
}

// SelfFunc returns the method whose first parameter is the instance that code
// in f calls self: f, or the nearest method around it. It returns nil outside
// of methods.
func (f *Func) SelfFunc() *Func {
	for g := f; g != nil; g = g.Outer {
		if g.IsMethod() && len(g.Params) > 0 {
			return g
		}
		if g.Class != nil {
			return nil
		}
	}
	return nil
}

// SelfClass returns the class whose method f is, or is nested in; nil outside of
// methods, and for a nil f.
func (f *Func) SelfClass() *Class {
	if f == nil {
		return nil
	}
	if m := f.SelfFunc(); m != nil {
		return m.Class
	}
	return nil
}

// OnSelf reports whether an expression of f, which may be nil, is the instance that f
// runs on.
func (f *Func) OnSelf(e ast.Expr) bool {
	if f == nil {
		return false
	}
	m := f.SelfFunc()
	return m != nil && isName(e, m.Params[0].Name)
}

// SelfAttr returns the name of the attribute when an expression of f is one of the
// instance that f runs on, or "".
func (f *Func) SelfAttr(e ast.Expr) string {
	if at, ok := e.(*ast.Attribute); ok && f.OnSelf(at.Value) {
		return at.Attr()
	}
	return ""
}

// Param returns the parameter with a name, or nil.
func (f *Func) Param(name string) *Param {
	for _, p := range f.Params {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// IsParam reports whether an expression is the parameter at a position, from 0.
func (f *Func) IsParam(e ast.Expr, i int) bool {
	return i < len(f.Params) && isName(e, f.Params[i].Name)
}

// Public reports whether the name is part of the interface of its class.
func (f *Func) Public() bool { return f.Name != "" && f.Name[0] != '_' && f.Name[0] != '<' }

func (c *collector) function(n ast.Node, name string, args *ast.Arguments, sc *Scope, cls *Class, outer *Func) *Func {
	f := &Func{Module: c.mod, Name: name, Node: n, Class: cls, Outer: outer, Qual: name}
	switch {
	case cls != nil:
		f.Qual = cls.Qual + "." + name
	case outer != nil:
		f.Qual = outer.Qual + "." + name
	}
	c.prog.Funcs = append(c.prog.Funcs, f)
	c.prog.funcOf[n] = f
	f.Scope = newScope(sc, f)
	f.params(args)
	for _, p := range f.Params {
		f.Scope.names[p.Name] = &Binding{Param: p}
	}
	if d, ok := n.(*ast.FunctionDef); ok {
		f.Async = d.Async
		f.decorate(d)
		c.block(d.Body, f.Scope, nil, f)
		f.Abstract = f.Abstract || onlyRaises(d.Body)
	}
	return f
}

func (f *Func) params(args *ast.Arguments) {
	if args == nil {
		return
	}
	add := func(a *ast.Arg, v Variadic, def ast.Expr) {
		f.Params = append(f.Params, &Param{Func: f, Index: len(f.Params), Name: a.Arg(), Ann: a.Annotation, Default: def, Variadic: v})
	}
	positional := append(append([]*ast.Arg(nil), args.PosOnlyArgs...), args.Args...)
	first := len(positional) - len(args.Defaults)
	for i, a := range positional {
		var def ast.Expr
		if i >= first {
			def = args.Defaults[i-first]
		}
		add(a, Single, def)
	}
	if args.Vararg != nil {
		add(args.Vararg, Args, nil)
	}
	for i, a := range args.KwOnlyArgs {
		add(a, NameOnly, args.KwDefaults[i])
	}
	if args.Kwarg != nil {
		add(args.Kwarg, Kwargs, nil)
	}
}

// decorate reads the decorators that change how a function is called. They
// are known by the last part of their dotted name, as in the standard library.
func (f *Func) decorate(d *ast.FunctionDef) {
	for _, dec := range d.DecoratorList {
		name := ""
		switch dec := dec.(type) {
		case *ast.Name:
			name = dec.Id()
		case *ast.Attribute:
			name = dec.Attr()
		}
		switch name {
		case "staticmethod":
			f.Kind = StaticMethod
		case "classmethod":
			f.Kind = ClassMethod
		case "property":
			f.Kind = Property
		case "cached_property":
			f.Kind, f.Cached = Property, true
		case "contextmanager", "asynccontextmanager":
			f.Kind = ContextManager
		case "abstractmethod":
			f.Abstract = true
		}
	}
}

// onlyRaises reports whether a body does nothing but raise NotImplementedError.
func onlyRaises(body []ast.Stmt) bool {
	for _, st := range body {
		switch st := st.(type) {
		case *ast.ExprStmt:
			if _, doc := st.Value.(*ast.Constant); !doc {
				return false
			}
		case *ast.Raise:
			exc := st.Exc
			if call, ok := exc.(*ast.Call); ok {
				exc = call.Func
			}
			name, ok := exc.(*ast.Name)
			return ok && name.Id() == "NotImplementedError"
		default:
			return false
		}
	}
	return false
}

// Trivial reports whether the body does nothing: docstrings, pass, "..." and a
// return of nothing.
func (f *Func) Trivial() bool {
	d, ok := f.Node.(*ast.FunctionDef)
	if !ok {
		return false
	}
	for _, st := range d.Body {
		switch st := st.(type) {
		case *ast.Pass:
		case *ast.ExprStmt:
			if _, doc := st.Value.(*ast.Constant); !doc {
				return false
			}
		case *ast.Return:
			if c, none := st.Value.(*ast.Constant); st.Value != nil && (!none || c.Kind() != ast.None) {
				return false
			}
		default:
			return false
		}
	}
	return true
}
