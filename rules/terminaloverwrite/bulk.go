package terminaloverwrite

import (
	"fmt"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/patch"
	"github.com/kvrace/kvrace/rules/remedy"
	"github.com/kvrace/kvrace/rules/rule"
)

// bulks finds the steps that store one status for many keys, whatever their
// entries hold.
func (c *check) bulks() []rule.Finding {
	var out []rule.Finding
	for _, a := range c.st.Comp.Accesses(c.loc) {
		if a.Op != flow.PutAll || c.reported[a.Src] || len(a.Path) > 0 {
			continue
		}
		s := c.storesForAll(a)
		if s == nil {
			continue
		}
		for _, e := range c.ends {
			if c.st.Comp.Meet(a.Entry, e.Access) != component.Ordered || e.Entry == a.Entry {
				c.reported[a.Src] = true
				out = append(out, c.bulk(a, s, e))
				break
			}
		}
	}
	return out
}

// storesForAll returns the status that a step stores for the keys it is given,
// if there is one that is not terminal.
func (c *check) storesForAll(a component.Access) *flow.Value {
	at := a.Entry.Graph.Producer(a.Val)
	if at < 0 || a.Entry.Graph.Nodes[at].Val == nil {
		return nil
	}
	for _, arg := range a.Entry.Graph.Nodes[at].Val.Args {
		if arg.Kind == flow.Const && c.st.IsStatus(arg) && !c.st.Terminal(arg) {
			return arg
		}
	}
	return nil
}

// oneByOne suggests to store a status key by key, where the entry holds no terminal one.
func (c *check) oneByOne(a component.Access) []rule.Fix {
	st, ok := a.Stmt.(*ast.ExprStmt)
	if !ok || ast.Node(st.Value) != a.Src {
		return nil
	}
	call, ok := a.Src.(*ast.Call)
	if !ok || len(call.Args()) != 1 || len(call.Keywords()) > 0 || remedy.Commented(a.Mod, int(st.Pos()), int(st.End())) {
		return nil
	}
	into, ok := call.Func.(*ast.Attribute)
	made, ok2 := call.Args()[0].(*ast.Call)
	if !ok || !ok2 || made.Callee() != "fromkeys" || len(made.Args()) != 2 || remedy.Acts(into) {
		return nil
	}
	all, key := c.terminals(a), remedy.FreshVar(a.Fn, "key", "name", "known_key")
	if all == "" || key == "" {
		return nil
	}
	container := rule.Primary(a.Node, into.Value)
	edits, err := patch.NewEditor(a.Mod.AST).ReplaceStmts([]ast.Stmt{st},
		"for "+key+" in list("+rule.Text(a.Node, made.Args()[0])+"):",
		"\tif "+container+".get("+key+")"+unlike(all)+":",
		"\t\t"+container+"["+key+"] = "+rule.Text(a.Node, made.Args()[1]))
	if err != nil {
		return nil
	}
	return []rule.Fix{{Description: "leave requests alone that have ended", Safety: report.SafetySafe, Edits: edits}}
}

func (c *check) bulk(a component.Access, s *flow.Value, e end) rule.Finding {
	f := c.base(a, rule.AtStep(a.Node), a.Fn.Qual)
	f.Message = fmt.Sprintf("%s is stored for many keys of %s at once, whatever they hold: %s stores %s there (%s:%d)",
		s.Name, c.loc.Name, e.Entry.Name(), e.status.Name, e.Mod.File, e.Line())
	f.Related = []rule.Related{{
		Place: rule.AtStep(e.Node), Role: report.RoleRival, Entry: e.Entry,
		Message: fmt.Sprintf("%s stores %s here", e.Entry.Name(), e.status.Name),
	}}
	f.Related = append(f.Related, evidence.Spawns(a.Entry)...)
	f.Fixes = c.oneByOne(a)
	if text := evidence.NeverConcludes(c.st); text != "" {
		f.Consequence = fmt.Sprintf("a request that has ended as %s is alive again; %s", e.status.Name, text)
	}
	return f
}
