package program

import (
	"github.com/kvrace/kvrace/parser/ast"
)

// A Type is what is known about a value. Types are shared and must not be
// changed.
type Type struct {
	Kind  Kind
	Class *Class  // Instance, ClassObject
	Func  *Func   // Function
	Mod   *Module // ModuleObject
	Elem  *Type   // what a container holds, a queue carries or a future yields; may be nil
	Name  string  // dotted name of an External, or of what made the value
	// Elts are the types of the parts of a tuple of known length.
	Elts []*Type
	// Others are further classes that an Instance may have, unrelated to Class.
	Others []*Class
}

// ClassWith returns the class whose instance has an attribute or method, of those
// that an Instance may have: the first one when none is known to.
func (t *Type) ClassWith(name string) *Class {
	if t.Class == nil || len(t.Others) == 0 || t.Class.has(name) {
		return t.Class
	}
	for _, c := range t.Others {
		if c.has(name) {
			return c
		}
	}
	return t.Class
}

// Classes returns the classes that an Instance may have.
func (t *Type) Classes() []*Class {
	if t.Class == nil {
		return nil
	}
	return append([]*Class{t.Class}, t.Others...)
}

func (c *Class) has(name string) bool { return c.Method(name) != nil || c.AttrOwner(name) != nil }

// Kind is the sort of a type.
type Kind uint8

// The kinds of types.
const (
	Unknown Kind = iota
	None
	Scalar // numbers, strings, bytes, booleans: no shared state
	Instance
	ClassObject
	Function
	ModuleObject
	External // an object from outside the program

	Dict
	DefaultDict
	Counter
	Set
	List
	Deque
	Tuple
	Queue

	Lock // Lock, RLock, Semaphore: held by with or acquire
	Condition
	AsyncLock
	Event
	Thread
	Executor
	ThreadLocal
)

var kindNames = [...]string{
	"unknown", "None", "scalar", "instance", "class", "function", "module", "external",
	"dict", "defaultdict", "counter", "set", "list", "deque", "tuple", "queue",
	"lock", "condition", "async lock", "event", "thread", "executor", "thread local",
}

func (k Kind) String() string { return kindNames[k] }

// Keyed reports whether the kind is a container that is used with a key.
func (k Kind) Keyed() bool { return k >= Dict && k <= Deque }

// IsLock reports whether entering a value of this kind excludes other threads.
func (k Kind) IsLock() bool { return k == Lock || k == Condition }

var (
	unknownType = &Type{}
	noneType    = &Type{Kind: None}
	scalarType  = &Type{Kind: Scalar}
)

// UnknownType returns the type about which nothing is known.
func UnknownType() *Type { return unknownType }

// NewInstance returns the type of the instances of c.
func NewInstance(c *Class) *Type { return &Type{Kind: Instance, Class: c} }

// Element returns what the container holds, never nil.
func (t *Type) Element() *Type {
	if t == nil || t.Elem == nil {
		return unknownType
	}
	return t.Elem
}

