package program

import (
	"maps"
	"slices"
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
)

// A Class is a class statement.
type Class struct {
	prog   *Program
	Module *Module
	Name   string
	Qual   string        // Outer.Inner, without the module
	Node   *ast.ClassDef // nil for a module
	scope  *Scope        // the scope around the statement

	Bases    []*Class // those in the program
	External []string // dotted names of the others, as resolved
	// MRO is the method resolution order, the class itself first. Unknown
	// bases are left out.
	MRO        []*Class
	Subclasses []*Class // direct ones

	Methods map[string]*Func // declared in the body
	order   []*Func
	Attrs   map[string]*Attr // set in the body, or on self in a method

	Dataclass bool

	types memo // of code that runs on its objects
}

// ModuleClass returns what stands for the class of a module, taken as an object that
// keeps its variables. It has no Node.
func (p *Program) ModuleClass(m *Module) *Class {
	name := m.Path[strings.LastIndexByte(m.Path, '.')+1:]
	c := &Class{prog: p, Module: m, Name: name, Qual: name, Methods: map[string]*Func{}, Attrs: map[string]*Attr{}}
	c.MRO = []*Class{c}
	return c
}

// An Attr is an attribute that a class gives to itself or its instances.
type Attr struct {
	Class *Class
	Name  string
	Defs  []Def
	// Outside are what other code sets the attribute to, on an object of the class,
	// where Defs does not tell what it holds.
	Outside []Def
	// Elems are the values stored in the attribute as in a container:
	// self.a[k] = v, setdefault(k, v), append(v), add(v).
	Elems []Def
	// Inner are the values stored one level deeper: self.a[i].put(v).
	Inner []Def
	// ClassLevel reports whether the class body sets it.
	ClassLevel bool
}

func (c *collector) class(n *ast.ClassDef, sc *Scope, outer *Class, fn *Func) {
	cls := &Class{
		prog: c.prog, Module: c.mod, Name: n.Name, Qual: n.Name, Node: n, scope: sc,
		Methods: map[string]*Func{}, Attrs: map[string]*Attr{},
	}
	switch {
	case outer != nil:
		cls.Qual = outer.Qual + "." + n.Name
		outer.attr(n.Name).ClassLevel = true
	case fn != nil:
		cls.Qual = fn.Qual + "." + n.Name
	}
	for _, d := range n.DecoratorList {
		if call, ok := d.(*ast.Call); ok {
			d = call.Func
		}
		switch d := d.(type) {
		case *ast.Name:
			cls.Dataclass = cls.Dataclass || d.Id() == "dataclass"
		case *ast.Attribute:
			cls.Dataclass = cls.Dataclass || d.Attr() == "dataclass"
		}
	}
	c.prog.Classes = append(c.prog.Classes, cls)
	c.prog.classOf[n] = cls
	c.mod.Classes = append(c.mod.Classes, cls)
	b := sc.binding(n.Name)
	if outer == nil {
		b.Class = cls
	} else if b.Class == nil && b.Func == nil && b.Import == nil && len(b.Defs) == 0 {
		b.Class = cls // a nested class, reachable by its bare name only inside
	}
	c.block(n.Body, sc, cls, fn)
}

func (c *Class) addMethod(f *Func) {
	if prev := c.Methods[f.Name]; prev != nil && prev.Kind == Property {
		c.order = append(c.order, f) // the setter of a property
		return
	}
	c.Methods[f.Name] = f
	c.order = append(c.order, f)
}

// declared returns where an attribute is first set.
func declared(a *Attr) ast.Pos {
	if len(a.Defs) == 0 || a.Defs[0].Node == nil {
		return -1
	}
	return a.Defs[0].Node.Pos()
}

// nameMethods makes methods of the names that the class body gives to a method, as
// in __enter__ = acquire.
func (c *Class) nameMethods() {
	names := slices.SortedFunc(maps.Keys(c.Attrs), func(x, y string) int {
		return int(declared(c.Attrs[x])) - int(declared(c.Attrs[y]))
	})
	for _, name := range names { // in source order: one can name another
		a := c.Attrs[name]
		if !a.ClassLevel || len(a.Defs) != 1 || a.Defs[0].Ann != nil || a.Defs[0].Index >= 0 || c.Methods[name] != nil {
			continue
		}
		var f *Func
		switch v := a.Defs[0].Value.(type) {
		case *ast.Name:
			f = c.Methods[v.Id()]
		case *ast.Attribute:
			f = c.prog.resolveExpr(v, c.scope, c.Module).Func
			if f != nil && (f.Class == nil || !c.IsSubclass(f.Class)) {
				f = nil
			}
		}
		if f != nil {
			c.Methods[name] = f
			delete(c.Attrs, name)
		}
	}
}

