package replay

import (
	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/program"
)

// managed writes a with statement over a context manager that is a generator of the
// program: the body of the generator, with what it manages in place of its yield.
func (w *writer) managed(n *ast.With, i int, k funcKey) {
	item := n.Items[i]
	call, ok := item.ContextExpr.(*ast.Call)
	if !ok {
		refuse("a with statement runs code of the program, %s", w.at)
	}
	left, always := "", false // the variable that tells whether the body has returned
	goesOn := jumps(n.Body) && resumes(k.fn.Body())
	if goesOn && !onlyReturns(n.Body) {
		refuse("the context manager %s goes on when its body is left, %s", k.fn.Qual, w.at)
	}
	w.manage(k, w.arguments(call, k), func(value string, kd kinds) {
		if name, ok := item.OptionalVars.(*ast.Name); ok {
			w.assignName(name.Id(), value, kd)
		}
		if goesOn {
			left, always = w.once(func() { w.with(n, i+1) })
			return
		}
		w.with(n, i+1)
	})
	if !goesOn {
		return
	}
	if always {
		w.put(w.leave())
		w.stop = true
		return
	}
	w.put("if " + left + ":")
	w.indent++
	w.put(w.leave())
	w.indent--
}

// once writes statements as a loop that is passed once: a return leaves it, so that what
// comes behind runs before the function ends. It returns the variable that tells whether
// that was so, and reports whether it always is.
func (w *writer) once(body func()) (left string, always bool) {
	left = w.temp()
	w.put(left + " = False")
	around := w.returned
	w.returned = left
	lines := w.captured(func() {
		body()
		if always = w.stop; !always {
			w.put("break")
		}
	})
	w.returned = around
	w.put("while True:")
	w.lines = append(w.lines, lines...)
	return left, always
}

// manage writes a context manager, with what body writes in place of its yield.
func (w *writer) manage(k funcKey, args map[string]argument, body func(value string, kd kinds)) {
	if w.e.busy[k] {
		refuse("%s runs itself, %s", k.fn.Qual, w.at)
	}
	w.checkManager(k)
	w.e.busy[k] = true
	defer delete(w.e.busy, k)

	m := w.e.newWriter(&function{key: k, name: w.e.functionName(k)})
	for name := range m.locals {
		if w.locals[name] {
			m.prefix = w.e.functionName(k) + "_"
		}
	}
	m.me = w.receiver(k)
	m.indent, m.tries, m.errs = w.indent, w.tries, w.errs
	m.temps = w.temps
	for _, p := range k.fn.Params {
		if a, ok := args[p.Name]; ok && p.Name != m.selfName {
			m.assignName(p.Name, a.text, a.kinds)
			if a.element {
				w.e.fact("elem "+m.f.name+" "+p.Name, exact)
			}
		}
	}
	m.lines = append(w.lines, m.lines...)
	m.yielded = func(value string, kd kinds) {
		w.lines, w.indent, w.temps, w.stop = nil, m.indent, m.temps, false
		body(value, kd)
		m.lines, m.temps, m.stop = append(m.lines, w.lines...), w.temps, w.stop
	}
	indent, at := w.indent, w.at
	m.block(k.fn.Body())
	w.lines, w.indent, w.at, w.temps, w.stop = m.lines, indent, at, m.temps, m.stop
	w.e.files[k.fn.Module.File] = true
}

// decorated tells the context manager that decorates a function from the function, where
// both are what a call runs.
func decorated(callees []funcKey) (manager, fn funcKey, ok bool) {
	if len(callees) != 2 {
		return funcKey{}, funcKey{}, false
	}
	manager, fn = callees[0], callees[1]
	if fn.fn.Kind == program.ContextManager {
		manager, fn = fn, manager
	}
	return manager, fn, manager.fn.Kind == program.ContextManager && fn.fn.Kind != program.ContextManager
}

// checkManager refuses a context manager whose yield is not met once, on every way.
func (w *writer) checkManager(k funcKey) {
	yields := 0
	ast.Inspect(k.fn.Node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Yield:
			yields++
		case *ast.Return, *ast.For, *ast.While, *ast.If, *ast.Match:
			ast.Inspect(n, func(x ast.Node) bool {
				if _, ok := x.(*ast.Yield); ok {
					yields++ // it depends on something
				}
				return true
			})
			if _, ok := n.(*ast.Return); ok {
				yields++
			}
		case *ast.FunctionDef, *ast.Lambda:
			return n == k.fn.Node
		}
		return true
	})
	if yields != 1 {
		refuse("the context manager %s is more than a single yield, %s", k.fn.Qual, w.at)
	}
}

// jumps reports whether a jump may leave a body: a return, or one to a loop around it.
func jumps(body []ast.Stmt) bool {
	found := false
	ast.Jumps(body, func(ast.Stmt) { found = true })
	return found
}

// onlyReturns reports whether the jumps out of a body are returns that are in no loop of it.
func onlyReturns(body []ast.Stmt) bool {
	for _, st := range body {
		switch st := st.(type) {
		case *ast.For, *ast.While:
			if jumps([]ast.Stmt{st}) {
				return false
			}
			continue
		case *ast.Break, *ast.Continue:
			return false
		}
		for _, inner := range ast.Blocks(st) {
			if !onlyReturns(inner) {
				return false
			}
		}
	}
	return true
}

// resumes reports whether a generator has statements after its yield that are no
// finally clause: what jumps out of the body resumes it there.
func resumes(body []ast.Stmt) bool {
	for i, st := range body {
		if !ast.Yields(st) {
			continue
		}
		if i+1 < len(body) {
			return true
		}
		switch st := st.(type) {
		case *ast.With:
			return resumes(st.Body)
		case *ast.Try:
			return len(st.Orelse) > 0 || resumes(st.Body)
		}
	}
	return false
}