// known maps callables of the standard library, by dotted name, to the kind of
// what they return, and generic classes of typing likewise.
var known = map[string]Kind{
	"dict": Dict, "collections.OrderedDict": Dict, "typing.Dict": Dict, "typing.OrderedDict": Dict,
	"typing.Mapping": Dict, "typing.MutableMapping": Dict, "collections.abc.Mapping": Dict,
	"collections.abc.MutableMapping": Dict, "weakref.WeakValueDictionary": Dict, "weakref.WeakKeyDictionary": Dict,
	"collections.defaultdict": DefaultDict, "typing.DefaultDict": DefaultDict,
	"collections.Counter": Counter, "typing.Counter": Counter,
	"set": Set, "typing.Set": Set, "typing.MutableSet": Set, "collections.abc.MutableSet": Set, "weakref.WeakSet": Set,
	"list": List, "typing.List": List, "typing.Sequence": List, "collections.abc.Sequence": List,
	"typing.MutableSequence": List,
	"collections.deque":      Deque, "typing.Deque": Deque,
	"tuple": Tuple, "typing.Tuple": Tuple,
	"queue.Queue": Queue, "queue.SimpleQueue": Queue, "queue.LifoQueue": Queue, "queue.PriorityQueue": Queue,
	"multiprocessing.Queue": Queue, "asyncio.Queue": Queue, "multiprocessing.SimpleQueue": Queue,
	"threading.Lock": Lock, "threading.RLock": Lock, "threading.Semaphore": Lock, "threading.BoundedSemaphore": Lock,
	"multiprocessing.Lock": Lock, "multiprocessing.RLock": Lock,
	"threading.Condition": Condition, "threading.Event": Event,
	"asyncio.Lock": AsyncLock, "asyncio.Semaphore": AsyncLock, "asyncio.Condition": AsyncLock, "asyncio.Event": Event,
	"threading.Thread": Thread, "threading.Timer": Thread, "threading.local": ThreadLocal,
	"concurrent.futures.ThreadPoolExecutor": Executor, "concurrent.futures.ProcessPoolExecutor": Executor,
	"concurrent.futures.thread.ThreadPoolExecutor": Executor, "concurrent.futures.Executor": Executor,
	"int": Scalar, "str": Scalar, "float": Scalar, "bool": Scalar, "bytes": Scalar, "len": Scalar,
	"frozenset": Scalar, "min": Unknown, "max": Unknown,
	"time.time": Scalar, "time.monotonic": Scalar, "time.perf_counter": Scalar,
}

// NewContainer reports whether a callable of the standard library, by its dotted name,
// yields a new container.
func NewContainer(name string) bool { return known[name].Keyed() || known[name] == Queue }

// wrappers are generics that stand for their argument.
var wrappers = map[string]bool{
	"typing.Optional": true, "typing.Union": true, "typing.Final": true, "typing.ClassVar": true,
	"typing.Annotated": true, "typing.Type": false,
}

// annotationType is Annotation within an answer.
func (p *Program) annotationType(e ast.Expr, f *Func, mod *Module) *Type {
	return p.annotation(e, f, mod, 0)
}

func (p *Program) annotation(e ast.Expr, f *Func, mod *Module, depth int) *Type {
	if depth > maxHops {
		return unknownType
	}
	switch e := e.(type) {
	case *ast.Constant:
		switch e.Kind() {
		case ast.None:
			return noneType
		case ast.Str:
			if inner := parseExpr(e.Value()); inner != nil {
				return p.annotation(inner, f, mod, depth+1)
			}
		}
	case *ast.Name, *ast.Attribute:
		return p.named(p.resolve(e, f, mod), depth)
	case *ast.BinOp:
		if e.Op == ast.BitOr {
			return join(p.annotation(e.Left, f, mod, depth+1), p.annotation(e.Right, f, mod, depth+1))
		}
	case *ast.Subscript:
		return p.generic(e, f, mod, depth)
	}
	return unknownType
}

func (p *Program) named(r Ref, depth int) *Type {
	switch {
	case r.Class != nil:
		return r.Class.instanceType()
	case r.External != "":
		if k, ok := known[r.External]; ok {
			return &Type{Kind: k, Name: r.External}
		}
		return &Type{Kind: External, Name: r.External}
	case r.Var != nil:
		// An alias: Room = int, Table = Dict[int, str].
		for _, d := range r.Var.Defs {
			if d.Value != nil && d.Index < 0 && !d.Elem && r.VarScope != nil {
				return p.annotation(d.Value, d.Func, p.ModuleOf(r.VarScope), depth+1)
			}
		}
	}
	return unknownType
}

// ModuleOf returns the module that a scope belongs to.
func (p *Program) ModuleOf(s *Scope) *Module {
	for s.Parent != nil {
		if s.Func != nil {
			return s.Func.Module
		}
		s = s.Parent
	}
	for _, m := range p.Modules {
		if m.Scope == s {
			return m
		}
	}
	return p.Modules[0]
}

