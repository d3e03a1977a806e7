package flow

import (
	"strconv"
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/program"
)

// expr lowers an expression and returns its value, never nil.
func (b *builder) expr(e ast.Expr) *Value {
	switch e := e.(type) {
	case nil:
		return b.none()
	case *ast.Constant:
		return b.constant(e)
	case *ast.Name:
		return b.name(e)
	case *ast.Attribute:
		return b.methodRead(b.attr(b.expr(e.Value), e.Attr(), e), e)
	case *ast.Subscript:
		return b.subscript(e)
	case *ast.Call:
		return b.call(e)
	case *ast.Tuple:
		return b.tuple(e.Elts)
	case *ast.List:
		return b.display(e.Elts, e)
	case *ast.Set:
		return b.display(e.Elts, e)
	case *ast.Dict:
		out := b.object(e)
		for i, v := range e.Values {
			it := item{}
			if e.Keys[i] != nil {
				it.key = b.expr(e.Keys[i])
			}
			it.val = b.expr(v)
			b.items[out] = append(b.items[out], it)
		}
		return out
	case *ast.BinOp:
		l, r := b.expr(e.Left), b.expr(e.Right)
		return b.derived(e.Op.String(), b.binOpType(l, r), l, r)
	case *ast.UnaryOp:
		v := b.expr(e.Operand)
		if e.Op == ast.USub && v.HasInt && v.Cls == nil {
			return b.integer(-v.Int)
		}
		if e.Op == ast.Not && v.Kind == Container && v.Loc.Keyed() {
			v = b.sizeOf(v, e.Operand)
		}
		return b.derived(e.Op.String(), b.scalar(), v)
	case *ast.JoinedStr:
		return b.joinedStr(e)
	case *ast.BoolOp, *ast.Compare:
		return b.condValue(e)
	case *ast.IfExp:
		return b.ifExp(e)
	case *ast.NamedExpr:
		v := b.expr(e.Value)
		b.store(e.Target, v, e)
		return v
	case *ast.Lambda:
		if f := b.prog.FuncOf(e); f != nil {
			return b.function(f, nil)
		}
	case *ast.ListComp:
		return b.comprehension(e, e.Elt, nil, e.Generators)
	case *ast.SetComp:
		return b.comprehension(e, e.Elt, nil, e.Generators)
	case *ast.GeneratorExp:
		return b.comprehension(e, e.Elt, nil, e.Generators)
	case *ast.DictComp:
		return b.comprehension(e, e.Key, e.Value, e.Generators)
	case *ast.Await:
		return b.await(e)
	case *ast.Yield:
		if e.Value != nil {
			b.expr(e.Value)
		}
		if b.frame.onYield != nil {
			b.frame.onYield()
			break
		}
		b.emit(Node{Op: Yield}, e)
	case *ast.YieldFrom:
		b.expr(e.Value)
		b.emit(Node{Op: Yield}, e)
	case *ast.Starred:
		return b.expr(e.Value)
	case *ast.Slice:
		for _, x := range []ast.Expr{e.Lower, e.Upper, e.Step} {
			if x != nil {
				b.expr(x)
			}
		}
	}
	return b.opaque(nil, "")
}

func (b *builder) none() *Value {
	if v := b.interned["cNone"]; v != nil {
		return v
	}
	return b.intern(&Value{Kind: Const, Lit: ast.None, Name: "None", id: "cNone", Type: b.p.noneType})
}

func (b *builder) scalar() *program.Type { return b.p.scalarType }

func (b *builder) integer(n int64) *Value {
	b.id = strconv.AppendInt(append(b.id[:0], 'c'), n, 10)
	if v := b.known(); v != nil {
		return v
	}
	v := b.coin(&Value{Kind: Const, Lit: ast.Int, Int: n, HasInt: true, Type: b.scalar()})
	v.Name = v.id[1:]
	return v
}

func (b *builder) constant(e *ast.Constant) *Value {
	switch e.Kind() {
	case ast.None:
		return b.none()
	case ast.True, ast.False:
		name := e.Kind().String()
		b.id = append(append(b.id[:0], 'c'), name...)
		if v := b.known(); v != nil {
			return v
		}
		return b.intern(&Value{Kind: Const, Lit: e.Kind(), Name: name, id: "c" + name, Type: b.scalar()})
	case ast.Int:
		if n, err := strconv.ParseInt(strings.ReplaceAll(e.Value(), "_", ""), 0, 64); err == nil {
			return b.integer(n)
		}
	}
	b.id = append(b.id[:0], 'c')
	if e.Kind() == ast.Str {
		b.id = append(b.id, '"')
	} else {
		b.id = append(b.id, e.Kind().String()...)
	}
	b.id = append(b.id, e.Value()...)
	if v := b.known(); v != nil {
		return v
	}
	return b.coin(&Value{Kind: Const, Lit: e.Kind(), Name: e.Value(), Type: b.scalar()})
}

