// Package rule declares what a rule is and what it finds.
//
// A rule is an [analysis.Analyzer] with an ID and a documentation page. It
// reads the facts it requires and returns its findings as its result; the
// checker turns them into the records that reports print.
package rule

import (
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/parser/facts/status"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/patch"
)

// A Rule is one kind of defect.
type Rule struct {
	ID       string // KV101; never used for another defect
	Name     string // conditional-cleanup; states the defect
	Severity report.Severity
	Doc      string // the page: the text of doc.go
	Analyzer *analysis.Analyzer
	// Across reports whether a finding can rest on several components, or be about
	// another one than that whose facts show it.
	Across bool
}

// Summary returns the first sentence of the page, without its full stop.
func (r *Rule) Summary() string {
	first, _ := r.split()
	return strings.TrimSuffix(first, ".")
}

// Page returns the page as its readers see it: the summary is a sentence, and
// not that of a package comment.
func (r *Rule) Page() string {
	first, rest := r.split()
	return strings.ToUpper(first[:1]) + first[1:] + "\n\n" + rest
}

// split returns the first sentence of the page, which stands in a paragraph of
// its own behind the name of the package, and what follows it.
func (r *Rule) split() (first, rest string) {
	first, rest, _ = strings.Cut(r.Doc, "\n\n")
	first = strings.Join(strings.Fields(first), " ")
	if _, after, ok := strings.Cut(first, ": "); ok {
		first = after
	}
	return first, rest
}

// FindingsType is the ResultType of the analyzer of a rule.
var FindingsType = reflect.TypeFor[[]Finding]()

// A Finding is one defect that a rule reports.
type Finding struct {
	Place
	Message string
	// Function is the qualified name of the function around the place.
	Function   string
	Entry      *flow.Entry
	Component  *program.Class
	Containers []string
	Key        string
	Related    []Related
	// Consequence says what an operator sees; empty when no fact backs it.
	Consequence string
	// Shape tells this defect from others in the same function, in words that
	// do not change with the lines: the guard, the rival.
	Shape string
	Fixes []Fix
	// Threat is what a search for a witness has to show; nil when there is
	// nothing to search for.
	Threat *Threat
}

// A Place is a range of the source of a module.
type Place struct {
	Mod      *program.Module
	From, To ast.Pos
}

// A Related place is one that a finding rests on.
type Related struct {
	Place
	Role    report.Role
	Message string
	Entry   *flow.Entry // whose thread runs it; may be nil
}

// A Fix is a suggested change.
type Fix struct {
	Description string
	Safety      report.Safety
	Edits       []patch.Edit
}

// A Threat names the property that a defect violates, and the steps that a
// schedule must pass to show it.
type Threat struct {
	Property Property
	Status   *status.Facts
	// Steps are the steps of the finding, in the order in which they happen: a
	// removal that finds an entry, say, and the late insertion after it.
	Steps []Step
	// Then are the steps, in this order, that meet what Steps have left behind
	// and show the defect: the last one raises ([Survives]), or happens. Without
	// any, that is an answer of a poller that the request is alive.
	Then []Step
	// Through says that the entrypoint of the last of Steps is done with the
	// request before the first of Then, or in the end.
	Through bool
	// Forever says that the steps alone show nothing: what counts is that the request never
	// ends after them, or the entry never goes.
	Forever bool
	// Left is the container that still has the key then ([LeavesNone]).
	Left *flow.Location
	// Undo are the steps after which the first one has to happen anew.
	Undo []Step
	// Sight is a look after which the first one has to happen anew, wherever a changed
	// form of the code has it; nil for none.
	Sight *Sight
	// Hears are the sides of tests ([Holds], [Fails]) that the message takes which the first
	// step ignores, where changed code comes to them after all.
	Hears []Step
	// Others are steps that touch the entry of another request than the one that the threat
	// is about, though the values of the graph do not show it.
	Others []Step
	// Beside are locations of which a reader wants to know what they hold.
	Beside []*flow.Location
	// Tag is the constant that the message begins with which the steps are about;
	// empty when they are about none.
	Tag string
}

// A Sight is whatever an entrypoint does with a location.
type Sight struct {
	Entry *flow.Entry
	Loc   *flow.Location
}

// A Step is a node of the access program of an entrypoint.
type Step struct {
	Entry *flow.Entry
	ID    int32
	When  When
	// Of is the location that When speaks of; nil stands for the one that the step
	// touches.
	Of *flow.Location
	// By says which thread takes the step.
	By By
}

// By tells the threads of a schedule apart.
type By uint8

