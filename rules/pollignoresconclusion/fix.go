package pollignoresconclusion

import (
	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/parser/facts/status"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/patch"
	"github.com/kvrace/kvrace/rules/remedy"
	"github.com/kvrace/kvrace/rules/rule"
)

// fixes suggests to test the carrier first, and to answer with what it says.
func (c *check) fixes(m carrier) []rule.Fix {
	f := c.poll.Func
	first := firstStatement(f)
	if first == nil {
		return nil
	}
	lines := c.test(m)
	if lines == nil {
		if at := c.firstLook(); at != nil && m.write.Op != flow.SetFlag {
			first, lines = at, c.asked(m)
		}
	}
	if lines == nil {
		return nil
	}
	edits, err := patch.NewEditor(f.Module.AST).InsertBefore(first, lines...)
	if err != nil {
		return nil
	}
	return []rule.Fix{{Description: "answer with " + m.loc.Name + " before anything else", Safety: report.SafetySafe, Edits: edits}}
}

// firstStatement returns the first statement of a function after its docstring.
func firstStatement(f *program.Func) ast.Stmt {
	for i, st := range f.Body() {
		if e, ok := st.(*ast.ExprStmt); ok && i == 0 {
			if k, ok := e.Value.(*ast.Constant); ok && k.Kind() == ast.Str {
				continue
			}
		}
		return st
	}
	return nil
}

// test returns the lines of the suggested test.
func (c *check) test(m carrier) []string {
	f := c.poll.Func
	if m.write.Op == flow.SetFlag {
		if len(f.Params) == 0 {
			return nil
		}
		flag := f.Params[0].Name + "." + m.loc.Name
		if c.st.Terminal(m.write.Val) {
			return []string{"if " + flag + " is not None:", "\treturn " + flag}
		}
		if answer := c.failure(); answer != "" {
			return []string{"if " + flag + ":", "\treturn " + answer}
		}
		return nil
	}
	answer, key, holder := c.failure(), c.key(), c.holder()
	if answer == "" || key == "" || holder == "" || !isParam(f, key) {
		return nil
	}
	return []string{"if " + key + " in " + holder + m.loc.Name + ":", "\treturn " + answer}
}

// firstLook returns the statement with which the poller looks at the status, or nil.
func (c *check) firstLook() ast.Stmt {
	for i := range c.poll.Graph.Nodes {
		n := &c.poll.Graph.Nodes[i]
		if n.Op == flow.Read && n.Loc != nil && c.st.IsMap(n.Loc) && n.Fn == c.poll.Func {
			return n.Stmt
		}
	}
	return nil
}

// asked returns the lines of a test that stands where the poller has computed the key.
func (c *check) asked(m carrier) []string {
	answer, key, holder := c.failure(), c.key(), c.holder()
	if answer == "" || key == "" || holder == "" {
		return nil
	}
	return []string{"if " + key + " in " + holder + m.loc.Name + ":", "\treturn " + answer}
}

// noted suggests to note the request beside the container that nobody drains: where
// another path of the same entrypoint notes it.
func noted(st *status.Facts, a component.Access, l *flow.Location) []rule.Fix {
	if a.Stmt == nil {
		return nil
	}
	lines := remedy.Ending{Facts: st, Func: a.Fn, Key: evidence.KeyArg(a.Node), Locks: a.Locks, In: l}.Lines()
	edits, err := patch.NewEditor(a.Mod.AST).InsertAfter(a.Stmt, lines...)
	if lines == nil || err != nil {
		return nil
	}
	return []rule.Fix{{Description: "note it in " + l.Name + " as well", Safety: report.SafetyReview, Edits: edits}}
}

// isParam reports whether the text of a key is usable at the top of a function:
// a parameter, or an attribute of self. One that the function binds anew is another
// key there.
func isParam(f *program.Func, key string) bool {
	for i, p := range f.Params {
		if p.Name == key || i == 0 && len(key) > len(p.Name) && key[:len(p.Name)+1] == p.Name+"." {
			return !rebound(f, p.Name) && !rebound(f, key)
		}
	}
	return false
}

// rebound reports whether a function assigns to a name or an attribute with that text, or
// deletes it.
func rebound(f *program.Func, text string) bool {
	found := false
	for _, st := range f.Body() {
		ast.Inspect(st, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.Name:
				found = found || x.Ctx() != ast.Load && x.Id() == text
			case *ast.Attribute:
				found = found || x.Ctx() != ast.Load && string(f.Module.AST.Text(x)) == text
			}
			return !found
		})
	}
	return found
}

// failure returns how the poller writes the answer that a request has failed:
// the last terminal constant among its answers.
func (c *check) failure() string {
	answer := ""
	for i := range c.poll.Graph.Nodes {
		n := &c.poll.Graph.Nodes[i]
		if ret, ok := n.Src.(*ast.Return); ok && n.Op == flow.Return && n.Val.Kind == flow.Const && c.st.Terminal(n.Val) && n.Fn == c.poll.Func {
			answer = rule.Text(n, ret.Value)
		}
		if n.Op == flow.Read && c.st.IsMap(n.Loc) && n.Def != nil && c.st.Terminal(n.Def) && answer == "" {
			if call, ok := n.Src.(*ast.Call); ok && len(call.Args()) == 2 && n.Fn == c.poll.Func {
				answer = rule.Text(n, call.Args()[1])
			}
		}
	}
	return answer
}

// holder returns the prefix by which the poller reaches the containers of the
// component: "self." or "self.manager.".
func (c *check) holder() string {
	for i := range c.poll.Graph.Nodes {
		n := &c.poll.Graph.Nodes[i]
		if n.Loc == nil || !c.st.IsMap(n.Loc) || n.Fn != c.poll.Func {
			continue
		}
		if at := evidence.ContainerExpr(n); at != nil {
			return rule.Text(n, at.Value) + "."
		}
	}
	return ""
}
