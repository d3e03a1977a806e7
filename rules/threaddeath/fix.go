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

// fixes suggests to handle exceptions in the loop, and to make the step tolerant
// when it is the only one.
func (t *thread) fixes(ends []end) []rule.Fix {
	var out []rule.Fix
	if len(ends) == 1 && ends[0].kind == absent {
		if edits, safety := remedy.Tolerant(ends[0].n); edits != nil && t.mayPassOver(ends[0], edits) {
			out = append(out, rule.Fix{Description: "take an absent entry into account", Safety: safety, Edits: edits})
		}
	}
	if len(ends) == 1 && ends[0].kind == failed {
		if edits := t.skipped(ends[0]); edits != nil {
			out = append(out, rule.Fix{Description: "skip the item that fails the assert", Safety: report.SafetyReview, Edits: edits})
		}
	}
	_, loop := evidence.LoopOf(&t.g.Nodes[t.head])
	if slices.ContainsFunc(ends, t.ahead) && t.primed(loop) {
		return out
	}
	// A message of another length or class alone would not be worth a word.
	telling := slices.DeleteFunc(slices.Clone(ends), func(d end) bool { return d.kind == mismatched })
	for _, suggest := range []func([]end) (rule.Fix, bool){t.paused, t.handled, t.leftOut} {
		fix, ok := suggest(ends)
		if !ok && len(telling) < len(ends) {
			fix, ok = suggest(telling)
		}
		if ok {
			out = append(out, fix)
		}
	}
	return out
}

// skipped replaces an assert about an item of the loop by a test that goes on with the
// next iteration. An assert about anything else would fail the next time as well, at once.
// What acknowledges each item must not be left out.
func (t *thread) skipped(d end) []patch.Edit {
	st, ok := d.n.Stmt.(*ast.Assert)
	head := &t.g.Nodes[t.head]
	_, loop := evidence.LoopOf(head)
	if !ok || remedy.Block(loop, st, st) == nil || d.n.Fn != head.Fn || !t.asksItem(loop, st) || t.acknowledged(loop, st) || t.ahead(d) {
		return nil
	}
	if debts, ok := t.owedAt(loop, st); !ok || len(debts) > 0 || t.undone(loop, []end{d}) != "" {
		return nil
	}
	with := []string{"if " + negated(d.n, st.Test) + ":", "\tcontinue"}
	if c, ok := st.Test.(*ast.Constant); ok && c.Kind() == ast.False {
		with = []string{"continue"}
	}
	edits, err := patch.NewEditor(d.n.Mod.AST).ReplaceStmts([]ast.Stmt{st}, with...)
	if err != nil {
		return nil
	}
	return edits
}

// negated returns a test that holds where another one does not.
func negated(n *flow.Node, test ast.Expr) string {
	switch x := test.(type) {
	case *ast.Name, *ast.Attribute, *ast.Subscript, *ast.Call:
		return "not " + rule.Text(n, x)
	case *ast.UnaryOp:
		if x.Op == ast.Not {
			return rule.Text(n, x.Operand)
		}
	}
	return "not (" + rule.Text(n, test) + ")"
}

// asksItem reports whether an assert, or a test that it stands under, asks about what an
// iteration has got before.
func (t *thread) asksItem(loop []ast.Stmt, st *ast.Assert) bool {
	got, found := t.got(loop, st), false
	asks := func(e ast.Expr) {
		ast.Inspect(e, func(n ast.Node) bool {
			if x, ok := n.(*ast.Name); ok && got[x.Id()] {
				found = true
			}
			return !found
		})
	}
	asks(st.Test)
	if _, constant := st.Test.(*ast.Constant); !constant {
		return found
	}
	for _, s := range loop {
		ast.Inspect(s, func(n ast.Node) bool {
			if n.Pos() > st.Pos() || n.End() < st.End() {
				return false
			}
			switch x := n.(type) {
			case *ast.If:
				asks(x.Test)
			case *ast.Match:
				asks(x.Subject)
			}
			return true
		})
	}
	return found
}

// got returns the variables that an iteration binds before a statement.
func (t *thread) got(loop []ast.Stmt, st ast.Stmt) map[string]bool {
	got := map[string]bool{}
	bound := func(n ast.Node) bool {
		if x, ok := n.(*ast.Name); ok && x.Ctx() == ast.Store && x.Pos() < st.Pos() {
			got[x.Id()] = true
		}
		return true
	}
	if f, ok := t.g.Nodes[t.head].Src.(*ast.For); ok {
		ast.Inspect(f.Target, bound)
	}
	for _, s := range loop {
		ast.Inspect(s, bound)
	}
	return got
}

