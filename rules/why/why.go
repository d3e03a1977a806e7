// Package why tells what the facts say about one line of a program, and how far
// each rule comes there.
//
// It does not run the rules a second time in slow motion. For each rule it knows
// conditions that are necessary for a finding, in terms of the facts, and asks
// them in the order in which they narrow the rule down; the first one that does
// not hold is why the rule is silent at the line. Where all of them hold, what is
// left is about the walks through the code, and the account says what the rule
// asks of these. A test holds the conditions against the findings of all fixtures:
// no condition may fail where its rule reports.
package why

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/parser/facts/status"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/rule"
)

// An Account is what there is to say about one line.
type Account struct {
	File     string
	Line     int
	Source   string // the line itself
	Function string // the innermost around it, "" at module level
	// Facts are what is known about the line, most telling first.
	Facts []Fact
	Rules []RuleAccount // in the order of the rules
}

// A Fact is one thing that is known, and what there is to add to it.
type Fact struct {
	Text    string
	Details []string
}

// A RuleAccount is what one rule makes of the line.
type RuleAccount struct {
	Rule report.Rule
	// At are the findings of the rule that stand on the line.
	At []report.Finding
	// With are those that stand elsewhere and rest on the line.
	With []report.Finding
	// Steps are the conditions of the rule, up to the first that does not hold.
	Steps []Step
	// Rest lists what keeps the rule silent where all conditions hold: one of it
	// is so.
	Rest string
}

// A Step is one condition.
type Step struct {
	Text  string // what holds, or what is missing
	Holds bool
}

// Subject is what an account is made from.
type Subject struct {
	Index    *program.Program
	Flow     *flow.Program
	Status   []*status.Facts
	Rules    []*rule.Rule
	Findings []report.Finding // of all rules, whatever is suppressed
}

// Explain returns the account of a line of a file of the program.
func Explain(s Subject, file string, line int) (*Account, error) {
	i := slices.IndexFunc(s.Index.Modules, func(m *program.Module) bool { return m.File == file })
	if i < 0 {
		return nil, fmt.Errorf("%s was not analyzed", file)
	}
	mod := s.Index.Modules[i]
	if n := lines(mod); line > n {
		return nil, fmt.Errorf("%s has %d lines", file, n)
	}
	v := newView(s, mod, line)
	a := &Account{File: file, Line: line, Source: sourceLine(mod, line), Facts: v.facts()}
	if v.fn != nil {
		a.Function = v.fn.Qual
	}
	for _, r := range s.Rules {
		a.Rules = append(a.Rules, v.account(r))
	}
	return a, nil
}

// A view is the facts around one line.
type view struct {
	Subject
	mod   *program.Module
	line  int
	fn    *program.Func // innermost function around the line
	steps []step        // on the line
	runs  []run         // what runs the function
}

// A step is one step of an access program on the line, as a component sees it.
type step struct {
	st *status.Facts
	component.Access
	// by is the function that a call on the line runs and that takes the step;
	// nil for what stands on the line itself.
	by *program.Func
}

// A run is an entrypoint that gets to the function around the line.
type run struct {
	st    *status.Facts
	entry *flow.Entry
}

func newView(s Subject, mod *program.Module, line int) *view {
	v := &view{Subject: s, mod: mod, line: line}
	for _, f := range s.Index.Funcs {
		if f.Module == mod && v.spans(f.Node) && (v.fn == nil || f.Node.Pos() >= v.fn.Node.Pos()) {
			v.fn = f
		}
	}
	for _, st := range s.Status {
		for _, e := range st.Comp.Entries {
			reaches := e.Func == v.fn
			for i := range e.Graph.Nodes {
				n := &e.Graph.Nodes[i]
				if n.Mod != mod || n.Src == nil || len(n.Pred) == 0 {
					continue
				}
				reaches = reaches || n.Fn == v.fn
				if v.on(n.Src) {
					v.steps = append(v.steps, step{st: st, Access: component.Access{Entry: e, ID: int32(i), Node: n}})
				}
			}
			for i := range e.Graph.Nodes {
				n := &e.Graph.Nodes[i]
				if callee := v.calledHere(n); callee != nil && n.Src != nil && len(n.Pred) > 0 {
					v.steps = append(v.steps, step{st, component.Access{Entry: e, ID: int32(i), Node: n}, callee})
					reaches = true
				}
			}
			if reaches && v.fn != nil {
				v.runs = append(v.runs, run{st, e})
			}
		}
	}
	return v
}

// calledHere returns the function that runs a step when it is called on the line,
// or nil.
func (v *view) calledHere(n *flow.Node) *program.Func {
	for fr := n.Frame; fr != nil && fr.Caller != nil; fr = fr.Caller {
		if fr.Mod == v.mod && fr.Call != nil && v.on(fr.Call) && (n.Mod != v.mod || !v.on(n.Src)) {
			return fr.Fn
		}
	}
	return nil
}

