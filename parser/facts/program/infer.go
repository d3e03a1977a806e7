package program

import (
	"github.com/kvrace/kvrace/parser/ast"
)

// An Env says where an expression is evaluated: in which function, and on an
// instance of which concrete class. Func is nil at module level.
type Env struct {
	Module *Module
	Func   *Func
	Self   *Class
}

// busyKey is a question about an expression or a declaration, for an object of a class.
type busyKey struct {
	node any
	self *Class
}

// maxTypeSteps bounds the expressions that one question may look at: chains of
// variables that depend on each other have more ways through them than can be
// walked.
const maxTypeSteps = 4000

// asked stands for the answer to a question that is under way.
var asked = &Type{}

// exprType is TypeOf within an answer.
func (p *Program) exprType(e ast.Expr, env Env) *Type {
	switch e := e.(type) {
	case nil:
		return unknownType
	case *ast.Constant:
		if e.Kind() == ast.None {
			return noneType
		}
		return scalarType
	}
	types := p.memoOf(env.Self)
	t := types.of(e)
	if t != nil && t != asked {
		return t
	}
	if p.depth == 0 {
		p.steps = 0
	}
	if t != nil || p.steps > maxTypeSteps {
		p.cuts++
		return unknownType
	}
	types.set(e, asked)
	p.depth++
	p.steps++
	cuts := p.cuts
	t = p.typeOf(e, env)
	p.depth--
	// An answer that was cut short holds for this question only.
	if p.cuts == cuts || p.depth == 0 {
		types.set(e, t)
	} else {
		types.drop(e)
	}
	return t
}

func (p *Program) typeOf(e ast.Expr, env Env) *Type {
	switch e := e.(type) {
	case *ast.Constant:
		if e.Kind() == ast.None {
			return noneType
		}
		return scalarType
	case *ast.JoinedStr, *ast.Compare, *ast.UnaryOp:
		return scalarType
	case *ast.Dict, *ast.DictComp:
		return p.dictType(e, env)
	case *ast.Set:
		return &Type{Kind: Set}
	case *ast.SetComp:
		return &Type{Kind: Set}
	case *ast.List:
		t := &Type{Kind: List}
		if len(e.Elts) > 0 {
			t.Elem = p.exprType(e.Elts[0], env)
		}
		return t
	case *ast.ListComp:
		return &Type{Kind: List, Elem: p.exprType(e.Elt, env)}
	case *ast.GeneratorExp:
		return &Type{Kind: Tuple, Elem: p.exprType(e.Elt, env)}
	case *ast.Tuple:
		t := &Type{Kind: Tuple}
		for _, x := range e.Elts {
			t.Elts = append(t.Elts, p.exprType(x, env))
		}
		return t
	case *ast.Name:
		return p.nameType(e, env)
	case *ast.Attribute:
		return p.attributeType(e, env)
	case *ast.Subscript:
		base := p.exprType(e.Value, env)
		if base.Kind == Tuple && len(base.Elts) > 0 {
			if c, ok := e.Slice.(*ast.Constant); ok && len(c.Value()) == 1 && int(c.Value()[0]-'0') < len(base.Elts) {
				return base.Elts[c.Value()[0]-'0']
			}
		}
		if _, slice := e.Slice.(*ast.Slice); slice {
			return base
		}
		return base.Element()
	case *ast.Call:
		return p.callType(e, env)
	case *ast.IfExp:
		return join(p.exprType(e.Body, env), p.exprType(e.Orelse, env))
	case *ast.BoolOp:
		t := unknownType
		for _, v := range e.Values {
			t = join(t, p.exprType(v, env))
		}
		return t
	case *ast.NamedExpr:
		return p.exprType(e.Value, env)
	case *ast.Await:
		return p.exprType(e.Value, env)
	case *ast.Lambda:
		if f := p.funcOf[e]; f != nil {
			return &Type{Kind: Function, Func: f}
		}
	case *ast.BinOp:
		if l := p.exprType(e.Left, env); l.Kind.Keyed() {
			return l
		}
		return scalarType
	}
	return unknownType
}

