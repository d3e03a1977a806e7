package flow

import (
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/program"
)

func (b *builder) assign(n *ast.Assign) {
	if len(n.Targets) == 1 {
		if t, ok := n.Targets[0].(*ast.Tuple); ok {
			if v, ok := n.Value.(*ast.Tuple); ok && len(t.Elts) == len(v.Elts) && !starred(t.Elts) && !starred(v.Elts) {
				b.assignParallel(t.Elts, v.Elts, n)
				return
			}
		}
	}
	v := b.expr(n.Value)
	for _, t := range n.Targets {
		b.storeFrom(t, v, n, n.Value)
	}
}

// starred reports whether one of some expressions stands for as many values as it has.
func starred(elts []ast.Expr) bool {
	return slices.ContainsFunc(elts, func(x ast.Expr) bool { _, ok := x.(*ast.Starred); return ok })
}

// assignParallel lowers "a, b = x, y": all values first, then the targets.
func (b *builder) assignParallel(targets, exprs []ast.Expr, n *ast.Assign) {
	vals := make([]*Value, len(exprs))
	for i, e := range exprs {
		vals[i] = b.expr(e)
	}
	for i, t := range targets {
		b.storeFrom(t, vals[i], n, exprs[i])
	}
}

// store assigns a value to a target.
func (b *builder) store(t ast.Expr, v *Value, src ast.Node) { b.storeFrom(t, v, src, nil) }

// storeFrom assigns the value of an expression to a target.
func (b *builder) storeFrom(t ast.Expr, v *Value, src ast.Node, from ast.Expr) {
	switch t := t.(type) {
	case *ast.Name:
		b.storeName(t, v, src, from)
	case *ast.Attribute:
		b.storeAttr(t, v, src, from)
	case *ast.Subscript:
		b.storeItem(t, v, 0)
	case *ast.Tuple:
		b.unpack(t.Elts, v, src)
	case *ast.List:
		b.unpack(t.Elts, v, src)
	case *ast.Starred:
		b.store(t.Value, b.opaque(nil, ""), src)
	}
}

func (b *builder) storeName(t *ast.Name, v *Value, src ast.Node, from ast.Expr) {
	if l := b.localContainer(t.Id(), v, src); l != nil {
		v = b.container(l, nil, nil)
		b.emit(Node{Op: Rebind, Mode: Initial, Loc: l}, src)
	} else if l := b.globalTarget(t); l != nil {
		b.rebind(l, nil, nil, v, src, from)
		return
	}
	if v.Name == "" && (v.Kind == Opaque || v.Kind == Result) {
		v.Name = t.Id()
	}
	b.bind(t.Id(), v)
}

// globalTarget returns the location that a name declared global stores to.
func (b *builder) globalTarget(t *ast.Name) *Location {
	bind, home := b.frame.Fn.Scope.Lookup(t.Id())
	if bind == nil || home.Func != nil || b.frame.Fn.Scope.Own(t.Id()) != nil {
		return nil
	}
	return b.p.globalLocation(b.prog.ModuleOf(home), t.Id(), bind, b.typeOf(t))
}

// unpack assigns the parts of a value to targets. Taking a message apart fails
// when it has another number of parts.
func (b *builder) unpack(elts []ast.Expr, v *Value, src ast.Node) {
	if v.Kind != Derived && v.Kind != Object && (v.Type.Kind != program.Tuple || len(v.Type.Elts) != len(elts)) && v.Kind != Element {
		id := b.emit(Node{Op: Call, Name: "unpack", Val: v}, src)
		b.mayRaise(id, "ValueError")
	}
	for i, t := range elts {
		if s, ok := t.(*ast.Starred); ok {
			b.store(s.Value, b.opaque(nil, ""), src)
			for j, t := range elts[i+1:] {
				b.store(t, b.fromEnd(v, len(elts)-i-1-j), src)
			}
			return
		}
		b.store(t, b.part(v, i), src)
	}
}

// fromEnd returns an element of a value that is taken apart, counted from the end: the last
// one is 1.
func (b *builder) fromEnd(v *Value, n int) *Value {
	if x := element(v, int64(-n)); x != nil {
		return x
	}
	p := b.derived("item", program.UnknownType(), v, b.integer(int64(-n)))
	if v.Kind == Element {
		b.holds(p, v)
	}
	return p
}

