package flow

import (
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/program"
)

func (b *builder) subscript(e *ast.Subscript) *Value {
	base := b.expr(e.Value)
	if base.Kind == Container && base.Loc.Keyed() {
		if _, slice := e.Slice.(*ast.Slice); slice {
			b.expr(e.Slice)
			return b.view(base, "elements", true)
		}
		key := b.expr(e.Slice)
		return b.nested(base, key, b.readItem(base, key, e))
	}
	key := b.expr(e.Slice)
	if c, ok := e.Slice.(*ast.Constant); ok && c.Kind() == ast.Int && base.Kind != Const {
		if k := b.constant(c); k.HasInt && k.Int >= 0 {
			return b.part(base, int(k.Int))
		}
	}
	if base.Kind == View {
		return b.opaque(base.Type.Element(), "")
	}
	return b.derived("item", base.Type.Element(), base, key)
}

// readItem lowers the read of c[key] and returns its register.
func (b *builder) readItem(c, key *Value, src ast.Node) *Value {
	res := b.itemValue(c, key)
	switch c.Type.Kind {
	case program.Counter:
		// What is missing counts 0 and stays missing.
		b.emit(Node{Op: Read, On: c.Cls, Loc: c.Loc, Path: c.Path(), Key: key, Def: b.integer(0), Res: res}, src)
	case program.DefaultDict:
		b.emit(Node{Op: Read, Mode: Upsert, On: c.Cls, Loc: c.Loc, Path: c.Path(), Key: key, Res: res}, src)
	case program.Dict:
		id := b.emit(Node{Op: Read, Mode: Strict, On: c.Cls, Loc: c.Loc, Path: c.Path(), Key: key, Res: res}, src)
		b.mayRaise(id, "KeyError")
	default:
		b.emit(Node{Op: Read, On: c.Cls, Loc: c.Loc, Path: c.Path(), Key: key, Res: res}, src)
	}
	return res
}

// nested returns what was read from container c under key as a container of
// its own, when it is one.
func (b *builder) nested(c, key, res *Value) *Value {
	t := c.Type.Element()
	if !t.Kind.Keyed() && !located(t.Kind) {
		return res
	}
	inner := b.p.nestedLocation(c.Loc, t)
	held := b.container(inner, c.Cls, append(c.Path()[:len(c.Path()):len(c.Path())], key))
	delete(b.absent, held)
	return held
}

// absentAs notes that a step whose result is res has yielded the container held,
// or None when there is no such entry: a test for None then tests res.
func (b *builder) absentAs(held, res *Value) {
	if held != res && res != nil {
		b.absent[held] = res
	}
}

func (b *builder) view(c *Value, name string, snapshot bool) *Value {
	id := "view " + name + " " + c.id
	if snapshot {
		id = "copy " + name + " " + c.id
	}
	return b.intern(&Value{Kind: View, Base: c, Name: name, Snapshot: snapshot, id: id, Type: &program.Type{Kind: program.List, Elem: c.Type.Elem}})
}

// containerCall lowers a method call on a tracked container. It reports false
// for a method that containers do not have.
func (b *builder) containerCall(c *Value, method string, e *ast.Call) (*Value, bool) {
	args := make([]*Value, len(e.Args()))
	for i, a := range e.Args() {
		args[i] = b.expr(a)
	}
	for _, kw := range e.Keywords() {
		v := b.expr(kw.Value)
		if kw.Arg() == "default" {
			args = append(args, v)
		}
	}
	access := func(op Op, mode Mode, n Node) *Value {
		n.Op, n.Mode, n.On, n.Loc, n.Path = op, mode, c.Cls, c.Loc, c.Path()
		b.emit(n, e)
		return n.Res
	}
	isMap := c.Type.Kind == program.Dict || c.Type.Kind == program.DefaultDict || c.Type.Kind == program.Counter
	has := len(args) > 0
	switch {
	case method == "get" && isMap && has:
		res := b.itemValue(c, args[0])
		n := Node{Key: args[0], Res: res}
		if len(args) > 1 {
			n.Def = args[1]
			if a := n.Def; a.Type.Kind != program.Unknown && res.Type.Kind == program.Unknown {
				res.Type = a.Type
			}
		}
		access(Read, 0, n)
		held := b.nested(c, args[0], res)
		if n.Def == nil || n.Def.IsNone() {
			b.absentAs(held, res)
		}
		return held, true
	case method == "pop" && isMap && has:
		if len(args) > 1 {
			res := b.delItem(c, args[0], 0, args[1], e)
			held := b.nested(c, args[0], res)
			if args[1].IsNone() {
				b.absentAs(held, res)
			}
			return held, true
		}
		return b.nested(c, args[0], b.delItem(c, args[0], Strict, nil, e)), true
	case method == "setdefault" && isMap && has:
		v := b.none()
		if len(args) > 1 {
			v = args[1]
		}
		res := b.itemValue(c, args[0])
		access(Put, Upsert, Node{Key: args[0], Val: v, Res: res})
		return b.nested(c, args[0], res), true
	case method == "keys" || method == "values" || method == "items":
		return b.view(c, method, false), isMap
	case method == "update":
		access(PutAll, 0, Node{Val: first(args)})
	case method == "popitem":
		res := b.result(nil, "")
		res.Loc, res.Base = c.Loc, c
		access(Del, Strict|AnyKey, Node{Res: res})
		return res, true
	case method == "move_to_end" && has:
		id := b.emit(Node{Op: Read, Mode: Strict, On: c.Cls, Loc: c.Loc, Path: c.Path(), Key: args[0]}, e)
		b.mayRaise(id, "KeyError")
	case method == "clear":
		access(Clear, 0, Node{})
	case method == "copy":
		return b.snapshot(c, e), true
	case method == "add" && has, (method == "append" || method == "appendleft") && has:
		access(Put, 0, Node{Key: args[0], Val: args[0]})
	case method == "insert" && len(args) > 1:
		access(Put, 0, Node{Key: args[1], Val: args[1]})
	case method == "discard" && has:
		b.delItem(c, args[0], 0, nil, e)
	case method == "remove" && has:
		b.delItem(c, args[0], Strict, nil, e)
	case method == "pop" || method == "popleft":
		res := b.result(c.Type.Element(), "")
		res.Loc, res.Base = c.Loc, c
		access(Del, AnyKey, Node{Res: res})
		return res, true
	case method == "extend" || method == "extendleft" || method == "symmetric_difference_update":
		access(PutAll, 0, Node{Val: first(args)})
	case method == "difference_update" && len(args) == 1:
		b.delAll(c, args[0], e)
	case method == "difference_update" || method == "intersection_update" || method == "subtract":
		access(DelAll, 0, Node{Val: first(args)})
	case method == "union" || method == "difference" || method == "intersection" || method == "symmetric_difference":
		return b.snapshot(c, e), true
	case method == "index" || method == "count" || method == "__len__" || method == "issubset" || method == "issuperset" || method == "isdisjoint":
		access(Size, 0, Node{})
	case method == "sort" || method == "reverse" || method == "rotate":
	default:
		return b.opaque(nil, ""), false
	}
	return b.none(), true
}