func (p *Program) dictType(e ast.Expr, env Env) *Type {
	t := &Type{Kind: Dict}
	switch e := e.(type) {
	case *ast.Dict:
		for i, v := range e.Values {
			if e.Keys[i] != nil {
				t.Elem = join(t.Elem, p.exprType(v, env))
			}
		}
	case *ast.DictComp:
		t.Elem = p.exprType(e.Value, env)
	}
	return t
}

func (p *Program) nameType(e *ast.Name, env Env) *Type {
	r := p.resolve(e, env.Func, env.Module)
	switch {
	case r.Class != nil:
		return &Type{Kind: ClassObject, Class: r.Class}
	case r.Func != nil:
		return &Type{Kind: Function, Func: r.Func}
	case r.Module != nil:
		return &Type{Kind: ModuleObject, Mod: r.Module}
	case r.External != "":
		return &Type{Kind: External, Name: r.External}
	case r.Var != nil:
		t := p.varType(r.Var, r.VarScope, env)
		if t.Kind == Unknown {
			t = p.testedType(e.Id(), env.Func)
		}
		return t
	}
	return unknownType
}

func (p *Program) varType(b *Binding, sc *Scope, env Env) *Type {
	t := unknownType
	if b.Param != nil {
		t = p.paramType(b.Param, env.Self)
	}
	inner := Env{Module: env.Module, Func: sc.Func, Self: env.Self}
	if sc.Func != nil {
		inner.Module = sc.Func.Module
	} else if sc != env.Module.Scope {
		inner.Module = p.ModuleOf(sc)
	}
	for _, d := range b.Defs {
		t = join(t, p.defType(d, inner))
	}
	return t
}

// paramType is ParamType within an answer.
func (p *Program) paramType(prm *Param, self *Class) *Type {
	f := prm.Func
	if prm.Index == 0 && f.Class != nil {
		switch f.Kind {
		case ClassMethod:
			if self != nil && self.IsSubclass(f.Class) {
				return &Type{Kind: ClassObject, Class: self}
			}
			return &Type{Kind: ClassObject, Class: f.Class}
		case StaticMethod:
		default:
			return p.selfType(prm, self)
		}
	}
	t := unknownType
	if prm.Ann != nil {
		t = p.annotationType(prm.Ann, f.Outer, f.Module)
	}
	switch prm.Variadic {
	case Args:
		return &Type{Kind: Tuple, Elem: t}
	case Kwargs:
		return &Type{Kind: Dict, Elem: t}
	}
	if self != nil && f.Class != nil && f.Name == "__init__" {
		t = join(t, p.passedBySubclass(prm, self))
	}
	if t.Kind == Unknown && prm.Default != nil {
		t = p.exprType(prm.Default, Env{Module: f.Module, Func: f.Outer, Self: self})
		if t.Kind == None {
			t = unknownType
		}
	}
	if t.Kind == Unknown && f.Name == "__init__" && f.Class != nil {
		t = p.passedByCallers(prm, self)
	} else if t.Kind == Unknown {
		t = p.passedAtCalls(prm)
	}
	return t
}

// selfType returns the type of the object that a method runs on. A mixin may say
// which class that is: the methods of the mixin are part of it.
func (p *Program) selfType(prm *Param, self *Class) *Type {
	if prm.Ann != nil {
		t := p.annotationType(prm.Ann, nil, prm.Func.Module)
		if t.Kind == Instance && (self == nil || !self.IsSubclass(prm.Func.Class) || t.Class.IsSubclass(self)) {
			return t
		}
	}
	if self != nil && self.IsSubclass(prm.Func.Class) {
		return NewInstance(self)
	}
	return NewInstance(prm.Func.Class)
}

// passedBySubclass returns the type of the argument that the constructors of
// self's other classes hand to prm through super().__init__ or
// Base.__init__(self, ...).
func (p *Program) passedBySubclass(prm *Param, self *Class) *Type {
	t := unknownType
	key := busyKey{prm, self}
	if p.busy[key] {
		p.cuts++
		return t
	}
	p.busy[key] = true
	defer delete(p.busy, key)
	for _, k := range self.MRO {
		if k == prm.Func.Class {
			break
		}
		init := k.Methods["__init__"]
		if init == nil {
			continue
		}
		for _, st := range init.Body() {
			ast.Inspect(st, func(n ast.Node) bool {
				call, ok := n.(*ast.Call)
				if !ok {
					return true
				}
				target, bound := p.initTarget(call, init, self)
				if target != prm.Func {
					return true
				}
				if arg := Argument(call, prm, bound); arg != nil {
					t = join(t, p.exprType(arg, Env{Module: init.Module, Func: init, Self: self}))
				}
				return true
			})
		}
	}
	return t
}

