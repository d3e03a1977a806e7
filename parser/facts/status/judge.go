package status

import (
	"slices"
	"strings"

	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
)

// Hint is a reason to take a status for terminal, or not.
type Hint uint8

// The hints. The weight of each is in weights.
const (
	Concluded  Hint = iota // a poller remembers it and answers it from then on
	Skipped                // a worker drops what it is about to do
	OnFailure              // an exception handler stores it
	Top                    // it is the greatest, and the greater of two is kept
	GoodWord               // its name says so
	Last                   // it is stored, and nothing is stored in its place
	Later                  // a thread stores it, after another was registered
	InitialOne             // it is stored when the request is registered
	Left                   // another status is stored when it holds
	BadWord                // its name says otherwise
	Told                   // a comment or the configuration lists it
	NotTold                // its kind is listed there, and it is not
)

var weights = map[Hint]int{
	Concluded: 3, Skipped: 2, OnFailure: 2, Top: 2, GoodWord: 2,
	Last: 2, Later: 1, InitialOne: -4, Left: -3, BadWord: -2,
}

var hintNames = [...]string{
	"poller keeps it", "worker skips it", "stored on failure", "greatest", "name",
	"nothing follows it", "stored later", "initial", "another follows it", "name says otherwise",
	"told so", "told otherwise",
}

func (h Hint) String() string { return hintNames[h] }

// Words are parts of the names of statuses that hint at what they mean. They
// are the default of a configuration table.
type Words struct {
	Terminal, Pending []string
	Failure           []string // those of the terminal ones that mean a failure
}

// DefaultWords is the table that is used unless the configuration has another.
var DefaultWords = Words{
	Terminal: []string{"fail", "succe", "done", "finish", "complete", "error", "abort", "cancel", "dead", "timeout", "timed_out", "expired", "closed", "ended", "lost", "gone", "reject", "broken", "delivered", "released"},
	Failure:  []string{"fail", "error", "abort", "dead", "timeout", "timed_out", "expired", "lost", "broken", "reject"},
	Pending:  []string{"pending", "wait", "boot", "init", "queue", "running", "transfer", "start", "new", "progress", "active", "sending", "recv", "receiv", "loading", "ready", "moving", "open", "handshak", "connecting", "alive", "fresh", "busy"},
}

// SaysFailed reports whether the name of a constant says that a request has failed.
func SaysFailed(name string) bool { return matches(strings.ToLower(name), DefaultWords.Failure) }

// judge weighs the hints for each status.
func (f *Facts) judge(words Words) {
	f.hintConcluded()
	f.hintSkipped()
	f.hintStored()
	f.hintTop()
	f.hintLeft()
	f.hintLater()
	for _, v := range f.Values {
		name := strings.ToLower(v.Const.Name)
		if matches(name, words.Terminal) {
			v.hint(GoodWord)
		} else if matches(name, words.Pending) {
			v.hint(BadWord)
		}
	}
	for _, v := range f.Values {
		for _, h := range v.Hints {
			v.Score += weights[h]
		}
		v.Terminal = v.Score > 0
	}
}

func matches(name string, words []string) bool {
	for _, w := range words {
		if strings.Contains(name, w) {
			return true
		}
	}
	return false
}

func (v *Value) hint(h Hint) {
	for _, have := range v.Hints {
		if have == h {
			return
		}
	}
	v.Hints = append(v.Hints, h)
}

func (f *Facts) hintID(id string, h Hint) {
	if v := f.byID[id]; v != nil {
		v.hint(h)
	}
}

// hintConcluded finds the flags that a poller answers with when they are set,
// and the statuses that are stored in them.
func (f *Facts) hintConcluded() {
	kept := map[*flow.Location]bool{}
	for _, e := range f.Pollers {
		for i := range e.Graph.Nodes {
			n := &e.Graph.Nodes[i]
			if n.Op != flow.Return || n.Val == nil {
				continue
			}
			for _, leaf := range n.Val.Leaves() {
				if leaf.Kind == flow.Result && leaf.Loc != nil && !leaf.Loc.Keyed() {
					kept[leaf.Loc] = true
				}
			}
		}
	}
	for _, e := range f.Comp.Entries {
		g := e.Graph
		for i := range g.Nodes {
			n := &g.Nodes[i]
			if n.Op != flow.SetFlag || n.Mode&flow.Initial != 0 || !kept[n.Loc] || n.Val == nil {
				continue
			}
			for _, leaf := range n.Val.Leaves() {
				f.hintID(leaf.ID(), Concluded)
			}
			for _, id := range f.establishedAt(g, int32(i), n.Val) {
				f.hintID(id, Concluded)
			}
		}
	}
}