func (p *Program) generic(e *ast.Subscript, f *Func, mod *Module, depth int) *Type {
	args := []ast.Expr{e.Slice}
	if t, ok := e.Slice.(*ast.Tuple); ok {
		args = t.Elts
	}
	r := p.resolve(e.Value, f, mod)
	if wrappers[r.External] {
		t := unknownType
		for _, a := range args {
			t = join(t, p.annotation(a, f, mod, depth+1))
		}
		return t
	}
	base := p.named(r, depth)
	if len(args) == 0 {
		return base
	}
	switch base.Kind {
	case Dict, DefaultDict:
		return &Type{Kind: base.Kind, Name: base.Name, Elem: p.annotation(args[len(args)-1], f, mod, depth+1)}
	case Counter:
		return base
	case Set, List, Deque, Queue:
		return &Type{Kind: base.Kind, Name: base.Name, Elem: p.annotation(args[0], f, mod, depth+1)}
	case Tuple:
		t := &Type{Kind: Tuple, Name: base.Name}
		for _, a := range args {
			t.Elts = append(t.Elts, p.annotation(a, f, mod, depth+1))
		}
		return t
	}
	return base
}

// instanceType returns the type of the instances: that of the builtin for a
// class that derives from a container, lock or queue of the standard library.
func (c *Class) instanceType() *Type {
	for _, k := range c.MRO {
		for _, e := range k.External {
			if kind, ok := known[e]; ok && (kind.Keyed() || kind == Queue || kind.IsLock() || kind == ThreadLocal) {
				return &Type{Kind: kind, Class: c, Name: e}
			}
		}
	}
	if len(c.MRO) == 1 && needs(c.Method("put")) > 0 && needs(c.Method("get")) == 0 {
		return &Type{Kind: Queue, Class: c} // the queue protocol; get(key) is that of a table
	}
	return NewInstance(c)
}

// needs returns the number of arguments without which a method cannot be called, those
// apart that tell how to wait; -1 for no method.
func needs(m *Func) int {
	if m == nil {
		return -1
	}
	n := 0
	for _, p := range m.Params[min(1, len(m.Params)):] {
		if p.Default == nil && p.Variadic == Single && p.Name != "timeout" && p.Name != "block" {
			n++
		}
	}
	return n
}

// joinInstances returns the type of the derived class of two, and of unrelated
// ones a type with both.
func joinInstances(a, b *Type) *Type {
	switch {
	case b.Class.IsSubclass(a.Class):
		return b
	case a.Class.IsSubclass(b.Class):
		return a
	}
	for _, c := range a.Others {
		if c == b.Class {
			return a
		}
	}
	return &Type{Kind: Instance, Class: a.Class, Others: append(a.Others[:len(a.Others):len(a.Others)], b.Class)}
}

// join returns the more informative of two types, or what both agree on. It
// is not a least upper bound: a None or an unknown adds nothing.
func join(a, b *Type) *Type {
	switch {
	case a == nil || a.Kind == Unknown:
		return b
	case b == nil || b.Kind == Unknown:
		return a
	case a.Kind == None:
		return b
	case b.Kind == None:
		return a
	case a.Kind == Instance && b.Kind == Instance:
		return joinInstances(a, b)
	case a.Kind == External || a.Kind == Scalar:
		return b
	case b.Kind == External || b.Kind == Scalar:
		return a
	case a.Kind == b.Kind && a.Elem == nil:
		return b
	case a.Kind == Dict && b.Kind == DefaultDict:
		if b.Elem == nil && a.Elem != nil {
			return &Type{Kind: DefaultDict, Elem: a.Elem, Name: b.Name}
		}
		return b
	case a.Kind == b.Kind && b.Elem != nil && a.Elem.Kind == Unknown:
		return b
	}
	return a
}
