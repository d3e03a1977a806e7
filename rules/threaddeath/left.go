package threaddeath

import (
	"slices"
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/patch"
	"github.com/kvrace/kvrace/rules/remedy"
	"github.com/kvrace/kvrace/rules/rule"
)

// leftOut replaces each raise and assert that ends the thread by what tells of it, pays back
// what the iteration owes there, and goes on with the next one. It is for those whose debts
// no handler around the iteration knows, as a lock that is acquired and released by hand in
// several places; where one of them is not certain there is no such fix.
func (t *thread) leftOut(ends []end) (rule.Fix, bool) {
	head := &t.g.Nodes[t.head]
	_, loop := evidence.LoopOf(head)
	ed := patch.NewEditor(head.Mod.AST)
	logger, imports, ok := t.logger(ed)
	if !ok {
		return rule.Fix{}, false
	}
	edits, given := imports, []string{}
	for _, d := range ends {
		if d.n.Frame != head.Frame || t.ahead(d) {
			return rule.Fix{}, false
		}
		debts, ok := t.owedAt(loop, d.n.Stmt)
		if !ok || !t.knownLocks(d, debts) {
			return rule.Fix{}, false
		}
		lines := []string{logger + ".error(" + t.told(d) + ")"}
		for _, debt := range slices.Backward(debts) {
			from := debt.open.End()
			if each, ok := debt.open.(*ast.For); ok {
				from = each.Iter.End()
			}
			if rebindsBetween(loop, from, d.n.Stmt.Pos(), debt.key) {
				return rule.Fix{}, false
			}
			lines = append(lines, debt.pay...)
			given = append(given, debt.key)
		}
		lines = append(lines, "continue")
		switch st := d.n.Stmt.(type) {
		case *ast.Raise:
			if c, none := st.Cause.(*ast.Constant); st.Exc == nil || st.Cause != nil && (!none || c.Kind() != ast.None) {
				return rule.Fix{}, false
			}
		case *ast.Assert:
			if c, ok := st.Test.(*ast.Constant); ok && c.Kind() == ast.False {
				break
			}
			for i := range lines {
				lines[i] = "\t" + lines[i]
			}
			lines = append([]string{"if " + negated(d.n, st.Test) + ":"}, lines...)
		default:
			return rule.Fix{}, false
		}
		more, err := ed.ReplaceStmts([]ast.Stmt{d.n.Stmt}, lines...)
		if err != nil {
			return rule.Fix{}, false
		}
		edits = append(edits, more...)
	}
	title := "log what is wrong and go on with the next iteration"
	if given = evidence.Distinct(given); len(given) > 0 {
		title = "log what is wrong, pay back what is owed there (" + strings.Join(given, ", ") + ") and go on with the next iteration"
	}
	return rule.Fix{Description: title + t.undone(loop, ends), Safety: report.SafetyReview, Edits: patch.Join(edits)}, true
}

// knownLocks reports whether the locks that the iteration owes at a step are those that the
// step is known to hold, and no other one that a call has acquired may be held there.
func (t *thread) knownLocks(d end, debts []debt) bool {
	for i := range t.g.Nodes {
		n := &t.g.Nodes[i]
		call, byHand := n.Src.(*ast.Call)
		if n.Op != flow.Acquire || !byHand || n.Frame != d.n.Frame || n.Lock == nil || !t.inLoop(int32(i)) {
			continue
		}
		got := 0
		for _, l := range d.n.Locks {
			if l.Same(n.Lock) {
				got++
			}
		}
		owes := slices.ContainsFunc(debts, func(x debt) bool { _, own := acquiring(x.open); return own == call })
		again := slices.ContainsFunc(debts, func(x debt) bool { // the same lock, acquired elsewhere
			at, _ := acquiring(x.open)
			own, _ := method(call)
			return x.what == held && at != nil && own != nil && rule.Text(n, at.Value) == rule.Text(n, own.Value)
		})
		switch {
		case owes && got != 1:
			return false
		case !owes && !again && got > 0 && !t.releasedFinally(n, call):
			return false
		case !owes && !again && got == 0 && t.mayHold(int32(i), d.id):
			return false
		}
	}
	return true
}

// acquiring returns the call that acquires a lock, of a statement that begins to owe it.
func acquiring(st ast.Stmt) (*ast.Attribute, *ast.Call) {
	if at := triesHard(st); at != nil {
		return method(st.(*ast.If).Test.(*ast.UnaryOp).Operand)
	}
	return method(valueOf(st))
}

// mayHold reports whether a walk leads from a step that acquires a lock to another one of
// the same iteration without a release.
func (t *thread) mayHold(acquire, to int32) bool {
	lock := t.g.Nodes[acquire].Lock
	return t.g.Find(flow.Search{
		From: []int32{acquire}, After: true, Blind: true,
		Goal: func(id int32, _ *flow.Node, _ flow.Facts) bool { return id == to },
		Stop: func(id int32) bool {
			n := &t.g.Nodes[id]
			return id == t.head || n.Op == flow.Release && n.Lock.Same(lock)
		},
	}) != nil
}

// told returns the arguments for a logger that tell what an exception would have said.
func (t *thread) told(d end) string {
	var x ast.Expr
	name := t.entry.Func.Name
	switch st := d.n.Stmt.(type) {
	case *ast.Assert:
		if x = st.Msg; x == nil {
			text := strings.ReplaceAll(strings.ReplaceAll(rule.Text(d.n, st.Test), `\`, `\\`), `"`, `\"`)
			return `"` + name + ` failed: not ` + text + `"`
		}
		if says, ok := message(d.n, x); ok {
			return says
		}
		return `"` + name + ` failed: %s", ` + rule.Arg(d.n, x)
	case *ast.Raise:
		x = st.Exc
		if id, ok := x.(*ast.Name); ok && id.Id() == d.n.Name {
			return `"` + name + ` failed: ` + d.n.Name + `"`
		}
		if call, ok := x.(*ast.Call); ok && len(call.Args()) == 1 && len(call.Keywords()) == 0 {
			if says, ok := message(d.n, call.Args()[0]); ok {
				return says
			}
		}
		return `"` + name + ` failed: %r", ` + rule.Arg(d.n, x)
	}
	return `"` + name + ` failed"`
}

// message returns a text that is written as one, with or without fields, as a logger takes it.
func message(n *flow.Node, e ast.Expr) (string, bool) {
	switch x := e.(type) {
	case *ast.Constant:
		return n.Text(x), x.Kind() == ast.Str
	case *ast.JoinedStr:
		return n.Text(x), true
	}
	return "", false
}

// stmtOf returns the statement of the function of the loop that comes to a step, itself or by
// what it calls.
func (t *thread) stmtOf(d end) ast.Stmt {
	if src := t.place(d.n); src != nil {
		return evidence.StatementAt(t.g.Nodes[t.head].Fn, src)
	}
	return nil
}

// logger returns how the module of the loop calls the logger, its own or else that of all
// modules, and the edits that import it.
func (t *thread) logger(ed *patch.Editor) (string, []patch.Edit, bool) {
	head := &t.g.Nodes[t.head]
	if own := t.loggerOf(head.Mod); own != "" {
		return own, nil, true
	}
	imports, ok := t.imported(ed, "logging")
	return "logging", imports, ok
}

// imported returns the edits that import a module where the loop stands, if its name is free.
func (t *thread) imported(ed *patch.Editor, name string) ([]patch.Edit, bool) {
	head := &t.g.Nodes[t.head]
	if remedy.Hidden(head.Fn, name) {
		return nil, false
	}
	edits, err := remedy.Import(ed, head.Mod, name)
	return edits, err == nil
}