func first(args []*Value) *Value {
	if len(args) > 0 {
		return args[0]
	}
	return nil
}

// snapshot lowers an atomic copy of a container or view.
func (b *builder) snapshot(v *Value, src ast.Node) *Value {
	c, name := v, "elements"
	if v.Kind == View {
		if v.Snapshot {
			return v
		}
		c, name = v.Base, v.Name
	}
	b.emit(Node{Op: Iter, On: c.Cls, Loc: c.Loc, Path: c.Path()}, src)
	return b.view(c, name, true)
}

// iteration is what a loop or comprehension walks over.
type iteration struct {
	base          *Value // the container, or nil
	part          string // keys, values, items or elements
	live          bool
	backward      bool
	comprehension bool
	parts         []iteration // of zip and enumerate
	value         *Value      // anything else
	src           ast.Node
}

// iterable lowers the expression that a loop walks over.
func (b *builder) iterable(e ast.Expr) iteration {
	if call, ok := e.(*ast.Call); ok {
		if name, ok := call.Func.(*ast.Name); ok {
			switch name.Id() {
			case "enumerate":
				if len(call.Args()) > 0 {
					inner := b.iterable(call.Args()[0])
					return iteration{base: inner.base, live: inner.live, backward: inner.backward, src: inner.src, parts: []iteration{{value: b.opaque(b.scalar(), "")}, inner}}
				}
			case "zip":
				it := iteration{src: e}
				for _, a := range call.Args() {
					in := b.iterable(a)
					if in.base != nil && it.base == nil {
						it.base, it.live, it.backward, it.src = in.base, in.live, in.backward, in.src
					}
					it.parts = append(it.parts, in)
				}
				return it
			case "reversed", "iter":
				if len(call.Args()) == 1 {
					it := b.iterable(call.Args()[0])
					it.backward = it.backward || name.Id() == "reversed"
					return it
				}
			}
		}
	}
	v := b.expr(e)
	switch {
	case v.Kind == Container && v.Loc.Keyed():
		return iteration{base: v, part: "elements", live: true, src: e}
	case v.Kind == View:
		return iteration{base: v.Base, part: v.Name, live: !v.Snapshot, src: e}
	}
	return iteration{value: v, src: e}
}

