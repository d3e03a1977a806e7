package iteratewhilemutated

import (
	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/patch"
	"github.com/kvrace/kvrace/rules/rule"
)

// gone says what a snapshot still holds that the body of the loop has removed.
type gone uint8

const (
	nothingElse gone = iota // it removes what it has taken
	named                   // it removes what an attribute of that names, which may be another
	others                  // it removes others as well
)

// removes returns what the body of a loop removes beside the element that it has taken.
func (l *loop) removes() gone {
	out := nothingElse
	g := l.entry.Graph
	for i := range g.Nodes {
		n := &g.Nodes[i]
		switch n.Op {
		case flow.Del, flow.DelAll, flow.Clear:
		default:
			continue
		}
		if !evidence.SamePath(n, l.next) || l.takes(n.Key) || byPlace(n) || !l.inBody(int32(i)) {
			continue
		}
		if !l.list() && n.Key != nil && n.Key.Kind == flow.Attribute && evidence.ComesFrom(n.Key, l.next.Val) {
			out = max(out, named)
		} else {
			out = others
		}
	}
	return out
}

// byPlace reports whether a step removes from a list or deque what stands at some place.
func byPlace(n *flow.Node) bool {
	if k := n.Loc.Type.Kind; k != program.List && k != program.Deque || n.Op != flow.Del {
		return false
	}
	switch src := n.Src.(type) {
	case *ast.Subscript:
		return true
	case *ast.Call:
		f, ok := src.Func.(*ast.Attribute)
		return ok && f.Attr() == "pop" && len(src.Args()) == 1
	}
	_, del := n.Stmt.(*ast.Delete)
	return del
}

// leftOut suggests to walk over a snapshot and to leave out what the loop has removed before
// it comes to it.
func (l *loop) leftOut(around *ast.For, src ast.Expr) (rule.Fix, bool) {
	container, ok := walked(around.Iter).(*ast.Attribute)
	element := keyOf(around)
	if !ok || element == nil {
		return rule.Fix{}, false
	}
	f := l.snapshot(src)
	skip, err := patch.NewEditor(l.next.Mod.AST).InsertBefore(around.Body[0],
		"if "+element.Id()+" not in "+rule.Text(l.next, container)+":", "\tcontinue")
	if err != nil {
		return rule.Fix{}, false
	}
	f.Description += ", and leave out what has been removed meanwhile"
	if k := l.next.Loc.Type.Kind; k == program.List || k == program.Deque {
		f.Safety = report.SafetyReview // what is equal need not be the same
	}
	f.Edits = patch.Join(f.Edits, skip)
	return f, true
}

// keyOf returns the variable of a loop that holds the key or element of a container, or nil.
func keyOf(around *ast.For) *ast.Name {
	view := ""
	if call, ok := around.Iter.(*ast.Call); ok {
		view = call.Callee()
	}
	switch t := around.Target.(type) {
	case *ast.Name:
		if view == "" || view == "keys" || view == "iter" || view == "reversed" {
			return t
		}
	case *ast.Tuple:
		if name, ok := t.Elts[0].(*ast.Name); ok && view == "items" && len(t.Elts) == 2 {
			return name
		}
	}
	return nil
}

// byHand is a count that a loop keeps by hand, of which it removes from a list what stands
// there:
//
//	for job in self.jobs:
//	    if job.over:
//	        del self.jobs[place]
//	    else:
//	        place += 1
type byHand struct {
	l     *loop
	list  string // the text of the list
	name  string // of the count; empty for first
	first bool   // it always removes the first element
	ok    bool
}

// A turn is what a way through the body does: how often it removes, and counts.
type turn struct{ removed, counted int }

// handCounts returns the counts by which the body of a loop removes elements of lists.
func (l *loop) handCounts(around *ast.For) []*byHand {
	bound := map[string]bool{}
	ast.Inspect(around.Target, func(n ast.Node) bool {
		if t, ok := n.(*ast.Name); ok {
			bound[t.Id()] = true
		}
		return true
	})
	var out []*byHand
	add := func(list, at ast.Expr) {
		h := &byHand{l: l, list: rule.Text(l.next, list)}
		switch at := at.(type) {
		case *ast.Name:
			h.name = at.Id()
		case *ast.Constant:
			if at.Kind() == ast.Int && at.Value() == "0" && h.list == rule.Text(l.next, walked(around.Iter)) {
				h.first = true
			}
		}
		if h.name == "" && !h.first || bound[h.name] {
			return
		}
		for _, have := range out {
			if have.list == h.list && have.name == h.name { // or both remove the first
				return
			}
		}
		out = append(out, h)
	}
	for _, st := range around.Body {
		ast.Inspect(st, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.Subscript:
				if x.Ctx == ast.Del {
					add(x.Value, x.Slice)
				}
			case *ast.Call:
				if f, ok := x.Func.(*ast.Attribute); ok && f.Attr() == "pop" && len(x.Args()) == 1 && len(x.Keywords()) == 0 {
					add(f.Value, x.Args()[0])
				}
			}
			return true
		})
	}
	// A key that is popped out of a dictionary is no count.
	counts := out[:0]
	for _, h := range out {
		if h.first || h.counted(around.Body) {
			counts = append(counts, h)
		}
	}
	return counts
}

// counted reports whether statements count the variable.
func (h *byHand) counted(body []ast.Stmt) bool {
	found := false
	for _, st := range body {
		ast.Inspect(st, func(n ast.Node) bool {
			a, ok := n.(*ast.AugAssign)
			found = found || ok && h.counts(a)
			return !found
		})
	}
	return found
}