// part returns element i of a value that is taken apart.
func (b *builder) part(v *Value, i int) *Value {
	if x := element(v, int64(i)); x != nil {
		return x
	}
	if v.Kind == Phi {
		if parts := b.phiParts(v, i); parts != nil {
			return parts
		}
	}
	t := program.UnknownType()
	if i < len(v.Type.Elts) {
		t = v.Type.Elts[i]
	}
	p := b.derived("item", t, v, b.integer(int64(i)))
	if v.Kind == Element {
		b.holds(p, v)
	}
	return p
}

// phiParts returns the Phi of the parts of tuples.
func (b *builder) phiParts(v *Value, i int) *Value {
	var parts []*Value
	for _, leaf := range v.Leaves() {
		x := element(leaf, int64(i))
		if x == nil {
			return nil
		}
		parts = append(parts, x)
	}
	for _, p := range parts {
		if p != parts[0] {
			return b.phi("", parts)
		}
	}
	return parts[0]
}

func (b *builder) storeAttr(t *ast.Attribute, v *Value, src ast.Node, from ast.Expr) {
	base := b.expr(t.Value)
	b.handOn(v)
	b.keepThread(t, v)
	if b.ownershipOf(base) == shared {
		b.escapes(v)
	}
	c := base.Type.ClassWith(t.Attr())
	if c == nil {
		return
	}
	l := b.p.attrLocation(c, t.Attr())
	if l == nil {
		b.keep(base, t.Attr(), v)
		return
	}
	path := ownerPath(base)
	if b.p.isAlias(c, t.Attr()) {
		return
	}
	b.uses(l, base)
	if l.Keyed() || located(l.Type.Kind) {
		b.rebind(l, c, path, v, src, from)
		return
	}
	mode := Mode(0)
	if b.inConstructor(base) {
		mode = Initial
	} else {
		mode = b.updates(l, v)
	}
	b.emit(Node{Op: SetFlag, Mode: mode, On: c, Obj: base, Loc: l, Path: path, Val: v}, src)
}

// updates returns the mode of a statement that adds to what the last step has read of
// the same flag, or subtracts from it, without the operator for that.
func (b *builder) updates(l *Location, v *Value) Mode {
	if v.Kind != Derived || len(v.Args) != 2 || b.dead() {
		return 0
	}
	old := v.Args[0]
	if last := &b.nodes[len(b.nodes)-1]; old.Kind != Result || old.Loc != l || last.Op != GetFlag || last.Res != old {
		return 0
	}
	switch v.Name {
	case ast.Add.String():
		return Update | Counting
	case ast.Sub.String():
		return Update | Counting | Down
	}
	return 0
}

// handOn notes that another object gets a container: when its location takes a
// new one afterwards, the object keeps the former content.
func (b *builder) handOn(v *Value) {
	if v.Kind == Container && v.Loc.Keyed() {
		if b.handedOn == nil {
			b.handedOn = map[*Location]*Frame{}
		}
		b.handedOn[v.Loc] = b.frame
	}
}

// keep records that an attribute of the entrypoint's object holds a value.
func (b *builder) keep(base *Value, attr string, v *Value) {
	if base.Kind != Param || v.Kind == Const {
		return
	}
	if b.g.stored == nil {
		b.g.stored = map[string]string{}
	}
	b.g.stored[v.id] = base.id + "." + attr
}

// inConstructor reports whether base is the object whose constructor runs.
func (b *builder) inConstructor(base *Value) bool {
	for fr := b.frame; fr != nil; fr = fr.Caller {
		if constructor(fr.Fn) && fr.Self == base {
			return true
		}
	}
	return false
}

// rebind lowers the assignment of a container to its location. Variables that
// hold the former container keep it for themselves.
func (b *builder) rebind(l *Location, c *program.Class, path []*Value, v *Value, src ast.Node, from ast.Expr) {
	n := Node{Op: Rebind, On: c, Loc: l, Path: path, Val: v}
	if b.constructing() {
		n.Mode = Initial
	}
	if v.Kind == View && v.Base != nil && v.Base.Loc == l {
		n.Mode |= Filter
	} else if from != nil && mentionsFilter(v, l) {
		n.Mode |= Filter
	}
	if b.handedOn[l] == b.frame {
		n.Mode |= Swap
	}
	delete(b.handedOn, l)
	for fr := b.frame; fr != nil; fr = fr.closure {
		for name, x := range fr.env {
			if x.Kind == Container && x.Loc == l {
				fr.own()[name] = b.view(x, "elements", true)
				n.Mode |= Swap
			}
		}
	}
	b.emit(n, src)
	if n.Mode&(Filter|Initial) == Filter {
		if key := b.leftOut(from, l); key != nil {
			b.emit(Node{Op: Del, On: c, Loc: l, Path: path, Key: key}, src)
		}
	}
}

