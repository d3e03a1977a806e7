package witness

import (
	"maps"
	"slices"

	"github.com/kvrace/kvrace/parser/facts/flow"
)

// What a thread has learned by testing a value that nobody knows, such as a number in a
// message, would double the states with each test if all of it were remembered. So the
// search begins with a model that forgets it, which only adds schedules. Where the
// schedule that it finds contradicts itself, it searches again with the values in memory
// that the contradiction rests on. This is counterexample-guided abstraction refinement,
// as in [flow.Graph.Find].

// maxRefinements bounds how often that is done for one problem.
const maxRefinements = 6

// A firm holds the values of each entrypoint, by ID, of which a search remembers what
// tests have shown.
type firm map[*flow.Entry]map[string]bool

// refining searches until what is found does not contradict itself, or nothing is found.
func refining(p Problem, search func(Problem) Result) Result {
	p.firm = firm{}
	states := 0
	var r Result
	for range maxRefinements {
		r = search(p)
		states += r.States
		r.States = states
		if r.Verdict != Found {
			return r
		}
		contradicts, known := p.firm.learn(r.Trace)
		if !contradicts {
			return r
		}
		if known {
			break // it is remembered, and yet not enough
		}
	}
	return Result{
		Tracked: r.Tracked, States: states, Assumptions: r.Assumptions,
		Reason: "every schedule that was found takes a branch one way and then another",
	}
}

// learn adds the values that a contradiction of a schedule rests on, and reports whether
// there is one, and whether all of them were known already.
func (f firm) learn(trace []Event) (contradicts, known bool) {
	walks := map[int][]Event{} // by thread: the events of the run under way
	ask := func(events []Event) {
		if contradicts || len(events) == 0 {
			return
		}
		e := events[0].Entry
		steps := make([]int32, 0, len(events)+1)
		for _, ev := range events {
			steps = append(steps, ev.Node)
		}
		if last := events[len(events)-1].To; last >= 0 {
			steps = append(steps, last)
		}
		ids := e.Graph.Contradiction(steps, func(i int) bool { return i < len(events) && events[i].Skipped })
		if ids == nil {
			return
		}
		contradicts, known = true, true
		if f[e] == nil {
			f[e] = map[string]bool{}
		}
		for _, id := range ids {
			known = known && f[e][id]
			f[e][id] = true
		}
	}
	for _, ev := range trace {
		if old := walks[ev.Thread]; len(old) > 0 && (ev.Node == flow.StartNode || ev.Entry != old[0].Entry) {
			ask(old)
			walks[ev.Thread] = nil
		}
		walks[ev.Thread] = append(walks[ev.Thread], ev)
	}
	for _, t := range slices.Sorted(maps.Keys(walks)) {
		ask(walks[t])
	}
	return contradicts, known
}

// outcomeOf identifies what a branch asks about a firm value, or is empty for another one.
func (pr *prog) outcomeOf(n *flow.Node) string {
	if n.Op != flow.Branch || n.Test == flow.TestUnknown || n.Val == nil || !pr.firm[register(n.Val)] {
		return ""
	}
	want := ""
	if n.Want != nil {
		want = n.Want.ID()
	}
	return "?" + string(rune('0'+n.Test)) + register(n.Val) + " " + want
}

// addFirm adds registers for what is remembered of the firm values: each has one for
// itself, and each test of it one for the outcome.
func (pr *prog) addFirm(m *model, g *flow.Graph, need map[string]bool) {
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if outcome := pr.outcomeOf(n); outcome != "" && m.part.has(pr.entry, int32(i)) {
			need[outcome], need[register(n.Val)] = true, true
		}
	}
}

// findOutcomes finds the registers for the outcomes of tests of firm values.
func (pr *prog) findOutcomes(g *flow.Graph) {
	pr.outcomes = map[string][]int{}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		r, ok := pr.regOf[pr.outcomeOf(n)]
		if ok && !slices.Contains(pr.outcomes[register(n.Val)], r) {
			pr.outcomes[register(n.Val)] = append(pr.outcomes[register(n.Val)], r)
		}
	}
}

// compileFirm finds the register for the outcome of a branch over a firm value, and those
// of what is known of values that a step renews.
func (pr *prog) compileFirm(i int32, in *inst) {
	if in.skip || len(pr.firm) == 0 {
		return
	}
	if r, ok := pr.regOf[pr.outcomeOf(in.node)]; ok {
		in.firm = r
	}
	if in.node.Res != nil { // which is set itself
		in.renews = append(in.renews, pr.outcomes[register(in.node.Res)]...)
	}
	for _, id := range pr.entry.Graph.Renewed(i) {
		if r, ok := pr.regOf[id]; ok && pr.firm[id] {
			in.renews = append(append(in.renews, r), pr.outcomes[id]...)
		}
	}
}

// addHeads adds the heads of the loops that take what a branch over a firm value asks for.
func (s *slicer) addHeads(pr *prog, branch *flow.Node) {
	asks := map[string]bool{}
	branch.Val.Walk(func(v *flow.Value) { asks[v.ID()] = v.Kind == flow.Element })
	for head := range pr.headOf {
		pr.nodes[head].node.Val.Walk(func(v *flow.Value) {
			if asks[v.ID()] {
				s.add(pr, head)
			}
		})
	}
}