// initTarget returns the constructor that a call inside the constructor init
// runs on the same object, and how many of its parameters the call leaves out.
func (p *Program) initTarget(call *ast.Call, init *Func, self *Class) (*Func, int) {
	at, ok := call.Func.(*ast.Attribute)
	if !ok || at.Attr() != "__init__" {
		return nil, 0
	}
	if IsSuper(at.Value) {
		return self.MethodAfter(init.Class, "__init__"), 1
	}
	if r := p.resolve(at.Value, init, init.Module); r.Class != nil {
		return r.Class.Method("__init__"), 0
	}
	return nil, 0
}

// IsSuper reports whether e is a call of super.
func IsSuper(e ast.Expr) bool {
	call, ok := e.(*ast.Call)
	return ok && isName(call.Func, "super")
}

// passedByCallers returns the type that the constructor calls of self pass.
func (p *Program) passedByCallers(prm *Param, self *Class) *Type {
	t := unknownType
	key := busyKey{prm, nil}
	if p.busy[key] {
		p.cuts++
		return t
	}
	p.busy[key] = true
	defer delete(p.busy, key)
	cls := prm.Func.Class
	if self != nil && self.Method("__init__") == prm.Func {
		cls = self
	}
	for _, s := range p.callsOf(cls.Name) {
		r := p.resolve(s.Call.Func, s.Func, s.Module)
		if r.Class == nil || !r.Class.IsSubclass(cls) {
			continue
		}
		if arg := Argument(s.Call, prm, 1); arg != nil {
			t = join(t, p.exprType(arg, Env{Module: s.Module, Func: s.Func, Self: s.Func.SelfClass()}))
		}
	}
	return t
}

// Argument returns the expression that a call passes for a parameter, or nil;
// bound is the number of leading parameters that the call does not write, 1
// for a bound method.
func Argument(call *ast.Call, prm *Param, bound int) ast.Expr {
	for _, kw := range call.Keywords() {
		if kw.Arg() == prm.Name {
			return kw.Value
		}
	}
	i := prm.Index - bound
	if prm.Variadic != Single || i < 0 || i >= len(call.Args()) {
		return nil
	}
	for _, a := range call.Args()[:i+1] {
		if _, star := a.(*ast.Starred); star {
			return nil
		}
	}
	return call.Args()[i]
}

// defType returns the type that one definition gives to its variable.
func (p *Program) defType(d Def, env Env) *Type {
	if d.Func != nil {
		env.Func, env.Module = d.Func, d.Func.Module
	}
	t := unknownType
	if d.Ann != nil {
		t = p.annotationType(d.Ann, env.Func, env.Module)
	}
	if d.Value == nil {
		return t
	}
	v := p.exprType(d.Value, env)
	if field := fieldFactory(d.Value); field != nil {
		v = p.factoryType(field, env)
	}
	switch {
	case d.Enter:
		if v.Kind != Instance && !v.Kind.IsLock() && v.Kind != Executor {
			v = unknownType
		}
	case d.Elem:
		v = p.iterated(d.Value, v, env)
	}
	if d.Index >= 0 {
		if d.Index < len(v.Elts) {
			v = v.Elts[d.Index]
		} else {
			v = unknownType
		}
	}
	return join(t, v)
}

