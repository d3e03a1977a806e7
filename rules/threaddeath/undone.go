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
	if counts := t.handedOn(loop, ends); len(counts) > 0 {
		note += "; " + strings.Join(counts, " and ") + " still counts the one that fails"
	}
	return note
}

// later returns the objects, as text, whose method of some name the loop calls after the first
// step that ends the thread, and not in a finally clause.
func (t *thread) later(loop []ast.Stmt, ends []end, name string, last ...ast.Stmt) []string {
	var failing []ast.Stmt
	for _, d := range ends {
		if st := t.stmtOf(d); st != nil {
			failing = append(failing, st)
		}
	}
	return laterIn(&t.g.Nodes[t.head], loop, failing, name, last...)
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
		found = found || ok && contains(try.Finalbody, last) && (contains(try.Body, st) || contains(try.Orelse, st))
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
		for _, other := range head.Mod.AST.Body {
			ast.Inspect(other, func(n ast.Node) bool {
				x, ok := n.(*ast.AugAssign)
				if !ok || x.Op == st.Op || x.Op != ast.Add && x.Op != ast.Sub || head.Src.Pos() <= x.Pos() && x.End() <= head.Src.End() {
					return true
				}
				if a, ok := x.Target.(*ast.Attribute); ok && a.Attr() == at.Attr() {
					names = append(names, rule.Text(head, at))
				}
				return true
			})
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