// establishedAt returns the statuses that register v is known to hold at a
// step, on some walk that has tested it.
func (f *Facts) establishedAt(g *flow.Graph, at int32, v *flow.Value) []string {
	if !v.Register() {
		return nil
	}
	var out []string
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Op != flow.Branch || n.Test != flow.TestEq || !n.Val.Same(v) || n.Want == nil || f.byID[n.Want.ID()] == nil {
			continue
		}
		want := n.Want.ID()
		p := g.Find(flow.Search{From: []int32{int32(i)}, Track: []*flow.Value{v}, Goal: func(id int32, _ *flow.Node, facts flow.Facts) bool {
			have, ok := facts.Holds(v)
			return id == at && ok && have == want
		}})
		if p != nil {
			out = append(out, want)
		}
	}
	return out
}

// hintSkipped finds the statuses for which a thread drops the item at hand: on
// the side of the test where the status holds, nothing happens any more.
func (f *Facts) hintSkipped() {
	for _, e := range f.Comp.Entries {
		if e.Role == flow.Caller || e.Role == flow.Init {
			continue
		}
		g := e.Graph
		for i := range g.Nodes {
			n := &g.Nodes[i]
			if n.Op != flow.Branch || n.Test != flow.TestEq || n.Want == nil || n.Val == nil || n.Val.Loc == nil || !f.isMap[n.Val.Loc] {
				continue
			}
			for _, edge := range n.Succ {
				if edge.Kind == flow.True && idleUntilEnd(g, edge.To) {
					f.hintID(n.Want.ID(), Skipped)
				}
			}
		}
	}
}

// idleUntilEnd reports whether the walk from a step to the end of the iteration
// or function does nothing with shared state.
func idleUntilEnd(g *flow.Graph, at int32) bool {
	for steps := 0; steps < 12; steps++ {
		n := &g.Nodes[at]
		switch n.Op {
		case flow.Exit:
			return true
		case flow.LoopHead:
			return n.Mode&flow.Forever != 0
		case flow.Put, flow.Del, flow.SetFlag, flow.Enqueue, flow.Branch, flow.Spawn, flow.Clear, flow.Raise:
			return false
		}
		next := int32(-1)
		for _, e := range n.Succ {
			if e.Kind == flow.Normal {
				next = e.To
			}
		}
		if next < 0 {
			return false
		}
		at = next
	}
	return false
}

// hintStored finds the statuses that are stored when a request is registered,
// and those that exception handlers store.
func (f *Facts) hintStored() {
	for _, e := range f.Comp.Entries {
		g := e.Graph
		var regular map[int32]bool
		for i := range g.Nodes {
			n := &g.Nodes[i]
			if n.Op != flow.Put && n.Op != flow.SetFlag || n.Loc == nil || !f.isMap[n.Loc] && !f.flags[n.Loc] || n.Val == nil {
				continue
			}
			if n.Val.Kind == flow.Phi && n.Op == flow.Put && e.Role != flow.Init && e.Role != flow.Caller {
				if regular == nil {
					regular = reachable(g)
				}
				f.hintBrought(g, n.Val, regular)
			}
			if n.Val.Kind != flow.Const {
				continue
			}
			switch e.Role {
			case flow.Init, flow.Caller:
				if f.registers(g, int32(i)) {
					f.hintID(n.Val.ID(), InitialOne)
				}
			default:
				if regular == nil {
					regular = reachable(g)
				}
				if n.Op == flow.Put && !regular[int32(i)] {
					f.hintID(n.Val.ID(), OnFailure)
				}
			}
		}
	}
}

