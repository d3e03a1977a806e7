package replay

import (
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
)

// thrown returns the class of an assumed exception: one that the handler catches
// where the thread goes on.
func (w *writer) thrown(r raise) string {
	if r.exc == "*" && !r.ends && r.caught != "" {
		return w.exception(r.caught)
	}
	if r.exc != "*" || r.ends || len(w.tries) == 0 {
		return w.exception(r.exc)
	}
	for i := len(w.tries) - 1; i >= 0; i-- {
		for _, h := range w.tries[i].Handlers {
			if w.hasPlace(h, r.to) {
				return w.oneOf(h)
			}
		}
	}
	if hs := w.tries[len(w.tries)-1].Handlers; len(hs) > 0 {
		return w.oneOf(hs[0])
	}
	return w.exception(r.exc)
}

// caughtBy returns a class that the handler catches which takes a thread from a step to one
// of a caller, or "" when both are of one function: the handler with that step, or the
// first one.
func caughtBy(n, to *flow.Node) string {
	fr := n.Frame
	for fr != nil && fr.Caller != nil && (fr.Caller.Fn != to.Fn || fr.Fn == to.Fn) {
		fr = fr.Caller
	}
	if n.Fn == to.Fn || fr == nil || fr.Caller == nil || fr.Call == nil {
		return ""
	}
	var found *ast.Try
	ast.Inspect(to.Fn.Node, func(x ast.Node) bool {
		if t, ok := x.(*ast.Try); ok && len(t.Handlers) > 0 && t.Body[0].Pos() <= fr.Call.Pos() && fr.Call.End() <= t.Body[len(t.Body)-1].End() {
			found = t
		}
		return true
	})
	if found == nil {
		return ""
	}
	h := found.Handlers[0]
	for _, other := range found.Handlers {
		if ast.Encloses(other, to.Src) {
			h = other
		}
	}
	types := h.Type
	if t, ok := types.(*ast.Tuple); ok && len(t.Elts) > 0 {
		types = t.Elts[0]
	}
	if types == nil {
		return ""
	}
	return className(types)
}

// oneOf returns a class that a handler catches.
func (w *writer) oneOf(h *ast.ExceptHandler) string {
	switch t := h.Type.(type) {
	case nil:
		return "Exception"
	case *ast.Tuple:
		if len(t.Elts) > 0 {
			return w.exception(className(t.Elts[0]))
		}
	}
	return w.exception(className(h.Type))
}

// hasPlace reports whether the graphs have a step of that place within a
// handler.
func (w *writer) hasPlace(h *ast.ExceptHandler, site string) bool {
	for at := range w.e.ops[w.f.key] {
		if ast.Encloses(h, at) && w.site(at) == site {
			return true
		}
	}
	return false
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
