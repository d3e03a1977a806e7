package flow

import (
	"maps"
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
)

// cond lowers a condition with its short circuits and returns the places where
// it is true and where it is false.
func (b *builder) cond(e ast.Expr) (yes, no state) {
	switch e := e.(type) {
	case *ast.BoolOp:
		return b.boolOp(e)
	case *ast.UnaryOp:
		if e.Op == ast.Not {
			yes, no := b.cond(e.Operand)
			return no, yes
		}
	case *ast.Compare:
		return b.compare(e)
	case *ast.Call:
		return b.outcomeCond(b.callOutcomes(e), e)
	case *ast.NamedExpr:
		v := b.expr(e)
		return b.test(TestTruth, v, nil, e)
	}
	v := b.expr(e)
	return b.truth(v, e)
}

func (b *builder) truth(v *Value, e ast.Expr) (yes, no state) {
	if v.Kind == Container && v.Loc.Keyed() {
		v = b.sizeOf(v, e)
	}
	return b.test(TestTruth, v, nil, e)
}

// sizeOf emits the look at the size of a container, be it only for its truth.
func (b *builder) sizeOf(v *Value, e ast.Expr) *Value {
	res := b.result(b.scalar(), "")
	b.emit(Node{Op: Size, On: v.Cls, Loc: v.Loc, Path: v.Path(), Res: res}, e)
	return res
}

func (b *builder) boolOp(e *ast.BoolOp) (yes, no state) {
	var early []state
	for i, v := range e.Values {
		y, n := b.cond(v)
		if i == len(e.Values)-1 {
			early = append(early, y, n)
			break
		}
		if e.Op == ast.And {
			early = append(early, n)
			b.restore(y)
		} else {
			early = append(early, y)
			b.restore(n)
		}
	}
	k := len(early)
	last, short := early[k-2], early[k-1]
	if e.Op == ast.Or {
		last, short = short, last
	}
	// last is the side that every operand agreed on; short is joined with the
	// ways that left before.
	b.join(append(early[:k-2:k-2], short)...)
	met := b.save()
	if e.Op == ast.And {
		return last, met
	}
	return met, last
}

// outcomeCond uses the result of an inlined call as a condition. A way out of
// the callee that returns a constant goes straight to its side.
func (b *builder) outcomeCond(outs []outcome, e ast.Expr) (yes, no state) {
	var ys, ns []state
	env := b.save().env
	for _, o := range outs {
		b.restore(state{pend: o.pend, env: env, locks: o.locks})
		y, n := b.truth(o.val, e)
		ys, ns = append(ys, y), append(ns, n)
	}
	b.join(ns...)
	no = b.save()
	b.join(ys...)
	return b.save(), no
}

func (b *builder) compare(e *ast.Compare) (yes, no state) {
	if len(e.Ops) > 1 {
		v := b.expr(e.Left)
		for _, c := range e.Comparators {
			b.expr(c)
		}
		return b.test(TestUnknown, v, nil, e)
	}
	op, right := e.Ops[0], e.Comparators[0]
	switch op {
	case ast.In, ast.NotIn:
		yes, no = b.membership(e, right)
		if op == ast.NotIn {
			yes, no = no, yes
		}
		return yes, no
	}
	if op == ast.Eq || op == ast.NotEq || op == ast.Is || op == ast.IsNot {
		// A helper that returns constants on its ways out.
		if call, ok := e.Left.(*ast.Call); ok {
			return b.compareOutcomes(b.callOutcomes(call), e)
		}
	}
	l := b.expr(e.Left)
	r := b.expr(right)
	return b.compareValues(op, l, r, e)
}

func (b *builder) compareOutcomes(outs []outcome, e *ast.Compare) (yes, no state) {
	var ys, ns []state
	env := b.save().env
	if len(outs) == 0 {
		b.pend = nil
		return b.save(), b.save()
	}
	for _, o := range outs {
		b.restore(state{pend: o.pend, env: env, locks: o.locks})
		r := b.expr(e.Comparators[0])
		y, n := b.compareValues(e.Ops[0], o.val, r, e)
		ys, ns = append(ys, y), append(ns, n)
	}
	b.join(ns...)
	no = b.save()
	b.join(ys...)
	return b.save(), no
}

func (b *builder) compareValues(op ast.CmpOp, l, r *Value, e ast.Expr) (yes, no state) {
	if l.Kind == Const && r.Kind != Const {
		l, r = r, l
		op = mirrored(op)
	}
	l, r = b.plainly(l, r)
	switch op {
	case ast.Eq, ast.Is:
		return b.equal(l, r, e)
	case ast.NotEq, ast.IsNot:
		yes, no := b.equal(l, r, e)
		return no, yes
	case ast.Lt:
		return b.test(TestLess, l, r, e)
	case ast.GtE:
		yes, no := b.test(TestLess, l, r, e)
		return no, yes
	case ast.Gt:
		return b.test(TestLess, r, l, e)
	case ast.LtE:
		yes, no := b.test(TestLess, r, l, e)
		return no, yes
	}
	return b.test(TestUnknown, l, r, e)
}

// mirrored returns the operator for exchanged operands.
func mirrored(op ast.CmpOp) ast.CmpOp {
	switch op {
	case ast.Lt:
		return ast.Gt
	case ast.LtE:
		return ast.GtE
	case ast.Gt:
		return ast.Lt
	case ast.GtE:
		return ast.LtE
	}
	return op
}