// acknowledged reports whether a loop may do something after an assert that each item needs,
// also one that is left out: it calls a method of what the item comes from, as
// queue.task_done(), or ends with a method of the item without arguments, or the assert
// is in one of several branches and something follows all of them.
func (t *thread) acknowledged(loop []ast.Stmt, st *ast.Assert) bool {
	got := t.got(loop, st)
	head := &t.g.Nodes[t.head]
	source := map[string]bool{}
	from := func(e ast.Expr) {
		if aw, ok := e.(*ast.Await); ok {
			e = aw.Value
		}
		if call, ok := e.(*ast.Call); ok {
			e = call.Func
			if at, ok := e.(*ast.Attribute); ok {
				e = at.Value
			}
		}
		source[rule.Text(head, e)] = true
	}
	if f, ok := head.Src.(*ast.For); ok {
		from(f.Iter)
	}
	for i, s := range loop {
		if s.Pos() < st.Pos() {
			if as, ok := s.(*ast.Assign); ok {
				from(as.Value)
			}
			if s != st && s.End() >= st.End() && i+1 < len(loop) {
				return true // what follows is done for the other branches as well
			}
			continue
		}
		found := false
		ast.Inspect(s, func(n ast.Node) bool {
			call, ok := n.(*ast.Call)
			if !ok || found {
				return !found
			}
			if at, ok := call.Func.(*ast.Attribute); ok {
				found = source[rule.Text(head, at.Value)]
			}
			return true
		})
		if found {
			return true
		}
	}
	last, ok := loop[len(loop)-1].(*ast.ExprStmt)
	if !ok || last.Pos() < st.Pos() {
		return false
	}
	call, ok := last.Value.(*ast.Call)
	if !ok || len(call.Args())+len(call.Keywords()) > 0 {
		return false
	}
	at, ok := call.Func.(*ast.Attribute)
	if !ok {
		return false
	}
	name, ok := at.Value.(*ast.Name)
	return ok && got[name.Id()]
}

// handled puts the body of the loop into a try, and tells the logger of the module, or
// else that of all modules. What waits for the next item stays outside: where the
// other side is gone for good, it fails at once each time.
func (t *thread) handled(ends []end) (rule.Fix, bool) {
	head := &t.g.Nodes[t.head]
	ed := patch.NewEditor(head.Mod.AST)
	logger, imports, ok := t.logger(ed)
	if !ok {
		return rule.Fix{}, false
	}
	_, loop := evidence.LoopOf(head)
	body, edits := t.afterReceive(ed, loop, ends)
	title := "log the exception and go on with the next iteration"
	var pause []string
	if last := len(loop) - 1; slices.ContainsFunc(ends, t.ahead) && !t.pauses(loop[last]) {
		text, more, ok := t.pause(ed)
		if !ok {
			return rule.Fix{}, false
		}
		title = "log the exception, wait a moment and go on with the next iteration"
		pause, imports = []string{text}, append(imports, more...)
	}
	more, note := t.wrapped(ed, logger, body, ends, pause...)
	if more == nil {
		return rule.Fix{}, false
	}
	return rule.Fix{Description: title + note, Safety: report.SafetyReview, Edits: patch.Join(edits, more, imports)}, true
}

// wrapped puts statements at the end of the loop into a try, whose handler tells the logger and
// does some more. What they owe when they fail is paid back whatever happens. It returns the
// edits, nil if that cannot be done, and what the iteration that fails leaves undone, for the
// title of the fix.
func (t *thread) wrapped(ed *patch.Editor, logger string, body []ast.Stmt, ends []end, more ...string) ([]patch.Edit, string) {
	head := &t.g.Nodes[t.head]
	_, loop := evidence.LoopOf(head)
	body, told := t.unwound(loop, body, ends, t.byHand)
	held, ok := t.heldByWith(body, ends)
	if !ok {
		var now bool
		body, now = t.unwound(loop, body, ends, nil)
		held, ok = t.heldByWith(body, ends)
		told = told || now
	}
	paid, last, settled := t.paidFinally(loop, body, ends, told)
	if !ok || !settled {
		return nil, ""
	}
	for _, st := range loop {
		if st.Pos() >= body[len(body)-1].End() {
			last = append(last, st) // after the handler
		}
	}
	note, caught := t.undone(loop, ends, last...), ""
	if future, name := t.awaited(loop, body, ends); future != "" {
		note, caught = t.unset(loop, ends, last...), " as "+name
		more = append([]string{"if not " + future + ".done():", "\t" + future + ".set_exception(" + name + ")"}, more...)
	}
	lines := []string{"except Exception" + caught + ":", "\t" + logger + ".exception(\"" + t.entry.Func.Name + " failed\")"}
	for _, line := range more {
		lines = append(lines, "\t"+line)
	}
	edits, err := ed.WrapTry(body, lines...)
	if err != nil {
		return nil, ""
	}
	return patch.Join(edits, held, paid), note
}

