package missedowner

import (
	"slices"
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/patch"
	"github.com/kvrace/kvrace/rules/rule"
)

// likewiseSlot suggests to do with what is in a slot what a loop does with an item of
// another place that it is looking for.
func likewiseSlot(f *program.Func, others []string, slot string) []rule.Fix {
	self := f.Params[0].Name
	ed := patch.NewEditor(f.Module.AST)
	for _, other := range others {
		c := copier{f: f, ed: ed, from: self + "." + other, to: self + "." + slot}
		var edits []patch.Edit
		ast.Inspect(f.Node, func(n ast.Node) bool {
			if loop, ok := n.(*ast.For); ok && edits == nil && c.is(loop.Iter) {
				edits = c.once(loop)
			}
			return edits == nil
		})
		if edits != nil {
			return []rule.Fix{{
				Description: "do with " + slot + " what is done with an item of " + other, Safety: report.SafetyReview, Edits: edits,
			}}
		}
	}
	return nil
}

// once does with what is in the slot what a loop does with each item, which has to be a
// test and what it leads to. Where the item is removed, the slot becomes empty.
func (c *copier) once(loop *ast.For) []patch.Edit {
	item, ok := loop.Target.(*ast.Name)
	if !ok || len(loop.Body) != 1 || len(loop.Orelse) > 0 {
		return nil
	}
	found, ok := loop.Body[0].(*ast.If)
	if !ok || len(found.Orelse) > 0 {
		return nil
	}
	test := c.text(found.Test)
	if b, ok := found.Test.(*ast.BoolOp); ok && b.Op == ast.Or {
		test = "(" + test + ")"
	}
	if strings.Contains(test, "\n") || c.mentions(found.Test) {
		return nil
	}
	lines := []string{item.Id() + " = " + c.to, "if " + item.Id() + " is not None and " + test + ":"}
	for _, st := range found.Body {
		switch {
		case c.removal(st):
			lines = append(lines, "\t"+c.to+" = None")
			continue
		case leavesLoop(st):
			continue
		case c.touchesPlace(st):
			return nil
		}
		text := c.text(st)
		if strings.Contains(text, "\n") {
			return nil
		}
		lines = append(lines, "\t"+text)
	}
	edits, err := c.ed.InsertAfter(loop, lines...)
	if err != nil {
		return nil
	}
	return edits
}

// removal reports whether a statement only takes an item out of the other place.
func (c *copier) removal(st ast.Stmt) bool {
	e, ok := st.(*ast.ExprStmt)
	if !ok {
		return false
	}
	call, ok := e.Value.(*ast.Call)
	if !ok {
		return false
	}
	at, ok := call.Func.(*ast.Attribute)
	return ok && removing[at.Attr()] && c.text(at.Value) == c.from
}

func leavesLoop(st ast.Stmt) bool {
	switch st.(type) {
	case *ast.Break, *ast.Continue:
		return true
	}
	return false
}

func (c *copier) touchesPlace(st ast.Stmt) bool {
	found := false
	ast.Inspect(st, func(n ast.Node) bool {
		if at, ok := n.(*ast.Attribute); ok && c.text(at) == c.from {
			found = true
		}
		return !found
	})
	return found
}

// movedFirst suggests to let what is in a queue come to the place that is looked in,
// before that is done: by the method that takes it there and does not wait.
func (o *object) movedFirst(m *method, queue string) []rule.Fix {
	for _, mv := range o.moves {
		if mv.from != queue || !m.looked[mv.to] || mv.fn == m.fn || len(mv.fn.Params) != 1 || mv.fn.Class == nil || waitsFor(mv.fn, queue) || o.class.Method(mv.fn.Name) != mv.fn || mv.fn.Async || o.ownThread(mv.fn) {
			continue
		}
		body := m.fn.Body()
		if len(body) > 1 {
			if e, ok := body[0].(*ast.ExprStmt); ok {
				if k, ok := e.Value.(*ast.Constant); ok && k.Kind() == ast.Str {
					body = body[1:]
				}
			}
		}
		edits, err := patch.NewEditor(m.fn.Module.AST).InsertBefore(body[0], m.self+"."+mv.fn.Name+"()")
		if err != nil {
			continue
		}
		return []rule.Fix{{
			Description: "take what is in " + queue + " to " + mv.to + " before looking there", Safety: report.SafetyReview, Edits: edits,
		}}
	}
	return nil
}

// ownThread reports whether a thread of the program runs a method, so that it is not for
// a hook to call.
func (o *object) ownThread(f *program.Func) bool {
	return slices.ContainsFunc(o.flow.Entries, func(e *flow.Entry) bool {
		return e.Role != flow.Caller && e.Role != flow.Init && slices.ContainsFunc(e.Graph.Nodes, func(n flow.Node) bool { return n.Fn == f })
	})
}

// waitsFor reports whether a method may wait for a queue, or does not take all that is
// in it.
func waitsFor(f *program.Func, queue string) bool {
	waits := false
	ast.Inspect(f.Node, func(n ast.Node) bool {
		call, ok := n.(*ast.Call)
		if !ok {
			return true
		}
		at, ok := call.Func.(*ast.Attribute)
		if !ok || at.Attr() != "get" {
			return true
		}
		if of, ok := at.Value.(*ast.Attribute); ok && of.Attr() == queue && !withoutWait(call) {
			waits = true
		}
		return true
	})
	return waits
}

// withoutWait reports whether a call of get() is told not to wait.
func withoutWait(call *ast.Call) bool {
	no := func(x ast.Expr) bool {
		k, ok := x.(*ast.Constant)
		return ok && k.Kind() == ast.False
	}
	if args := call.Args(); len(args) > 0 {
		return no(args[0])
	}
	for _, k := range call.Keywords() {
		if k.Arg() == "block" {
			return no(k.Value)
		}
	}
	return false
}
