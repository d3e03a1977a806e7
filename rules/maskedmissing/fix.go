package maskedmissing

import (
	"sort"
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/parser/facts/status"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/patch"
	"github.com/kvrace/kvrace/rules/remedy"
	"github.com/kvrace/kvrace/rules/rule"
)

// fixes suggests to answer for a missing entry what is answered for a request
// that has failed.
func (c *check) fixes(read component.Access, ret *flow.Node) []rule.Fix {
	if fix := nextCase(read.Node); fix != nil {
		return fix
	}
	failed := c.failed()
	word := func(like string) string {
		if failed == nil {
			return remedy.Ending{Facts: c.st, Func: read.Fn}.Failure()
		}
		return spelled(read.Mod, like, failed)
	}
	ed := patch.NewEditor(read.Mod.AST)
	var edit patch.Edit
	if x := fallback(read.Node, ret); x != nil {
		text := word(rule.Text(read.Node, x))
		if text == "" {
			return nil
		}
		edit = ed.ReplaceExpr(x, text)
	} else if sub, ok := read.Src.(*ast.Subscript); ok && read.Mode&flow.Upsert != 0 {
		text := word(rule.Text(read.Node, factoryBody(c.loc)))
		if text == "" {
			return nil
		}
		edit = ed.ReplaceExpr(sub, rule.Primary(read.Node, sub.Value)+".get("+rule.Arg(read.Node, sub.Slice)+", "+text+")")
	} else {
		return nil
	}
	return []rule.Fix{{Description: "take a missing entry for a request that has failed", Safety: report.SafetyReview, Edits: []patch.Edit{edit}}}
}

// failed returns the status of a request that has failed: one that an exception
// handler stores, or that is stored when time is up; nil when several are.
func (c *check) failed() *flow.Value {
	found := map[string]*flow.Value{}
	for _, v := range c.st.Values {
		for _, h := range v.Hints {
			if v.Terminal && h == status.OnFailure && c.others[v.ID] != nil {
				found[v.ID] = v.Const
			}
		}
	}
	if len(found) == 0 {
		c.late(found)
	}
	if len(found) == 0 {
		c.handled(found)
	}
	if len(found) != 1 {
		return nil
	}
	ids := make([]string, 0, 1)
	for id := range found {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	return found[ids[0]]
}

// late adds the statuses that are stored by an entrypoint that reads a clock.
func (c *check) late(found map[string]*flow.Value) {
	for _, a := range c.st.Comp.Accesses(c.loc) {
		if a.Op != flow.Put || a.Val == nil || a.Val.Kind != flow.Const || !c.st.Terminal(a.Val) {
			continue
		}
		for i := range a.Entry.Graph.Nodes {
			if a.Entry.Graph.Nodes[i].Op == flow.Clock {
				found[a.Val.ID()] = a.Val
			}
		}
	}
}

// handled adds the statuses that only an exception brings to where they are
// stored.
func (c *check) handled(found map[string]*flow.Value) {
	for _, a := range c.st.Comp.Accesses(c.loc) {
		if a.Op != flow.Put || a.Val == nil || a.Val.Kind != flow.Phi {
			continue
		}
		g := a.Entry.Graph
		for i := range g.Nodes {
			n := &g.Nodes[i]
			if n.Op != flow.Move || !n.Res.Same(a.Val) || n.Val.Kind != flow.Const || !c.st.Terminal(n.Val) {
				continue
			}
			regular := g.Find(flow.Search{
				Blind: true, Edge: func(_ *flow.Node, e flow.Edge) bool { return e.Kind != flow.Exc },
				Goal: func(id int32, _ *flow.Node, _ flow.Facts) bool { return id == int32(i) },
			})
			if regular == nil {
				found[n.Val.ID()] = n.Val
			}
		}
	}
}

// fallback returns the expression that takes the place of a missing entry: the
// default of a look-up, what follows an or, the other side of a conditional
// expression, or what a handler of KeyError returns.
func fallback(read, ret *flow.Node) ast.Expr {
	if call, ok := read.Src.(*ast.Call); ok {
		if len(call.Args()) > 1 {
			return call.Args()[1]
		}
		for _, k := range call.Keywords() {
			if k.Arg() == "default" {
				return k.Value
			}
		}
	}
	var found ast.Expr
	ast.Inspect(read.Stmt, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BoolOp:
			if n.Op == ast.Or && len(n.Values) == 2 && n.Values[0] == read.Src {
				found = n.Values[1]
			}
		case *ast.IfExp:
			cmp, ok := n.Test.(*ast.Compare)
			if !ok || ast.Node(cmp) != read.Src {
				break
			}
			found = n.Orelse
			if cmp.Ops[0] == ast.NotIn {
				found = n.Body
			}
		}
		return found == nil
	})
	if found != nil || read.Mode&flow.Strict == 0 {
		return found
	}
	if st, ok := ret.Stmt.(*ast.Return); ok && ret.Fn == read.Fn && ret.Stmt != read.Stmt {
		return st.Value
	}
	return nil
}

// spelled returns a constant as a module writes it, in the form of another one;
// "" when that is not known.
func spelled(mod *program.Module, like string, v *flow.Value) string {
	if v.Cls != nil {
		if i := strings.LastIndexByte(like, '.'); i >= 0 {
			return like[:i+1] + v.Name
		}
		return ""
	}
	if strings.HasPrefix(like, `"`) || strings.HasPrefix(like, "'") {
		if v.Lit != ast.Str || strings.ContainsAny(v.Name, "\"'\\\n") {
			return ""
		}
		return like[:1] + v.Name + like[:1]
	}
	return remedy.Spelled(mod, v)
}

// nextCase suggests to leave a missing entry to the last case of a match statement, which
// takes whatever is no status of a request that waits.
func nextCase(read *flow.Node) []rule.Fix {
	st, ok := read.Stmt.(*ast.Match)
	if !ok || len(st.Cases) < 2 {
		return nil
	}
	last, ok := st.Cases[len(st.Cases)-1].Pattern.(*ast.MatchAs)
	if !ok || last.Pattern != nil {
		return nil
	}
	for _, c := range st.Cases {
		either, ok := c.Pattern.(*ast.MatchOr)
		if !ok {
			continue
		}
		if none, ok := either.Patterns[0].(*ast.MatchSingleton); ok && string(read.Mod.AST.Text(none)) == "None" {
			edit := patch.Edit{File: read.Mod.File, Start: int(none.Pos()), End: int(either.Patterns[1].Pos())}
			return []rule.Fix{{Description: "do not take a missing entry for a request that waits", Safety: report.SafetyReview, Edits: []patch.Edit{edit}}}
		}
	}
	return nil
}
