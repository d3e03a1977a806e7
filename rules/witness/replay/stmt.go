package replay

import (
	"slices"
	"strconv"
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/rules/witness"
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
		w.put("return")
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

// reached reports whether the graphs have a step within statements.
func (w *writer) reached(body []ast.Stmt) bool {
	if len(body) == 0 {
		return false
	}
	from, to := body[0].Pos(), body[len(body)-1].End()
	for at := range w.e.ops[w.f.key] {
		if from <= at.Pos() && at.End() <= to {
			return true
		}
	}
	return false
}

// hint notes how conditions go that the graphs have decided, since nothing can
// change them: the other side has no steps. Yes and no tell whether the graphs
// have steps where the condition holds, and where it does not.
func (w *writer) hint(x ast.Expr, yes, no bool) {
	switch x := x.(type) {
	case *ast.UnaryOp:
		if x.Op == ast.Not {
			w.hint(x.Operand, no, yes)
			return
		}
	case *ast.BoolOp:
		for i, v := range x.Values {
			later := false
			for _, u := range x.Values[i+1:] {
				later = later || w.touches(u) || w.branches(u)
			}
			if x.Op == ast.And {
				w.hint(v, yes || later, no)
			} else {
				w.hint(v, yes, no || later)
			}
		}
		return
	}
	if w.branches(x) || yes == no {
		return
	}
	if w.decided == nil {
		w.decided = map[ast.Node]bool{}
	}
	w.decided[x] = yes
}

// branches reports whether the graphs have a branch on an expression.
func (w *writer) branches(x ast.Expr) bool {
	return slices.ContainsFunc(w.nodes(x), func(n *flow.Node) bool { return n.Op == flow.Branch })
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

func (w *writer) ifStmt(n *ast.If) {
	start := len(w.lines)
	w.hint(n.Test, w.reached(n.Body), w.reached(n.Orelse))
	test := w.cond(n.Test)
	var stopYes, stopNo bool
	var yes []line
	if test == "False" || w.never(test) {
		test = "False"
		w.e.untaken++
	} else {
		yes = w.captured(func() { w.block(n.Body); stopYes = w.stop })
	}
	no := w.captured(func() { w.block(n.Orelse); stopNo = w.stop })
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

// never reports whether a condition is assumed not to hold whenever the
// schedule asks for it, so that what depends on it can be left out. Where any
// outcome is possible after the schedule, nothing is left out.
func (w *writer) never(test string) bool {
	if w.e.s.problem.Property == witness.NoPin {
		return false
	}
	site, ok := strings.CutPrefix(test, "t.assume(")
	if !ok || !balanced(test) {
		return false
	}
	site = unquote(strings.TrimSuffix(site, ")"))
	for key, got := range w.e.s.answers {
		if siteOf(key) == site && slices.Contains(got, true) {
			return false
		}
	}
	return true
}

func constantTrue(e ast.Expr) bool {
	c, ok := e.(*ast.Constant)
	return ok && (c.Kind() == ast.True || c.Kind() == ast.Int && c.Value() != "0")
}

func (w *writer) while(n *ast.While) {
	input := w.e.s.inputs[w.site(n)]
	forever := constantTrue(n.Test)
	lines := w.captured(func() {
		if input {
			w.put("yield " + quote(w.site(n)))
		}
		w.pass(n, "", nil, "")
		if !input {
			w.put("yield GOES_ON")
		}
		if !forever {
			w.put("if not " + paren(w.cond(n.Test)) + ":")
			w.indent++
			w.put("break")
			w.indent--
		}
		w.block(n.Body)
	})
	if len(n.Orelse) > 0 {
		refuse("a while loop has an else branch, %s", w.at)
	}
	if !input && !acts(lines) {
		if forever {
			w.put("yield " + quote(w.site(n)))
			w.put("t.ret = None")
			w.put("return")
			w.stop = true
		}
		return
	}
	w.put("while True:")
	w.lines = append(w.lines, lines...)
	w.stop = forever && !breaks(lines, w.indent+1)
}

// breaks reports whether lines contain a break of the loop around them.
func breaks(lines []line, _ int) bool {
	for _, l := range lines {
		if l.text == "break" {
			return true
		}
	}
	return false
}

// acts reports whether lines do more than go round.
func acts(lines []line) bool {
	for _, l := range lines {
		t := l.text
		switch {
		case t == "break", t == "continue", t == "pass", t == "yield GOES_ON", t == "else:", strings.HasPrefix(t, "if "):
		case strings.HasPrefix(t, "v") && assignment.MatchString(t) && pure(assignment.FindStringSubmatch(t)[2]):
		default:
			return true
		}
	}
	return false
}

func joined(lines []line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.text)
		b.WriteByte('\n')
	}
	return b.String()
}

// loop writes a for loop or one part of a comprehension.
func (w *writer) loop(target, iter ast.Expr, src ast.Node, body func(), orelse []ast.Stmt) {
	base, what := w.iterated(iter)
	var live *flow.Node
	for _, at := range []ast.Node{iter, base} {
		if live == nil && at != nil {
			live = w.step(at, flow.Next)
		}
	}
	if live != nil {
		w.walk(live, target, iter, base, what, body, orelse)
		return
	}
	text, k := w.expr(iter)
	if k == exact && (w.e.facts["seq "+w.f.name+" "+text] != 0 || w.isSeq(iter, text)) {
		w.put("for " + w.target(target, true) + " in " + text + ":")
		w.under(func() { w.pass(src, "", nil, ""); body() })
		w.pass(src, "", nil, "")
		w.otherwise(orelse)
		return
	}
	if k == exact && w.e.facts["box "+w.f.name+" "+text] != 0 {
		w.put("for " + w.target(target, true) + " in " + text + ".part(\"keys\"):")
		w.under(body)
		w.otherwise(orelse)
		return
	}
	for _, at := range []ast.Node{iter, base} { // a live iteration has its steps at what it walks over
		if at != nil && slices.ContainsFunc(w.nodes(at), func(n *flow.Node) bool { return n.Op == flow.Next }) {
			src = at
		}
	}
	w.guess(target, src, body, orelse)
}

// isSeq reports whether a loop walks over a variable that holds a copy.
func (w *writer) isSeq(x ast.Expr, text string) bool {
	return w.e.facts["seq "+w.f.name+" "+text] != 0
}

// iterated strips enumerate, iter and the views of a container from what a loop
// walks over.
func (w *writer) iterated(x ast.Expr) (base ast.Expr, what string) {
	what = "keys"
	if call, ok := x.(*ast.Call); ok {
		if at, ok := call.Func.(*ast.Attribute); ok && len(call.Args()) == 0 {
			switch at.Attr() {
			case "keys", "values", "items":
				return at.Value, at.Attr()
			}
		}
		if name, ok := call.Func.(*ast.Name); ok && len(call.Args()) > 0 {
			switch name.Id() {
			case "iter", "reversed", "enumerate":
				b, what := w.iterated(call.Args()[0])
				if b == nil {
					b = call.Args()[0]
				}
				if name.Id() == "enumerate" {
					what = "enumerate " + what
				}
				return b, what
			}
		}
	}
	return x, what
}

// walk writes a live iteration over a tracked container.
func (w *writer) walk(n *flow.Node, target, iter, base ast.Expr, what string, body func(), orelse []ast.Stmt) {
	counted := strings.HasPrefix(what, "enumerate ")
	what = strings.TrimPrefix(what, "enumerate ")
	c := w.container(n, base)
	src := n.Src
	begin := w.step(src, flow.Iter)
	if begin == nil {
		begin = n
	}
	w.pauseOn(src, begin, c)
	next := w.marked(src, n)
	it := w.temp() + "_"
	w.put(it + " = " + c + ".walk(" + quote(what) + next + ")")
	mark := ""
	for _, p := range w.positions(src) {
		if p += " raises"; len(w.e.s.marks[p]) > 0 {
			w.e.seenMarks[p] = true
			mark = quote(p)
		}
	}
	w.put("while (yield " + quote(w.site(src)) + ") is None and " + it + ".more(" + mark + "):")
	lines := w.captured(func() {
		t := target
		if tup, ok := target.(*ast.Tuple); ok && counted && len(tup.Elts) == 2 {
			t = tup.Elts[1]
		}
		w.put(w.target(t, true) + " = " + it + ".value")
		body()
	})
	w.lines = append(w.lines, lines...)
	w.otherwise(orelse)
}

// marked returns a further argument that names the place of a step, if it is one
// that the property speaks of.
func (w *writer) marked(n ast.Node, step *flow.Node) string {
	for _, p := range w.positions(n) {
		for _, m := range w.e.s.marks[p] {
			if m.op == step.Op && (m.at == "" || step.Loc != nil && m.at == step.Loc.ID) {
				w.e.seenMarks[p] = true
				return ", " + quote(p)
			}
		}
	}
	return ""
}

// under writes the body of a loop.
func (w *writer) under(body func()) {
	lines := w.captured(body)
	w.suite(lines)
}

func (w *writer) otherwise(orelse []ast.Stmt) {
	if len(orelse) == 0 {
		return
	}
	lines := w.captured(func() { w.block(orelse) })
	if len(lines) > 0 {
		w.put("else:")
		w.suite(lines)
	}
}

// guess writes a loop over something unknown, which takes as many elements as
// the schedule says.
func (w *writer) guess(target ast.Expr, src ast.Node, body func(), orelse []ast.Stmt) {
	site := w.site(src)
	element := ""
	lines := w.captured(func() {
		if name, ok := target.(*ast.Name); ok {
			element = name.Id()
			w.locals[element] = true
			w.e.fact(w.varFact(element), exact)
			w.e.fact("elem "+w.f.name+" "+element, exact)
			w.put(local(element) + " = t.element(" + quote(site) + ")")
		} else {
			w.targets(target, func(name string) {
				w.e.fact(w.varFact(name), exact)
				w.e.fact("elem "+w.f.name+" "+name, exact)
				w.put(local(name) + " = t.element(" + quote(site) + ")")
			})
		}
		w.pass(src, "", nil, "")
		body()
	})
	if !acts(dropElements(lines)) && !strings.Contains(joined(lines), "return") {
		return
	}
	w.e.assumed[site] = true
	w.put("while t.assume(" + quote(site) + "):")
	w.indent++
	w.put("yield GOES_ON")
	w.indent--
	w.lines = append(w.lines, lines...)
	w.otherwise(orelse)
}

func dropElements(lines []line) []line {
	var out []line
	for _, l := range lines {
		if !strings.Contains(l.text, " = t.element(") {
			out = append(out, l)
		}
	}
	return out
}

func (w *writer) targets(t ast.Expr, f func(name string)) {
	switch t := t.(type) {
	case *ast.Name:
		w.locals[t.Id()] = true
		f(t.Id())
	case *ast.Tuple:
		for _, x := range t.Elts {
			w.targets(x, f)
		}
	case *ast.List:
		for _, x := range t.Elts {
			w.targets(x, f)
		}
	case *ast.Starred:
		w.targets(t.Value, f)
	}
}

// target returns the variables that take an element.
func (w *writer) target(t ast.Expr, element bool) string {
	switch t := t.(type) {
	case *ast.Name:
		w.locals[t.Id()] = true
		w.e.fact(w.varFact(t.Id()), exact)
		if element {
			w.e.fact("elem "+w.f.name+" "+t.Id(), exact)
		}
		return local(t.Id())
	case *ast.Tuple:
		var parts []string
		for i, x := range t.Elts {
			if name, ok := x.(*ast.Name); ok && i > 0 {
				w.locals[name.Id()] = true
				w.e.fact(w.varFact(name.Id()), exact|thing)
				parts = append(parts, local(name.Id()))
				continue
			}
			parts = append(parts, w.target(x, element && i == 0))
		}
		return "(" + strings.Join(parts, ", ") + ",)"
	}
	refuse("a loop stores its elements somewhere else, %s", w.at)
	return ""
}

func (w *writer) with(n *ast.With, i int) {
	if i == len(n.Items) {
		w.block(n.Body)
		return
	}
	item := n.Items[i]
	var acquire *flow.Node
	for _, x := range w.nodes(item.ContextExpr) {
		if x.Op == flow.Acquire && keepsLock(x.Lock) {
			acquire = x
		}
	}
	if acquire == nil {
		if callees := w.e.callees[w.f.key][item.ContextExpr]; len(callees) > 0 {
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
		w.with(n, i+1)
		return
	}
	w.effects(item.ContextExpr)
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

func (w *writer) try(n *ast.Try) {
	var stopBody bool
	w.tries = append(w.tries, n)
	body := w.captured(func() { w.block(n.Body); stopBody = w.stop })
	w.tries = w.tries[:len(w.tries)-1]
	orelse := w.captured(func() {
		if !stopBody {
			w.block(n.Orelse)
		}
	})
	type handler struct {
		head  string
		lines []line
	}
	var handlers []handler
	stopAll := stopBody
	for _, h := range n.Handlers {
		v := "err" + w.temp()[1:]
		w.errs = append(w.errs, v)
		var stop bool
		lines := w.captured(func() {
			w.block(h.Body)
			stop = w.stop
		})
		w.errs = w.errs[:len(w.errs)-1]
		stopAll = stopAll && stop
		head := "except " + w.handlerType(h)
		if strings.Contains(joined(lines), "raise "+v) {
			head += " as " + v
		}
		handlers = append(handlers, handler{head + ":", lines})
	}
	final := w.captured(func() { w.block(n.Finalbody) })
	if len(body) == 0 && len(orelse) == 0 {
		w.dedent(final)
		return
	}
	if len(handlers) == 0 && len(final) == 0 {
		w.dedent(body)
		w.dedent(orelse)
		w.stop = stopBody
		return
	}
	w.put("try:")
	w.suite(body)
	if len(handlers) == 0 && len(orelse) > 0 {
		w.lines = append(w.lines, orelse...)
		orelse = nil
	}
	for _, h := range handlers {
		w.put(h.head)
		w.suite(h.lines)
	}
	if len(orelse) > 0 {
		w.put("else:")
		w.suite(orelse)
	}
	if len(final) > 0 {
		w.put("finally:")
		w.suite(final)
	}
	w.stop = stopAll && len(n.Orelse) == 0
}

// dedent writes lines one level up.
func (w *writer) dedent(lines []line) {
	for _, l := range lines {
		l.indent--
		w.lines = append(w.lines, l)
	}
}

// builtins are the exception classes that both interpreters know.
var builtins = map[string]bool{
	"Exception": true, "BaseException": true, "KeyError": true, "IndexError": true, "LookupError": true, "ValueError": true,
	"RuntimeError": true, "AssertionError": true, "AttributeError": true, "TypeError": true, "OSError": true,
	"NotImplementedError": true, "StopIteration": true, "ZeroDivisionError": true, "TimeoutError": true,
	"ConnectionError": true, "NameError": true, "ArithmeticError": true, "OverflowError": true, "ImportError": true,
}

// reserve are classes that stand for those which the slice cannot define.
var reserve = []string{"BufferError", "EOFError", "MemoryError", "ReferenceError", "SystemError", "FloatingPointError"}

// exception returns the class to raise or catch for a class of the program.
func (w *writer) exception(name string) string {
	if name == "*" {
		return "Exception"
	}
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		name = name[i+1:]
	}
	if builtins[name] {
		return name
	}
	if s, ok := w.e.standins[name]; ok {
		return s
	}
	if len(w.e.standins) == len(reserve) {
		refuse("the slice has too many classes of exceptions")
	}
	s := reserve[len(w.e.standins)]
	w.e.standins[name] = s
	return s
}

func (w *writer) handlerType(h *ast.ExceptHandler) string {
	if h.Type == nil {
		return "Exception"
	}
	types := []ast.Expr{h.Type}
	if t, ok := h.Type.(*ast.Tuple); ok {
		types = t.Elts
	}
	var names []string
	for _, t := range types {
		names = append(names, w.exception(className(t)))
	}
	if len(names) == 1 {
		return names[0]
	}
	return "(" + strings.Join(names, ", ") + ")"
}

func className(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Name:
		return e.Id()
	case *ast.Attribute:
		return e.Attr()
	case *ast.Call:
		return className(e.Func)
	}
	return "*"
}

func (w *writer) raise(n *ast.Raise) {
	w.stop = true
	w.pass(n, "", nil, "")
	if n.Exc == nil {
		if len(w.errs) == 0 {
			w.put("raise RuntimeError(" + quote("no exception to raise") + ")")
			return
		}
		w.put("raise " + w.errs[len(w.errs)-1])
		return
	}
	if call, ok := n.Exc.(*ast.Call); ok {
		w.effectsOf(call)
	}
	name := className(n.Exc)
	if id, ok := n.Exc.(*ast.Name); ok && w.locals[id.Id()] {
		name = "*"
	}
	w.put("raise " + w.exception(name) + "(" + quote(clip(textOf(w.mod, n.Exc))) + ")")
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
		body := w.captured(func() { w.block(c.Body) })
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

func (w *writer) assign(n *ast.Assign) {
	if len(n.Targets) == 1 {
		t, ok := n.Targets[0].(*ast.Tuple)
		v, ok2 := n.Value.(*ast.Tuple)
		if ok && ok2 && len(t.Elts) == len(v.Elts) {
			var texts []string
			var ks []kinds
			for _, x := range v.Elts {
				text, k := w.expr(x)
				if k != unknown {
					text, k = w.keep(text, k)
				}
				texts, ks = append(texts, text), append(ks, k)
			}
			for i, x := range t.Elts {
				w.store(x, texts[i], ks[i], v.Elts[i], n)
			}
			return
		}
	}
	text, k := w.expr(n.Value)
	for _, t := range n.Targets {
		w.store(t, text, k, n.Value, n)
	}
}

// assignName binds a variable.
func (w *writer) assignName(name, text string, k kinds) {
	w.locals[name] = true
	w.e.fact(w.varFact(name), k)
	for _, what := range []string{"elem", "seq", "box"} {
		if w.e.facts[what+" "+w.f.name+" "+text] != 0 {
			w.e.fact(what+" "+w.f.name+" "+name, exact)
		}
	}
	if w.e.facts[w.varFact(name)]&^unknown == 0 {
		return
	}
	if text != local(name) {
		w.put(local(name) + " = " + text)
	}
}

func (w *writer) setFlag(src ast.Node, n *flow.Node, text string, k kinds) {
	w.e.fact("loc "+n.Loc.ID, k)
	w.pause(src, n)
	if w.e.status[n.Loc] {
		w.put("replaced(" + w.ref(n.Loc) + ", " + text + ", " + quote(n.Loc.String()) + ")")
	}
	w.put(w.ref(n.Loc) + " = " + text)
}

func (w *writer) store(t ast.Expr, text string, k kinds, from ast.Expr, st ast.Stmt) {
	switch t := t.(type) {
	case *ast.Name:
		if l := w.localBox(t.Id()); l != nil {
			if n := w.step(st, flow.Rebind); n != nil && n.Mode&flow.Initial == 0 {
				w.rebind(st, n, text, k)
			}
			return
		}
		w.assignName(t.Id(), text, k)
	case *ast.Attribute:
		w.storeAttr(t, text, k, st)
	case *ast.Subscript:
		w.storeItem(t, text, k)
	case *ast.Tuple:
		w.unpack(t.Elts, text, k, st)
	case *ast.List:
		w.unpack(t.Elts, text, k, st)
	case *ast.Starred:
		w.store(t.Value, "UNKNOWN", unknown, nil, st)
	}
}

func (w *writer) unpack(elts []ast.Expr, text string, k kinds, st ast.Stmt) {
	for i, t := range elts {
		part, pk := "UNKNOWN", unknown
		if k == exact && strings.HasPrefix(text, "(") || w.e.facts["elem "+w.f.name+" "+text] != 0 && k == exact {
			part, pk = text+"["+strconv.Itoa(i)+"]", exact|unknown
		}
		if name, ok := t.(*ast.Name); ok {
			if i == 0 && w.e.facts["elem "+w.f.name+" "+text] != 0 {
				w.e.fact("elem "+w.f.name+" "+name.Id(), exact)
			}
		}
		w.store(t, part, pk, nil, st)
	}
}

func (w *writer) storeAttr(t *ast.Attribute, text string, k kinds, st ast.Stmt) {
	w.effects(t.Value)
	if n := w.step(st, flow.SetFlag); n != nil && n.Loc.Name == t.Attr() {
		w.setFlag(st, n, text, k)
		return
	}
	if n := w.step(st, flow.Rebind); n != nil && n.Loc.Name == t.Attr() {
		if n.Mode&flow.Initial != 0 {
			w.e.box(n.Loc)
			return
		}
		w.rebind(st, n, text, k)
	}
}

// rebind writes the assignment of a container to its location.
func (w *writer) rebind(src ast.Node, n *flow.Node, text string, k kinds) {
	if k&exact == 0 {
		refuse("%s takes a container of which nothing is known, %s", n.Loc, w.at)
	}
	w.pause(src, n)
	if w.e.facts["seq "+w.f.name+" "+text] != 0 {
		refuse("%s takes a list of elements, %s", n.Loc, w.at)
	}
	ref := w.ref(n.Loc)
	w.put(ref + " = " + text)
	w.put(ref + ".name = " + quote(n.Loc.String()))
	w.put(ref + ".kind = " + quote(n.Loc.Type.Kind.String()))
}

func (w *writer) storeItem(t *ast.Subscript, text string, k kinds) {
	n := w.step(t, flow.Put)
	if n == nil {
		w.effects(t.Value)
		w.expr(t.Slice)
		return
	}
	c := w.container(n, t.Value)
	key := w.key(n, t.Slice)
	if k == unknown {
		text, k = "THING", thing
	}
	w.e.fact("loc "+n.Loc.ID, k)
	w.pauseFor(t, n, c, key)
	w.put(c + "[" + key + "] = " + text)
}

func (w *writer) delete(t ast.Expr, st *ast.Delete) {
	switch t := t.(type) {
	case *ast.Subscript:
		if n := w.step(st, flow.Del); n != nil {
			c := w.container(n, t.Value)
			key := w.key(n, t.Slice)
			w.pauseFor(st, n, c, key)
			w.put("del " + c + "[" + key + "]")
			return
		}
		w.expr(t.Value)
		w.expr(t.Slice)
	case *ast.Attribute:
		if n := w.step(st, flow.SetFlag); n != nil {
			w.setFlag(st, n, "None", exact)
		}
	}
}

func (w *writer) augAssign(n *ast.AugAssign) {
	text, k := w.expr(n.Value)
	switch t := n.Target.(type) {
	case *ast.Subscript:
		put := w.step(t, flow.Put)
		if put == nil {
			w.effects(t.Value)
			w.expr(t.Slice)
			return
		}
		c := w.container(put, t.Value)
		key := w.key(put, t.Slice)
		read := w.step(t, flow.Read)
		w.pauseFor(t, read, c, key)
		old, ok := w.keep(c+"["+key+"]", w.entryKinds(put))
		w.pauseFor(t, put, c, key)
		value, vk := w.updated(old, ok, text, k, n.Op)
		w.e.fact("loc "+put.Loc.ID, vk)
		w.put(c + "[" + key + "] = " + value)
	case *ast.Attribute:
		if set := w.step(n, flow.SetFlag); set != nil {
			old, ok := w.attribute(t)
			value, vk := w.updated(old, ok, text, k, n.Op)
			w.setFlag(n, set, value, vk)
			return
		}
		w.inPlace(n, t, text, k)
	case *ast.Name:
		if w.step(n, flow.PutAll, flow.DelAll) != nil {
			w.inPlace(n, t, text, k)
			return
		}
		w.assignName(t.Id(), "UNKNOWN", unknown)
	}
}

// updated returns the value of "old op= value".
func (w *writer) updated(old string, ok kinds, text string, k kinds, op ast.Operator) (string, kinds) {
	if ok == exact && k == exact && (op == ast.Add || op == ast.Sub) {
		return old + " " + signs[op] + " " + text, exact
	}
	return "THING", thing
}

// inPlace writes s |= x and the like.
func (w *writer) inPlace(n *ast.AugAssign, t ast.Expr, text string, k kinds) {
	step := w.step(n, flow.PutAll, flow.DelAll)
	if step == nil {
		return
	}
	c := w.container(step, t)
	w.pauseOn(n, step, c)
	if step.Op == flow.PutAll {
		if k != exact {
			text = "None"
		}
		w.put(c + ".update(" + text + ")")
		return
	}
	if k != exact {
		refuse("%s loses what the slice does not know, %s", step.Loc, w.at)
	}
	w.put(c + ".remove_all(" + text + ")")
}

var _ = program.Unknown
