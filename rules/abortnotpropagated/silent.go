package abortnotpropagated

import (
	"fmt"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/parser/facts/status"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/rule"
)

// ender is a method that stores a failure in a flag of its object, and the
// method of the same class that answers with the flag.
type ender struct {
	class     *program.Class
	entry     *flow.Entry
	set       *flow.Node
	end, poll string
}

// silentMethods finds the classes that leave to a method which does nothing, or
// to none, what a parallel class concludes with.
func silentMethods(p *flow.Program) []rule.Finding {
	var out []rule.Finding
	seen := map[rule.Place]bool{}
	for _, d := range enders(p) {
		for _, k := range evidence.Siblings(d.class) {
			poll := k.Methods[d.poll]
			if poll == nil || poll.Trivial() || poll.Abstract || len(k.Subclasses) > 0 || !doesNothing(k, d.end) {
				continue
			}
			place := rule.AtName(poll)
			function := poll
			if own := k.Methods[d.end]; own != nil {
				place, function = rule.AtName(own), own
			}
			if seen[place] {
				continue
			}
			seen[place] = true
			out = append(out, rule.Finding{
				Place: place, Function: function.Qual, Entry: nil, Component: k, Containers: []string{d.set.Loc.Name}, Shape: "silent:" + d.end,
				Message: fmt.Sprintf("%s of %s does nothing, so %s never says that the request is over; that of %s stores %s",
					d.end, k.Name, d.poll, d.class.Name, d.set.Val.Name),
				Related: []rule.Related{
					{Place: rule.AtStep(d.set), Role: report.RoleSibling, Entry: d.entry, Message: fmt.Sprintf("%s.%s concludes the request", d.class.Qual, d.end)},
					{Place: rule.AtName(poll), Role: report.RoleContext, Message: fmt.Sprintf("%s.%s has nothing to answer with", k.Qual, d.poll)},
				},
				Consequence: "whoever aborts the request and polls on keeps it for as long as it takes",
			})
		}
	}
	return out
}

// enders returns the methods of all classes that conclude by a flag.
func enders(p *flow.Program) []ender {
	var out []ender
	for _, e := range p.Entries {
		if e.Class == nil || e.Role != flow.Caller || e.Func.Class == nil || !e.Func.Public() {
			continue
		}
		for i := range e.Graph.Nodes {
			n := &e.Graph.Nodes[i]
			if n.Op != flow.SetFlag || n.Mode&flow.Initial != 0 || n.Obj == nil || n.Obj.Kind != flow.Param || n.Val.Kind != flow.Const {
				continue
			}
			if n.Val.Cls == nil && n.Val.Lit != ast.Str || !status.FailureWord(n.Val.Name) {
				continue
			}
			if poll := answering(p, e, n.Loc); poll != "" {
				out = append(out, ender{e.Func.Class, e, n, e.Func.Name, poll})
				break
			}
		}
	}
	return out
}

// answering returns the name of another hook of the class of an entrypoint that
// returns a flag.
func answering(p *flow.Program, e *flow.Entry, flag *flow.Location) string {
	for _, q := range p.Entries {
		if q.Class != e.Class || q == e || q.Role != flow.Caller {
			continue
		}
		for i := range q.Graph.Nodes {
			n := &q.Graph.Nodes[i]
			if n.Op != flow.Return || n.Val == nil {
				continue
			}
			for _, leaf := range n.Val.Leaves() {
				if leaf.Kind == flow.Result && leaf.Loc == flag {
					return q.Func.Name
				}
			}
		}
	}
	return ""
}

// doesNothing reports whether a method of a class is missing, is empty, or only
// calls one of a base class that is.
func doesNothing(k *program.Class, name string) bool {
	f := k.Method(name)
	if f == nil {
		return true
	}
	if f.Abstract {
		return false
	}
	if f.Trivial() {
		return true
	}
	if !onlySuper(f) {
		return false
	}
	up := k.MethodAfter(f.Class, name)
	return up != nil && up.Trivial()
}

// onlySuper reports whether a function does nothing but call the method of the
// same name of the base class.
func onlySuper(f *program.Func) bool {
	body := f.Body()
	if len(body) != 1 {
		return false
	}
	st, ok := body[0].(*ast.ExprStmt)
	if !ok {
		return false
	}
	call, ok := st.Value.(*ast.Call)
	if !ok {
		return false
	}
	at, ok := call.Func.(*ast.Attribute)
	return ok && at.Attr() == f.Name && program.IsSuper(at.Value)
}
