package clearbeforeconclude

import (
	"slices"

	"fmt"

	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/status"
	"github.com/kvrace/kvrace/rules/evidence"
	"github.com/kvrace/kvrace/rules/rule"
)

// reader is a hook that reads an entry only while a carrier does not say that
// the request is over.
type reader struct {
	st    *status.Facts
	entry *flow.Entry
	id    int32 // of read
	read  *flow.Node
	// test is the branch on the carrier, open the side on which the entry is
	// read, and shut the first step of the other side.
	test *flow.Node
	open flow.Edge
	shut int32
	// carrier is where the conclusion is stored.
	carrier *flow.Location
}

// findReaders returns the readers of what a component removes.
func findReaders(st *status.Facts) []reader {
	var out []reader
	removed := map[*flow.Location]bool{} // memo
	loses := func(l *flow.Location) bool {
		yes, known := removed[l]
		if !known {
			yes = slices.ContainsFunc(st.Comp.Accesses(l), func(a component.Access) bool { return removes(a.Node) })
			removed[l] = yes
		}
		return yes
	}
	for _, e := range st.Comp.Entries {
		if (e.Role != flow.Caller && e.Role != flow.LoopTask) || len(e.Spawns) > 0 {
			continue
		}
		g := e.Graph
		for i := range g.Nodes {
			n := &g.Nodes[i]
			if n.Op == flow.Read && n.Key != nil && len(n.Path) == 0 && n.Mode&flow.Upsert == 0 && loses(n.Loc) {
				out = append(out, readersAt(st, e, int32(i))...)
			}
		}
	}
	return out
}

// readersAt returns a reader for each carrier that an entrypoint tests before
// it gets to a read.
func readersAt(st *status.Facts, e *flow.Entry, read int32) []reader {
	var out []reader
	g := e.Graph
	for i := range g.Nodes {
		b := &g.Nodes[i]
		if b.Op != flow.Branch || b.Val == nil || b.Val.Kind != flow.Result {
			continue
		}
		carrier := carrierOf(g, b, g.Nodes[read].Loc)
		if carrier == nil || len(b.Succ) != 2 {
			continue
		}
		for k, edge := range b.Succ {
			if needs(g, int32(i), edge, read) {
				out = append(out, reader{
					st: st, entry: e, id: read, read: &g.Nodes[read],
					test: b, open: edge, shut: b.Succ[1-k].To, carrier: carrier,
				})
			}
		}
	}
	return out
}

// carrierOf returns the flag or container, other than one, that a branch tests.
func carrierOf(g *flow.Graph, b *flow.Node, other *flow.Location) *flow.Location {
	at := g.Producer(b.Val)
	if at < 0 {
		return nil
	}
	switch n := &g.Nodes[at]; n.Op {
	case flow.GetFlag:
		return n.Loc
	case flow.Has, flow.Read:
		if n.Loc != other && n.Key != nil && len(n.Path) == 0 {
			return n.Loc
		}
	}
	return nil
}

// needs reports whether the walks to a step all leave a branch by an edge.
func needs(g *flow.Graph, test int32, edge flow.Edge, at int32) bool {
	if decides, known := g.Decides(test, edge, at); known {
		return decides
	}
	return evidence.Reaches(g, edge.To, at, nil)
}

func (r reader) access() component.Access {
	return component.Access{Entry: r.entry, ID: r.id, Node: r.read}
}

// concludedBy reports whether a step stores what makes the test of the reader
// go the other way.
func (r reader) concludedBy(n *flow.Node) bool {
	if n.Loc != r.carrier || n.Mode&flow.Initial != 0 {
		return false
	}
	switch n.Op {
	case flow.Put:
		g, ok := evidence.GuardOf(r.entry.Graph, r.test, r.open)
		return ok && !g.Holds
	case flow.SetFlag:
		yes, known := r.test.Outcome(n.Val)
		if !known {
			// A computed value: whatever it is, it is not None.
			return r.test.Test == flow.TestNone && r.open.Kind == flow.True && n.Val != nil
		}
		return yes != (r.open.Kind == flow.True)
	}
	return false
}

// knownConcluded reports whether an edge of another entrypoint is taken only
// when the carrier holds what set stores in it.
func (r reader) knownConcluded(g *flow.Graph, n *flow.Node, e flow.Edge, set *flow.Node) bool {
	if n.Op != flow.Branch || n.Val == nil || n.Val.Kind != flow.Result || n.Val.Loc != r.carrier {
		return false
	}
	if set.Op == flow.Put {
		gd, ok := evidence.GuardOf(g, n, e)
		return ok && gd.Holds
	}
	yes, known := n.Outcome(set.Val)
	return known && yes == (e.Kind == flow.True)
}