// hintBrought finds the statuses that only an exception brings to where they are stored.
func (f *Facts) hintBrought(g *flow.Graph, stored *flow.Value, regular map[int32]bool) {
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Op == flow.Move && len(n.Pred) > 0 && n.Res.Same(stored) && n.Val.Kind == flow.Const && !regular[int32(i)] {
			f.hintID(n.Val.ID(), OnFailure)
		}
	}
}

// registers reports whether a step stores the first status of a request: the
// constructor of a handle always stores one, or a hook stores it untested, next
// to what else it keeps of the key or before it hands the request to a thread.
func (f *Facts) registers(g *flow.Graph, at int32) bool {
	n := &g.Nodes[at]
	if n.Op != flow.Put {
		return false
	}
	first := g.Find(flow.Search{
		Blind: true,
		Goal:  func(id int32, _ *flow.Node, _ flow.Facts) bool { return id == at },
		Avoid: func(id int32, m *flow.Node) bool { return id != at && m.Loc == n.Loc },
	})
	if first == nil {
		return false
	}
	if g.Entry.Role == flow.Init {
		return g.Find(flow.Search{
			Blind: true,
			Goal:  func(id int32, _ *flow.Node, _ flow.Facts) bool { return id == flow.ExitNode },
			Avoid: func(id int32, m *flow.Node) bool { return m.Loc == n.Loc && m.Op == flow.Put },
		}) == nil
	}
	for i := range g.Nodes {
		m := &g.Nodes[i]
		switch m.Op {
		case flow.Enqueue, flow.Spawn:
			return true
		case flow.Put:
			if m.Loc != n.Loc && m.Mode&flow.Initial == 0 && component.RootKey(m).Same(component.RootKey(n)) && f.Comp.Group(m.Loc) == f.Comp.Group(n.Loc) {
				return true
			}
		}
	}
	return false
}

// hintLeft finds the statuses that another one replaces: a store that happens
// only when the entry holds them. What is stored so, and is never itself a
// condition, comes last.
func (f *Facts) hintLeft() {
	left, stored := map[string]bool{}, map[string]bool{}
	for _, e := range f.Comp.Entries {
		g := e.Graph
		for i := range g.Nodes {
			n := &g.Nodes[i]
			if n.Op != flow.Put || n.Loc == nil || !f.isMap[n.Loc] || n.Val == nil {
				continue
			}
			from := f.conditionsOf(g, int32(i))
			for id := range from {
				left[id] = true
			}
			for _, leaf := range n.Val.Leaves() {
				if len(from) > 0 && !from[leaf.ID()] {
					stored[leaf.ID()] = true
				}
			}
		}
	}
	for id := range left {
		f.hintID(id, Left)
	}
	for id := range stored {
		if !left[id] {
			f.hintID(id, Last)
		}
	}
}

// hintLater finds the statuses that threads store, and among them those that the
// same walk replaces.
func (f *Facts) hintLater() {
	registered := false
	for _, v := range f.Values {
		for _, h := range v.Hints {
			registered = registered || h == InitialOne
		}
	}
	for _, e := range f.Comp.Entries {
		if e.Role == flow.Init || e.Role == flow.Caller {
			continue
		}
		g := e.Graph
		for i := range g.Nodes {
			n := &g.Nodes[i]
			if n.Op != flow.Put || n.Loc == nil || !f.isMap[n.Loc] || n.Val == nil || n.Val.Kind != flow.Const {
				continue
			}
			if registered {
				f.hintID(n.Val.ID(), Later)
			}
			if f.replaced(g, int32(i)) {
				f.hintID(n.Val.ID(), Left)
			}
		}
	}
}

// replaced reports whether a walk goes on from a store to the store of another
// status for the same key, in one turn of the endless loop, and of the one that takes
// the key.
func (f *Facts) replaced(g *flow.Graph, at int32) bool {
	n := &g.Nodes[at]
	key := component.RootKey(n)
	turns := map[int32]bool{}
	for _, h := range g.LoopsAround(at) {
		turns[h] = g.Nodes[h].Val != nil && madeFrom(key, g.Nodes[h].Val)
	}
	return g.Find(flow.Search{
		From: []int32{at}, After: true, Blind: true,
		Stop: func(id int32) bool {
			return g.Nodes[id].Op == flow.LoopHead && g.Nodes[id].Mode&flow.Forever != 0 || turns[id]
		},
		Goal: func(_ int32, m *flow.Node, _ flow.Facts) bool {
			return m.Op == flow.Put && m.Loc == n.Loc && component.RootKey(m).Same(key) && m.Val != nil && m.Val.Kind == flow.Const && m.Val.ID() != n.Val.ID()
		},
	}) != nil
}

