package status

import (
	"strings"

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
	InitialOne             // a constructor stores it
	Default                // it stands for an absent entry
	BadWord                // its name says otherwise
)

var weights = map[Hint]int{
	Concluded: 3, Skipped: 2, OnFailure: 2, Top: 2, GoodWord: 2,
	InitialOne: -4, Default: -2, BadWord: -2,
}

var hintNames = [...]string{
	"poller keeps it", "worker skips it", "stored on failure", "greatest", "name",
	"initial", "default of an absent entry", "name says otherwise",
}

func (h Hint) String() string { return hintNames[h] }

// Words are parts of the names of statuses that hint at what they mean. They
// are the default of a configuration table.
type Words struct {
	Terminal, Pending []string
}

// DefaultWords is the table that is used unless the configuration has another.
var DefaultWords = Words{
	Terminal: []string{"fail", "succe", "done", "finish", "complete", "error", "abort", "cancel", "dead", "timeout", "timed_out", "expired", "closed", "ended", "lost", "gone", "reject", "broken", "delivered", "released"},
	Pending:  []string{"pending", "wait", "boot", "init", "queue", "running", "transfer", "start", "new", "progress", "active", "sending", "recv", "receiv", "loading", "ready", "moving", "open", "handshak", "connecting", "alive", "fresh", "busy"},
}

// judge weighs the hints for each status.
func (f *Facts) judge(words Words) {
	f.hintConcluded()
	f.hintSkipped()
	f.hintStored()
	f.hintTop()
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
		p := g.Find(flow.Search{From: []int32{int32(i)}, Goal: func(id int32, _ *flow.Node, facts flow.Facts) bool {
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

// hintStored finds the statuses that constructors and exception handlers store,
// and those that stand for an absent entry.
func (f *Facts) hintStored() {
	for _, e := range f.Comp.Entries {
		g := e.Graph
		var regular map[int32]bool
		for i := range g.Nodes {
			n := &g.Nodes[i]
			carrier := n.Loc != nil && (f.isMap[n.Loc] || f.flags[n.Loc])
			if !carrier {
				continue
			}
			switch {
			case n.Op == flow.Read && n.Def != nil:
				f.hintID(n.Def.ID(), Default)
			case (n.Op == flow.Put || n.Op == flow.SetFlag) && n.Val != nil && e.Role == flow.Init:
				if n.Val.Kind == flow.Const && f.first(g, int32(i)) {
					f.hintID(n.Val.ID(), InitialOne)
				}
			case n.Op == flow.Put && n.Val != nil && n.Val.Kind == flow.Const && e.Role != flow.Caller:
				if regular == nil {
					regular = reachable(g)
				}
				if !regular[int32(i)] {
					f.hintID(n.Val.ID(), OnFailure)
				}
			}
		}
	}
}

// first reports whether a step can be the first that stores a status in its
// constructor.
func (f *Facts) first(g *flow.Graph, at int32) bool {
	return g.Find(flow.Search{
		Goal: func(id int32, _ *flow.Node, _ flow.Facts) bool { return id == at },
		Avoid: func(id int32, n *flow.Node) bool {
			return id != at && n.Op == flow.Put && f.isMap[n.Loc]
		},
	}) != nil && !conditionalFailure(g, at)
}

// conditionalFailure reports whether a constructor returns right after a step
// that it reaches only under a condition, as it does when it gives up.
func conditionalFailure(g *flow.Graph, at int32) bool {
	var loc *flow.Location
	if loc = g.Nodes[at].Loc; loc == nil {
		return false
	}
	return g.Find(flow.Search{
		Goal:  func(id int32, n *flow.Node, _ flow.Facts) bool { return n.Op == flow.Exit || n.Op == flow.Return },
		Avoid: func(id int32, n *flow.Node) bool { return n.Loc == loc && (n.Op == flow.Put || n.Op == flow.SetFlag) },
	}) != nil
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
