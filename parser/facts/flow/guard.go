package flow

import (
	"slices"
	"sync"

	"github.com/kvrace/kvrace/parser/facts/program"
)

// A Presence is what an edge says about an entry of a container.
type Presence struct {
	Read  int32 // the step whose result is tested
	Holds bool  // the key is there; otherwise it may be absent
	// Certain reports that the key is absent when it does not hold: the test
	// cannot fail for another reason.
	Certain bool
}

// presence works out [Graph.Presence].
func (g *Graph) presence(id int32, e Edge) (Presence, bool) {
	n := &g.Nodes[id]
	if (n.Op == Read || n.Op == Del) && n.Mode&Strict != 0 && n.Key != nil {
		return Presence{id, e.Kind != Exc, true}, true
	}
	if n.Op != Branch || n.Val == nil {
		return Presence{}, false
	}
	at, other := g.keyed(n.Val), n.Want
	if n.Test == TestLess && at < 0 || n.Test == TestEq && (at < 0 || !g.Nodes[at].Tolerant()) {
		at, other = g.keyed(n.Want), n.Val
	}
	if at < 0 {
		return Presence{}, false
	}
	r := &g.Nodes[at]
	yes := e.Kind == True
	switch {
	case r.Op == Has && n.Test == TestTruth:
		return Presence{at, yes, true}, true
	case r.Tolerant() && n.Test == TestTruth && absentIsFalse(r):
		return Presence{at, yes, false}, true
	case r.Tolerant() && n.Test == TestTruth && r.Def.IsBool(true):
		return Presence{at, !yes, false}, true
	case r.Tolerant() && n.Test == TestNone && (r.Def == nil || r.Def.IsNone()):
		return Presence{at, !yes, true}, true
	case r.Tolerant() && n.Test == TestEq && other != nil && g.differsFromDefault(r, other):
		return Presence{at, yes, false}, true
	case r.Tolerant() && n.Test == TestEq && other != nil && r.Def != nil && r.Def.Same(other) && (r.Def.Kind == Const || marks(r.Def)):
		return Presence{at, !yes, marks(r.Def)}, true
	case r.Tolerant() && n.Test == TestLess && ordered(r, n):
		return Presence{at, yes != less(defaultOr(r, n.Val), defaultOr(r, n.Want)), false}, true
	}
	return Presence{}, false
}

// A Guard is an edge that says something about an entry.
type Guard struct {
	ID   int32 // the step that the edge leaves
	Edge Edge
	Presence
}

// Guards returns the edges of the graph that say something about an entry.
func (g *Graph) Guards() []Guard { return g.guarding().all }

// GuardsAt returns those of the guards that leave step id.
func (g *Graph) GuardsAt(id int32) []Guard {
	gs := g.guarding()
	return gs.all[gs.from[id]:gs.from[id+1]]
}

// guards are the guards of a graph, and for each step where its own begin.
type guards struct {
	once sync.Once
	all  []Guard
	from []int32
}

func (g *Graph) guarding() *guards {
	gs := &g.guards
	gs.once.Do(func() {
		gs.from = make([]int32, len(g.Nodes)+1)
		for i := range g.Nodes {
			gs.from[i] = int32(len(gs.all))
			for _, e := range g.Nodes[i].Succ {
				if p, ok := g.presence(int32(i), e); ok {
					gs.all = append(gs.all, Guard{int32(i), e, p})
				}
			}
		}
		gs.from[len(g.Nodes)] = int32(len(gs.all))
	})
	return gs
}

// Presence returns what leaving a step through an edge says about an entry: the
// outcome of a membership test, of a test of what a tolerant read yields, or the
// failure of a strict access.
func (g *Graph) Presence(id int32, e Edge) (Presence, bool) {
	for _, p := range g.GuardsAt(id) {
		if p.Edge == e {
			return p.Presence, true
		}
	}
	return Presence{}, false
}

// ordered reports whether a branch compares a number that is read, or the
// default, with a constant, so that the default takes one side.
func ordered(r, branch *Node) bool {
	return number(defaultOr(r, branch.Val)) && number(defaultOr(r, branch.Want))
}

// defaultOr returns the default of a read in place of its result.
func defaultOr(r *Node, v *Value) *Value {
	if v.Same(r.Res) {
		return r.Def
	}
	return v
}

func number(v *Value) bool { return v != nil && v.Kind == Const && v.HasInt }

func less(a, b *Value) bool { return a.Int < b.Int }

// Tolerant reports whether a step reads or removes an entry without failing or
// making one when it is absent.
func (n *Node) Tolerant() bool {
	return n.Op == Read && n.Mode&(Strict|Upsert) == 0 || n.Op == Del && n.Mode&Strict == 0
}

