package threaddeath

import (
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/patch"
	"github.com/kvrace/kvrace/rules/remedy"
	"github.com/kvrace/kvrace/rules/rule"
)

// What fails before an iteration has waited for anything fails again in the next one, and at
// once: whoever goes on has to wait a moment. Nothing is lost by that, since nothing has been
// taken yet.

// ahead reports whether the loop can come to a step before it has waited for something, or
// taken something.
func (t *thread) ahead(d end) bool {
	if _, each := t.g.Nodes[t.head].Src.(*ast.For); each {
		return false
	}
	if t.early == nil {
		t.early = t.reached(func(id int32) bool { return id == t.head || t.waits(&t.g.Nodes[id]) })
	}
	return t.early[d.id]
}

// waits reports whether a step waits for something, or takes something that is not there the
// next time. A call of unknown code does where its result is kept, unless the loop waits for
// what a queue yields afterwards.
func (t *thread) waits(n *flow.Node) bool {
	switch n.Op {
	case flow.Wait, flow.Sleep, flow.Join, flow.Await, flow.Yield, flow.Dequeue, flow.Del, flow.Clear:
		return true
	case flow.Rebind:
		return n.Mode&flow.Swap != 0
	case flow.Call:
		return n.Target == nil && !t.waitsLater(n) && kept(n)
	}
	return false
}

// waitsLater reports whether the loop waits for what a queue of the program yields behind a
// step of its own.
func (t *thread) waitsLater(n *flow.Node) bool {
	return n.Frame == t.g.Nodes[t.head].Frame && t.lastGet() > n.Src.Pos()
}

// kept reports whether something is done with what a call yields, other than to test it: a
// variable takes it, or another call does.
func kept(n *flow.Node) bool {
	switch st := n.Stmt.(type) {
	case nil:
		return false
	case *ast.ExprStmt:
		return st.Value != n.Src
	case *ast.Assert, *ast.If, *ast.While:
		found := false
		ast.Inspect(st, func(x ast.Node) bool {
			if x.Pos() > n.Src.Pos() || n.Src.End() > x.End() {
				return false
			}
			_, named := x.(*ast.NamedExpr)
			found = found || named
			return !found
		})
		return found
	case *ast.Raise:
		return false
	}
	return true
}

// primed reports whether the loop takes the item of the next iteration, and uses the one that
// it has taken before: to begin anew would be to come to the same one.
func (t *thread) primed(loop []ast.Stmt) bool {
	read := map[string]ast.Pos{} // where a variable is first used
	for _, st := range loop {
		ast.Inspect(st, func(x ast.Node) bool {
			if name, ok := x.(*ast.Name); ok && name.Ctx() == ast.Load {
				if at, known := read[name.Id()]; !known || name.End() < at {
					read[name.Id()] = name.End()
				}
			}
			return true
		})
	}
	for i := range t.g.Nodes {
		n := &t.g.Nodes[i]
		as, ok := n.Stmt.(*ast.Assign)
		if !ok || !t.waits(n) || !t.inLoop(int32(i)) || n.Frame != t.g.Nodes[t.head].Frame {
			continue
		}
		used := false
		for _, target := range as.Targets {
			ast.Inspect(target, func(x ast.Node) bool {
				if name, ok := x.(*ast.Name); ok {
					at, known := read[name.Id()]
					used = used || known && at <= as.Pos()
				}
				return !used
			})
		}
		if used {
			return true
		}
	}
	return false
}

// pauses reports whether a statement does nothing but wait for some time.
func (t *thread) pauses(st ast.Stmt) bool {
	e := valueOf(st)
	if aw, ok := e.(*ast.Await); ok {
		if at, ok := callee(aw.Value).(*ast.Attribute); ok && at.Attr() == "sleep" {
			return true
		}
	}
	call, ok := e.(*ast.Call)
	if !ok {
		return false
	}
	for i := range t.g.Nodes {
		if n := &t.g.Nodes[i]; n.Stmt == st && n.Src == call && (n.Op == flow.Sleep || n.Op == flow.Wait && n.Mode&flow.Timeout != 0) {
			return true
		}
	}
	return false
}

func callee(e ast.Expr) ast.Expr {
	if call, ok := e.(*ast.Call); ok {
		return call.Func
	}
	return nil
}

