package maskedmissing

import (
	_ "embed"
	"fmt"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/parser/facts/status"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/rule"
)

//go:embed doc.go
var doc string

// Rule is KV110.
var Rule = &rule.Rule{
	ID: "KV110", Name: "masked-missing", Severity: report.SeverityError,
	Doc: rule.ExtractDoc(doc), Analyzer: Analyzer,
}

// Analyzer finds pollers that take a removed entry for one that waits.
var Analyzer = &analysis.Analyzer{
	Name:       "maskedmissing",
	Doc:        rule.ExtractDoc(doc),
	Run:        run,
	Requires:   []*analysis.Analyzer{status.Analyzer},
	ResultType: rule.FindingsType,
}

func run(pass *analysis.Pass) (any, error) {
	var out []rule.Finding
	for _, st := range pass.ResultOf[status.Analyzer].([]*status.Facts) {
		for _, g := range st.Comp.Groups {
			for _, l := range g.Locs {
				out = append(out, findings(st, l)...)
			}
		}
	}
	return out, nil
}

// check looks at one container.
type check struct {
	st  *status.Facts
	loc *flow.Location
	// begun are the constants of requests that are not over, others the rest;
	// both by ID.
	begun, others map[string]*flow.Value
}

// findings looks at the pollers of one container.
func findings(st *status.Facts, l *flow.Location) []rule.Finding {
	if l.Outer != nil || l.Type.Kind != program.Dict && l.Type.Kind != program.DefaultDict {
		return nil
	}
	c := check{st: st, loc: l}
	c.values()
	answers := len(c.begun) > 0 && len(c.others) > 0
	var out []rule.Finding
	seen := map[*flow.Entry]bool{}
	for _, a := range st.Comp.Accesses(l) {
		if a.Op != flow.Read && a.Op != flow.Has || a.Key == nil || seen[a.Entry] || !evidence.IsHook(a.Entry) {
			continue
		}
		seen[a.Entry] = true
		if f, ok := c.kept(a); ok {
			out = append(out, f)
		} else if !answers {
			continue
		} else if f, ok := c.poller(a); ok {
			out = append(out, f)
		}
	}
	return out
}

// values sorts the constants that are stored in the container, and those that
// what it holds is compared with.
func (c *check) values() {
	c.begun, c.others = map[string]*flow.Value{}, map[string]*flow.Value{}
	all := map[string]*flow.Value{}
	for _, a := range c.st.Comp.Accesses(c.loc) {
		if a.Op != flow.Put || a.Val == nil {
			continue
		}
		for _, leaf := range a.Val.Leaves() {
			if leaf.Kind != flow.Const {
				continue
			}
			all[leaf.ID()] = leaf
			if evidence.Registers(c.st, a) {
				c.begun[leaf.ID()] = leaf
			}
		}
	}
	if len(c.begun) == 0 {
		return
	}
	for _, e := range c.st.Comp.Entries {
		for i := range e.Graph.Nodes {
			n := &e.Graph.Nodes[i]
			if n.Op == flow.Branch && n.Test == flow.TestEq && n.Val != nil && n.Val.Loc == c.loc && n.Want != nil && n.Want.Kind == flow.Const {
				all[n.Want.ID()] = n.Want
			}
		}
	}
	pending := map[string]bool{}
	for _, v := range c.st.Values {
		pending[v.ID] = v.Score < 0
	}
	isMap := c.st.IsMap(c.loc)
	for id, v := range all {
		switch {
		case c.begun[id] != nil:
		case isMap && pending[id]:
			c.begun[id] = v
		default:
			c.others[id] = v
		}
	}
}

// poller looks for a removal that makes a poller answer as for a request that
// is not over.
func (c *check) poller(read component.Access) (rule.Finding, bool) {
	g := read.Entry.Graph
	over := ends(c.st, g)
	for _, d := range c.removals(read) {
		q := question{loc: c.loc, key: read.Key, held: absent, gone: c.goneWith(d), ends: over}
		got, all := q.answers(g)
		if !all || len(got) != 1 || !c.alive(got[0].id, q, g) {
			continue
		}
		n := lookedUp(g, got[0].path, q)
		if n == nil {
			continue
		}
		return c.finding(component.Access{Entry: read.Entry, ID: read.ID, Node: n}, d, got[0]), true
	}
	return rule.Finding{}, false
}

// alive reports whether an answer is that for a request that is not over, and
// is not given for those that are.
func (c *check) alive(id string, q question, g *flow.Graph) bool {
	q.gone = nil
	begun, over := c.begun[id] != nil, false
	for held := range c.begun {
		q.held = held
		got, all := q.answers(g)
		begun = begun || all && len(got) == 1 && got[0].id == id
	}
	if !begun || c.st.TerminalID(id) {
		return false
	}
	for held := range c.others {
		q.held = held
		got, _ := q.answers(g)
		over = over || !slices.ContainsFunc(got, func(a answer) bool { return a.id == id })
	}
	return over
}

// removals returns the steps of other entrypoints that take a request off that
// is not over, without leaving another sign of its end.
func (c *check) removals(read component.Access) []component.Access {
	var out []component.Access
	for _, d := range c.st.Comp.Accesses(c.loc) {
		if d.Op != flow.Del || d.Key == nil || d.Mode&flow.AnyKey != 0 || d.Entry == read.Entry || d.Entry.Role == flow.Init {
			continue
		}
		if c.concludes(d) || c.otherHandle(d.Entry, read.Entry) || c.ownerKnows(d.Entry, read.Entry) || c.cleansUp(d.Entry) || !c.removesBegun(d) {
			continue
		}
		out = append(out, d)
	}
	return out
}

