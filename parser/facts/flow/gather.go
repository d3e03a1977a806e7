package flow

import (
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/program"
)

// runCoroutines lowers asyncio.gather and the like, which run the coroutines
// that they are given before they return: one after the other, or as tasks where one of
// several does not end.
func (b *builder) runCoroutines(e *ast.Call) *Value {
	pos, _ := b.args(e)
	if len(pos) > 1 && slices.ContainsFunc(pos, func(v *Value) bool { return isCoroutine(v) && endless(v.Fn, 0) }) {
		out := b.opaque(nil, "")
		for _, v := range pos {
			if !isCoroutine(v) {
				continue
			}
			for _, fn := range b.callables(v) {
				if ent := b.entry(fn, LoopTask, nil, nil); ent != nil {
					b.spawn(ent, e, Async)
				}
			}
		}
		b.hands(out, e)
		return out
	}
	var out *Value
	for _, v := range pos {
		if isCoroutine(v) {
			if b.canInline(v.Fn, v.Args) {
				outs := b.inline(v.Fn, v.more().self, v.more().frame, v.Args, v.more().kwarg, e)
				out = b.mergeOutcomes(outs, v.Type, "")
			}
		}
	}
	if out == nil {
		out = b.opaque(nil, "")
	}
	for _, v := range pos {
		b.holds(out, v)
		if v.Kind != Result || v.Loc == nil {
			continue
		}
		if b.gathered == nil {
			b.gathered = map[*Value][]*Value{}
		}
		b.gathered[out] = append(b.gathered[out], v)
	}
	return out
}

func isCoroutine(v *Value) bool { return v.Kind == Function && v.Name == "coroutine" }

// maxAwaited is how many coroutines that await each other are looked at.
const maxAwaited = 3

// endless reports whether a coroutine ends with a loop that it never leaves, or awaits one
// that does.
func endless(f *program.Func, depth int) bool {
	body := f.Body()
	if len(body) == 0 || depth > maxAwaited {
		return false
	}
	last := body[len(body)-1]
	if t, ok := last.(*ast.Try); ok && len(t.Body) > 0 {
		last = t.Body[len(t.Body)-1]
	}
	switch st := last.(type) {
	case *ast.While:
		return constantTrue(st.Test) && !leaves(st.Body)
	case *ast.ExprStmt:
		aw, ok := st.Value.(*ast.Await)
		if !ok {
			return false
		}
		call, ok := aw.Value.(*ast.Call)
		return ok && (calleeEndless(f, call, depth) || slices.ContainsFunc(call.Args(), func(a ast.Expr) bool {
			inner, ok := a.(*ast.Call)
			return ok && calleeEndless(f, inner, depth)
		}))
	}
	return false
}

// calleeEndless is endless for a call of a function that f knows by its name, or of a
// method of the same object.
func calleeEndless(f *program.Func, call *ast.Call, depth int) bool {
	switch fn := call.Func.(type) {
	case *ast.Name:
		bind, _ := f.Scope.Lookup(fn.Id())
		return bind != nil && bind.Func != nil && bind.Func.Async && endless(bind.Func, depth+1)
	case *ast.Attribute:
		if name, c := f.SelfAttr(fn), f.SelfClass(); name != "" && c != nil {
			m := c.Method(name)
			return m != nil && m.Async && endless(m, depth+1)
		}
	}
	return false
}

// leaves reports whether a statement of a loop leaves it, exceptions apart.
func leaves(body []ast.Stmt) bool {
	found := false
	ast.Jumps(body, func(jump ast.Stmt) {
		_, again := jump.(*ast.Continue)
		found = found || !again
	})
	return found
}
