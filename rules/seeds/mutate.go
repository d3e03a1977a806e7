package seeds

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/kvrace/kvrace/parser"
	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/rules/patch"
)

// A Mutation is one change that may put a fault into a right program.
type Mutation struct {
	Kind  string
	Edits []patch.Edit
}

// Mutate applies up to n mutations, chosen at random, to a file. It returns the
// kinds of those it made, none if the file has nowhere to make one; the result
// parses.
func Mutate(rng *rand.Rand, name string, src []byte, n int) ([]byte, []string) {
	var kinds []string
	for range n {
		m, err := parser.ParseFile(name, src, parser.Options{})
		if err != nil {
			return src, kinds
		}
		all := Mutations(m)
		for range 5 { // a mutation may leave nothing that parses
			if len(all) == 0 {
				break
			}
			x := all[rng.IntN(len(all))]
			changed, err := patch.ApplyAll(map[string][]byte{name: src}, x.Edits)
			if err != nil {
				continue
			}
			if _, err := parser.ParseFile(name, changed[name], parser.Options{Mode: parser.Check}); err != nil {
				continue
			}
			src, kinds = changed[name], append(kinds, x.Kind)
			break
		}
	}
	return src, kinds
}

// Mutations returns all mutations of a module, in source order.
func Mutations(m *ast.Module) []Mutation {
	c := collector{m: m}
	ast.Inspect(m, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.With:
			c.unlock(n)
			c.block(n.Body)
		case *ast.Call:
			c.call(n)
		case *ast.For:
			c.live(n)
			c.block(n.Body)
		case *ast.While:
			c.block(n.Body)
		case *ast.If:
			c.condition(n)
			c.block(n.Body)
			c.block(n.Orelse)
		case *ast.Try:
			c.try(n)
			c.block(n.Body)
		case *ast.FunctionDef:
			c.block(n.Body)
		}
		return true
	})
	return c.out
}

type collector struct {
	m   *ast.Module
	out []Mutation
}

func (c *collector) add(kind string, edits ...patch.Edit) {
	c.out = append(c.out, Mutation{kind, edits})
}

func (c *collector) edit(from, to ast.Pos, text string) patch.Edit {
	return patch.Edit{File: c.m.Name, Start: int(from), End: int(to), New: text}
}

func (c *collector) text(from, to ast.Pos) string { return string(c.m.Source[from:to]) }

// unlock lets a block run without its lock.
func (c *collector) unlock(n *ast.With) {
	if len(n.Items) == 1 && n.Items[0].OptionalVars == nil {
		c.add("unlock", c.edit(n.Pos(), n.Items[0].ContextExpr.End(), "if True"))
	}
}

// call makes a tolerant access strict, or one operation out of another.
func (c *collector) call(n *ast.Call) {
	f, ok := n.Func.(*ast.Attribute)
	if !ok || len(n.Keywords()) > 0 || len(n.Args()) == 0 {
		return
	}
	switch {
	case f.Attr() == "pop" && len(n.Args()) == 2:
		c.add("strict", c.edit(n.Args()[0].End(), n.Args()[1].End(), ""))
	case f.Attr() == "discard":
		c.add("strict", c.edit(n.Args()[0].Pos()-ast.Pos(len("discard(")), n.Args()[0].Pos(), "remove("))
	case f.Attr() == "get":
		c.add("strict", c.edit(f.Value.End(), n.Args()[0].Pos(), "["), c.edit(n.Args()[0].End(), n.End(), "]"))
	}
}

// live walks over a container in place of a copy.
func (c *collector) live(n *ast.For) {
	call, ok := n.Iter.(*ast.Call)
	if !ok || len(call.Args()) != 1 {
		return
	}
	if name, ok := call.Func.(*ast.Name); ok && slices.Contains([]string{"list", "sorted", "tuple", "set"}, name.Id()) {
		c.add("live", c.edit(call.Pos(), call.End(), c.text(call.Args()[0].Pos(), call.Args()[0].End())))
	}
}

// condition lets a guarded block always run, or its last statement.
func (c *collector) condition(n *ast.If) {
	if len(n.Orelse) > 0 {
		return
	}
	c.add("unguard", c.edit(n.Test.Pos(), n.Test.End(), "True"))
	last := n.Body[len(n.Body)-1]
	if len(n.Body) > 1 && simple(last) && c.alone(last) && c.alone(n) {
		c.add("outdent", c.edit(c.lineStart(last), last.Pos(), c.indent(n)))
	}
}

// try loses what a handler does, or the handlers.
func (c *collector) try(n *ast.Try) {
	for _, h := range n.Handlers {
		if simple(h.Body[len(h.Body)-1]) {
			c.add("swallow", c.edit(h.Body[0].Pos(), h.Body[len(h.Body)-1].End(), "pass"))
		}
	}
	last := n.Body[len(n.Body)-1]
	if len(n.Handlers) > 0 && len(n.Orelse) == 0 && len(n.Finalbody) == 0 && simple(last) {
		c.add("untry", c.edit(n.Pos(), n.Pos()+ast.Pos(len("try")), "if True"), c.edit(last.End(), n.End(), ""))
	}
}

// block loses a statement, swaps two, or leaves a loop before one.
func (c *collector) block(body []ast.Stmt) {
	for i, st := range body {
		if !simple(st) || !c.alone(st) {
			continue
		}
		if effect(st) {
			c.add("lose", c.edit(st.Pos(), st.End(), "pass"))
		}
		if i+1 < len(body) && simple(body[i+1]) && c.alone(body[i+1]) && effect(st) {
			next := body[i+1]
			c.add("swap", c.edit(st.Pos(), st.End(), c.text(next.Pos(), next.End())), c.edit(next.Pos(), next.End(), c.text(st.Pos(), st.End())))
		}
		if a, ok := st.(*ast.Assign); ok && i+1 < len(body) && c.alone(body[i+1]) {
			if name, ok := a.Targets[0].(*ast.Name); ok {
				next := body[i+1]
				indent := c.indent(next)
				c.add("leave", c.edit(next.Pos(), next.Pos(), "if not "+name.Id()+":\n"+indent+"    return\n"+indent))
			}
		}
	}
}

// simple reports whether a statement has no others in it.
func simple(st ast.Stmt) bool {
	switch st.(type) {
	case *ast.ExprStmt, *ast.Assign, *ast.AugAssign, *ast.AnnAssign, *ast.Delete, *ast.Return, *ast.Raise, *ast.Continue, *ast.Break, *ast.Assert:
		return true
	}
	return false
}

// effect reports whether a statement may change something that is shared.
func effect(st ast.Stmt) bool {
	switch st := st.(type) {
	case *ast.ExprStmt:
		_, call := st.Value.(*ast.Call)
		return call
	case *ast.Assign:
		_, name := st.Targets[0].(*ast.Name)
		return !name
	case *ast.AugAssign, *ast.Delete:
		return true
	}
	return false
}

// lineStart returns where the line of a statement begins.
func (c *collector) lineStart(st ast.Stmt) ast.Pos {
	return ast.Pos(strings.LastIndexByte(string(c.m.Source[:st.Pos()]), '\n') + 1)
}

func (c *collector) indent(st ast.Stmt) string { return c.text(c.lineStart(st), st.Pos()) }

// alone reports whether a statement begins its line.
func (c *collector) alone(st ast.Stmt) bool { return strings.TrimLeft(c.indent(st), " \t") == "" }
