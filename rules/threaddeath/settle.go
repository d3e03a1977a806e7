package threaddeath

import (
	"cmp"
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/patch"
	"github.com/kvrace/kvrace/rules/rule"
)

// byHand reports whether a statement is a call that acquires a lock of the program.
func (t *thread) byHand(st ast.Stmt) bool {
	call := valueOf(st)
	if aw, ok := call.(*ast.Await); ok {
		call = aw.Value
	}
	if call == nil {
		return false
	}
	for i := range t.g.Nodes {
		if n := &t.g.Nodes[i]; n.Op == flow.Acquire && n.Src == call {
			return true
		}
	}
	return false
}

// unwound returns the statements of the loop that a handler goes around, without those that
// begin something and pay it back whatever happens between: the first of them, or what takes
// the item, and the last, and what waits at the end. Of those that begin something, some are
// excepted. It reports whether what the item is owed is among them.
func (t *thread) unwound(loop, body []ast.Stmt, ends []end, except func(ast.Stmt) bool) ([]ast.Stmt, bool) {
	head := &t.g.Nodes[t.head]
	says, told := t.said(head, loop), false
	for len(body) > 1 {
		last := body[len(body)-1]
		text := says.texts[last]
		if slices.ContainsFunc(ends, func(d end) bool { return t.within(last, d) }) {
			break
		}
		first, answered := body[0], false
		if i := slices.Index(loop, first); i > 0 {
			d, ok := t.opens(head, loop, loop[i-1])
			answered = ok && d.key == text && t.onlyPay(loop, body, text)
		}
		switch d, ok := t.opens(head, loop, first); {
		case answered, ok && d.what == taken && d.key == text && t.onlyPay(loop, body, text) && slices.ContainsFunc(ends, func(e end) bool { return t.within(first, e) }):
			body, told = body[:len(body)-1], true
		case t.pauses(last):
			body = body[:len(body)-1]
		case t.pauses(first) && !slices.ContainsFunc(ends, func(e end) bool { return t.within(first, e) }):
			body = body[1:]
		case ok && d.key == text && (except == nil || !except(first)) && len(body) > 2 && t.onlyPay(loop, body, text) &&
			!slices.ContainsFunc(ends, func(e end) bool { return t.within(first, e) }):
			body, told = body[1:len(body)-1], told || d.what == taken
		case t.takesBack(head, loop, last) != nil:
			body = body[:len(body)-1]
		default:
			return body, told
		}
	}
	return body, told
}

// onlyPay reports whether the last statement of a block pays back what the block owes where
// something fails: wherever else that is done, a jump leads out at once, and what was begun is
// not begun anew.
func (t *thread) onlyPay(loop, body []ast.Stmt, text string) bool {
	head := &t.g.Nodes[t.head]
	said, only, opened := t.said(head, loop), true, 0
	statements(loop, func(in []ast.Stmt, i int) {
		if d, ok := t.opens(head, loop, in[i]); ok && d.key == text {
			opened++
		}
		if in[i] == body[len(body)-1] || said.texts[in[i]] != text {
			return
		}
		only = only && i+1 < len(in) && jumps(in[i+1])
	})
	return only && opened == 1 && !rebinds(body[1:], text)
}

func jumps(st ast.Stmt) bool {
	switch st.(type) {
	case *ast.Return, *ast.Break, *ast.Continue:
		return true
	}
	return false
}

// span is a part of a function that comes under a header of its own: what a debt is about,
// with what pays it back at the end.
type span struct {
	fn    *program.Func
	stmts []ast.Stmt
	pays  int // how many at the end pay it back, and tell of that
}

func (s span) pos() ast.Pos { return s.stmts[0].Pos() }
func (s span) end() ast.Pos { return s.stmts[len(s.stmts)-1].End() }