// outcome is what an absent entry does to a reader that meets it before the
// conclusion.
type outcome uint8

const (
	harmless outcome = iota // it gives the answer of a concluded request
	waits                   // it gives an answer that live requests give as well
	misleads                // it gives an answer that no other state gives
	fails                   // it raises
)

// onAbsent tells what the reader does when the entry is absent and a step has
// not concluded the request yet.
func (r reader) onAbsent(set *flow.Node) outcome {
	g := r.entry.Graph
	from, def := r.absentFrom()
	if from == nil {
		return fails
	}
	over := answerIDs(evidence.Answers(g, []int32{r.shut}, nil))
	if set.Val != nil {
		for _, leaf := range set.Val.Leaves() {
			over[leaf.ID()] = true
		}
	}
	alive := r.liveAnswers(def)
	worst := harmless
	for _, v := range evidence.Answers(g, from, r.sides(def, true)) {
		if v.Same(r.read.Res) {
			v = def
		}
		if v.Kind != flow.Const || v.IsNone() || over[v.ID()] || r.st.Terminal(v) {
			continue
		}
		if alive[v.ID()] {
			worst = max(worst, waits)
		} else {
			worst = misleads
		}
	}
	return worst
}

// absentFrom returns where a walk goes on when the entry is absent, and what
// the read yields there. There is none when the reader fails.
func (r reader) absentFrom() ([]int32, *flow.Value) {
	if r.read.Mode&flow.Strict == 0 {
		return []int32{r.id}, evidence.Absent(r.read)
	}
	var out []int32
	for _, e := range r.read.Succ {
		if e.Kind == flow.Exc && !evidence.Reaches(r.entry.Graph, e.To, flow.FailNode, nil) {
			out = append(out, e.To)
		}
	}
	return out, evidence.Absent(&flow.Node{})
}

// sides returns which edges a walk takes when the read has yielded the default,
// or when it has not.
func (r reader) sides(def *flow.Value, absent bool) func(*flow.Node, flow.Edge) bool {
	return func(n *flow.Node, e flow.Edge) bool {
		if !flow.KnownEdges(n, e) || n == r.read && e.Kind == flow.Exc {
			return false
		}
		if n.Op != flow.Branch || n.Val == nil || !n.Val.Same(r.read.Res) {
			return true
		}
		yes, known := n.Outcome(def)
		return !known || (yes == (e.Kind == flow.True)) == absent
	}
}

// liveAnswers returns what the reader answers when the entry is present: the
// constants it returns, and those that are stored in the entry.
func (r reader) liveAnswers(def *flow.Value) map[string]bool {
	out := map[string]bool{}
	for _, v := range evidence.Answers(r.entry.Graph, []int32{r.id}, r.sides(def, false)) {
		if !v.Same(r.read.Res) {
			out[v.ID()] = true
			continue
		}
		for _, a := range r.st.Comp.Accesses(r.read.Loc) {
			if a.Op == flow.Put && a.Val != nil {
				for _, leaf := range a.Val.Leaves() {
					out[leaf.ID()] = true
				}
			}
		}
	}
	return out
}

func answerIDs(vs []*flow.Value) map[string]bool {
	out := map[string]bool{}
	for _, v := range vs {
		out[v.ID()] = true
	}
	return out
}

// words says what the reader does with the absent entry.
func (r reader) words(set *flow.Node) string {
	switch r.onAbsent(set) {
	case fails:
		return fmt.Sprintf("raises KeyError: %s:%d reads it without a test", r.read.Mod.File, r.read.Line())
	case waits:
		return fmt.Sprintf("takes it for alive: an absent entry reads as %s", evidence.Absent(r.read))
	}
	return fmt.Sprintf("takes the missing entry for another state (%s:%d)", r.read.Mod.File, r.read.Line())
}

// tests returns the step that tests the carrier.
func (r reader) tests() rule.Step {
	g := r.entry.Graph
	for i := range g.Nodes {
		if &g.Nodes[i] != r.test {
			continue
		}
		if at := g.Producer(r.test.Val); at >= 0 {
			return rule.Step{Entry: r.entry, ID: at}
		}
		return rule.Step{Entry: r.entry, ID: int32(i)}
	}
	return rule.Step{Entry: r.entry, ID: r.id}
}
