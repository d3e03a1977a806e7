package replay

import (
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
)

func (w *writer) block(body []ast.Stmt) {
	for _, st := range body {
		if w.stop {
			return
		}
		saved := w.at
		w.at = place(w.mod, st)
		w.statement(st)
		w.at = saved
	}
}

// ended reports whether the last line leaves the block.
func (w *writer) ended() bool { return w.stop }

func (w *writer) statement(st ast.Stmt) {
	switch n := st.(type) {
	case *ast.ExprStmt:
		w.expr(n.Value)
	case *ast.Assign:
		w.assign(n)
	case *ast.AnnAssign:
		if n.Value != nil {
			text, k := w.expr(n.Value)
			w.store(n.Target, text, k, n.Value, n)
		}
	case *ast.AugAssign:
		w.augAssign(n)
	case *ast.Delete:
		for _, t := range n.Targets {
			w.delete(t, n)
		}
	case *ast.Return:
		text, k := "None", exact
		if n.Value != nil {
			text, k = w.expr(n.Value)
		}
		w.e.fact("ret "+w.f.name, k)
		w.passValue(n, text)
		w.put("t.ret = " + text)
		w.put(w.leave())
		w.stop = true
		return
	case *ast.If:
		w.ifStmt(n)
	case *ast.While:
		w.while(n)
	case *ast.For:
		if n.Async {
			w.await(n.Iter)
		}
		w.loop(n.Target, n.Iter, n, func() { w.block(n.Body) }, n.Orelse)
	case *ast.With:
		w.with(n, 0)
	case *ast.Try:
		w.try(n)
	case *ast.Match:
		w.match(n)
	case *ast.Raise:
		w.raise(n)
	case *ast.Assert:
		w.put("if not " + paren(w.cond(n.Test)) + ":")
		w.indent++
		w.pass(n, "", nil, "")
		w.put("raise AssertionError(" + quote(clip(textOf(w.mod, n.Test))) + ")")
		w.indent--
	case *ast.Break:
		w.put("break")
		w.stop = true
	case *ast.Continue:
		w.put("continue")
		w.stop = true
	}
	switch st.(type) {
	case *ast.ExprStmt, *ast.While, *ast.For, *ast.Raise, *ast.Assert:
	default:
		if !w.stop {
			w.after(st)
		}
	}
}

// suite writes lines below a header, or pass.
func (w *writer) suite(lines []line) {
	w.lines = append(w.lines, lines...)
	if len(lines) == 0 {
		w.indent++
		w.put("pass")
		w.indent--
	}
}

// leaves reports whether statements end in a jump.
func leaves(body []ast.Stmt) bool {
	switch body[len(body)-1].(type) {
	case *ast.Return, *ast.Continue, *ast.Break, *ast.Raise:
		return true
	}
	return false
}

// leave returns the statement by which a return leaves.
func (w *writer) leave() string {
	if w.returned == "" {
		return "return"
	}
	w.put(w.returned + " = True")
	return "break"
}

func (w *writer) ifStmt(n *ast.If) {
	start := len(w.lines)
	w.hint(n.Test, w.reached(n.Body), w.reached(n.Orelse) || len(n.Orelse) == 0 && leaves(n.Body) && w.reachedBehind(n))
	test := w.cond(n.Test)
	var stopYes, stopNo bool
	var yes []line
	if test == "False" || w.never(test) {
		test = "False"
		w.e.untaken++
	} else {
		yes = w.captured(func() { w.side(n.Test, true); w.block(n.Body); stopYes = w.stop })
	}
	no := w.captured(func() { w.side(n.Test, false); w.block(n.Orelse); stopNo = w.stop })
	if test == "False" {
		w.dedent(no)
		w.stop = stopNo
		return
	}
	if len(yes) == 0 && len(no) == 0 {
		if len(w.lines) > start && strings.Contains(test, "v") {
			return // only the accesses of the condition matter
		}
		return
	}
	if len(yes) == 0 {
		w.put("if not " + paren(test) + ":")
		w.suite(no)
		return
	}
	w.put("if " + test + ":")
	w.suite(yes)
	if len(no) > 0 {
		w.put("else:")
		w.suite(no)
	}
	w.stop = stopYes && stopNo && len(n.Orelse) > 0
}

// managerOf writes what an expression does that yields a lock.
func (w *writer) managerOf(e ast.Expr) {
	call, ok := e.(*ast.Call)
	if !ok {
		w.effects(e)
		return
	}
	if n := w.step(call, flow.Put, flow.Read); n != nil {
		w.method(call, n)
		return
	}
	w.effects(call.Func)
	w.effectsOf(call)
}