// object returns a new instance that an expression makes.
func (b *builder) object(e ast.Expr) *Value {
	return b.newValue(Object, b.typeOf(e), "")
}

func (b *builder) typeOf(e ast.Expr) *program.Type {
	return b.prog.TypeOf(e, b.env())
}

func (b *builder) env() program.Env {
	env := program.Env{Module: b.frame.Fn.Module, Func: b.frame.Fn}
	if b.frame.Self != nil {
		env.Self = b.frame.Self.Type.Class
	}
	return env
}

func (b *builder) classValue(c *program.Class) *Value {
	if v := b.named("class ", c.Module.Path, ".", c.Qual); v != nil {
		return v
	}
	return b.coin(&Value{Kind: Class, Cls: c, Type: &program.Type{Kind: program.ClassObject, Class: c}})
}

// function returns a function as a value: bound to self, with the variables of
// the current frame.
func (b *builder) function(f *program.Func, self *Value) *Value {
	b.id = append(append(append(append(b.id[:0], "func "...), f.Module.Path...), '.'), f.Qual...)
	b.id = strconv.AppendInt(append(b.id, '@'), int64(f.Node.Pos()), 10)
	if self != nil {
		b.id = append(append(b.id, " of "...), self.id...)
	}
	if f.Outer != nil {
		b.id = strconv.AppendInt(append(b.id, " in "...), int64(b.frame.serial), 10)
	}
	if v := b.known(); v != nil {
		return v
	}
	return b.coin(&Value{
		Kind: Function, Fn: f, extra: &extra{self: self, frame: b.frame},
		Type: &program.Type{Kind: program.Function, Func: f},
	})
}

func (b *builder) name(e *ast.Name) *Value {
	name := e.Id()
	for fr := b.frame; fr != nil; fr = fr.closure {
		if v := fr.env[name]; v != nil {
			return v
		}
	}
	r := b.prog.Resolve(e, b.frame.Fn, b.frame.Fn.Module)
	return b.ref(r, e)
}

// ref returns the value of a resolved name.
func (b *builder) ref(r program.Ref, e ast.Expr) *Value {
	switch {
	case r.Class != nil:
		return b.classValue(r.Class)
	case r.Func != nil:
		return b.function(r.Func, nil)
	case r.Module != nil:
		if v := b.named("module ", r.Module.Path); v != nil {
			return v
		}
		return b.coin(&Value{Kind: Module, Mod: r.Module, Type: &program.Type{Kind: program.ModuleObject, Mod: r.Module}})
	case r.Member != nil:
		return b.member(r.Member.Class, r.Member.Name)
	case r.External != "":
		if v := b.named(external, r.External); v != nil {
			return v
		}
		return b.coin(&Value{Kind: Opaque, Name: r.External, Type: &program.Type{Kind: program.External, Name: r.External}})
	case r.Var != nil && r.VarScope != nil && r.VarScope.Func == nil:
		return b.global(r, e)
	case r.Var != nil && r.Var.Param != nil:
		prm := r.Var.Param
		if v := b.named("param ", prm.Func.Qual, ".", prm.Name); v != nil {
			return v
		}
		return b.coin(&Value{Kind: Param, Name: prm.Name, Type: b.typeOf(e)})
	}
	name := ""
	if n, ok := e.(*ast.Name); ok {
		name = n.Id()
	}
	return b.opaque(b.typeOf(e), name)
}

// global returns the value of a module variable: a location, a constant, or
// something stable.
func (b *builder) global(r program.Ref, e ast.Expr) *Value {
	name := ""
	switch e := e.(type) {
	case *ast.Name:
		name = e.Id()
	case *ast.Attribute:
		name = e.Attr()
	}
	t := b.typeOf(e)
	mod := b.prog.ModuleOf(r.VarScope)
	if l := b.p.globalLocation(mod, name, r.Var, t); l != nil {
		return b.container(l, nil, nil)
	}
	if len(r.Var.Defs) == 1 {
		if v := b.globalConstant(r.Var.Defs[0], name, mod); v != nil {
			return v
		}
	}
	if v := b.named("global ", mod.Path, ".", name); v != nil {
		return v
	}
	return b.coin(&Value{Kind: Opaque, Name: name, Type: t})
}

