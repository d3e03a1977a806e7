package counterimbalance

import (
	"fmt"
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/patch"
	"github.com/kvrace/kvrace/rules/remedy"
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
		Fixes:       c.fixes(d, path, i),
		Threat:      c.threat(up, path, i),
	}
	f.Related = []rule.Related{
		{Place: rule.AtStep(up.Node), Role: report.RoleRival, Entry: up.Entry, Message: fmt.Sprintf("%s counts up", up.Entry.Name())},
		{Place: rule.AtStep(d.Node), Role: report.RoleRival, Entry: d.Entry, Message: "counted down here on the other ways"},
	}
	f.Related = append(f.Related, evidence.Spawns(c.entry)...)
	return f
}

// threat is that the entrypoint is done with what was counted up and has not counted it
// down.
func (c *check) threat(up component.Access, path *flow.Path, i int) *rule.Threat {
	t := &rule.Threat{Property: rule.Avoids, Status: c.st, Through: true, Steps: []rule.Step{{Entry: up.Entry, ID: up.ID}}}
	if first := path.Nodes[0]; up.Entry != c.entry {
		t.Steps = append(t.Steps, rule.Step{Entry: c.entry, ID: first})
	}
	if when, ok := evidence.Leaving(c.g, path, i); ok {
		t.Steps = append(t.Steps, rule.Step{Entry: c.entry, ID: path.Nodes[i], When: when})
	}
	for _, a := range c.st.Comp.Accesses(c.counter.loc) {
		if c.balances(a.Node) && a.Mode&flow.Initial == 0 {
			t.Undo = append(t.Undo, rule.Step{Entry: a.Entry, ID: a.ID, When: rule.Anyhow})
		}
	}
	return t
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

// fixes suggests to count down before the jump that leaves, or whatever happens from the
// step that raises on.
func (c *check) fixes(d component.Access, path *flow.Path, i int) []rule.Fix {
	n := &c.g.Nodes[path.Nodes[i]]
	if i < len(path.Edges) && path.Edges[i].Kind == flow.Exc {
		return c.always(n, d)
	}
	count := evidence.StatementIn(d.Node, n.Fn)
	switch count.(type) {
	case *ast.ExprStmt, *ast.AugAssign, *ast.Assign:
	default:
		return nil
	}
	leave := remedy.JumpAt(c.g, path, i)
	if leave == nil || !c.tidy(n.Fn)([]ast.Stmt{count}) {
		return nil
	}
	edits, err := patch.NewEditor(n.Mod.AST).InsertBefore(leave, evidence.Lines(n.Mod, count)...)
	if err != nil {
		return nil
	}
	return []rule.Fix{{Description: "count down on this way out, too", Safety: report.SafetyReview, Edits: edits}}
}

// always suggests to count down on every way out of the statements from the one that
// raises to the only one that counts down, be it in the generator around them.
func (c *check) always(n *flow.Node, d component.Access) []rule.Fix {
	fn, _ := c.place(n, d.Node)
	at := evidence.StatementIn(n, fn)
	if at == nil {
		return nil
	}
	if places := c.counts(fn); len(places) > 1 {
		return c.whenRaised(fn, at, places)
	}
	var edits []patch.Edit
	if d.Fn.Kind == program.ContextManager && fn != d.Fn {
		edits = remedy.FinallyYield(d.Fn, d.Stmt, c.tidy(d.Fn))
	} else if count := evidence.StatementIn(d.Node, fn); count != nil {
		edits = remedy.Finally(fn, at, count, c.tidy(fn))
	}
	if edits == nil {
		return nil
	}
	return []rule.Fix{{Description: "count down whatever happens", Safety: report.SafetyReview, Edits: edits}}
}

// tidy returns a test whether statements of a function do little but count.
func (c *check) tidy(f *program.Func) func([]ast.Stmt) bool {
	return remedy.Tidy(c.g, f, func(n *flow.Node) bool { return n.Loc == c.counter.loc })
}

// counts returns the statements of a function that count down, in the order of the
// source, each once.
func (c *check) counts(f *program.Func) []ast.Stmt {
	var out []ast.Stmt
	for i := range c.g.Nodes {
		n := &c.g.Nodes[i]
		if n.Loc != c.counter.loc || step(n) != down {
			continue
		}
		if st := evidence.StatementIn(n, f); st != nil && !slices.Contains(out, st) {
			out = append(out, st)
		}
	}
	slices.SortFunc(out, func(a, b ast.Stmt) int { return int(a.Pos() - b.Pos()) })
	return out
}

// whenRaised suggests to count down in an exception handler around the statements from the
// one that raises to the last of several that count down, all in the same words: the
// others leave right after that.
func (c *check) whenRaised(fn *program.Func, at ast.Stmt, places []ast.Stmt) []rule.Fix {
	last := places[len(places)-1]
	if !c.tidy(fn)([]ast.Stmt{last}) {
		return nil
	}
	for _, st := range places {
		if string(fn.Module.AST.Text(st)) != string(fn.Module.AST.Text(last)) {
			return nil
		}
	}
	raised := "except Exception:"
	if fn.Async {
		raised = "except BaseException:" // it may be cancelled
	}
	edits := remedy.Rescue(fn, at, last, places, raised, evidence.Lines(fn.Module, last))
	if edits == nil {
		return nil
	}
	return []rule.Fix{{Description: "count down when this raises, too", Safety: report.SafetyReview, Edits: edits}}
}
