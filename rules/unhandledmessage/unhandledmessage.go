package unhandledmessage

import (
	_ "embed"
	"fmt"

	"golang.org/x/tools/go/analysis"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/parser/facts/status"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/rule"
)

//go:embed doc.go
var doc string

// Rule is KV206.
var Rule = &rule.Rule{
	ID: "KV206", Name: "unhandled-message", Severity: report.SeverityError,
	Doc: rule.ExtractDoc(doc), Analyzer: Analyzer,
}

// Analyzer finds tags that one backend sends and does not dispatch.
var Analyzer = &analysis.Analyzer{
	Name:       "unhandledmessage",
	Doc:        rule.ExtractDoc(doc),
	Run:        run,
	Requires:   []*analysis.Analyzer{status.Analyzer},
	ResultType: rule.FindingsType,
}

func run(pass *analysis.Pass) (any, error) {
	var all []*backend
	byClass := map[*program.Class]*backend{}
	for _, st := range pass.ResultOf[status.Analyzer].([]*status.Facts) {
		if st.Comp.Class == nil {
			continue
		}
		b := newBackend(st)
		all = append(all, b)
		byClass[st.Comp.Class] = b
	}
	var out []rule.Finding
	reported := map[string]bool{}
	for _, b := range all {
		for _, s := range evidence.Siblings(b.st.Comp.Class) {
			sib := byClass[s]
			if sib == nil || len(b.tests) == 0 {
				continue
			}
			for _, t := range b.sent {
				known, ok := sib.handled[t.text]
				if !ok || b.mentions(t.text) {
					continue
				}
				at := b.dispatch(known)
				if key := fmt.Sprint(rule.AtStep(at.n), t.text); !reported[key] {
					reported[key] = true
					out = append(out, b.finding(t, at, sib, known))
				}
			}
		}
	}
	return out, nil
}

// tag is a constant that begins a message.
type tag struct {
	text  string
	entry *flow.Entry
	n     *flow.Node // that sends it, or compares with it
}

// backend is what a component sends, and what it compares messages with.
type backend struct {
	st      *status.Facts
	sent    []tag
	handled map[string]tag
	tests   []tag // the first test of a message in each thread
}

func newBackend(st *status.Facts) *backend {
	b := &backend{st: st, handled: map[string]tag{}}
	sent := map[string]int{}
	for _, e := range st.Comp.Entries {
		for i := range e.Graph.Nodes {
			n := &e.Graph.Nodes[i]
			switch n.Op {
			case flow.Call:
				text, ok := begins(n.Val)
				if !ok || !b.owns(n) {
					continue
				}
				if i, have := sent[text]; !have {
					sent[text] = len(b.sent)
					b.sent = append(b.sent, tag{text, e, n})
				} else if b.near(e) && !b.near(b.sent[i].entry) {
					b.sent[i] = tag{text, e, n}
				}
			case flow.Branch:
				b.compares(e, n)
			}
		}
	}
	return b
}

// owns reports whether code belongs to the backend: to its class or to a base of
// a class beside it, such as its handles.
func (b *backend) owns(n *flow.Node) bool {
	m := n.Fn.SelfFunc()
	if m == nil || m.Class == nil {
		return false
	}
	for _, e := range b.st.Comp.Entries {
		if b.near(e) && e.Class.IsSubclass(m.Class) {
			return true
		}
	}
	return false
}

// near reports whether an entrypoint belongs to a class of the backend's module.
func (b *backend) near(e *flow.Entry) bool {
	return e.Class != nil && e.Class.Module == b.st.Comp.Class.Module
}

// dispatch returns the place where a thread of the backend tells messages apart:
// the thread that has the name of the sibling's, or one that compares with a
// tag, or any.
func (b *backend) dispatch(known tag) tag {
	for _, t := range b.tests {
		if t.entry.Func.Name == known.entry.Func.Name {
			return t
		}
	}
	for _, t := range b.tests {
		if t.text != "" {
			return t
		}
	}
	return b.tests[0]
}

// begins returns the tag of a call that is given a list or tuple which begins
// with one.
func begins(args *flow.Value) (string, bool) {
	if args == nil {
		return "", false
	}
	for _, a := range args.Args {
		display := a.Kind == flow.Object || a.Kind == flow.Derived && a.Name == "tuple"
		if display && len(a.Args) > 1 {
			if text, ok := evidence.TagText(a.Args[0]); ok {
				return text, true
			}
		}
	}
	return "", false
}