// MethodList returns the functions of the class body in source order.
func (c *Class) MethodList() []*Func { return c.order }

func (c *Class) attr(name string) *Attr {
	a := c.Attrs[name]
	if a == nil {
		a = &Attr{Class: c, Name: name}
		c.Attrs[name] = a
	}
	return a
}

func (c *Class) addClassAttr(name string, d Def) {
	a := c.attr(name)
	a.ClassLevel = true
	a.Defs = append(a.Defs, d)
}

func (c *Class) resolveBases() {
	for _, e := range c.Node.Bases {
		if sub, ok := e.(*ast.Subscript); ok {
			e = sub.Value // Generic[T], Base[int]
		}
		switch b := c.prog.resolveExpr(e, c.scope, c.Module); {
		case b.Class != nil && b.Class != c:
			c.Bases = append(c.Bases, b.Class)
		case b.External != "":
			c.External = append(c.External, b.External)
		}
	}
}

// cutCycles drops the bases that lead back to a class, as no program can have them
// that runs: whoever follows bases or subclasses comes to an end.
func cutCycles(classes []*Class) {
	const (
		unseen = iota
		open   // on the way from the class that the walk began at
		done
	)
	state := make(map[*Class]int, len(classes))
	type step struct {
		class *Class
		next  int // base to look at
	}
	for _, first := range classes {
		if state[first] != unseen {
			continue
		}
		state[first] = open
		for way := []step{{first, 0}}; len(way) > 0; {
			at := &way[len(way)-1]
			if at.next == len(at.class.Bases) {
				state[at.class] = done
				way = way[:len(way)-1]
				continue
			}
			base := at.class.Bases[at.next]
			if state[base] == open {
				at.class.Bases = slices.Delete(at.class.Bases, at.next, at.next+1)
				continue
			}
			at.next++
			if state[base] == unseen {
				state[base] = open
				way = append(way, step{base, 0})
			}
		}
	}
}

// linearize computes the MRO by C3 (see "The Python 2.3 Method Resolution
// Order"), falling back to depth first order where C3 has no answer, as it may
// when bases are missing.
func (c *Class) linearize(path []*Class) []*Class {
	if c.MRO != nil {
		return c.MRO
	}
	for _, p := range path {
		if p == c {
			return nil
		}
	}
	path = append(path, c)
	var seqs [][]*Class
	for _, b := range c.Bases {
		seqs = append(seqs, append([]*Class(nil), b.linearize(path)...))
	}
	seqs = append(seqs, append([]*Class(nil), c.Bases...))
	mro := []*Class{c}
	for {
		next := c3Head(seqs)
		if next == nil {
			break
		}
		mro = append(mro, next)
		for i, s := range seqs {
			seqs[i] = without(s, next)
		}
	}
	c.MRO = mro
	return mro
}

// c3Head returns the first head that is in no tail, or else the first head.
func c3Head(seqs [][]*Class) *Class {
	var first *Class
	for _, s := range seqs {
		if len(s) == 0 {
			continue
		}
		if first == nil {
			first = s[0]
		}
		if !inTail(seqs, s[0]) {
			return s[0]
		}
	}
	return first
}

func inTail(seqs [][]*Class, c *Class) bool {
	for _, s := range seqs {
		for i, x := range s {
			if i > 0 && x == c {
				return true
			}
		}
	}
	return false
}

func without(s []*Class, c *Class) []*Class {
	out := s[:0]
	for _, x := range s {
		if x != c {
			out = append(out, x)
		}
	}
	return out
}

// Method returns the method that an instance of the class runs for name.
func (c *Class) Method(name string) *Func {
	for _, k := range c.MRO {
		if f := k.Methods[name]; f != nil {
			return f
		}
	}
	return nil
}

// MethodAfter returns the method that super().name finds from a method of
// class after, on an instance of c.
func (c *Class) MethodAfter(after *Class, name string) *Func {
	seen := false
	for _, k := range c.MRO {
		if seen {
			if f := k.Methods[name]; f != nil {
				return f
			}
		}
		seen = seen || k == after
	}
	return nil
}