// iterated returns the type of the elements that iterating over a value of
// type v yields; e is the expression.
func (p *Program) iterated(e ast.Expr, v *Type, env Env) *Type {
	if call, ok := e.(*ast.Call); ok {
		if at, ok := call.Func.(*ast.Attribute); ok {
			base := p.exprType(at.Value, env)
			switch at.Attr() {
			case "values":
				return base.Element()
			case "items":
				return &Type{Kind: Tuple, Elts: []*Type{unknownType, base.Element()}}
			case "keys":
				return scalarType
			}
		}
		if name, ok := call.Func.(*ast.Name); ok && len(call.Args()) > 0 {
			switch name.Id() {
			case "list", "sorted", "tuple", "reversed", "set", "iter":
				return p.iterated(call.Args()[0], p.exprType(call.Args()[0], env), env)
			case "enumerate":
				in := p.iterated(call.Args()[0], p.exprType(call.Args()[0], env), env)
				return &Type{Kind: Tuple, Elts: []*Type{scalarType, in}}
			case "zip":
				t := &Type{Kind: Tuple}
				for _, a := range call.Args() {
					t.Elts = append(t.Elts, p.iterated(a, p.exprType(a, env), env))
				}
				return t
			}
		}
	}
	switch v.Kind {
	case Dict, DefaultDict, Counter:
		return scalarType
	case Tuple:
		if v.Elem != nil {
			return v.Elem
		}
		t := unknownType
		for _, x := range v.Elts {
			t = join(t, x)
		}
		return t
	}
	return v.Element()
}

// fieldFactory returns the default_factory of a dataclasses.field call.
func fieldFactory(e ast.Expr) ast.Expr {
	call, ok := e.(*ast.Call)
	if !ok {
		return nil
	}
	for _, kw := range call.Keywords() {
		if kw.Arg() == "default_factory" || kw.Arg() == "factory" {
			return kw.Value
		}
	}
	return nil
}

// factoryType returns the type that calling e without arguments yields.
func (p *Program) factoryType(e ast.Expr, env Env) *Type {
	switch t := p.exprType(e, env); t.Kind {
	case ClassObject:
		return t.Class.instanceType()
	case External:
		if k, ok := known[t.Name]; ok {
			return &Type{Kind: k, Name: t.Name}
		}
		return &Type{Kind: External, Name: t.Name}
	case Function:
		if len(t.Func.Returns) == 1 {
			return p.exprType(t.Func.Returns[0], Env{Module: t.Func.Module, Func: t.Func, Self: env.Self})
		}
	}
	return unknownType
}

func (p *Program) attributeType(e *ast.Attribute, env Env) *Type {
	base := p.exprType(e.Value, env)
	switch base.Kind {
	case Instance, Queue:
		if base.Class != nil {
			return p.typeOfAttr(base.ClassWith(e.Attr()), e.Attr())
		}
	case ClassObject:
		r := base.Class.member(e.Attr())
		switch {
		case r.Class != nil:
			return &Type{Kind: ClassObject, Class: r.Class}
		case r.Func != nil:
			return &Type{Kind: Function, Func: r.Func}
		case r.Member != nil:
			return p.typeOfAttr(base.Class, e.Attr())
		}
	case ModuleObject, External:
		r := p.resolve(e, env.Func, env.Module)
		switch {
		case r.Class != nil:
			return &Type{Kind: ClassObject, Class: r.Class}
		case r.Func != nil:
			return &Type{Kind: Function, Func: r.Func}
		case r.Module != nil:
			return &Type{Kind: ModuleObject, Mod: r.Module}
		case r.Var != nil:
			return p.varType(r.Var, r.VarScope, env)
		case r.External != "":
			return &Type{Kind: External, Name: r.External}
		}
		if base.Kind == External && base.Name != "" {
			return &Type{Kind: External, Name: base.Name + "." + e.Attr()}
		}
	}
	return unknownType
}

// typeOfAttr is AttrType within an answer.
func (p *Program) typeOfAttr(c *Class, name string) *Type {
	switch t := c.types.attrs[name]; t {
	case nil:
	case asked:
		p.cuts++
		return unknownType
	default:
		return t
	}
	if c.types.attrs == nil {
		c.types.attrs = map[string]*Type{}
	}
	c.types.attrs[name] = asked
	cuts := p.cuts
	t := p.attrType(c, name)
	if p.cuts == cuts || p.depth == 0 {
		c.types.attrs[name] = t
	} else {
		delete(c.types.attrs, name)
	}
	return t
}