// globalConstant returns the value of a module variable that is a constant: a
// literal, a tuple or set of constants from which nothing is taken, or one of several names that are unpacked from
// a tuple or range.
func (b *builder) globalConstant(d program.Def, name string, mod *program.Module) *Value {
	if d.Elem || d.Enter {
		return nil
	}
	var v *Value
	switch lit := d.Value.(type) {
	case *ast.Constant:
		if d.Index < 0 {
			v = b.constant(lit)
		}
	case *ast.Tuple:
		if d.Index < 0 {
			return b.constantParts(lit.Elts, mod)
		}
		if d.Index < len(lit.Elts) {
			if c, ok := lit.Elts[d.Index].(*ast.Constant); ok {
				v = b.constant(c)
			}
		}
	case *ast.Set:
		if d.Index < 0 && !b.p.touching.vars[name] {
			return b.constantParts(lit.Elts, mod)
		}
	case *ast.List:
		if d.Index < 0 && !b.p.touching.vars[name] {
			return b.constantParts(lit.Elts, mod)
		}
	case *ast.Call:
		fn, ok := lit.Func.(*ast.Name)
		if !ok || len(lit.Args()) != 1 {
			break
		}
		switch {
		case fn.Id() == "range" && d.Index >= 0:
			v = b.integer(int64(d.Index))
		case d.Index < 0 && (fn.Id() == "frozenset" || fn.Id() == "tuple" || fn.Id() == "set" && !b.p.touching.vars[name]):
			return b.globalConstant(program.Def{Value: lit.Args()[0], Index: -1}, name, mod)
		}
	}
	if v == nil || v.Kind != Const || v.Lit == ast.None {
		return nil
	}
	named := *v
	named.Name = name
	return &named
}

// constantParts returns a tuple of constants of module mod, or nil when there are
// other parts.
func (b *builder) constantParts(elts []ast.Expr, mod *program.Module) *Value {
	vals := make([]*Value, len(elts))
	for i, e := range elts {
		switch e := e.(type) {
		case *ast.Constant:
			vals[i] = b.constant(e)
		case *ast.Name, *ast.Attribute:
			r := b.prog.Resolve(e, nil, mod)
			switch {
			case r.Member != nil:
				vals[i] = b.member(r.Member.Class, r.Member.Name)
			case r.Var != nil && r.VarScope != nil && r.VarScope.Func == nil:
				vals[i] = b.global(r, e)
			}
		}
		if vals[i] == nil || vals[i].Kind != Const {
			return nil
		}
	}
	return b.derived("tuple", &program.Type{Kind: program.Tuple}, vals...)
}

// attr returns the attribute of a value.
func (b *builder) attr(base *Value, name string, e ast.Expr) *Value {
	switch base.Kind {
	case Module:
		return b.ref(b.prog.Resolve(e, b.frame.Fn, b.frame.Fn.Module), e)
	case Class:
		return b.classAttr(base.Cls, name, e)
	case Function:
		return b.attribute(base, name, nil)
	}
	t := base.Type
	switch {
	case base.Kind == Const && base.Cls != nil:
		return b.memberAttr(base, name, e)
	case t.Kind == program.External && base.External():
		return b.ref(program.Ref{External: base.Name + "." + name}, e)
	case t.Class != nil && t.Kind != program.ClassObject:
		return b.instanceAttr(base, t.ClassWith(name), name, e)
	case t.Kind == program.ClassObject:
		return b.classAttr(t.Class, name, e)
	}
	return b.attribute(base, name, nil)
}

func (b *builder) classAttr(c *program.Class, name string, e ast.Expr) *Value {
	if f := c.Method(name); f != nil {
		if f.Kind == program.ClassMethod {
			return b.function(f, b.classValue(c))
		}
		return b.function(f, nil)
	}
	for _, k := range c.MRO {
		if a := k.Attrs[name]; a != nil && a.ClassLevel {
			return b.member(c, name)
		}
	}
	r := b.prog.Resolve(e, b.frame.Fn, b.frame.Fn.Module)
	if r.Class != nil {
		return b.classValue(r.Class)
	}
	return b.attribute(b.classValue(c), name, nil)
}

// member returns a class-level attribute: a location, or a constant such as a
// member of an enumeration.
func (b *builder) member(c *program.Class, name string) *Value {
	if l := b.p.attrLocation(c, name); l != nil {
		return b.container(l, b.p.keeper(c, name), nil)
	}
	owner := c.AttrOwner(name)
	for _, d := range owner.Attrs[name].Defs {
		if v := b.memberConst(owner, name, d); v != nil {
			return v
		}
	}
	if v := b.named("member ", owner.Qual, ".", name); v != nil {
		return v
	}
	return b.coin(&Value{Kind: Opaque, Name: name, Type: b.prog.AttrType(c, name)})
}