// IsSubclass reports whether c is base or derives from it.
func (c *Class) IsSubclass(base *Class) bool {
	for _, k := range c.MRO {
		if k == base {
			return true
		}
	}
	return false
}

// Family returns the class and all that derive from it, each once.
func (c *Class) Family() []*Class {
	all := []*Class{c}
	if len(c.Subclasses) == 0 {
		return all
	}
	seen := map[*Class]bool{c: true}
	for i := 0; i < len(all); i++ {
		for _, sub := range all[i].Subclasses {
			if !seen[sub] {
				seen[sub] = true
				all = append(all, sub)
			}
		}
	}
	return all
}

// Meets reports whether an object can be of both classes: one derives from the other, or
// a third one from both.
func (c *Class) Meets(k *Class) bool {
	if c.IsSubclass(k) {
		return true
	}
	return slices.ContainsFunc(c.Family()[1:], func(sub *Class) bool { return sub.IsSubclass(k) })
}

// HasExternalBase reports whether the class or one of its bases derives from a
// class outside the program with one of the given dotted names.
func (c *Class) HasExternalBase(names ...string) bool {
	for _, k := range c.MRO {
		for _, e := range k.External {
			for _, n := range names {
				if e == n {
					return true
				}
			}
		}
	}
	return false
}

// Enum reports whether the class derives from one of the enumerations of the
// standard library.
func (c *Class) Enum() bool {
	return c.HasExternalBase("enum.Enum", "enum.IntEnum", "enum.StrEnum", "enum.Flag", "enum.IntFlag")
}

// AttrOwner returns the class of the MRO farthest from c that sets the
// attribute: the class that identifies the location. It returns nil when no
// class sets it.
func (c *Class) AttrOwner(name string) *Class {
	for i := len(c.MRO) - 1; i >= 0; i-- {
		if c.MRO[i].Attrs[name] != nil {
			return c.MRO[i]
		}
	}
	return nil
}

// collectAttrs records what the methods of the class set on self, and what
// they store in it.
func (c *Class) collectAttrs() {
	for _, f := range c.order {
		self := f.SelfFunc()
		if self == nil || f.Kind == StaticMethod {
			continue
		}
		name := self.Params[0].Name
		for _, st := range f.Body() {
			c.collectFrom(st, f, name)
		}
		if f.Cached && len(f.Returns) == 1 && makesNew(f.Returns[0]) {
			a := c.attr(f.Name)
			a.Defs = append(a.Defs, Def{Func: f, Node: f.Node, Value: f.Returns[0], Index: -1})
		}
	}
}

// makesNew reports whether an expression yields something that nothing else knows:
// a display, or the result of a call.
func makesNew(e ast.Expr) bool {
	switch e.(type) {
	case *ast.Dict, *ast.List, *ast.Set, *ast.DictComp, *ast.ListComp, *ast.SetComp, *ast.Call:
		return true
	}
	return false
}

func (c *Class) collectFrom(root ast.Node, f *Func, self string) {
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ClassDef:
			return false
		case *ast.FunctionDef:
			if g := c.prog.funcOf[n]; g != nil && n != root {
				for _, st := range n.Body {
					c.collectFrom(st, g, self)
				}
				return false
			}
		case *ast.Assign:
			for _, t := range n.Targets {
				c.collectTarget(t, Def{Func: f, Node: n, Value: n.Value, Index: -1}, self)
			}
		case *ast.AnnAssign:
			c.collectTarget(n.Target, Def{Func: f, Node: n, Value: n.Value, Ann: n.Annotation, Index: -1}, self)
		case *ast.AugAssign:
			c.collectTarget(n.Target, Def{Func: f, Node: n, Index: -1}, self)
		case *ast.For:
			c.collectTarget(n.Target, Def{Func: f, Node: n, Value: n.Iter, Elem: true, Index: -1}, self)
		case *ast.With:
			for _, it := range n.Items {
				c.collectTarget(it.OptionalVars, Def{Func: f, Node: n, Value: it.ContextExpr, Enter: true, Index: -1}, self)
			}
		case *ast.Call:
			c.collectStore(n, f, self)
			c.collectSet(n, f, self)
		}
		return true
	})
}

// collectSet records what setattr(self, "name", value) sets.
func (c *Class) collectSet(n *ast.Call, f *Func, self string) {
	if !isName(n.Func, "setattr") || len(n.Args()) != 3 || !isName(n.Args()[0], self) {
		return
	}
	if name, ok := n.Args()[1].(*ast.Constant); ok && name.Kind() == ast.Str {
		a := c.attr(name.Value())
		a.Defs = append(a.Defs, Def{Func: f, Node: n, Value: n.Args()[2], Index: -1})
		c.prog.stores[name.Value()]++
	}
}