// The threads.
const (
	Anybody  By = iota
	TheFirst    // the one that took the first step
	Another     // not that one
)

// When says what must be the case before a step for it to count.
type When uint8

// The conditions.
const (
	Any        When = iota // for a removal: the entry is present
	Anyhow                 // nothing
	Present                // the container has the key
	Absent                 // it does not
	Pending                // the status that the step finds is not terminal
	Arrives                // the step is reached, whether or not it can be passed
	Raises                 // the step raises
	Takes                  // the loop takes an element
	TakesKey               // it takes that of the key
	TakesOther             // it takes that of another key
	Holds                  // the branch takes the side on which its test holds
	Fails                  // it takes the other side
)

// Property is what no schedule may violate.
type Property uint8

// The properties, as the design numbers them.
const (
	Concludes  Property = 1 + iota // P1: every aborted, failed or cleared request concludes
	StaysGone                      // P2: no entry comes back after the last cleanup
	Survives                       // P3: no thread dies of an exception
	StaysEnded                     // P4: a terminal status is not replaced
	LeavesNone                     // P5: no entry of the key is left at the end
	FreesOnce                      // P6: nothing is released twice
	LosesNone                      // P7: no update undoes another one that it has not seen
	Avoids                         // P8: the steps do not happen in their order
)

// At returns the place of a syntax node.
func At(mod *program.Module, n ast.Node) Place { return Place{mod, n.Pos(), n.End()} }

// AtStep returns the place of a step.
func AtStep(n *flow.Node) Place { return At(n.Mod, n.Src) }

// AtName returns the place of the name of a function.
func AtName(f *program.Func) Place {
	if d, ok := f.Node.(*ast.FunctionDef); ok {
		return Place{f.Module, d.NamePos, d.NamePos + ast.Pos(len(d.Name))}
	}
	return At(f.Module, f.Node)
}

// Line returns the line of the start of the place, from 1.
func (p Place) Line() int {
	line, _ := p.Mod.AST.Position(p.From)
	return line
}

// Text returns the source of a node of a step's module, on one line and without the
// comments in it.
func Text(n *flow.Node, x ast.Node) string {
	text := n.Text(x)
	if !strings.Contains(text, "#") {
		return strings.Join(strings.Fields(text), " ")
	}
	for _, c := range slices.Backward(n.Mod.AST.Comments) {
		if from, to := int(c.Pos()-x.Pos()), int(c.End()-x.Pos()); from >= 0 && to <= len(text) {
			text = text[:from] + text[to:]
		}
	}
	return strings.Join(strings.Fields(text), " ")
}

// Arg is [Text] for an expression that becomes an argument of a call: a tuple without
// parentheses, like the key in d[a, b], gets some.
func Arg(n *flow.Node, x ast.Expr) string {
	text := Text(n, x)
	switch x := x.(type) {
	case *ast.Tuple:
		if len(x.Elts) == 0 || parenthesized(n, x) {
			return text
		}
		if len(x.Elts) == 1 && !strings.HasSuffix(text, ",") { // d[*a]
			text += ","
		}
		return "(" + text + ")"
	case *ast.Yield, *ast.YieldFrom, *ast.NamedExpr:
		return "(" + text + ")"
	}
	return text
}

// parenthesized reports whether the parentheses at the start of a tuple are its own, and
// not those of its first element.
func parenthesized(n *flow.Node, x *ast.Tuple) bool {
	text, first := n.Text(x), x.Elts[0]
	opened := strings.Count(text[:first.Pos()-x.Pos()], "(")
	rest, _, _ := strings.Cut(text[first.End()-x.Pos():], ",")
	return opened > strings.Count(rest, ")")
}

// Primary is [Text] for an expression that an attribute or a subscript of is taken: it gets
// parentheses where it binds less.
func Primary(n *flow.Node, x ast.Expr) string {
	switch x.(type) {
	case *ast.Name, *ast.Attribute, *ast.Subscript, *ast.Call, *ast.List, *ast.Dict, *ast.Set,
		*ast.ListComp, *ast.DictComp, *ast.SetComp, *ast.GeneratorExp:
		return Text(n, x)
	}
	return "(" + Text(n, x) + ")"
}

// ExtractDoc returns the text of the package comment in the source of a doc.go
// file. It panics when there is none: that is an error of the rule.
func ExtractDoc(src string) string {
	_, rest, ok := strings.Cut(src, "/*\n")
	text, _, end := strings.Cut(rest, "*/")
	if !ok || !end {
		panic("rule: doc.go has no package comment in /* */")
	}
	return strings.TrimSpace(text) + "\n"
}