func (p *Program) attrType(c *Class, name string) *Type {
	t := unknownType
	if c.Enum() && c.member(name).Member != nil {
		return NewInstance(c)
	}
	for _, k := range c.MRO {
		if f := k.Methods[name]; f != nil {
			if f.Kind == Property {
				return p.returnType(f, c)
			}
			if t.Kind == Unknown {
				return &Type{Kind: Function, Func: f}
			}
		}
		a := k.Attrs[name]
		if a == nil {
			continue
		}
		for _, d := range a.Defs {
			t = join(t, p.defType(d, Env{Module: k.Module, Func: d.Func, Self: c}))
		}
		if len(a.Outside) > 0 {
			t = join(t, p.joinDefs(a.Outside, a, c))
		}
		t = p.withElements(t, a, c)
	}
	if t.Kind == Tuple {
		t = sameParts(t)
	}
	if !t.Kind.Keyed() && !t.Kind.IsLock() && t.Kind != AsyncLock {
		for _, k := range c.MRO {
			if k.Attrs[name] != nil && p.isLock(k.Qual, name) {
				return lockType
			}
		}
	}
	return t
}

// sameParts returns the type of a list for a tuple of locks or queues, which is
// used as one: with an index.
func sameParts(t *Type) *Type {
	elem := t.Element()
	for i, x := range t.Elts {
		if i > 0 && x.Kind != elem.Kind {
			return t
		}
		elem = x
	}
	if elem.Kind.IsLock() || elem.Kind == AsyncLock || elem.Kind == Queue {
		return &Type{Kind: List, Elem: elem}
	}
	return t
}

// lockType is the type of what is called a lock without being known for one.
var lockType = &Type{Kind: Lock}

// withElements adds what is stored in a container whose element type its
// declaration leaves open.
func (p *Program) withElements(t *Type, a *Attr, c *Class) *Type {
	if !t.Kind.Keyed() && t.Kind != Queue {
		return t
	}
	elem := t.Element()
	if elem.Kind == Unknown {
		elem = p.joinDefs(a.Elems, a, c)
	}
	if (elem.Kind.Keyed() || elem.Kind == Queue) && elem.Element().Kind == Unknown && len(a.Inner) > 0 {
		elem = &Type{Kind: elem.Kind, Class: elem.Class, Name: elem.Name, Elem: p.joinDefs(a.Inner, a, c)}
	}
	if elem == t.Elem || elem.Kind == Unknown {
		return t
	}
	return &Type{Kind: t.Kind, Class: t.Class, Name: t.Name, Elem: elem}
}

// joinDefs joins the types of values stored in an attribute of c.
func (p *Program) joinDefs(defs []Def, a *Attr, c *Class) *Type {
	t := unknownType
	for _, d := range defs {
		self := c
		if d.Func != nil {
			if m := d.Func.SelfFunc(); m != nil && !c.IsSubclass(m.Class) {
				self = m.Class
			}
		}
		t = join(t, p.defType(d, Env{Module: a.Class.Module, Self: self}))
	}
	return t
}

func (p *Program) callType(e *ast.Call, env Env) *Type {
	if IsSuper(e) {
		return unknownType
	}
	if at, ok := e.Func.(*ast.Attribute); ok {
		if IsSuper(at.Value) {
			return p.superType(at.Attr(), env)
		}
		if t := p.containerMethod(at, e, env); t != nil {
			return t
		}
	}
	callee := e.Func
	if s, ok := callee.(*ast.Subscript); ok {
		if t := p.exprType(s.Value, env); t.Kind == ClassObject || t.Kind == External {
			callee = s.Value // a generic class with its arguments: dict[str, int]()
		}
	}
	fn := p.exprType(callee, env)
	switch fn.Kind {
	case ClassObject:
		return fn.Class.instanceType()
	case Function:
		return p.returnType(fn.Func, p.receiver(e, fn.Func, env))
	case External:
		return p.externalCall(fn.Name, e, env)
	case Instance:
		if fn.Referred() && len(e.Args()) == 0 {
			return fn
		}
	}
	return unknownType
}

// superType returns the type of what a method of the bases yields, as super() calls it
// in a method.
func (p *Program) superType(method string, env Env) *Type {
	if env.Func == nil {
		return unknownType
	}
	m := env.Func.SelfFunc()
	if m == nil {
		return unknownType
	}
	self := m.Class
	if env.Self != nil && env.Self.IsSubclass(m.Class) {
		self = env.Self
	}
	if f := self.MethodAfter(m.Class, method); f != nil {
		return p.returnType(f, self)
	}
	return unknownType
}