// elementOf returns what the loop variable of an iteration takes.
func (b *builder) elementOf(it iteration) *Value {
	if it.parts != nil {
		vals := make([]*Value, len(it.parts))
		for i, p := range it.parts {
			vals[i] = b.elementOf(p)
		}
		return b.derived("tuple", &program.Type{Kind: program.Tuple}, vals...)
	}
	if it.base == nil {
		if el := b.collected[it.value]; el != nil {
			return b.another(el)
		}
		if v := it.value; v != nil && len(v.Args) > 0 && (v.Kind == Object || v.Kind == Derived && v.Name == "tuple") {
			el := b.phi("", v.Args) // a loop over a display
			b.holds(el, v)
			return el
		}
		t := program.UnknownType()
		if it.value != nil {
			t = it.value.Type.Element()
			if it.value.Type.Kind == program.Dict {
				t = b.scalar()
			}
		}
		el := b.newValue(Element, t, "")
		el.Base = it.value
		b.holds(el, it.value)
		return el
	}
	isMap := it.base.Type.Kind == program.Dict || it.base.Type.Kind == program.DefaultDict || it.base.Type.Kind == program.Counter
	key := b.newValue(Element, b.scalar(), "")
	key.Base, key.Loc = it.base, it.base.Loc
	if !isMap {
		key.Type = it.base.Type.Element()
		return key
	}
	if it.part == "keys" || it.part == "elements" {
		return key
	}
	val := b.newValue(Element, it.base.Type.Element(), "")
	val.Base, val.Loc = it.base, it.base.Loc
	val.change().path = append(it.base.Path()[:len(it.base.Path()):len(it.base.Path())], key)
	held := b.nested(it.base, key, val)
	if it.part == "values" {
		return held
	}
	return b.derived("tuple", &program.Type{Kind: program.Tuple}, key, held)
}

// comprehension lowers a comprehension or generator expression whose loops
// touch shared state; of others only the calls of the first iterable matter.
func (b *builder) comprehension(e ast.Expr, elt, val ast.Expr, gens []*ast.Comprehension) *Value {
	t := b.typeOf(e)
	if t.Kind == program.Unknown {
		t = &program.Type{Kind: program.List}
	}
	out := b.newValue(Object, t, "")
	if !b.p.touches(e, b.frame.Fn) && !b.waitsForEach(gens) {
		return out
	}
	saved := b.save().env
	var source *Value
	var first *Value
	b.generators(gens, func() {
		first = b.expr(elt)
		b.holds(out, first)
		if val != nil {
			b.holds(out, b.expr(val))
		}
	}, &source)
	b.frame.env, b.frame.shared = saved, true
	out.Base = source
	b.collect(out, first)
	return out
}

// changed notes a call of a method of a new container that nothing else knows yet.
func (b *builder) changed(c *Value, method string, args []*Value) {
	switch method {
	case "append", "add":
		if len(args) == 1 {
			b.collect(c, args[0])
			b.holds(c, args[0])
		}
	case "extend", "insert", "update", "pop", "remove", "discard", "clear":
		b.collected[c] = nil
	default:
		return
	}
	c.Args = nil // more, or less, than the display has
}

// itemsOf returns what items() and values() of a new dict yield, as a display: nil
// for another method, or where not all entries are known.
func (b *builder) itemsOf(dict *Value, method string, e ast.Expr) *Value {
	if method != "items" && method != "values" {
		return nil
	}
	out := b.newValue(Object, b.typeOf(e), "")
	for _, it := range b.items[dict] {
		switch {
		case it.key == nil:
			return nil
		case method == "items":
			out.Args = append(out.Args, b.derived("tuple", &program.Type{Kind: program.Tuple}, it.key, it.val))
		default:
			out.Args = append(out.Args, it.val)
		}
	}
	return out
}

// collect notes that a new list or set holds an element of a container: whoever
// walks over it takes what was in the container.
func (b *builder) collect(into, v *Value) {
	have, known := b.collected[into]
	if !fromContainer(v) || known && (have == nil || !keyPart(have).Base.Same(keyPart(v).Base)) {
		v = nil // elements of several containers, or something else
	}
	b.collected[into] = v
}

// keyPart returns the first part of a tuple, or the value itself.
func keyPart(v *Value) *Value {
	if v.Kind == Derived && v.Name == "tuple" && len(v.Args) > 0 {
		return v.Args[0]
	}
	return v
}

// fromContainer reports whether a value is an element of a container, or a tuple
// that begins with one, as a key and its value do.
func fromContainer(v *Value) bool {
	if v == nil {
		return false
	}
	k := keyPart(v)
	return k.Kind == Element && k.Base != nil && k.Base.Kind == Container
}

// another returns another element of the container that an element is of.
func (b *builder) another(el *Value) *Value {
	if el.Kind == Derived {
		args := slices.Clone(el.Args)
		args[0] = b.another(args[0])
		for i, a := range args[1:] {
			args[i+1] = b.opaque(a.Type, "")
		}
		return b.derived(el.Name, el.Type, args...)
	}
	v := *el
	v.id = b.opaque(nil, "").id
	v.Name = ""
	return &v
}

// generators lowers the nested loops of a comprehension; source receives the
// container that the first one walks.
func (b *builder) generators(gens []*ast.Comprehension, body func(), source **Value) {
	if len(gens) == 0 {
		body()
		return
	}
	g := gens[0]
	it := b.iterable(g.Iter)
	it.comprehension = true
	if source != nil && it.base != nil {
		*source = it.base
	}
	if g.IsAsync {
		b.emit(Node{Op: Await, Mode: Async}, g.Iter)
	}
	b.loop(it, g.Target, g, func() {
		var skipped []state
		for _, c := range g.Ifs {
			yes, no := b.cond(c)
			skipped = append(skipped, no)
			b.restore(yes)
		}
		b.generators(gens[1:], body, nil)
		b.join(append(skipped, b.save())...)
	}, nil)
}