// compares notes the comparison of a message with a tag.
func (b *backend) compares(e *flow.Entry, n *flow.Node) {
	if n.Test != flow.TestEq || e.Role != flow.ThreadOf && e.Role != flow.LoopTask {
		return
	}
	anywhere := func(int32) bool { return true }
	if !evidence.FromMessage(e.Graph, n.Val, anywhere) && !evidence.FromMessage(e.Graph, n.Want, anywhere) {
		return
	}
	b.notes(e, n)
	for _, v := range []*flow.Value{n.Val, n.Want} {
		if text, ok := evidence.TagText(v); ok {
			if _, have := b.handled[text]; !have {
				b.handled[text] = tag{text, e, n}
			}
		}
	}
}

// notes keeps the first test of a message in a thread, that of its own function if it
// has one.
func (b *backend) notes(e *flow.Entry, n *flow.Node) {
	if e.Role != flow.ThreadOf {
		return
	}
	for i, t := range b.tests {
		if t.entry != e {
			continue
		}
		if t.n.Fn == e.Func || n.Fn != e.Func {
			return
		}
		b.tests = append(b.tests[:i:i], b.tests[i+1:]...) // by a helper; this one is of the thread itself
	}
	text, ok := evidence.TagText(n.Val)
	if !ok {
		text, _ = evidence.TagText(n.Want)
	}
	b.tests = append(b.tests, tag{text, e, n})
}

// mentions reports whether the classes of the backend name a tag other than at
// the beginning of a message.
func (b *backend) mentions(text string) bool {
	if _, ok := b.handled[text]; ok {
		return true
	}
	found := false
	for _, k := range b.st.Comp.Class.MRO {
		for _, f := range k.MethodList() {
			begin := map[ast.Node]bool{}
			ast.Inspect(f.Node, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.List:
					markFirst(n.Elts, begin)
				case *ast.Tuple:
					markFirst(n.Elts, begin)
				case *ast.Constant:
					found = found || (n.Kind() == ast.Str || n.Kind() == ast.Bytes) && n.Value() == text && !begin[n]
				}
				return !found
			})
		}
	}
	return found
}

func markFirst(elts []ast.Expr, begin map[ast.Node]bool) {
	if len(elts) > 1 {
		begin[elts[0]] = true
	}
}

func (b *backend) finding(t, at tag, sib *backend, known tag) rule.Finding {
	fate := "drops it"
	if strict, ok := fails(at.entry); ok {
		fate = "fails on it"
		at.n = strict
	}
	f := rule.Finding{
		Place: rule.AtStep(at.n), Function: at.n.Fn.Qual, Entry: at.entry, Component: b.st.Comp.Class,
		Message: fmt.Sprintf("%s does not handle the message %q that %s sends: it %s", at.entry.Name(), t.text, t.entry.Name(), fate),
		Shape:   "tag:" + t.text,
	}
	f.Threat = b.threat(at, t.text)
	f.Consequence = "what the message asks for does not happen"
	if fate == "fails on it" {
		f.Consequence = fmt.Sprintf("the first such message ends the thread %s, and what it asks for does not happen", at.entry.Name())
	}
	f.Related = append(f.Related,
		rule.Related{Place: rule.AtStep(t.n), Role: report.RoleRival, Entry: t.entry, Message: fmt.Sprintf("%s sends %q", t.entry.Name(), t.text)},
		rule.Related{Place: rule.AtStep(known.n), Role: report.RoleSibling, Entry: known.entry, Message: fmt.Sprintf("%s handles %q", sib.st.Comp.Class.Qual, t.text)})
	f.Related = append(f.Related, evidence.Spawns(at.entry)...)
	f.Fixes = b.fixes(t, at, sib, known)
	return f
}

// threat is that the message comes to where none of the tests has taken it.
func (b *backend) threat(at tag, text string) *rule.Threat {
	g := at.entry.Graph
	for i := range g.Nodes {
		if &g.Nodes[i] == at.n {
			return &rule.Threat{Property: rule.Avoids, Status: b.st, Tag: text, Steps: []rule.Step{{Entry: at.entry, ID: int32(i), When: rule.Arrives}}}
		}
	}
	return nil
}

// fails returns the test of a message in a thread's function whose failing side
// ends the thread.
func fails(e *flow.Entry) (*flow.Node, bool) {
	for i := range e.Graph.Nodes {
		n := &e.Graph.Nodes[i]
		if n.Fn != e.Func || n.Op != flow.Assert && n.Op != flow.Raise || !evidence.Unhandled(e.Graph, int32(i)) {
			continue
		}
		for _, p := range n.Pred {
			if b := &e.Graph.Nodes[p]; b.Op == flow.Branch && evidence.FromMessage(e.Graph, b.Val, func(int32) bool { return true }) {
				return b, true
			}
		}
	}
	return nil, false
}