// leftOut returns the key that a filtered copy of a container leaves out, as in
// {k: v for k, v in self.rows.items() if k != key}; nil when it goes by something
// else.
func (b *builder) leftOut(copied ast.Expr, l *Location) *Value {
	if call, ok := copied.(*ast.Call); ok && len(call.Args()) == 1 {
		copied = call.Args()[0] // set(k for k in self.rows if k != key)
	}
	gens := ast.Generators(copied)
	if len(gens) != 1 || len(gens[0].Ifs) != 1 {
		return nil
	}
	isMap := l.Type.Kind == program.Dict || l.Type.Kind == program.DefaultDict || l.Type.Kind == program.Counter
	target := gens[0].Target
	if pair, ok := target.(*ast.Tuple); ok && isMap && len(pair.Elts) == 2 {
		target = pair.Elts[0]
	}
	elem, ok := target.(*ast.Name)
	cmp, compares := gens[0].Ifs[0].(*ast.Compare)
	if !ok || !compares || len(cmp.Ops) != 1 || cmp.Ops[0] != ast.NotEq {
		return nil
	}
	for _, way := range [2][2]ast.Expr{{cmp.Left, cmp.Comparators[0]}, {cmp.Comparators[0], cmp.Left}} {
		if x, ok := way[0].(*ast.Name); !ok || x.Id() != elem.Id() {
			continue
		}
		switch way[1].(type) {
		case *ast.Name, *ast.Attribute:
			return b.expr(way[1])
		}
	}
	return nil
}

// constructor reports whether a function sets up a new object: its constructor, or
// what the constructor of a dataclass calls.
func constructor(f *program.Func) bool { return f.Name == "__init__" || f.Name == "__post_init__" }

func (b *builder) constructing() bool {
	for fr := b.frame; fr != nil; fr = fr.Caller {
		if constructor(fr.Fn) {
			return true
		}
	}
	return false
}

func mentionsFilter(v *Value, l *Location) bool {
	return v.Base != nil && v.Base.Kind == Container && v.Base.Loc == l
}

// localContainer returns the location of a local variable that holds a new
// container and is shared with a nested function, or nil.
func (b *builder) localContainer(name string, v *Value, src ast.Node) *Location {
	if v.Kind != Object || !v.Type.Kind.Keyed() && !located(v.Type.Kind) {
		return nil
	}
	if !b.p.capturedBy(b.frame.Fn)[name] {
		return nil
	}
	return b.p.localLocation(b.frame.Fn, name, v.Type, src)
}

func (b *builder) augAssign(n *ast.AugAssign) {
	v := b.expr(n.Value)
	mode := Update
	if n.Op == ast.Add || n.Op == ast.Sub {
		mode |= Counting
		if n.Op == ast.Sub {
			mode |= Down
		}
	}
	switch t := n.Target.(type) {
	case *ast.Subscript:
		c, key := b.itemTarget(t)
		if c == nil {
			return
		}
		b.readItem(c, key, t)
		b.putItem(c, key, v, t, mode)
	case *ast.Attribute:
		b.augAttr(n, t, v, mode)
	case *ast.Name:
		if x := b.name(t); x.Kind == Container && x.Loc.Keyed() {
			b.inPlace(x, n.Op, v, n)
			return
		}
		if x := b.name(t); x.Kind == View && x.Snapshot {
			b.bind(t.Id(), b.derived(n.Op.String(), x.Type, x, v)) // a copy with more, or less, in it
			return
		}
		b.bind(t.Id(), b.opaque(nil, t.Id()))
	}
}