func (b *builder) memberConst(owner *program.Class, name string, d program.Def) *Value {
	if d.Index >= 0 || d.Value == nil {
		return nil
	}
	v := &Value{Kind: Const, Cls: owner, Name: name, id: "c" + owner.Module.Path + "." + owner.Qual + "." + name, Type: b.scalar()}
	switch lit := d.Value.(type) {
	case *ast.Constant:
		v.Lit = lit.Kind()
		if lit.Kind() == ast.None || lit.Kind() == ast.True || lit.Kind() == ast.False {
			return b.constant(lit)
		}
		if c := b.constant(lit); c.HasInt {
			v.Int, v.HasInt = c.Int, true
		}
	case *ast.UnaryOp:
		c := b.expr(lit)
		if !c.HasInt {
			return nil
		}
		v.Lit, v.Int, v.HasInt = ast.Int, c.Int, true
	case *ast.Call:
		if id, ok := lit.Func.(*ast.Name); (!ok || id.Id() != "auto") && !isAttr(lit.Func, "auto") {
			return nil
		}
		v.Lit = ast.Int
	default:
		return nil
	}
	return b.intern(v)
}

func isName(e ast.Expr, name string) bool {
	n, ok := e.(*ast.Name)
	return ok && n.Id() == name
}

func isAttr(e ast.Expr, name string) bool {
	a, ok := e.(*ast.Attribute)
	return ok && a.Attr() == name
}

// instanceAttr returns an attribute of an instance of c.
func (b *builder) instanceAttr(base *Value, c *program.Class, name string, e ast.Expr) *Value {
	if f := c.Method(name); f != nil {
		switch f.Kind {
		case program.Property:
			if l := b.p.attrLocation(c, name); f.Cached && l != nil && (l.Type.Kind.Keyed() || located(l.Type.Kind)) {
				return b.containerOf(base, l, b.p.keeper(c, name), ownerPath(base))
			}
			return b.property(f, base, e)
		case program.StaticMethod:
			return b.function(f, nil)
		case program.ClassMethod:
			return b.function(f, b.classValue(c))
		}
		return b.function(f, base)
	}
	if c.AttrOwner(name) == nil {
		return b.attribute(base, name, nil)
	}
	if l := b.p.attrLocation(c, name); l != nil {
		path := ownerPath(base)
		if l.Type.Kind.Keyed() || located(l.Type.Kind) {
			return b.containerOf(base, l, b.p.keeper(c, name), path)
		}
		b.uses(l, base)
		res := b.result(b.prog.AttrType(c, name), l.Name)
		res.Loc, res.Cls, res.Base = l, c, base
		if len(path) > 0 {
			res.change().path = path
		}
		b.emit(Node{Op: GetFlag, On: c, Obj: base, Loc: l, Path: path, Res: res}, e)
		return res
	}
	if v := b.classConstant(c, name); v != nil {
		return v
	}
	return b.attribute(base, name, b.prog.AttrType(c, name))
}

// classConstant returns the value of an attribute that only the class body
// sets, to a literal.
func (b *builder) classConstant(c *program.Class, name string) *Value {
	owner := c.AttrOwner(name)
	a := owner.Attrs[name]
	if !a.ClassLevel || len(a.Defs) != 1 || a.Defs[0].Value == nil || b.prog.Stores(name) > 0 {
		return nil
	}
	if a.Defs[0].Ann != nil && generated(c) {
		return nil // a default, in place of which the constructor may store something else
	}
	for _, k := range c.MRO {
		if x := k.Attrs[name]; x != nil && x != a {
			return nil
		}
	}
	if lit, ok := a.Defs[0].Value.(*ast.Constant); ok {
		return b.constant(lit)
	}
	return nil
}

// generated reports whether the constructor of a class may take the annotated
// attributes as parameters: a dataclass does, and so do records whose base is
// outside the program.
func generated(c *program.Class) bool {
	for _, k := range c.MRO {
		if k.Dataclass || len(k.External) > 0 {
			return c.Method("__init__") == nil
		}
	}
	return false
}

// located reports whether values of a kind are identified by where they are
// kept.
func located(k program.Kind) bool {
	switch k {
	case program.Queue, program.Lock, program.Condition, program.AsyncLock, program.Event, program.Executor:
		return true
	}
	return false
}

// ownerPath returns the keys under which a record was found in a container.
func ownerPath(base *Value) []*Value {
	if base.Kind == Result || base.Kind == Element {
		return base.Path()
	}
	return nil
}