// madeFrom reports whether a value is another one, or is made from it.
func madeFrom(v, from *flow.Value) bool {
	seen := map[*flow.Value]bool{}
	var made func(v *flow.Value) bool
	made = func(v *flow.Value) bool {
		for ; v != nil && !seen[v]; v = v.Base {
			seen[v] = true
			if v.Same(from) || slices.ContainsFunc(v.Args, made) {
				return true
			}
		}
		return false
	}
	return made(v)
}

// conditionsOf returns the statuses of which the entry must hold one for a store
// to be reached.
func (f *Facts) conditionsOf(g *flow.Graph, at int32) map[string]bool {
	var tests []int32
	for i := range g.Nodes {
		b := &g.Nodes[i]
		if b.Op == flow.Branch && b.Test == flow.TestEq && readOf(b.Val, g.Nodes[at].Loc) && b.Want != nil && f.byID[b.Want.ID()] != nil {
			tests = append(tests, int32(i))
		}
	}
	tests = needed(g, at, tests)
	if len(tests) == 0 {
		return nil
	}
	out := map[string]bool{}
	for _, id := range tests {
		out[g.Nodes[id].Want.ID()] = true
	}
	return out
}

// needed returns those of some tests of which one must hold for a step to be
// reached, as few as possible; nil when the step can be reached without any of
// them, or not at all.
func needed(g *flow.Graph, at int32, tests []int32) []int32 {
	barred := make(map[int32]bool, len(tests))
	for _, t := range tests {
		barred[t] = true
	}
	seen := make([]bool, len(g.Nodes)) // what is reached although none of the barred tests holds
	spread := func(from int32) (reached []int32) {
		if !seen[from] {
			seen[from] = true
			reached = append(reached, from)
		}
		for i := 0; i < len(reached) && !seen[at]; i++ {
			n := &g.Nodes[reached[i]]
			for _, e := range n.Succ {
				if !seen[e.To] && flow.KnownEdges(n, e) && !(e.Kind == flow.True && barred[reached[i]]) {
					seen[e.To] = true
					reached = append(reached, e.To)
				}
			}
		}
		return reached
	}
	spread(flow.StartNode)
	if seen[at] || !g.Leads(flow.StartNode, at, -1) {
		return nil
	}
	var out []int32
	for _, t := range tests {
		delete(barred, t)
		if !seen[t] {
			continue
		}
		var reached []int32
		for _, e := range g.Nodes[t].Succ {
			if e.Kind == flow.True {
				reached = append(reached, spread(e.To)...)
			}
		}
		if seen[at] { // not without t
			for _, id := range reached {
				seen[id] = false
			}
			barred[t] = true
			out = append(out, t)
		}
	}
	return out
}

// reachable returns the steps that a graph reaches without an exception.
func reachable(g *flow.Graph) map[int32]bool {
	seen := map[int32]bool{flow.StartNode: true}
	work := []int32{flow.StartNode}
	for len(work) > 0 {
		n := &g.Nodes[work[len(work)-1]]
		work = work[:len(work)-1]
		for _, e := range n.Succ {
			if e.Kind != flow.Exc && !seen[e.To] {
				seen[e.To] = true
				work = append(work, e.To)
			}
		}
	}
	return seen
}

// hintTop finds the greatest status of a map that keeps the greater of two.
func (f *Facts) hintTop() {
	joined := false
	for _, l := range f.Maps {
		for _, a := range f.Comp.Accesses(l) {
			if a.Op == flow.Put && a.Val != nil && a.Val.Kind == flow.Derived && a.Val.Name == "max" {
				joined = true
			}
		}
	}
	if !joined {
		return
	}
	var top *Value
	for _, v := range f.Values {
		if v.Const.HasInt && (top == nil || v.Const.Int > top.Const.Int) {
			top = v
		}
	}
	if top != nil {
		top.hint(Top)
	}
}