// calledAlone returns the call without arguments that is all of a statement, or nil.
func calledAlone(st ast.Stmt) ast.Expr {
	if st, ok := st.(*ast.ExprStmt); ok {
		if call, ok := st.Value.(*ast.Call); ok && len(call.Args())+len(call.Keywords()) == 0 {
			return call
		}
	}
	return nil
}

// receiver returns the object whose method is called, or awaited, as text; "" if none is.
func (t *thread) receiver(e ast.Expr) string {
	if aw, ok := e.(*ast.Await); ok {
		e = aw.Value
	}
	if call, ok := e.(*ast.Call); ok {
		if at, ok := call.Func.(*ast.Attribute); ok {
			return rule.Text(&t.g.Nodes[t.head], at.Value)
		}
	}
	return ""
}

// heldByWith returns edits that put a with statement in place of each lock that statements, or
// the functions that they call and that end the thread, acquire by hand: a handler around
// them would leave it locked. Locks that a finally clause releases stay. It reports whether
// that can be done: acquire() and release() are the only two calls for the lock, in one
// block, and no jump leads past the second.
func (t *thread) heldByWith(body []ast.Stmt, ends []end) ([]patch.Edit, bool) {
	home := t.g.Nodes[t.head].Frame
	var edits []patch.Edit
	seen := map[ast.Stmt]bool{}
	for i := range t.g.Nodes {
		n := &t.g.Nodes[i]
		call, byHand := n.Src.(*ast.Call)
		if n.Op != flow.Acquire || !byHand || seen[n.Stmt] {
			continue
		}
		here := n.Frame == home && slices.ContainsFunc(body, func(st ast.Stmt) bool { return ast.Encloses(st, n.Src) })
		if !here && !slices.ContainsFunc(ends, func(d end) bool { return n.Frame != home && holds(d.n, n) }) {
			continue
		}
		seen[n.Stmt] = true
		if t.releasedFinally(n, call) || triesHard(n.Stmt) != nil {
			continue
		}
		section := t.section(n, call)
		if section == nil {
			return nil, false
		}
		lock := rule.Text(n, call.Func.(*ast.Attribute).Value)
		more, err := patch.NewEditor(n.Mod.AST).Enclose("with "+lock, section...)
		if err != nil {
			return nil, false
		}
		edits = append(edits, more...)
	}
	return edits, true
}

// holds reports whether a step holds the lock that the same function, or one around it, has
// acquired at another step.
func holds(n, acquire *flow.Node) bool {
	if !slices.ContainsFunc(n.Locks, acquire.Lock.Same) {
		return false
	}
	for fr := n.Frame; fr != nil; fr = fr.Caller {
		if fr == acquire.Frame {
			return true
		}
	}
	return false
}

// releasedFinally reports whether the statement after one that acquires a lock releases it
// whatever happens.
func (t *thread) releasedFinally(n *flow.Node, call *ast.Call) bool {
	block, _ := evidence.Block(n.Fn.Body(), n.Stmt)
	i := slices.Index(block, n.Stmt) + 1
	if i == 0 || i == len(block) {
		return false
	}
	at, ok := call.Func.(*ast.Attribute)
	try, tries := block[i].(*ast.Try)
	return ok && tries && slices.ContainsFunc(try.Finalbody, func(st ast.Stmt) bool {
		released, ok := calledAlone(st).(*ast.Call)
		if !ok {
			return false
		}
		a, ok := released.Func.(*ast.Attribute)
		return ok && a.Attr() == "release" && rule.Text(n, a.Value) == rule.Text(n, at.Value)
	})
}