func (w *writer) with(n *ast.With, i int) {
	if i == len(n.Items) {
		w.block(n.Body)
		return
	}
	item := n.Items[i]
	var acquire *flow.Node
	own := false // each call may take a lock of its own
	for _, x := range w.nodes(item.ContextExpr) {
		if x.Op == flow.Acquire && keepsLock(x.Lock) {
			acquire = x
		}
		own = own || x.Op == flow.Acquire && x.Lock != nil && x.Lock.Loc == nil
	}
	if own && acquire == nil {
		w.managerOf(item.ContextExpr)
		w.with(n, i+1)
		return
	}
	if acquire == nil {
		switch callees := w.e.callees[w.f.key][item.ContextExpr]; {
		case len(callees) == 1 && callees[0].fn.Kind == program.ContextManager:
			w.managed(n, i, callees[0])
			return
		case len(callees) > 0:
			refuse("a with statement runs code of the program, %s", w.at)
		}
		text, k := w.expr(item.ContextExpr)
		if n.Async {
			w.await(item.ContextExpr)
		}
		_ = text
		_ = k
		if name, ok := item.OptionalVars.(*ast.Name); ok {
			w.assignName(name.Id(), "UNKNOWN", unknown)
		}
		if n.Async && w.awaitsTasks(item.ContextExpr) {
			w.group(n, i)
			return
		}
		w.with(n, i+1)
		return
	}
	w.managerOf(item.ContextExpr)
	lock := w.lock(acquire.Lock)
	lines := w.captured(func() {
		w.indent++
		w.with(n, i+1)
		w.indent--
	})
	// The lines are one level too deep for the try, which is what they need.
	if len(lines) == 0 {
		return
	}
	stop := false
	if last := lines[len(lines)-1]; last.indent == w.indent+2 && (last.text == "return" || last.text == "break" || last.text == "continue" || strings.HasPrefix(last.text, "raise ")) {
		stop = true
	}
	w.pass(item.ContextExpr, " arrives", nil, "")
	w.put("yield " + quote(w.site(item.ContextExpr)))
	w.yields(item.ContextExpr, acquire)
	w.pass(item.ContextExpr, "", nil, "")
	w.put("yield from " + lock + ".acquire(t)")
	w.put("try:")
	for _, l := range lines {
		l.indent--
		w.lines = append(w.lines, l)
	}
	w.put("finally:")
	w.indent++
	w.put(lock + ".release(t)")
	w.indent--
	w.stop = stop
}

// awaitsTasks reports whether the end of a with statement lets other coroutines run until
// its tasks are over.
func (w *writer) awaitsTasks(x ast.Expr) bool {
	awaits := 0
	for _, n := range w.nodes(x) {
		if n.Op == flow.Await {
			awaits++
		}
	}
	return awaits > 1 // the first is that of its beginning
}

// group writes the body of a with statement over a group of tasks.
func (w *writer) group(n *ast.With, i int) {
	stop := false
	lines := w.captured(func() { w.with(n, i+1); stop = w.stop })
	if len(lines) == 0 {
		return
	}
	w.put("try:")
	w.lines = append(w.lines, lines...)
	w.put("finally:")
	w.indent++
	w.await(n.Items[i].ContextExpr)
	w.indent--
	w.stop = stop
}

func (w *writer) match(n *ast.Match) {
	subject, k := w.expr(n.Subject)
	depth := 0
	for i, c := range n.Cases {
		wild := false
		if as, ok := c.Pattern.(*ast.MatchAs); ok && as.Pattern == nil && c.Guard == nil {
			wild = true
		}
		test := ""
		if !wild {
			test = w.pattern(subject, k, c.Pattern)
			if c.Guard != nil {
				var guard string
				lines := w.captured(func() { guard = w.cond(c.Guard) })
				if len(lines) > 0 {
					refuse("the guard of a case reads shared state, %s", w.at)
				}
				test = paren(test) + " and " + paren(guard)
			}
		}
		body := w.captured(func() {
			if !wild {
				w.side(c.Pattern, true)
			}
			w.block(c.Body)
		})
		if wild {
			w.dedent(body)
			break
		}
		w.put("if " + test + ":")
		w.suite(body)
		if i < len(n.Cases)-1 {
			w.put("else:")
			w.indent++
			depth++
			w.put("pass")
		}
	}
	w.indent -= depth
}

// pattern returns the test whether a value matches.
func (w *writer) pattern(subject string, k kinds, p ast.Pattern) string {
	w.before(p)
	w.after(p)
	switch p := p.(type) {
	case *ast.MatchValue:
		text, pk := w.expr(p.Value)
		if k == exact && pk == exact {
			return subject + " == " + text
		}
		if k&exact != 0 && pk == exact {
			w.e.assumed[w.site(p)] = true
			return "t.same(" + subject + ", " + text + ", " + quote(w.site(p)) + ")"
		}
	case *ast.MatchOr:
		var tests []string
		for _, alt := range p.Patterns {
			tests = append(tests, paren(w.pattern(subject, k, alt)))
		}
		return strings.Join(tests, " or ")
	case *ast.MatchSingleton:
		if k == exact {
			return subject + " is " + p.Value.String()
		}
	}
	return w.assume(p)
}