// pause returns the statement that waits a moment in the loop, and the edits that import what
// it needs. A loop that goes on until an event is set waits for that.
func (t *thread) pause(ed *patch.Editor) (string, []patch.Edit, bool) {
	head := &t.g.Nodes[t.head]
	if while, ok := head.Src.(*ast.While); ok {
		if not, ok := while.Test.(*ast.UnaryOp); ok && not.Op == ast.Not {
			at, call := method(not.Operand)
			if at != nil && at.Attr() == "is_set" && len(call.Args()) == 0 && remedy.Plain(at.Value) && !head.Fn.Async &&
				t.index.TypeOf(at.Value, program.Env{Func: head.Fn, Module: head.Mod}).Kind == program.Event {
				return rule.Text(head, at.Value) + ".wait(1)", nil, true
			}
		}
	}
	if head.Fn.Async {
		imports, ok := t.imported(ed, "asyncio")
		return "await asyncio.sleep(1)", imports, ok
	}
	imports, ok := t.imported(ed, "time")
	return "time.sleep(1)", imports, ok
}

// paused puts what ends the thread before the loop has waited for anything into a try, whose
// handler tells the logger, waits a moment and begins anew. What else ends the thread is
// handled as ever.
func (t *thread) paused(ends []end) (rule.Fix, bool) {
	head := &t.g.Nodes[t.head]
	_, loop := evidence.LoopOf(head)
	var first, later []end
	for _, d := range ends {
		if t.ahead(d) {
			first = append(first, d)
		} else {
			later = append(later, d)
		}
	}
	to := t.lastOf(loop, first)
	from := slices.IndexFunc(loop, func(st ast.Stmt) bool { return slices.ContainsFunc(first, func(d end) bool { return t.within(st, d) }) })
	last := len(loop) - 1
	if len(first) == 0 || from < 0 || to < 0 || t.pauses(loop[last]) && !slices.ContainsFunc(loop[:last], t.takesIn) {
		return rule.Fix{}, false // a loop that pauses goes on to its pause
	}
	for from > 0 && !t.clear(loop, from) {
		from--
	}
	for to < last && !t.clear(loop, to+1) {
		to++
	}
	if slices.ContainsFunc(loop[:to+1], t.takesIn) {
		return rule.Fix{}, false
	}
	for _, d := range later {
		if slices.ContainsFunc(loop[:to+1], func(st ast.Stmt) bool { return t.within(st, d) }) {
			return rule.Fix{}, false
		}
	}
	ed := patch.NewEditor(head.Mod.AST)
	logger, imports, ok := t.logger(ed)
	pause, more, known := t.pause(ed)
	if !ok || !known {
		return rule.Fix{}, false
	}
	body := loop[from : to+1]
	sections, ok := t.heldByWith(body, first)
	paid, _, settled := t.paidFinally(loop, body, first, false)
	if !ok || !settled {
		return rule.Fix{}, false
	}
	if !t.clear(loop, from) || to < last && !t.clear(loop, to+1) {
		return rule.Fix{}, false
	}
	lines := []string{"except Exception:", "\t" + logger + ".exception(\"" + t.entry.Func.Name + " failed\")", "\t" + pause}
	if to < last {
		lines = append(lines, "\tcontinue")
	}
	wrapped, err := ed.WrapTry(body, lines...)
	if err != nil {
		return rule.Fix{}, false
	}
	edits := patch.Join(wrapped, sections, paid, imports, more)
	title := "log the exception, wait a moment and begin anew"
	if len(later) > 0 {
		rest, note := t.wrapped(ed, logger, loop[to+1:], later)
		if rest == nil {
			return rule.Fix{}, false
		}
		edits = patch.Join(edits, rest)
		title += "; go on with the next iteration where an item fails" + note
	}
	return rule.Fix{Description: title, Safety: report.SafetyReview, Edits: edits}, true
}

// clear reports whether an iteration owes nothing when it comes to a statement of the loop.
func (t *thread) clear(loop []ast.Stmt, i int) bool {
	if t.clearAt == nil {
		t.clearAt = make([]bool, len(loop))
		a := t.open(loop)
		for i, st := range loop {
			t.clearAt[i] = len(a.debts) == 0
			if !a.run(st) || a.gone {
				break
			}
		}
	}
	return t.clearAt[i]
}

// within reports whether a statement of the loop comes to a step.
func (t *thread) within(st ast.Stmt, d end) bool {
	return spans(st, t.place(d.n))
}

// lastOf returns the index of the last statement of a block that comes to one of some steps.
func (t *thread) lastOf(block []ast.Stmt, ends []end) int {
	for i, st := range slices.Backward(block) {
		if slices.ContainsFunc(ends, func(d end) bool { return t.within(st, d) }) {
			return i
		}
	}
	return -1
}

// takesIn reports whether a statement of the loop waits for something or takes something.
func (t *thread) takesIn(st ast.Stmt) bool {
	return slices.ContainsFunc(t.waiting(), func(at ast.Node) bool { return spans(st, at) })
}

// spans reports whether a node, which may be nil, is a part of a statement.
func spans(st ast.Stmt, n ast.Node) bool {
	return n != nil && ast.Encloses(st, n)
}