// paidFinally returns edits that put what pays back a debt into a finally clause, for each of
// those that some statements of the loop begin, or that the functions which end the thread
// owe there, and the statements that come into one. It reports whether that can be done: what
// pays it back follows in the same block, it is the only statement that does, and no jump
// leads past it.
//
// What the item is owed may be told already.
func (t *thread) paidFinally(loop, body []ast.Stmt, ends []end, told bool) ([]patch.Edit, []ast.Stmt, bool) {
	head := &t.g.Nodes[t.head]
	var spans []span
	settle := func(n *flow.Node, all, in []ast.Stmt, i int) bool {
		s, ok := t.toPay(n, all, in, i)
		if s.stmts != nil {
			spans = append(spans, s)
		}
		return ok
	}
	ok := true
	if d := t.takenBefore(loop, body); d.open != nil && !told {
		s, can := t.paidBy(head, loop, body, 0, d)
		spans, ok = append(spans, s), can
	}
	statements(body, func(in []ast.Stmt, i int) {
		within := slices.ContainsFunc(ends, func(e end) bool { return t.within(in[i], e) })
		d, opens := t.opens(head, loop, in[i])
		switch {
		case !opens || !within:
			ok = ok && settle(head, loop, in, i)
		case d.what == taken && i == 0 && &in[0] == &body[0] && told:
		case d.what == taken && i == 0 && &in[0] == &body[0]: // the item is taken before the try, and taken apart within
			s, can := t.paidBy(head, loop, in, 0, d)
			spans, ok = append(spans, s), ok && can
		default:
			ok = false
		}
	})
	seen := map[ast.Stmt]bool{}
	for _, d := range ends {
		at := d.n.Stmt
		for fr := d.n.Frame; fr != nil && fr != head.Frame && at != nil; fr = fr.Caller {
			n, all := &flow.Node{Mod: fr.Fn.Module, Fn: fr.Fn}, fr.Fn.Body()
			statements(all, func(in []ast.Stmt, i int) {
				owes, opens := t.opens(n, all, in[i])
				if !opens || seen[in[i]] || in[i].Pos() > at.Pos() || owes.what == held && !t.says(n, all, owes.key) {
					return // who calls it releases what it does not
				}
				seen[in[i]] = true
				ok = ok && settle(n, all, in, i)
			})
			if fr.Caller != nil {
				at = evidence.StatementAt(fr.Caller.Fn, fr.Call)
			}
		}
	}
	spans = slices.DeleteFunc(spans, func(s span) bool { return len(s.stmts) <= s.pays })
	if !ok {
		return nil, nil, false
	}
	var last []ast.Stmt
	for _, s := range spans {
		last = append(last, s.stmts[len(s.stmts)-s.pays:]...)
	}
	edits, ok := t.putFinally(spans, head.Fn)
	return edits, last, ok
}

// toPay returns the statements that a debt is about which one of a block begins, with what pays
// it back; none if it begins nothing, or a with statement or a finally clause takes care
// of it. It reports false if that cannot be told.
func (t *thread) toPay(n *flow.Node, all, in []ast.Stmt, i int) (span, bool) {
	d, opens := t.opens(n, all, in[i])
	if !opens || t.byHand(in[i]) {
		return span{}, true
	}
	if i+1 < len(in) {
		if try, ok := in[i+1].(*ast.Try); ok && t.says(n, try.Finalbody, d.key) {
			return span{}, true
		}
	}
	return t.paidBy(n, all, in, i+1, d)
}

// paidBy returns the statements of a block from one on to the one that pays back a debt.
func (t *thread) paidBy(n *flow.Node, all, in []ast.Stmt, from int, d debt) (span, bool) {
	said := t.said(n, all)
	to := slices.IndexFunc(in, func(st ast.Stmt) bool { return said.texts[st] == d.key })
	if to < from || said.count[d.key] != 1 || slices.ContainsFunc(in[from:to], escapesFrom) || rebinds(in[from:to], d.key) {
		return span{}, false
	}
	if to+1 < len(in) && d.what == counted && announces(n, in[to], in[to+1]) {
		return span{n.Fn, in[from : to+2], 2}, true
	}
	return span{n.Fn, in[from : to+1], 1}, true
}