func (b *builder) property(f *program.Func, self *Value, e ast.Expr) *Value {
	t := b.prog.ReturnType(f, self.Type.Class)
	if b.canInline(f, nil) {
		outs := b.inline(f, self, nil, nil, nil, e)
		return b.mergeOutcomes(outs, t, f.Name)
	}
	return b.attribute(self, f.Name, t)
}

func (b *builder) tuple(elts []ast.Expr) *Value {
	vals := b.spread(elts)
	var types []*program.Type // none where they cannot be counted
	if counted(vals) == len(vals) {
		types = make([]*program.Type, len(vals))
		for i, v := range vals {
			types[i] = v.Type
		}
	}
	out := b.derived("tuple", &program.Type{Kind: program.Tuple, Elts: types}, vals...)
	for _, v := range vals {
		b.holds(out, v)
	}
	return out
}

func (b *builder) display(elts []ast.Expr, e ast.Expr) *Value {
	v := b.object(e)
	for _, x := range elts {
		part := b.expr(x)
		b.holds(v, part)
		v.Args = append(v.Args, part)
	}
	return v
}

func (b *builder) binOpType(l, r *Value) *program.Type {
	if l.Type.Kind.Keyed() {
		return l.Type
	}
	if r.Type.Kind.Keyed() {
		return r.Type
	}
	return b.scalar()
}

func (b *builder) joinedStr(e *ast.JoinedStr) *Value {
	var args []*Value
	shape := "f"
	for _, part := range e.Values {
		switch part := part.(type) {
		case *ast.Constant:
			shape += strconv.Quote(part.Value())
		case *ast.FormattedValue:
			shape += "{}"
			args = append(args, b.expr(part.Value))
		}
	}
	return b.derived(shape, b.scalar(), args...)
}

// condValue lowers a condition whose value is used: a Phi of what its ways
// yield. An "or" yields its operands.
func (b *builder) condValue(e ast.Expr) *Value {
	if op, ok := e.(*ast.BoolOp); ok {
		return b.operandValue(op)
	}
	yes, no := b.cond(e)
	return b.merge(yes, b.boolean(true), no, b.boolean(false))
}

func (b *builder) boolean(v bool) *Value {
	kind := ast.False
	if v {
		kind = ast.True
	}
	return b.constant(ast.NewConstant(ast.Range{}, kind, ""))
}

func (b *builder) operandValue(op *ast.BoolOp) *Value {
	l := b.expr(op.Values[0])
	rest := op.Values[1:]
	for len(rest) > 0 {
		yes, no := b.truth(l, op)
		if op.Op == ast.And {
			yes, no = no, yes
		}
		b.restore(no)
		r := b.expr(rest[0])
		l = b.merge(yes, l, b.save(), r)
		rest = rest[1:]
	}
	return l
}

func (b *builder) ifExp(e *ast.IfExp) *Value {
	yes, no := b.cond(e.Test)
	b.restore(yes)
	v := b.expr(e.Body)
	yes = b.save()
	b.restore(no)
	w := b.expr(e.Orelse)
	return b.merge(yes, v, b.save(), w)
}

// merge joins two places that yield a value each.
func (b *builder) merge(s1 state, v1 *Value, s2 state, v2 *Value) *Value {
	switch {
	case len(s1.pend) == 0:
		b.restore(s2)
		return v2
	case len(s2.pend) == 0 || v1 == v2:
		b.join(s1, s2)
		return v1
	}
	v, columns := b.either("", []*Value{v1, v2})
	for _, c := range columns {
		b.move(&s1, c.phi, c.vals[0])
		b.move(&s2, c.phi, c.vals[1])
	}
	b.join(s1, s2)
	return v
}

func (b *builder) await(e *ast.Await) *Value {
	if call, ok := e.Value.(*ast.Call); ok {
		b.awaited = call
	}
	v := b.expr(e.Value)
	if b.inlined == e.Value {
		return v // it waits where its own body does
	}
	taken := b.dequeued(v)
	n, awaited := Node{Op: Await, Mode: Async}, v
	if !taken {
		n.Res = b.result(v.Type, "")
		v = n.Res
	}
	id := b.emit(n, e)
	b.mayRaise(id, "*")
	b.waited(id, awaited)
	if len(b.begun) > 0 {
		b.holds(b.part(v, 1), b.part(awaited, 1)) // of wait()
	}
	return v
}

// dequeued reports whether the last step has taken a value from a queue: awaiting
// the get of an asyncio queue yields the item.
func (b *builder) dequeued(v *Value) bool {
	if len(b.nodes) == 0 {
		return false
	}
	n := &b.nodes[len(b.nodes)-1]
	return n.Op == Dequeue && n.Res != nil && n.Res == v
}
