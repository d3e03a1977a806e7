package threaddeath

import (
	"slices"
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/remedy"
	"github.com/kvrace/kvrace/rules/rule"
)

// undone names what an iteration that fails leaves undone and nobody else does, for the title
// of a fix: the events and futures that somebody waits for, and the numbers that another function
// takes down; "" if there is nothing. Some statements are done whatever happens: the last ones.
func (t *thread) undone(loop []ast.Stmt, ends []end, last ...ast.Stmt) string {
	note := t.unset(loop, ends, last...)
	if futures := t.later(loop, ends, "set_result", last...); len(futures) > 0 {
		note = "; " + strings.Join(futures, " and ") + " of the one that fails gets no result" + note
	}
	return note
}

// unset is what [thread.undone] says beside the futures.
func (t *thread) unset(loop []ast.Stmt, ends []end, last ...ast.Stmt) string {
	head := &t.g.Nodes[t.head]
	note := ""
	events := slices.DeleteFunc(t.later(loop, ends, "set", last...), func(object string) bool { return t.says(head, loop, object+".clear()") })
	if len(events) > 0 {
		note += "; nobody sets " + strings.Join(events, " and ") + " for the one that fails"
	}
	counts := append(t.handedOn(loop, ends), t.leftCounted(head, loop, t.failing(ends), last...)...)
	if counts = evidence.Distinct(counts); len(counts) > 0 {
		note += "; " + strings.Join(counts, " and ") + " still counts the one that fails"
	}
	return note
}

// later returns the objects, as text, whose method of some name the loop calls after the first
// step that ends the thread, and not in a finally clause.
func (t *thread) later(loop []ast.Stmt, ends []end, name string, last ...ast.Stmt) []string {
	return laterIn(&t.g.Nodes[t.head], loop, t.failing(ends), name, last...)
}

// failing returns the statements of the function of the loop that come to some steps.
func (t *thread) failing(ends []end) []ast.Stmt {
	var failing []ast.Stmt
	for _, d := range ends {
		if st := t.stmtOf(d); st != nil {
			failing = append(failing, st)
		}
	}
	return failing
}

// leftCounted returns the attributes that a block adds to, or subtracts from, after a statement
// that fails, to take back what another function has done.
func (t *thread) leftCounted(n *flow.Node, in, failing []ast.Stmt, last ...ast.Stmt) []string {
	var names []string
	statements(in, func(block []ast.Stmt, i int) {
		st := block[i]
		at := t.takesBack(n, in, st)
		if at == nil || slices.ContainsFunc(last, func(l ast.Stmt) bool { return spans(l, st) }) {
			return
		}
		if slices.ContainsFunc(failing, func(f ast.Stmt) bool { return f.Pos() < st.Pos() && !finally(in, f, st) }) {
			names = append(names, rule.Text(n, at))
		}
	})
	return names
}

// takesBack returns the attribute that a statement of a block adds to, or subtracts from, where
// another function of the module does the opposite, and no other one does the same: that has
// begun what the block is done with. It returns nil for others.
func (t *thread) takesBack(n *flow.Node, in []ast.Stmt, st ast.Stmt) *ast.Attribute {
	change, ok := st.(*ast.AugAssign)
	if !ok {
		change = countsLocked(st)
	}
	if change == nil {
		return nil
	}
	at, ok := change.Target.(*ast.Attribute)
	text, back := countedBack(n, change)
	if said := t.said(n, in); !ok || back == "" || said.count[text] > 1 || said.count[back] > 0 || !remedy.Plain(at) {
		return nil
	}
	if same, opposite := countedElsewhere(n, in, change, at.Attr()); same || !opposite {
		return nil
	}
	return at
}

// countedElsewhere reports whether a module does to a number what a statement of a block does, and
// the opposite of that, outside of the block.
func countedElsewhere(n *flow.Node, block []ast.Stmt, st *ast.AugAssign, name string) (same, opposite bool) {
	for _, other := range n.Mod.AST.Body {
		ast.Inspect(other, func(x ast.Node) bool {
			o, ok := x.(*ast.AugAssign)
			if !ok || o.Op != ast.Add && o.Op != ast.Sub || ast.Covers(block, o) {
				return true
			}
			if at, ok := o.Target.(*ast.Attribute); ok && at.Attr() == name {
				same, opposite = same || o.Op == st.Op, opposite || o.Op != st.Op
			}
			return true
		})
	}
	return same, opposite
}

