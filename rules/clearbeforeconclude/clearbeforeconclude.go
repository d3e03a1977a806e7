package clearbeforeconclude

import (
	_ "embed"
	"fmt"

	"golang.org/x/tools/go/analysis"

	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/status"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/remedy"
	"github.com/kvrace/kvrace/rules/rule"
)

//go:embed doc.go
var doc string

// Rule is KV107.
var Rule = &rule.Rule{
	ID: "KV107", Name: "clear-before-conclude", Severity: report.SeverityWarning,
	Doc: rule.ExtractDoc(doc), Analyzer: Analyzer,
}

// Analyzer finds entries that are removed before their request is concluded.
var Analyzer = &analysis.Analyzer{
	Name:       "clearbeforeconclude",
	Doc:        rule.ExtractDoc(doc),
	Run:        run,
	Requires:   []*analysis.Analyzer{status.Analyzer},
	ResultType: rule.FindingsType,
}

func run(pass *analysis.Pass) (any, error) {
	var out []rule.Finding
	for _, st := range pass.ResultOf[status.Analyzer].([]*status.Facts) {
		readers := findReaders(st)
		if len(readers) == 0 {
			continue
		}
		for _, e := range st.Comp.Entries {
			if e.Role == flow.Init {
				continue
			}
			c := check{st: st, entry: e, g: e.Graph}
			out = append(out, c.findings(readers)...)
		}
	}
	return out, nil
}

// check looks at one entrypoint that removes and concludes.
type check struct {
	st    *status.Facts
	entry *flow.Entry
	g     *flow.Graph
}

// candidate is a removal, the conclusion after it, and a hook that looks at
// them in the other order.
type candidate struct {
	del, set int32
	reader   reader
	// between tells how the hook gets in between; nil when a call that raises
	// leaves the request without its conclusion.
	between *component.Rival
	raises  *flow.Node
}

func (c *check) findings(readers []reader) []rule.Finding {
	var out []rule.Finding
	reported := map[any]bool{}
	for i := range c.g.Nodes {
		d := &c.g.Nodes[i]
		if !removes(d) || reported[d.Src] {
			continue
		}
		for _, r := range readers {
			if r.entry == c.entry || r.read.Loc != d.Loc {
				continue
			}
			if cand, ok := c.candidate(int32(i), r); ok {
				reported[d.Src] = true
				out = append(out, c.finding(cand))
				break
			}
		}
	}
	return out
}

// removes reports whether a step removes the entry of a request.
func removes(n *flow.Node) bool {
	return n.Op == flow.Del && n.Key != nil && len(n.Path) == 0 && n.Mode&flow.AnyKey == 0
}

// candidate looks for a conclusion after a removal that comes too late for a
// reader.
func (c *check) candidate(del int32, r reader) (candidate, bool) {
	d := &c.g.Nodes[del]
	for i := range c.g.Nodes {
		set := &c.g.Nodes[i]
		if !r.concludedBy(set) || !sameRequest(d, set) || !c.follows(del, int32(i), r) {
			continue
		}
		outcome := r.onAbsent(set)
		if outcome == harmless {
			continue
		}
		cand := candidate{del: del, set: int32(i), reader: r}
		if outcome != waits {
			cand.between = c.st.Comp.Between(c.entry, del, int32(i), []component.Access{r.access()})
		}
		if cand.between == nil {
			cand.raises = c.raisesBetween(del, int32(i), r)
		}
		if cand.between != nil || cand.raises != nil {
			return cand, true
		}
	}
	return candidate{}, false
}

// sameRequest reports whether a conclusion concerns the request whose entry a
// step removes: it is stored under the same key, or in the object that the key
// belongs to.
func sameRequest(d, set *flow.Node) bool {
	key := component.RootKey(d)
	if component.RootKey(set).Same(key) {
		return true
	}
	return set.Obj != nil && belongsTo(key, set.Obj)
}

// belongsTo reports whether a value is computed from an attribute of an object.
func belongsTo(v, obj *flow.Value) bool {
	if v == nil {
		return false
	}
	if v.Kind == flow.Attribute && v.Base.Same(obj) {
		return true
	}
	for _, a := range v.Args {
		if belongsTo(a, obj) {
			return true
		}
	}
	return v.Kind == flow.Result && v.Base.Same(obj)
}

// follows reports whether a walk removes the entry of a request that is not
// concluded and then concludes it.
func (c *check) follows(del, set int32, r reader) bool {
	key := component.RootKey(&c.g.Nodes[del])
	it := evidence.IterationAround(c.g, del, key)
	open := func(n *flow.Node, e flow.Edge) bool {
		return flow.KnownEdges(n, e) && !r.knownConcluded(c.g, n, e, &c.g.Nodes[set])
	}
	if !it.Arrives(del, func(n *flow.Node) bool { return r.concludedBy(n) && sameRequest(&c.g.Nodes[del], n) }, open) {
		return false
	}
	return c.g.Find(flow.Search{
		From: []int32{del}, After: true, Stop: it.Ends, Edge: open,
		Goal: func(id int32, _ *flow.Node, _ flow.Facts) bool { return id == set },
		Avoid: func(id int32, n *flow.Node) bool {
			return n.Op == flow.Put && n.Loc == c.g.Nodes[del].Loc && component.RootKey(n).Same(key) || id != set && r.concludedBy(n)
		},
	}) != nil
}