func (b *builder) equal(l, r *Value, e ast.Expr) (yes, no state) {
	if r.IsNone() {
		return b.test(TestNone, l, nil, e)
	}
	return b.test(TestEq, l, r, e)
}

// membership lowers "x in y".
func (b *builder) membership(e *ast.Compare, right ast.Expr) (yes, no state) {
	l := b.expr(e.Left)
	var elts []ast.Expr
	switch r := right.(type) {
	case *ast.Tuple:
		elts = r.Elts
	case *ast.List:
		elts = r.Elts
	case *ast.Set:
		elts = r.Elts
	}
	if elts != nil {
		vals := make([]*Value, len(elts))
		for i, x := range elts {
			vals[i] = b.expr(x)
		}
		return b.oneOf(l, vals, e)
	}
	r := b.expr(right)
	if r.Kind == View && !r.Snapshot {
		r = r.Base
	}
	if r.Kind == Derived && r.Name == "tuple" || r.Kind == Object && constants(r.Args) {
		return b.oneOf(l, r.Args, e)
	}
	if r.Kind == Container && r.Loc.Keyed() {
		res := b.result(nil, "")
		b.emit(Node{Op: Has, On: r.Cls, Loc: r.Loc, Path: r.Path(), Key: l, Res: res}, e)
		return b.test(TestTruth, res, nil, e)
	}
	return b.test(TestUnknown, r, nil, e)
}

// constants reports whether all parts of a display are constants, and there are
// some.
func constants(parts []*Value) bool {
	return len(parts) > 0 && !slices.ContainsFunc(parts, func(v *Value) bool { return v.Kind != Const })
}

// oneOf lowers the test whether a value equals one of several.
func (b *builder) oneOf(v *Value, vals []*Value, e ast.Expr) (yes, no state) {
	var hits []state
	for _, x := range vals {
		l, r := b.plainly(v, x)
		y, n := b.equal(l, r, e)
		hits = append(hits, y)
		b.restore(n)
	}
	no = b.save()
	b.join(hits...)
	return b.save(), no
}

// test emits a branch, or none when the outcome is known. On each side the
// alternatives of a tested variable are narrowed.
func (b *builder) test(t Test, v, want *Value, src ast.Node) (yes, no state) {
	if res := b.absent[v]; res != nil && t == TestNone {
		v = res
	}
	if outcome, known := decide(t, v, want); known {
		here := b.save()
		gone := b.save()
		gone.pend = nil
		if outcome {
			return here, gone
		}
		return gone, here
	}
	id := b.emit(Node{Op: Branch, Test: t, Val: v, Want: want}, src)
	if t == TestTruth {
		b.noneLeft(id, v)
	}
	yes, no = b.save(), b.save()
	if id >= 0 {
		yes.pend = []dangling{{from: id, kind: True}}
		no.pend = []dangling{{from: id, kind: False}}
	}
	if lock := b.tried[v]; lock != nil && t == TestTruth {
		no.locks = withoutLock(no.locks, lock)
	}
	b.narrow(&yes, t, v, want, true)
	b.narrow(&no, t, v, want, false)
	return yes, no
}

// Outcome reports how a branch goes when what it tests has the value v, and
// whether that is known.
func (n *Node) Outcome(v *Value) (yes, known bool) {
	if v == nil {
		return false, false
	}
	for i, leaf := range v.Leaves() {
		got, ok := decide(n.Test, leaf, n.Want)
		if !ok || i > 0 && got != yes {
			return false, false
		}
		yes = got
	}
	return yes, true
}

// decide evaluates a test on constants.
func decide(t Test, v, want *Value) (outcome, known bool) {
	if v == nil {
		return false, false
	}
	switch t {
	case TestTruth:
		switch {
		case v.Kind != Const:
			return false, false
		case v.Cls != nil:
			return v.HasInt && v.Int != 0, v.HasInt
		case v.HasInt:
			return v.Int != 0, true
		}
		return !v.IsNone() && !v.IsBool(false) && v.id != `c"`, true
	case TestNone:
		switch v.Kind {
		case Const:
			return v.IsNone(), true
		case Object, Function, Class, Module, ThreadObj, View:
			return false, true
		case Container:
			return false, !v.Loc.Optional
		}
	case TestEq:
		if want == nil {
			return false, false
		}
		return sameConst(v, want)
	case TestLess:
		if want != nil && v.HasInt && want.HasInt {
			return v.Int < want.Int, true
		}
	}
	return false, false
}

// narrow drops the alternatives of v that the outcome of a test excludes.
func (b *builder) narrow(s *state, t Test, v, want *Value, outcome bool) {
	if v == nil || v.Kind != Phi {
		return
	}
	var keep []*Value
	for _, a := range v.Leaves() {
		if got, known := decide(t, a, want); !known || got == outcome {
			keep = append(keep, a)
		}
	}
	if len(keep) == 0 || len(keep) == len(v.Leaves()) {
		return
	}
	to := keep[0]
	if len(keep) > 1 {
		to = b.phi(v.Name, keep)
		to.Base = v // the same register
	}
	s.env = maps.Clone(s.env)
	for name, x := range s.env {
		if x == v {
			s.env[name] = to
		}
	}
}