func (b *builder) augAttr(n *ast.AugAssign, t *ast.Attribute, v *Value, mode Mode) {
	x := b.attr(b.expr(t.Value), t.Attr(), t)
	if x.Kind == Container {
		b.inPlace(x, n.Op, v, n)
		return
	}
	if x.Kind == Result && x.Loc != nil {
		b.emit(Node{Op: SetFlag, Mode: mode, On: x.Cls, Obj: x.Base, Loc: x.Loc, Path: x.Path(), Val: b.derived(n.Op.String(), b.scalar(), x, v)}, n)
	}
}

// inPlace lowers s |= x, l += x and the like.
func (b *builder) inPlace(x *Value, op ast.Operator, v *Value, src ast.Node) {
	switch op {
	case ast.BitOr, ast.Add, ast.BitXor:
		b.emit(Node{Op: PutAll, On: x.Cls, Loc: x.Loc, Path: x.Path(), Val: v}, src)
	case ast.Sub:
		b.delAll(x, v, src)
	case ast.BitAnd:
		b.emit(Node{Op: DelAll, On: x.Cls, Loc: x.Loc, Path: x.Path(), Val: v}, src)
	}
}

// delAll removes from a container what another one holds: one entry after the other
// if that is a display.
func (b *builder) delAll(x, v *Value, src ast.Node) {
	if v == nil || v.Kind != Object || len(v.Args) == 0 || x.Type.Kind != program.Set {
		b.emit(Node{Op: DelAll, On: x.Cls, Loc: x.Loc, Path: x.Path(), Val: v}, src)
		return
	}
	for _, key := range v.Args {
		b.emit(Node{Op: Del, On: x.Cls, Loc: x.Loc, Path: x.Path(), Key: key}, src)
	}
}

func (b *builder) delete(t ast.Expr, n *ast.Delete) {
	switch t := t.(type) {
	case *ast.Subscript:
		c, key := b.itemTarget(t)
		if c == nil {
			return
		}
		mode := Strict
		if c.Type.Kind == program.Counter {
			mode = 0 // del counter[k] takes an absent key
		}
		b.delItem(c, key, mode, nil, n)
	case *ast.Name:
		delete(b.frame.own(), t.Id())
	case *ast.Attribute:
		if base := b.expr(t.Value); base.Type.Class != nil {
			if l := b.p.attrLocation(base.Type.Class, t.Attr()); l != nil && !l.Keyed() {
				b.uses(l, base)
				b.emit(Node{Op: SetFlag, On: base.Type.Class, Obj: base, Loc: l, Path: ownerPath(base), Val: b.none()}, n)
			}
		}
	}
}

// itemTarget lowers the container and key of a subscript; nil when the
// container is not tracked.
func (b *builder) itemTarget(t *ast.Subscript) (c, key *Value) {
	c = b.expr(t.Value)
	key = b.expr(t.Slice)
	if c.Kind == Container && c.Loc.Keyed() {
		return c, key
	}
	return nil, key
}

func (b *builder) storeItem(t *ast.Subscript, v *Value, mode Mode) {
	c, key := b.expr(t.Value), b.expr(t.Slice)
	if c.Kind == Container && c.Loc.Keyed() {
		b.putItem(c, key, v, t, mode)
		return
	}
	b.holds(c, key)
	b.holds(c, v)
}

func (b *builder) putItem(c, key, v *Value, src ast.Node, mode Mode) {
	b.emit(Node{Op: Put, Mode: mode, On: c.Cls, Loc: c.Loc, Path: c.Path(), Key: key, Val: v}, src)
}

func (b *builder) delItem(c, key *Value, mode Mode, def *Value, src ast.Node) *Value {
	res := b.itemValue(c, key)
	id := b.emit(Node{Op: Del, Mode: mode, On: c.Cls, Loc: c.Loc, Path: c.Path(), Key: key, Def: def, Res: res}, src)
	if mode&Strict != 0 {
		exc := "KeyError"
		if c.Type.Kind == program.List || c.Type.Kind == program.Deque {
			exc = "ValueError"
		}
		b.mayRaise(id, exc)
	}
	return res
}

// itemValue returns the register of what container c holds under key.
func (b *builder) itemValue(c, key *Value) *Value {
	res := b.result(c.Type.Element(), "")
	res.Loc = c.Loc
	res.Base = c
	res.change().path = append(c.Path()[:len(c.Path()):len(c.Path())], key)
	return res
}
