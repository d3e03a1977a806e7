package program

import (
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
)

// A Scope maps the names that one module or function binds to what it binds
// them to. Class bodies are no scopes for the functions inside them; their
// names are found through [Class].
type Scope struct {
	Parent *Scope
	Func   *Func // nil for a module
	names  map[string]*Binding
	global map[string]bool // names declared global or nonlocal
}

// A Binding is what a name stands for. At most one of Class, Func and Import
// is set; a plain variable has its definitions in Defs.
type Binding struct {
	Name   string
	Class  *Class
	Func   *Func
	Import *Import
	Defs   []Def
	Param  *Param

	importer *Module // whose import it is
	imported Ref     // what Import stands for, once it is known
}

// An Import is a name that an import statement binds. Name is "" when it
// stands for the module itself.
type Import struct {
	Module string // dotted, made absolute
	Name   string
}

// A Def is one assignment to a variable or attribute.
type Def struct {
	Func  *Func    // the function that contains it; nil at module or class level
	Node  ast.Node // the statement or target
	Value ast.Expr // nil when only declared, or when it is not a plain assignment
	Ann   ast.Expr // annotation, or nil
	// Elem is set when the variable takes the elements of Value: a loop or
	// comprehension target.
	Elem bool
	// Index is the position in an unpacked tuple, from 0, or -1.
	Index int
	// Enter is set when the variable is the target of "with Value as".
	Enter bool
}

func newScope(parent *Scope, f *Func) *Scope {
	return &Scope{Parent: parent, Func: f, names: map[string]*Binding{}}
}

func (s *Scope) binding(name string) *Binding {
	b := s.names[name]
	if b == nil {
		b = &Binding{Name: name}
		s.names[name] = b
	}
	return b
}

// Own returns what the scope itself binds name to, or nil.
func (s *Scope) Own(name string) *Binding { return s.names[name] }

// Lookup returns the binding of name and the scope that holds it, following
// the scopes outwards, or nil.
func (s *Scope) Lookup(name string) (*Binding, *Scope) {
	for sc := s; sc != nil; sc = sc.Parent {
		if b := sc.names[name]; b != nil && !sc.global[name] {
			return b, sc
		}
	}
	return nil, nil
}

// collector fills scopes with the names that statements bind.
type collector struct {
	prog *Program
	mod  *Module
}

// block visits statements of one scope. cls is the class whose body they are,
// fn the function.
func (c *collector) block(body []ast.Stmt, sc *Scope, cls *Class, fn *Func) {
	for _, st := range body {
		c.stmt(st, sc, cls, fn)
	}
}

func (c *collector) stmt(st ast.Stmt, sc *Scope, cls *Class, fn *Func) {
	switch n := st.(type) {
	case *ast.FunctionDef:
		f := c.function(n, n.Name, n.Args, sc, cls, fn)
		if cls != nil {
			cls.addMethod(f)
			break
		}
		b := sc.binding(n.Name)
		if b.Func == nil || !isOverload(n) {
			b.Func, b.Class, b.Import = f, nil, nil
		}
		if fn == nil {
			c.mod.Funcs = append(c.mod.Funcs, f)
		}
	case *ast.ClassDef:
		c.class(n, sc, cls, fn)
	case *ast.Import:
		for _, a := range n.Names {
			name, target := a.AsName, a.Name
			if name == "" {
				name, _, _ = strings.Cut(a.Name, ".")
				target = name
			}
			b := sc.binding(name)
			b.Import, b.importer = &Import{Module: target}, c.mod
		}
	case *ast.ImportFrom:
		c.importFrom(n, sc)
	case *ast.Global:
		sc.outer(n.Names)
	case *ast.Nonlocal:
		sc.outer(n.Names)
	case *ast.Assign:
		for _, t := range n.Targets {
			c.target(t, Def{Func: fn, Node: n, Value: n.Value, Index: -1}, sc, cls)
		}
		c.expr(n.Value, sc, fn)
	case *ast.AnnAssign:
		c.target(n.Target, Def{Func: fn, Node: n, Value: n.Value, Ann: n.Annotation, Index: -1}, sc, cls)
		c.expr(n.Value, sc, fn)
	case *ast.AugAssign:
		c.target(n.Target, Def{Func: fn, Node: n, Index: -1}, sc, cls)
		c.expr(n.Value, sc, fn)
	case *ast.For:
		c.target(n.Target, Def{Func: fn, Node: n, Value: n.Iter, Elem: true, Index: -1}, sc, cls)
		c.expr(n.Iter, sc, fn)
		c.block(n.Body, sc, cls, fn)
		c.block(n.Orelse, sc, cls, fn)
	case *ast.While:
		c.expr(n.Test, sc, fn)
		c.block(n.Body, sc, cls, fn)
		c.block(n.Orelse, sc, cls, fn)
	case *ast.If:
		c.expr(n.Test, sc, fn)
		c.block(n.Body, sc, cls, fn)
		c.block(n.Orelse, sc, cls, fn)
	case *ast.With:
		for _, it := range n.Items {
			if it.OptionalVars != nil {
				c.target(it.OptionalVars, Def{Func: fn, Node: n, Value: it.ContextExpr, Enter: true, Index: -1}, sc, cls)
			}
			c.expr(it.ContextExpr, sc, fn)
		}
		c.block(n.Body, sc, cls, fn)
	case *ast.Try:
		c.block(n.Body, sc, cls, fn)
		for _, h := range n.Handlers {
			if h.Name != "" {
				b := sc.binding(h.Name)
				b.Defs = append(b.Defs, Def{Func: fn, Node: h, Index: -1})
			}
			c.block(h.Body, sc, cls, fn)
		}
		c.block(n.Orelse, sc, cls, fn)
		c.block(n.Finalbody, sc, cls, fn)
	case *ast.Match:
		c.expr(n.Subject, sc, fn)
		for _, mc := range n.Cases {
			c.pattern(mc.Pattern, sc, fn)
			c.expr(mc.Guard, sc, fn)
			c.block(mc.Body, sc, cls, fn)
		}
	case *ast.Return:
		c.expr(n.Value, sc, fn)
		if fn != nil && n.Value != nil {
			fn.Returns = append(fn.Returns, n.Value)
		}
	case *ast.ExprStmt:
		c.expr(n.Value, sc, fn)
	case *ast.Raise:
		c.expr(n.Exc, sc, fn)
	case *ast.Assert:
		c.expr(n.Test, sc, fn)
	case *ast.Delete, *ast.Pass, *ast.Break, *ast.Continue, *ast.TypeAlias:
	}
}