// absentIsFalse reports whether the default of a read is false, so that truth
// implies presence.
func absentIsFalse(r *Node) bool {
	return r.Def == nil || r.Def.IsNone() || r.Def.IsBool(false) || r.Def.HasInt && r.Def.Int == 0 || r.Def.Kind == Object
}

// keyed returns the step that yields a register, if that looks an entry up, or -1.
func (g *Graph) keyed(v *Value) int32 {
	if at := g.Producer(v); at >= 0 && g.Nodes[at].Key != nil {
		return at
	}
	return -1
}

// differsFromDefault reports whether an absent key never equals want. Where want is
// what somebody has come with (a connection, a generation), as in
//
//	if self.open.get(rid) is conn:
//
// it is taken to be no default that says that there is nothing, unless it may have
// come from such a read itself.
func (g *Graph) differsFromDefault(r *Node, want *Value) bool {
	if want.Kind == Const {
		return r.Def == nil || marks(r.Def) || r.Def.Kind == Const && r.Def.id != want.id
	}
	if r.Def != nil && !r.Def.IsNone() && !marks(r.Def) && !(number(r.Def) && r.Def.Int < 0) {
		return false
	}
	return !slices.ContainsFunc(want.Leaves(), g.mayBeNothing)
}

// marks reports whether a value is an object of which others know only that it is
// not theirs: object(), or a variable of a module that holds one.
func marks(v *Value) bool {
	return (v.Kind == Object || v.Kind == Opaque || v.Kind == Result) && v.Type.Kind == program.External && v.Type.Name == "object()"
}

// mayBeNothing reports whether a value may be None or another default.
func (g *Graph) mayBeNothing(v *Value) bool {
	if v.Kind == Const || v.Type.Kind == program.None || marks(v) {
		return true
	}
	at := g.Producer(v)
	if at < 0 {
		return false
	}
	n := &g.Nodes[at]
	return n.Tolerant() || n.Op == GetFlag && n.Loc.Optional
}

// Producer returns the step that yields a register, or -1.
func (g *Graph) Producer(v *Value) int32 {
	if v == nil || v.Kind != Result {
		return -1
	}
	g.producers.once.Do(func() {
		g.producers.of = map[string]int32{}
		for i := range g.Nodes {
			if n := &g.Nodes[i]; n.Res != nil && n.Op != Move {
				if _, seen := g.producers.of[n.Res.id]; !seen {
					g.producers.of[n.Res.id] = int32(i)
				}
			}
		}
	})
	if at, ok := g.producers.of[v.id]; ok {
		return at
	}
	return -1
}

// entryID is the identity of a container's entry in the facts of a walk, or "".
func entryID(n *Node) string {
	if n.Loc == nil || n.Key == nil || len(n.Path) > 0 {
		return ""
	}
	return "@" + n.Loc.ID + "[" + n.Key.id + "]"
}

const (
	present = "present"
	absent  = "absent"
)

// testedEntries returns the entries about which a walk has to remember something:
// those that it tests and changes, or tests twice.
func (g *Graph) testedEntries() map[string]bool {
	touched, tested := map[string]int{}, map[string]bool{}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		at := entryID(n)
		if at == "" {
			continue
		}
		switch n.Op {
		case Has, Put, Del, Read:
			touched[at]++
		}
		if n.Op == Has || n.Op == Read && n.Mode&Upsert == 0 {
			tested[at] = true
		}
	}
	out := map[string]bool{}
	for at := range tested {
		if touched[at] > 1 {
			out[at] = true
		}
	}
	return out
}

// entries updates what is known about entries once node id was left by edge e,
// when nobody else changes the containers. It reports false when the edge
// contradicts what is known.
func (g *Graph) entries(f Facts, id int32, e Edge) (Facts, bool) {
	n := &g.Nodes[id]
	if n.Op != Branch && n.Loc == nil {
		return f, true
	}
	tracked := g.memory().entries
	if p, ok := g.Presence(id, e); ok && (p.Holds || p.Certain) {
		r := &g.Nodes[p.Read]
		if at := entryID(r); tracked[at] > 0 && r.Op != Del {
			want := absent
			if p.Holds {
				want = present
			}
			for _, x := range f.known {
				if x.reg == at && x.val != want {
					return f, false
				}
			}
			f = f.with(newFact(tracked[at], at, want, false))
		}
	}
	at := entryID(n)
	slot := tracked[at]
	if slot == 0 {
		return f, true
	}
	switch {
	case n.Op == Put, n.Op == Read && n.Mode&Upsert != 0:
		f = f.without(at).with(newFact(slot, at, present, false))
	case n.Op == Del && e.Kind != Exc:
		f = f.without(at).with(newFact(slot, at, absent, false))
	}
	return f, true
}