// announces reports whether all that a statement does is to tell somebody who waits that a number
// which another one has changed is what it should be:
//
//	if self.busy == 0:
//	    self.idle.set()
func announces(n *flow.Node, change, st ast.Stmt) bool {
	branch, ok := st.(*ast.If)
	if !ok || len(branch.Orelse) > 0 {
		return false
	}
	var number ast.Expr
	if inner := countsLocked(change); inner != nil {
		change = inner
	}
	switch change := change.(type) {
	case *ast.AugAssign:
		number = change.Target
	case *ast.Assign:
		number = change.Targets[0]
	default:
		return false
	}
	text, asks := rule.Text(n, number), false
	ast.Inspect(branch.Test, func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.Name, *ast.Attribute:
			asks = asks || rule.Text(n, x) == text
		}
		return !asks
	})
	return asks && !slices.ContainsFunc(branch.Body, func(st ast.Stmt) bool {
		at, call := method(calledAlone(st))
		return call == nil || at.Attr() != "set" && at.Attr() != "notify" && at.Attr() != "notify_all"
	})
}

// putFinally returns the edits that put the last statement of each span into a finally clause.
// Those of a function that home is are within a try already.
func (t *thread) putFinally(spans []span, home *program.Func) ([]patch.Edit, bool) {
	slices.SortStableFunc(spans, func(a, b span) int { return cmp.Or(cmp.Compare(a.pos(), b.pos()), cmp.Compare(b.end(), a.end())) })
	var edits []patch.Edit
	for i, s := range spans {
		within := 0
		if s.fn == home {
			within++
		}
		for _, o := range append(t.enclosed(s.fn), spans[:i]...) {
			switch {
			case o.fn != s.fn || o.end() <= s.pos() || s.end() <= o.pos() || s.pos() <= o.pos() && o.end() < s.end():
			case o.pos() <= s.pos() && s.end() < o.end():
				within++
			default:
				return nil, false // neither is part of the other
			}
		}
		last := len(s.stmts) - s.pays
		more, err := patch.NewEditor(s.fn.Module.AST).WrapFinallyWithin(within, s.stmts[:last], s.stmts[last:])
		if err != nil {
			return nil, false
		}
		edits = append(edits, more...)
	}
	return edits, true
}

// enclosed returns the sections of a function that get a with statement for a lock.
func (t *thread) enclosed(f *program.Func) []span {
	var out []span
	seen := map[ast.Stmt]bool{}
	for i := range t.g.Nodes {
		n := &t.g.Nodes[i]
		call, byHand := n.Src.(*ast.Call)
		if n.Op != flow.Acquire || n.Fn != f || !byHand || seen[n.Stmt] || t.releasedFinally(n, call) || triesHard(n.Stmt) != nil {
			continue
		}
		seen[n.Stmt] = true
		if section := t.section(n, call); section != nil {
			out = append(out, span{fn: f, stmts: section})
		}
	}
	return out
}

// takenBefore returns the item that a loop owes an answer for when it comes to a block, if
// the answer is given in that block.
func (t *thread) takenBefore(loop, block []ast.Stmt) debt {
	head := &t.g.Nodes[t.head]
	if len(block) == 0 {
		return debt{}
	}
	debts, ok := t.owedAt(loop, block[0])
	if !ok {
		return debt{}
	}
	for _, d := range debts {
		if d.what == taken && t.says(head, block, d.key) {
			return d
		}
	}
	return debt{}
}

// escapesFrom reports whether a jump leads out of a statement.
func escapesFrom(st ast.Stmt) bool {
	found := false
	ast.Jumps([]ast.Stmt{st}, func(ast.Stmt) { found = true })
	return found
}