// laterIn is [thread.later] for a block and some of its statements.
func laterIn(n *flow.Node, in, failing []ast.Stmt, name string, last ...ast.Stmt) []string {
	var objects []string
	statements(in, func(block []ast.Stmt, i int) {
		at, call := method(valueOf(block[i]))
		if slices.ContainsFunc(last, func(st ast.Stmt) bool { return spans(st, block[i]) }) {
			return
		}
		if at == nil || at.Attr() != name || !remedy.Plain(at.Value) || name == "set" && len(call.Args())+len(call.Keywords()) > 0 {
			return
		}
		if slices.ContainsFunc(failing, func(st ast.Stmt) bool { return st.Pos() < at.Pos() && !finally(in, st, block[i]) }) {
			objects = append(objects, rule.Text(n, at.Value))
		}
	})
	return evidence.Distinct(objects)
}

// finally reports whether a statement belongs to the finally clause of a try around another one.
func finally(loop []ast.Stmt, st, last ast.Stmt) bool {
	found := false
	statements(loop, func(block []ast.Stmt, i int) {
		try, ok := block[i].(*ast.Try)
		found = found || ok && ast.Covers(try.Finalbody, last) && (ast.Covers(try.Body, st) || ast.Covers(try.Orelse, st))
	})
	return found
}

// handedOn returns the attributes that the loop adds to, or subtracts from, before it comes to
// a step that ends the thread, where another function of the module does the opposite: it
// is done with what the loop has begun.
func (t *thread) handedOn(loop []ast.Stmt, ends []end) []string {
	head := &t.g.Nodes[t.head]
	var names []string
	statements(loop, func(block []ast.Stmt, i int) {
		st, ok := block[i].(*ast.AugAssign)
		if !ok {
			st = countsLocked(block[i])
		}
		if st == nil || st.Op != ast.Add && st.Op != ast.Sub {
			return
		}
		at, ok := st.Target.(*ast.Attribute)
		if !ok || !slices.ContainsFunc(ends, func(d end) bool {
			on := t.stmtOf(d)
			return on != nil && st.Pos() < on.Pos()
		}) {
			return
		}
		if _, opposite := countedElsewhere(head, loop, st, at.Attr()); opposite {
			names = append(names, rule.Text(head, at))
		}
	})
	return evidence.Distinct(names)
}

// awaited returns the future, as text, that the statements in a try would have given a result
// after what fails, and a variable for the exception that it gets instead; "" if there is none,
// or more than one, or it gets one under a condition only, or the statements themselves say
// which one it is.
func (t *thread) awaited(loop, body []ast.Stmt, ends []end) (future, name string) {
	futures := t.later(loop, ends, "set_result")
	if len(futures) != 1 {
		return "", ""
	}
	root, _, _ := strings.Cut(futures[0], ".")
	bound := false
	for _, st := range body {
		ast.Inspect(st, func(n ast.Node) bool {
			if x, ok := n.(*ast.Name); ok && x.Ctx() == ast.Store && x.Id() == root {
				bound = true
			}
			return !bound
		})
	}
	sure := false
	var walk func(block []ast.Stmt)
	walk = func(block []ast.Stmt) {
		for _, st := range block {
			switch st := st.(type) {
			case *ast.With:
				walk(st.Body)
			case *ast.Try:
				walk(st.Body)
				walk(st.Orelse)
			default:
				at, _ := method(valueOf(st))
				sure = sure || at != nil && at.Attr() == "set_result" && rule.Text(&t.g.Nodes[t.head], at.Value) == futures[0]
			}
		}
	}
	walk(body)
	name = remedy.FreshVar(t.g.Nodes[t.head].Fn, "error", "failure", "problem")
	if bound || !sure || name == "" {
		return "", ""
	}
	return futures[0], name
}