// section returns the statements from one that acquires a lock to the one that releases it,
// or nil if these are not all that is done with the lock, or jumps lead out of them.
func (t *thread) section(n *flow.Node, call *ast.Call) []ast.Stmt {
	at, ok := call.Func.(*ast.Attribute)
	if st, alone := n.Stmt.(*ast.ExprStmt); !ok || !alone || st.Value != call || len(call.Args())+len(call.Keywords()) > 0 || n.Lock.Type == nil || !n.Lock.Type.Kind.IsLock() {
		return nil
	}
	lock, uses := rule.Text(n, at.Value), 0
	ast.Inspect(n.Fn.Node, func(x ast.Node) bool {
		if a, ok := x.(*ast.Attribute); ok && (a.Attr() == "acquire" || a.Attr() == "release" || a.Attr() == "locked") && rule.Text(n, a.Value) == lock {
			uses++
		}
		return true
	})
	block, _ := evidence.Block(n.Fn.Body(), n.Stmt)
	from := slices.Index(block, n.Stmt)
	if from < 0 || uses != 2 {
		return nil
	}
	for i, st := range block[from+1:] {
		if released, ok := calledAlone(st).(*ast.Call); ok {
			if a, ok := released.Func.(*ast.Attribute); ok && a.Attr() == "release" && rule.Text(n, a.Value) == lock {
				return block[from : from+1+i+1]
			}
		}
		if leaves(st) {
			return nil
		}
	}
	return nil
}

// leaves reports whether a statement contains a jump, or gives control away.
func leaves(st ast.Stmt) bool {
	found := false
	ast.Inspect(st, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.Return, *ast.Break, *ast.Continue, *ast.Await, *ast.Yield, *ast.YieldFrom:
			found = true
		}
		return !found
	})
	return found
}

// afterReceive returns the statements of a loop after the one that waits for an item,
// by a call of unknown code. If that statement takes the item apart as well, which may
// fail for each single item, the edits move the call to a statement of its own.
func (t *thread) afterReceive(ed *patch.Editor, loop []ast.Stmt, ends []end) ([]ast.Stmt, []patch.Edit) {
	for i, st := range loop {
		within := slices.ContainsFunc(ends, func(d end) bool { return d.n.Stmt == st })
		as, ok := st.(*ast.Assign)
		if !ok || !t.receives(as) {
			if within || ok {
				break
			}
			continue
		}
		if !within {
			if i+1 < len(loop) {
				return loop[i+1:], nil
			}
			break
		}
		head := &t.g.Nodes[t.head]
		call, name := rule.Text(head, as.Value), remedy.FreshVar(head.Fn, "message", "item", "received")
		if len(as.Targets) != 1 || name == "" {
			break
		}
		edits, err := ed.InsertBefore(st, name+" = "+call)
		if err != nil {
			break
		}
		return loop[i:], append(edits, ed.ReplaceExpr(as.Value, name))
	}
	return loop, nil
}

// receives reports whether a statement of the loop assigns what a call of unknown code
// yields.
func (t *thread) receives(as *ast.Assign) bool {
	call := as.Value
	if aw, ok := call.(*ast.Await); ok {
		call = aw.Value
	}
	for i := range t.g.Nodes {
		if n := &t.g.Nodes[i]; n.Op == flow.Call && n.Stmt == as && n.Src == call && n.Target == nil {
			return true
		}
	}
	return false
}

// loggerOf returns the variable of a module that holds a logger of the standard
// library, or "": by its type, or because the module calls its methods.
func (t *thread) loggerOf(m *program.Module) string {
	for _, st := range m.AST.Body {
		a, ok := st.(*ast.Assign)
		if !ok || len(a.Targets) != 1 {
			continue
		}
		if _, made := a.Value.(*ast.Call); !made {
			continue
		}
		if name, ok := a.Targets[0].(*ast.Name); ok && (t.isLogger(name, m) || logs(m, name.Id())) {
			return name.Id()
		}
	}
	return ""
}

// isLogger reports whether a variable of a module has the type of a logger.
func (t *thread) isLogger(name *ast.Name, m *program.Module) bool {
	switch typ := t.index.TypeOf(name, program.Env{Module: m}); typ.Kind {
	case program.External:
		return typ.Name == "logging.Logger" || typ.Name == "logging.getLogger()"
	case program.Instance:
		return typ.Class.HasExternalBase("logging.Logger", "logging.LoggerAdapter")
	}
	return false
}

// logs reports whether a module calls the method of loggers that tells of an
// exception, or two of those that tell of something else, on a variable.
func logs(m *program.Module, name string) bool {
	seen := map[string]bool{}
	for _, st := range m.AST.Body {
		ast.Inspect(st, func(n ast.Node) bool {
			call, ok := n.(*ast.Call)
			if !ok || len(call.Args()) == 0 {
				return true
			}
			if at, ok := call.Func.(*ast.Attribute); ok {
				if x, ok := at.Value.(*ast.Name); ok && x.Id() == name {
					switch at.Attr() {
					case "exception", "debug", "info", "warning", "error", "critical":
						seen[at.Attr()] = true
					}
				}
			}
			return true
		})
	}
	return seen["exception"] || len(seen) > 1
}