func (h *byHand) counts(a *ast.AugAssign) bool {
	name, ok := a.Target.(*ast.Name)
	one, is := a.Value.(*ast.Constant)
	return ok && is && name.Id() == h.name && a.Op == ast.Add && one.Value() == "1"
}

// balanced reports whether each way through the body either removes what stands at the
// count or counts, so that the count says where the next element stands. What always removes
// the first element has to do so in each turn.
func (h *byHand) balanced(body []ast.Stmt) bool {
	h.ok = true
	next := map[turn]bool{}
	for t := range h.block(body, map[turn]bool{{}: true}, next) {
		next[t] = true
	}
	for t := range next {
		h.ok = h.ok && t.removed+t.counted == 1
	}
	return h.ok
}

// block follows the ways through a block. It returns those that come to its end, and adds
// to next those that go on with the next element.
func (h *byHand) block(body []ast.Stmt, at, next map[turn]bool) map[turn]bool {
	for _, st := range body {
		switch s := st.(type) {
		case *ast.If:
			if h.of(s.Test) != (turn{}) {
				h.ok = false
			}
			yes, no := h.block(s.Body, at, next), h.block(s.Orelse, at, next)
			at = map[turn]bool{}
			for _, way := range []map[turn]bool{yes, no} {
				for t := range way {
					at[t] = true
				}
			}
		case *ast.With:
			at = h.block(s.Body, at, next)
		case *ast.Continue:
			for t := range at {
				next[t] = true
			}
			return nil
		case *ast.Break, *ast.Return, *ast.Raise:
			return nil
		default:
			does := h.of(st)
			if len(ast.Blocks(st)) > 0 && does != (turn{}) {
				h.ok = false
			}
			after := map[turn]bool{}
			for t := range at {
				after[turn{t.removed + does.removed, t.counted + does.counted}] = true
			}
			at = after
		}
	}
	return at
}

// of returns what a statement or expression does.
func (h *byHand) of(root ast.Node) turn {
	var t turn
	ast.Inspect(root, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.AugAssign:
			if h.counts(x) {
				t.counted++
				return false
			}
		case *ast.Name:
			h.ok = h.ok && (x.Id() != h.name || x.Ctx() == ast.Load)
		case *ast.Subscript:
			if x.Ctx == ast.Del && h.at(x.Value, x.Slice) {
				t.removed++
			}
		case *ast.Call:
			if f, ok := x.Func.(*ast.Attribute); ok && f.Attr() == "pop" && len(x.Args()) == 1 && h.at(f.Value, x.Args()[0]) {
				t.removed++
			}
		}
		return true
	})
	return t
}

func (h *byHand) at(list, place ast.Expr) bool {
	if rule.Text(h.l.next, list) != h.list {
		return false
	}
	switch place := place.(type) {
	case *ast.Name:
		return place.Id() == h.name
	case *ast.Constant:
		return h.first && place.Kind() == ast.Int && place.Value() == "0"
	}
	return false
}

// goesOn suggests to walk over a snapshot, and not to count an element that has been removed:
// what the count says is then where the next element stands. It does so for a body that
// ends with the count, and may remove right before.
func (h *byHand) goesOn(around *ast.For, src ast.Expr) (rule.Fix, bool) {
	body := around.Body
	if h.first || len(body) < 2 {
		return rule.Fix{}, false
	}
	count, ok := body[len(body)-1].(*ast.AugAssign)
	if !ok || !h.counts(count) {
		return rule.Fix{}, false
	}
	asks, ok := body[len(body)-2].(*ast.If)
	if !ok || len(asks.Orelse) > 0 || h.of(asks.Test) != (turn{}) {
		return rule.Fix{}, false
	}
	last := len(asks.Body) - 1
	for _, st := range append(body[:len(body)-2:len(body)-2], asks.Body[:last]...) {
		if h.of(st) != (turn{}) {
			return rule.Fix{}, false
		}
	}
	removal := asks.Body[last]
	switch st := removal.(type) {
	case *ast.ExprStmt:
		_, ok = st.Value.(*ast.Call)
	case *ast.Delete:
	default:
		ok = false
	}
	used := false
	ast.EachInScope(h.l.next.Fn.Body(), func(n ast.Node) {
		name, is := n.(*ast.Name)
		used = used || is && name.Id() == h.name && name.Ctx() == ast.Load && name.Pos() > around.End()
	})
	if !ok || used || h.of(removal) != (turn{removed: 1}) {
		return rule.Fix{}, false
	}
	f := h.l.snapshot(src)
	next, err := patch.NewEditor(h.l.next.Mod.AST).InsertAfter(removal, "continue")
	if err != nil {
		return rule.Fix{}, false
	}
	f.Description += ", and do not count what has been removed"
	f.Safety = report.SafetyReview
	f.Edits = patch.Join(f.Edits, next)
	return f, true
}

// settled suggests what lets the loop walk over a snapshot, beside the snapshot.
func (l *loop) settled(around *ast.For, src ast.Expr) []rule.Fix {
	for _, h := range l.handCounts(around) {
		h.ok = true
		if h.balanced(around.Body) {
			continue
		}
		h.ok = true
		if f, ok := h.goesOn(around, src); ok && h.ok {
			return []rule.Fix{f}
		}
		return nil
	}
	f := l.snapshot(src)
	switch l.removes() {
	case others:
		left, ok := l.leftOut(around, src)
		if !ok {
			return nil
		}
		f = left
	case named:
		if left, ok := l.leftOut(around, src); ok {
			f = left
		}
		f.Safety = report.SafetyReview
	}
	return []rule.Fix{f}
}