func (c *Class) collectTarget(t ast.Expr, d Def, self string) {
	switch t := t.(type) {
	case *ast.Attribute:
		if isName(t.Value, self) {
			a := c.attr(t.Attr())
			a.Defs = append(a.Defs, d)
		}
	case *ast.Subscript:
		if at, ok := t.Value.(*ast.Attribute); ok && d.Value != nil && d.Index < 0 && !d.Elem {
			if _, slice := t.Slice.(*ast.Slice); !slice {
				c.collectElem(at, d, self, false)
			}
		}
	case *ast.Tuple:
		c.collectTuple(t.Elts, d, self)
	case *ast.List:
		c.collectTuple(t.Elts, d, self)
	}
}

func (c *Class) collectTuple(elts []ast.Expr, d Def, self string) {
	for i, e := range elts {
		part := d
		part.Index = i
		if d.Index >= 0 {
			part.Value = nil
		}
		c.collectTarget(e, part, self)
	}
}

// collectStore records the values that a method call stores in self.attr.
func (c *Class) collectStore(n *ast.Call, f *Func, self string) {
	fn, ok := n.Func.(*ast.Attribute)
	if !ok {
		return
	}
	target, inner := fn.Value, false
	if sub, ok := target.(*ast.Subscript); ok {
		target, inner = sub.Value, true
	}
	at, ok := target.(*ast.Attribute)
	if !ok {
		return
	}
	arg := -1
	switch fn.Attr() {
	case "append", "add", "appendleft", "put", "put_nowait":
		arg = 0
	case "setdefault", "insert":
		arg = 1
	}
	if arg >= 0 && arg < len(n.Args()) {
		c.collectElem(at, Def{Func: f, Node: n, Value: n.Args()[arg], Index: -1}, self, inner)
	}
}

// collectElem records a value that is stored in an attribute of self, or of
// another object.
func (c *Class) collectElem(at *ast.Attribute, d Def, self string, inner bool) {
	e := pendingElem{class: c, name: at.Attr(), def: d, inner: inner}
	if !isName(at.Value, self) {
		e.holder = at.Value
	}
	c.prog.pending = append(c.prog.pending, e)
}

// pendingElem is a stored value whose attribute may be declared in a class
// that is not collected yet.
type pendingElem struct {
	class  *Class
	holder ast.Expr // of the attribute; nil for self
	name   string
	def    Def
	inner  bool
}

// holderClass returns the class of an object as annotations tell it: of a
// parameter, or of an attribute that a parameter is stored in.
func (c *Class) holderClass(e ast.Expr, f *Func) *Class {
	switch e := e.(type) {
	case *ast.Name:
		if f == nil {
			return nil
		}
		if b, _ := f.Scope.Lookup(e.Id()); b != nil && b.Param != nil && b.Param.Ann != nil {
			return c.prog.annotationType(b.Param.Ann, b.Param.Func.Outer, f.Module).Class
		}
	case *ast.Attribute:
		if m := f.SelfFunc(); m == nil || !isName(e.Value, m.Params[0].Name) {
			return nil
		}
		for _, k := range c.MRO {
			a := k.Attrs[e.Attr()]
			if a == nil {
				continue
			}
			for _, d := range a.Defs {
				if n, ok := d.Value.(*ast.Name); ok && d.Index < 0 && !d.Elem {
					return k.holderClass(n, d.Func)
				}
			}
		}
	}
	return nil
}

// record notes a stored value where the attribute is declared, or in the class
// that stores it.
// It reports false where the class of the object is not known, or has no such attribute.
func (e pendingElem) record() bool {
	class := e.class
	if e.holder != nil {
		class = class.holderClass(e.holder, e.def.Func)
		if class == nil || class.AttrOwner(e.name) == nil {
			return false
		}
	}
	owner := class.AttrOwner(e.name)
	if owner == nil {
		owner = class
	}
	a := owner.attr(e.name)
	if e.inner {
		a.Inner = append(a.Inner, e.def)
		return true
	}
	a.Elems = append(a.Elems, e.def)
	return true
}

func isName(e ast.Expr, name string) bool {
	n, ok := e.(*ast.Name)
	return ok && n.Id() == name
}