// raisesBetween returns a step whose exception leaves the entrypoint with the
// entry gone and the request not concluded: a call of unknown code between the
// two, or a removal that fails when the entry is gone already.
func (c *check) raisesBetween(del, set int32, r reader) *flow.Node {
	it := evidence.IterationAround(c.g, del, component.RootKey(&c.g.Nodes[del]))
	for i := range c.g.Nodes {
		n := &c.g.Nodes[i]
		strict := int32(i) == del && n.Mode&flow.Strict != 0
		if !strict && (n.Op != flow.Call || !within(c.g, it, del, int32(i), set)) {
			continue
		}
		for _, e := range n.Succ {
			if e.Kind != flow.Exc {
				continue
			}
			escapes := e.To == flow.FailNode || c.g.Find(flow.Search{
				From: []int32{e.To}, Stop: it.Ends,
				Goal:  func(id int32, _ *flow.Node, _ flow.Facts) bool { return id == flow.FailNode },
				Avoid: func(_ int32, n *flow.Node) bool { return r.concludedBy(n) },
			}) != nil
			if escapes {
				return n
			}
		}
	}
	return nil
}

// within reports whether a step lies on a walk between two others, in one
// iteration.
func within(g *flow.Graph, it evidence.Iteration, from, at, to int32) bool {
	return it.After(from, at, to) && it.After(at, to, from)
}

func (c *check) finding(cand candidate) rule.Finding {
	d, set, r := &c.g.Nodes[cand.del], &c.g.Nodes[cand.set], cand.reader
	here, there := evidence.Meet(d, set)
	f := rule.Finding{
		Place: here.Place(), Function: here.Frame.Fn.Qual, Entry: c.entry, Component: c.st.Comp.Class,
		Containers: evidence.Distinct([]string{d.Loc.Name, set.Loc.Name}), Key: evidence.KeyText(d),
		Shape: "before:" + set.Loc.Name,
	}
	when := "and a poll in between"
	if cand.between == nil {
		when = fmt.Sprintf("and if %s raises, every later poll", raiser(cand.raises))
	}
	f.Message = fmt.Sprintf("%s is removed before %s is set, %s %s", evidence.Access(d), set.Loc.Name, when, r.words(set))
	f.Related = []rule.Related{
		{Place: there.Place(), Role: report.RoleContext, Entry: c.entry, Message: fmt.Sprintf("the request is concluded only here: %s", evidence.Stored(set))},
		{Place: rule.AtStep(r.test), Role: report.RoleRival, Entry: r.entry, Message: fmt.Sprintf("%s tests %s first, which is not set yet", r.entry.Name(), set.Loc.Name)},
		{Place: rule.AtStep(r.read), Role: report.RoleRival, Entry: r.entry, Message: fmt.Sprintf("and then reads %s, which has no entry any more", d.Loc.Name)},
	}
	if cand.raises != nil {
		f.Related = append(f.Related, rule.Related{Place: rule.AtStep(cand.raises), Role: report.RoleContext, Entry: c.entry, Message: "an exception here leaves the request without a conclusion"})
	}
	f.Related = append(f.Related, evidence.Spawns(c.entry)...)
	f.Consequence = c.consequence(cand)
	if d.Frame == here.Frame {
		here.Stmt = remedy.Unit(d)
	}
	if f.Fixes = c.fixes(cand, here, there); len(f.Fixes) == 0 {
		f.Fixes = append(c.later(cand, here, there), c.atOnce(cand, here, there)...)
		f.Fixes = append(f.Fixes, c.atLast(cand, here, there)...)
	}
	f.Threat = c.threat(cand)
	return f
}

// threat is that the reader finds the entry gone before the conclusion is set.
func (c *check) threat(cand candidate) *rule.Threat {
	t := &rule.Threat{
		Property: rule.Avoids, Status: c.st, Steps: []rule.Step{{Entry: c.entry, ID: cand.del}},
		Then: []rule.Step{cand.reader.tests(), {Entry: cand.reader.entry, ID: cand.reader.id, When: rule.Absent}},
		Undo: []rule.Step{{Entry: c.entry, ID: cand.set}},
	}
	if cand.between == nil {
		for i := range c.g.Nodes {
			if &c.g.Nodes[i] == cand.raises {
				t.Steps = append(t.Steps, rule.Step{Entry: c.entry, ID: int32(i), When: rule.Raises})
			}
		}
		if cand.raises == &c.g.Nodes[cand.del] {
			t.Steps = t.Steps[1:]
		}
	}
	return t
}

// raiser names a step that raises.
func raiser(n *flow.Node) string {
	if n.Name != "" {
		return n.Name
	}
	return "the removal"
}

func (c *check) consequence(cand candidate) string {
	name := cand.reader.entry.Name()
	switch {
	case cand.reader.read.Mode&flow.Strict != 0:
		return fmt.Sprintf("the KeyError leaves %s and ends the thread that polls, unless its caller expects it", name)
	case cand.between == nil:
		return fmt.Sprintf("%s answers for ever that the request is alive; its client waits", name)
	}
	return fmt.Sprintf("%s takes a request that is over for one in another state", name)
}