// outer marks names as bound in an enclosing scope.
func (s *Scope) outer(names []string) {
	if s.global == nil {
		s.global = map[string]bool{}
	}
	for _, n := range names {
		s.global[n] = true
	}
}

func (c *collector) importFrom(n *ast.ImportFrom, sc *Scope) {
	from := c.mod.relative(n)
	for _, a := range n.Names {
		if a.Name == "*" {
			c.mod.Stars = append(c.mod.Stars, n)
			continue
		}
		name := a.AsName
		if name == "" {
			name = a.Name
		}
		b := sc.binding(name)
		if b.Import == nil || c.prog.module(b.Import.Module, c.mod) == nil {
			b.Import, b.importer = &Import{Module: from, Name: a.Name}, c.mod
		}
	}
}

// target records what an assignment target binds.
func (c *collector) target(t ast.Expr, d Def, sc *Scope, cls *Class) {
	switch t := t.(type) {
	case *ast.Name:
		if cls != nil {
			cls.addClassAttr(t.Id(), d)
			return
		}
		home := sc
		if sc.global[t.Id()] {
			for home.Parent != nil && (home.global[t.Id()] || home.names[t.Id()] == nil) {
				home = home.Parent
			}
		}
		b := home.binding(t.Id())
		b.Defs = append(b.Defs, d)
	case *ast.Tuple:
		c.unpack(t.Elts, d, sc, cls)
	case *ast.List:
		c.unpack(t.Elts, d, sc, cls)
	case *ast.Starred:
		d.Value = nil
		c.target(t.Value, d, sc, cls)
	case *ast.Attribute:
		c.prog.stores[t.Attr()]++
		c.storeOutside(t, d)
	}
}

func (c *collector) unpack(elts []ast.Expr, d Def, sc *Scope, cls *Class) {
	for i, e := range elts {
		part := d
		if d.Index >= 0 {
			part.Value = nil
		}
		part.Index = i
		c.target(e, part, sc, cls)
	}
}

// pattern records the names that a match pattern captures.
func (c *collector) pattern(pat ast.Pattern, sc *Scope, fn *Func) {
	ast.Inspect(pat, func(n ast.Node) bool {
		name := ""
		switch n := n.(type) {
		case *ast.MatchAs:
			name = n.Name
		case *ast.MatchStar:
			name = n.Name
		case *ast.MatchMapping:
			name = n.Rest
		}
		if name != "" {
			b := sc.binding(name)
			b.Defs = append(b.Defs, Def{Func: fn, Node: n, Index: -1})
		}
		return true
	})
}

// expr declares the lambdas inside an expression, and the names that walrus
// expressions and comprehensions bind. It notes the functions that yield.
func (c *collector) expr(e ast.Expr, sc *Scope, fn *Func) {
	if e == nil {
		return
	}
	switch e.(type) {
	case *ast.Name, *ast.Constant:
		return
	}
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Lambda:
			f := c.function(n, "<lambda>", n.Args, sc, nil, fn)
			f.Returns = append(f.Returns, n.Body)
			c.expr(n.Body, f.Scope, f)
			return false
		case *ast.NamedExpr:
			c.target(n.Target, Def{Func: fn, Node: n, Value: n.Value, Index: -1}, sc, nil)
		case *ast.Comprehension:
			c.target(n.Target, Def{Func: fn, Node: n, Value: n.Iter, Elem: true, Index: -1}, sc, nil)
		case *ast.Yield, *ast.YieldFrom:
			if fn != nil {
				fn.Generator = true
			}
		}
		return true
	})
}

func isOverload(n *ast.FunctionDef) bool {
	for _, d := range n.DecoratorList {
		switch d := d.(type) {
		case *ast.Name:
			if d.Id() == "overload" {
				return true
			}
		case *ast.Attribute:
			if d.Attr() == "overload" {
				return true
			}
		}
	}
	return false
}
