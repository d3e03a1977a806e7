package abortnotpropagated

import (
	"fmt"

	"github.com/kvrace/kvrace/parser/ast"
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
	set       program.Def
	flag      string
	failure   string // what is stored, by its name
	end, poll string
}

// silentMethods finds the classes that leave to a method which does nothing, or
// to none, what a parallel class concludes with.
func silentMethods(p *program.Program) []rule.Finding {
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
				Place: place, Function: function.Qual, Entry: nil, Component: k, Containers: []string{d.flag}, Shape: "silent:" + d.end,
				Message: fmt.Sprintf("%s of %s does nothing, so %s never says that the request is over; that of %s stores %s",
					d.end, k.Name, d.poll, d.class.Name, d.failure),
				Related: []rule.Related{
					{Place: rule.At(d.set.Func.Module, d.set.Node), Role: report.RoleSibling, Message: fmt.Sprintf("%s.%s concludes the request", d.class.Qual, d.end)},
					{Place: rule.AtName(poll), Role: report.RoleContext, Message: fmt.Sprintf("%s.%s has nothing to answer with", k.Qual, d.poll)},
				},
				Consequence: "whoever aborts the request and polls on keeps it for as long as it takes",
			})
		}
	}
	return out
}

// enders returns the methods of all classes that conclude by a flag. They are found
// in the source: the files of parallel classes need not be part of what is analyzed.
func enders(p *program.Program) []ender {
	var out []ender
	for _, c := range p.Classes {
		done := map[string]bool{}
		for _, f := range c.MethodList() {
			if !f.Public() || f.SelfFunc() != f || done[f.Name] {
				continue
			}
			if e, ok := enderOf(p, c, f); ok {
				done[f.Name] = true
				out = append(out, e)
			}
		}
	}
	return out
}

func enderOf(p *program.Program, c *program.Class, f *program.Func) (ender, bool) {
	var found ender
	ok := false
	ast.Inspect(f.Node, func(n ast.Node) bool {
		as, is := n.(*ast.Assign)
		if !is || ok || len(as.Targets) != 1 {
			return !ok
		}
		at, is := as.Targets[0].(*ast.Attribute)
		if !is || !ofSelf(at, f) {
			return true
		}
		name := failureName(p, as.Value, f)
		if name == "" {
			return true
		}
		if poll := answering(c, at.Attr(), f.Name); poll != "" {
			found, ok = ender{c, program.Def{Func: f, Node: as, Value: as.Value}, at.Attr(), name, f.Name, poll}, true
		}
		return !ok
	})
	return found, ok
}

func ofSelf(at *ast.Attribute, f *program.Func) bool {
	x, ok := at.Value.(*ast.Name)
	return ok && len(f.Params) > 0 && x.Id() == f.Params[0].Name
}

// failureName returns the name of a member of a class of constants, or a word, that
// tells of a failure; "" for anything else.
func failureName(p *program.Program, e ast.Expr, f *program.Func) string {
	name := ""
	switch e := e.(type) {
	case *ast.Attribute:
		if p.Resolve(e, f, f.Module).Member != nil {
			name = e.Attr()
		}
	case *ast.Constant:
		if e.Kind() == ast.Str {
			name = e.Value()
		}
	}
	if !status.FailureWord(name) {
		return ""
	}
	return name
}

// answering returns the name of another public method of a class, or of one derived
// from it, that returns a flag.
func answering(c *program.Class, flag, except string) string {
	for _, k := range append([]*program.Class{c}, c.Subclasses...) {
		for _, home := range k.MRO {
			for _, f := range home.MethodList() {
				if f.Name == except || !f.Public() || k.Method(f.Name) != f {
					continue
				}
				for _, e := range f.Returns {
					if at, ok := e.(*ast.Attribute); ok && at.Attr() == flag && ofSelf(at, f) {
						return f.Name
					}
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