// spans reports whether the line is one of a node; of a function, from its
// decorators on.
func (v *view) spans(n ast.Node) bool {
	from := n.Pos()
	if d, ok := n.(*ast.FunctionDef); ok && len(d.DecoratorList) > 0 {
		from = d.DecoratorList[0].Pos()
	}
	first, _ := v.mod.AST.Position(from)
	last, _ := v.mod.AST.Position(max(from, n.End()-1))
	return first <= v.line && v.line <= last
}

// on reports whether the line is one of an expression or simple statement, or the
// first of a statement that has others in it.
func (v *view) on(n ast.Node) bool {
	switch n.(type) {
	case *ast.For, *ast.While, *ast.With, *ast.If, *ast.Try, *ast.Match, *ast.FunctionDef, *ast.Lambda:
		first, _ := v.mod.AST.Position(n.Pos())
		return first == v.line
	}
	return v.spans(n)
}

// lines counts the lines of a module; an empty one after the last line break is
// none.
func lines(m *program.Module) int {
	n := m.AST.Lines.Count()
	if n > 1 && int(m.AST.Lines.Start(n)) == len(m.AST.Source) {
		n--
	}
	return n
}

func sourceLine(m *program.Module, line int) string {
	end := len(m.AST.Source)
	if line < m.AST.Lines.Count() {
		end = int(m.AST.Lines.Start(line + 1))
	}
	return string(m.AST.Source[m.AST.Lines.Start(line):end])
}

// account returns what one rule makes of the line.
func (v *view) account(r *rule.Rule) RuleAccount {
	a := RuleAccount{Rule: report.Rule{ID: r.ID, Name: r.Name, Severity: r.Severity, Summary: r.Summary()}}
	covers := func(l report.Location) bool {
		return l.File == v.mod.File && l.Line <= v.line && v.line <= max(l.Line, l.EndLine)
	}
	for _, f := range v.Findings {
		switch {
		case f.Rule != r.ID:
		case covers(f.Location):
			a.At = append(a.At, f)
		case slices.ContainsFunc(f.Related, func(rel report.Related) bool { return covers(rel.Location) }):
			a.With = append(a.With, f)
		}
	}
	c, ok := conditions[r.ID]
	if !ok {
		a.Rest = "nothing is known about how far it comes"
		return a
	}
	a.Steps = v.ask(c)
	if len(a.Steps) == 0 || a.Steps[len(a.Steps)-1].Holds {
		a.Rest = c.rest
	}
	return a
}

// ask asks the conditions in order, up to the first that does not hold.
func (v *view) ask(c condition) []Step {
	var out []Step
	if !c.anywhere {
		s := v.reached()
		if out = append(out, s); !s.Holds {
			return out
		}
	}
	for _, q := range c.questions {
		s := q(v)
		out = append(out, s)
		if !s.Holds {
			break
		}
	}
	return out
}

// reached asks whether any access program of a component gets to the line.
func (v *view) reached() Step {
	switch {
	case v.fn == nil:
		return no("the line is in no function")
	case len(v.runs) > 0:
		return yes("%s runs as part of %s", v.fn.Qual, v.entryNames())
	}
	for _, e := range v.Flow.Entries {
		for i := range e.Graph.Nodes {
			if n := &e.Graph.Nodes[i]; n.Fn == v.fn {
				return no("%s runs as part of %s, which shares no container with another entrypoint", v.fn.Qual, e.Name())
			}
		}
	}
	for _, e := range v.Flow.Entries {
		if e.Graph.Truncated {
			return no("no entrypoint was followed to %s; that of %s was cut at a bound", v.fn.Qual, e.Name())
		}
	}
	return no("no entrypoint gets to %s: it touches nothing that is shared, or nothing is seen to call or start it", v.fn.Qual)
}

func yes(format string, args ...any) Step { return Step{fmt.Sprintf(format, args...), true} }
func no(format string, args ...any) Step  { return Step{fmt.Sprintf(format, args...), false} }

// entryNames lists what runs the function.
func (v *view) entryNames() string {
	var names []string
	for _, r := range v.runs {
		if !slices.Contains(names, r.entry.Name()) {
			names = append(names, r.entry.Name())
		}
	}
	return list(names)
}

// list joins names, and counts those that are too many.
func list(names []string) string {
	const most = 4
	out := ""
	for i, name := range names {
		switch {
		case i == most:
			return fmt.Sprintf("%s and %d more", out, len(names)-most)
		case i > 0:
			out += ", "
		}
		out += name
	}
	return out
}

// sortSteps sorts steps by their place.
func sortSteps(steps []step) {
	slices.SortStableFunc(steps, func(a, b step) int {
		return cmp.Or(cmp.Compare(a.Src.Pos(), b.Src.Pos()), cmp.Compare(a.Op, b.Op))
	})
}