// cleansUp reports whether another hook of the handle runs a hook when it has concluded
// the request by a flag: it is what comes at the end, whoever calls it.
func (c *check) cleansUp(hook *flow.Entry) bool {
	if !evidence.IsHook(hook) {
		return false
	}
	return slices.ContainsFunc(c.st.Comp.Entries, func(e *flow.Entry) bool {
		if e == hook || e.Class != hook.Class || !evidence.IsHook(e) {
			return false
		}
		last, flags := int32(-1), []int32(nil)
		for i := range e.Graph.Nodes {
			n := &e.Graph.Nodes[i]
			switch {
			case n.Fn == hook.Func && n.Frame != nil && n.Frame.Caller != nil && last < 0:
				last = int32(i)
			case n.Op == flow.SetFlag && c.st.Concludes(n):
				flags = append(flags, int32(i))
			}
		}
		return last >= 0 && slices.ContainsFunc(flags, func(at int32) bool { return e.Graph.Passes(at, last) })
	})
}

// concludes reports whether the entrypoint of a removal sets a flag that pollers
// answer first, or hands the request to a drained container.
func (c *check) concludes(d component.Access) bool {
	for i := range d.Entry.Graph.Nodes {
		n := &d.Entry.Graph.Nodes[i]
		if n.Op == flow.SetFlag && c.st.Concludes(n) || n.Op == flow.Put && c.st.IsDrained(n.Loc) {
			return true
		}
	}
	return false
}

// otherHandle reports whether a hook that removes belongs to an owner of handles,
// who knows what they have answered, or to handles of another class, which have a
// poller of their own and stand for other requests.
func (c *check) otherHandle(remover, poller *flow.Entry) bool {
	switch {
	case remover.Class == poller.Class || !evidence.IsHook(remover):
		return false
	case remover.Class != c.st.Comp.Class && !c.handle(remover.Class):
		return true
	}
	for _, a := range c.st.Comp.Accesses(c.loc) {
		if a.Entry.Class == remover.Class && a.Op == flow.Read && slices.Contains(c.st.Pollers, a.Entry) {
			return true
		}
	}
	return false
}

// handle reports whether objects of a class register requests when they are made.
func (c *check) handle(k *program.Class) bool {
	for _, a := range c.st.Comp.Accesses(c.loc) {
		if a.Entry.Class == k && a.Entry.Role == flow.Init && a.Op == flow.Put {
			return true
		}
	}
	return false
}

// ownerKnows reports whether some entrypoint both polls and removes by the given
// hooks, or the remover polls itself: the owner of the request removes it when
// it has seen its end.
func (c *check) ownerKnows(remover, poller *flow.Entry) bool {
	for _, e := range c.st.Comp.Entries {
		if e == poller {
			continue
		}
		polls, removes := false, e == remover
		for i := range e.Graph.Nodes {
			n := &e.Graph.Nodes[i]
			polls = polls || n.Fn == poller.Func
			removes = removes || n.Fn == remover.Func
		}
		if polls && removes {
			return true
		}
	}
	return false
}

// removesBegun reports whether a removal can hit a request that is not over.
func (c *check) removesBegun(d component.Access) bool {
	for held := range c.begun {
		q := question{loc: c.loc, key: d.Key, held: held}
		if q.reaches(d.Entry.Graph, d.ID) {
			return true
		}
	}
	return false
}

// goneWith returns the other containers from which the entrypoint of a removal
// removes the key.
func (c *check) goneWith(d component.Access) map[*flow.Location]bool {
	out := map[*flow.Location]bool{}
	for i := range d.Entry.Graph.Nodes {
		n := &d.Entry.Graph.Nodes[i]
		if n.Op == flow.Del && n.Key != nil && n.Key.Same(d.Key) {
			out[n.Loc] = true
		}
	}
	return out
}

func (c *check) finding(read, del component.Access, said answer) rule.Finding {
	g := read.Entry.Graph
	ret := &g.Nodes[said.path.Nodes[len(said.path.Nodes)-1]]
	f := rule.Finding{
		Place: evidence.AccessPlace(read.Node), Function: read.Fn.Qual, Entry: read.Entry, Component: c.st.Comp.Class,
		Containers: []string{c.loc.Name}, Key: evidence.KeyText(read.Node), Shape: "masked:" + c.loc.Name,
	}
	what := c.word(said.id)
	f.Message = fmt.Sprintf("a missing %s reads as %s, as for a request that waits: %s removes entries of requests that are not over",
		evidence.Access(read.Node), what, del.Entry.Name())
	f.Related = []rule.Related{
		{Place: rule.AtStep(del.Node), Role: report.RoleRival, Entry: del.Entry,
			Message: fmt.Sprintf("%s removes %s", del.Entry.Name(), evidence.Access(del.Node))},
		{Place: rule.AtStep(ret), Role: report.RoleConsequence, Entry: read.Entry,
			Message: fmt.Sprintf("%s answers %s from then on", read.Entry.Name(), what)},
	}
	f.Related = append(f.Related, evidence.Spawns(del.Entry)...)
	f.Consequence = fmt.Sprintf("%s answers %s for ever; the request stays where it waits and its client hangs", read.Entry.Name(), what)
	f.Fixes = c.fixes(read, ret)
	f.Threat = &rule.Threat{Property: rule.Concludes, Status: c.st, Steps: []rule.Step{at(del)}}
	f.Threat.Then = []rule.Step{{Entry: read.Entry, ID: read.ID, When: rule.Absent}, {Entry: read.Entry, ID: said.path.Nodes[len(said.path.Nodes)-1], When: rule.Pending}}
	return f
}

// word returns an answer in the words of the source.
func (c *check) word(id string) string {
	for _, m := range []map[string]*flow.Value{c.begun, c.others} {
		if v := m[id]; v != nil {
			return v.String()
		}
	}
	return "what a request that waits has"
}
