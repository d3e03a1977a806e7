package counterimbalance

import (
	"fmt"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/patch"
	"github.com/kvrace/kvrace/rules/rule"
)

func (c *check) finding(d, up component.Access, path *flow.Path) rule.Finding {
	i := c.parting(path)
	n := &c.g.Nodes[path.Nodes[i]]
	raises := i < len(path.Edges) && path.Edges[i].Kind == flow.Exc
	fn, place := c.place(n, d.Node)
	f := rule.Finding{
		Place: place, Function: fn.Qual, Entry: c.entry, Component: c.st.Comp.Class,
		Containers: []string{c.counter.loc.Root().Name}, Key: evidence.KeyText(d.Node),
		Shape:       "counter:" + c.counter.loc.Root().Name,
		Message:     c.message(n, d, raises),
		Consequence: fmt.Sprintf("%s never gets back to what it was, and whoever waits for that waits for ever", evidence.Access(up.Node)),
		Fixes:       c.fixes(n, d),
		Threat:      &rule.Threat{Property: rule.LeavesNone, Status: c.st, Steps: []rule.Step{{Entry: c.entry, ID: path.Nodes[i]}}},
	}
	f.Related = []rule.Related{
		{Place: rule.AtStep(up.Node), Role: report.RoleRival, Entry: up.Entry, Message: fmt.Sprintf("%s counts up", up.Entry.Name())},
		{Place: rule.AtStep(d.Node), Role: report.RoleRival, Entry: d.Entry, Message: "counted down here on the other ways"},
	}
	f.Related = append(f.Related, evidence.Spawns(c.entry)...)
	return f
}

// place returns the function that the way out and the step that counts down have
// in common, the innermost one, and the call or step in it that leaves.
func (c *check) place(n, down *flow.Node) (*program.Func, rule.Place) {
	for fr := down.Frame; fr != nil; fr = fr.Caller {
		if n.Fn == fr.Fn {
			return n.Fn, rule.AtStep(n)
		}
		for out := n.Frame; out != nil && out.Caller != nil; out = out.Caller {
			if out.Caller == fr {
				return fr.Fn, rule.At(fr.Fn.Module, out.Call)
			}
		}
	}
	return n.Fn, rule.AtStep(n)
}

func (c *check) message(n *flow.Node, d component.Access, raises bool) string {
	what := evidence.Access(d.Node)
	if raises {
		return fmt.Sprintf("%s is not counted down when this raises", what)
	}
	if n.Op == flow.Branch {
		return fmt.Sprintf("%s is not counted down on one side of this", what)
	}
	return fmt.Sprintf("%s is not counted down on this way out", what)
}

// fixes suggests to count down before the statement that leaves, where the
// function has a statement for it.
func (c *check) fixes(n *flow.Node, d component.Access) []rule.Fix {
	branch, ok := n.Stmt.(*ast.If)
	if !ok || n.Op != flow.Branch {
		return nil
	}
	count := evidence.StatementIn(d.Node, n.Fn)
	switch count.(type) {
	case *ast.ExprStmt, *ast.AugAssign, *ast.Assign:
	default:
		return nil
	}
	leave := lastOf(branch)
	if leave == nil {
		return nil
	}
	edits, err := patch.NewEditor(n.Mod.AST).InsertBefore(leave, evidence.Lines(n.Mod, count)...)
	if err != nil {
		return nil
	}
	return []rule.Fix{{Description: "count down on this way out, too", Safety: report.SafetyReview, Edits: edits}}
}

// lastOf returns the jump at the end of the body of an if statement, or nil.
func lastOf(i *ast.If) ast.Stmt {
	last := i.Body[len(i.Body)-1]
	switch last.(type) {
	case *ast.Return, *ast.Continue, *ast.Break, *ast.Raise:
		return last
	}
	return nil
}