// Referred reports whether a value that is called is a weak reference to an
// object, whose type it has: the object itself cannot be called.
func (t *Type) Referred() bool {
	if t.Kind != Instance || t.Class.has("__call__") {
		return false
	}
	for _, k := range t.Class.MRO {
		if len(k.External) > 0 {
			return false // whose methods are not known
		}
	}
	return true
}

// receiver returns the class of the object that a method call runs on.
func (p *Program) receiver(e *ast.Call, f *Func, env Env) *Class {
	if at, ok := e.Func.(*ast.Attribute); ok {
		if t := p.exprType(at.Value, env); t.Kind == Instance || t.Kind == ClassObject && f.Kind == ClassMethod {
			return t.Class
		}
	}
	if env.Self != nil && f.Class != nil && env.Self.IsSubclass(f.Class) {
		return env.Self
	}
	return f.Class
}

func (p *Program) externalCall(name string, e *ast.Call, env Env) *Type {
	switch name {
	case "collections.defaultdict":
		if len(e.Args()) > 0 {
			return &Type{Kind: DefaultDict, Name: name, Elem: p.factoryType(e.Args()[0], env)}
		}
	case "weakref.ref", "weakref.proxy", "copy.copy", "typing.cast":
		if n := len(e.Args()); n > 0 {
			return p.exprType(e.Args()[n-1], env)
		}
	case "list", "set", "dict", "sorted", "collections.deque", "tuple", "reversed":
		kind := known[name]
		if name == "sorted" || name == "tuple" || name == "reversed" {
			kind = List
		}
		t := &Type{Kind: kind, Name: name}
		if len(e.Args()) > 0 {
			if arg := p.exprType(e.Args()[0], env); kind == Dict {
				t.Elem = arg.Elem
			} else {
				t.Elem = p.iterated(e.Args()[0], arg, env)
			}
		}
		return t
	case "getattr":
		if len(e.Args()) >= 2 {
			if c, ok := e.Args()[1].(*ast.Constant); ok && c.Kind() == ast.Str {
				if base := p.exprType(e.Args()[0], env); base.Kind == Instance {
					return p.typeOfAttr(base.Class, c.Value())
				}
			}
		}
		return unknownType
	}
	if k, ok := known[name]; ok {
		return &Type{Kind: k, Name: name}
	}
	return &Type{Kind: External, Name: name + "()"}
}

// containerMethod returns the type of d.get(k) and the like, or nil when the
// receiver is no container.
func (p *Program) containerMethod(at *ast.Attribute, e *ast.Call, env Env) *Type {
	base := p.exprType(at.Value, env)
	if base.Kind == Executor && at.Attr() == "submit" {
		return &Type{Kind: External, Name: "concurrent.futures.Future"}
	}
	if !base.Kind.Keyed() && base.Kind != Queue {
		return nil
	}
	switch at.Attr() {
	case "get", "pop", "setdefault", "popleft", "get_nowait":
		t := base.Element()
		if at.Attr() == "setdefault" && len(e.Args()) > 1 {
			t = join(t, p.exprType(e.Args()[1], env))
		}
		return t
	case "copy":
		return base
	case "values":
		return &Type{Kind: List, Elem: base.Elem}
	case "keys":
		return &Type{Kind: List, Elem: scalarType}
	case "items":
		return &Type{Kind: List, Elem: &Type{Kind: Tuple, Elts: []*Type{scalarType, base.Element()}}}
	case "popitem":
		return &Type{Kind: Tuple, Elts: []*Type{scalarType, base.Element()}}
	}
	if base.Class != nil {
		return nil
	}
	return unknownType
}

// returnType returns the type of what a function returns when it runs on an
// instance of self.
func (p *Program) returnType(f *Func, self *Class) *Type {
	t := unknownType
	if d, ok := f.Node.(*ast.FunctionDef); ok && d.Returns != nil {
		t = p.annotationType(d.Returns, f.Outer, f.Module)
	}
	if t.Kind != Unknown && t.Kind != External && (t.Kind != Tuple || len(t.Elts) > 0) {
		return t
	}
	key := busyKey{f, self}
	if p.busy[key] {
		p.cuts++
		return t
	}
	p.busy[key] = true
	defer delete(p.busy, key)
	for _, r := range f.Returns {
		t = join(t, p.exprType(r, Env{Module: f.Module, Func: f, Self: self}))
	}
	return t
}
