package flow

import (
	"maps"
	"slices"
)

// A walk that remembers all that its branches tell has as many states as there are
// combinations of that, and nearly all of them differ in what does not matter.
// findRefining begins with walks that remember nothing but what the goal asks for. When
// the shortest of them contradicts itself, it searches again with the registers and entries in memory that
// the contradiction rests on, until a walk is consistent or there is none. This is
// counterexample-guided abstraction refinement (Clarke, Grumberg, Jha, Lu and Veith,
// CAV 2000) with a set of registers as the abstraction.
//
// The answer is that of a search which remembers everything: what is forgotten only
// adds walks, so the first consistent walk is a shortest one of all.
func (g *Graph) findRefining(s Search) *Path {
	tracked := g.memory().tracking(&s)
	f := g.asksFor(&s, tracked)
	p := g.coarse(&s, f)
	for p != nil {
		facts, at := g.follow(&s, p, tracked)
		if at < 0 {
			p.Facts = facts
			return p
		}
		if g.exhausted() {
			return nil
		}
		if !f.blame(g, p, at, tracked) {
			return g.explore(&s, nil) // nothing new to remember
		}
		p = g.explore(&s, f)
	}
	return nil
}

// A focus is what the walks of a search remember.
type focus struct {
	slots     []uint64 // the set of registers and entries
	registers slots
}

// asksFor returns the focus of a search on the registers whose facts its goal asks for:
// the facts about them that its walks establish are all that there are. Those that are
// moved into such a register, or that a branch compares it with, belong to it.
func (g *Graph) asksFor(s *Search, tracked slots) *focus {
	f := &focus{slots: make([]uint64, g.memory().words), registers: slots{}}
	grown := false
	ask := func(v *Value) {
		if v == nil {
			return
		}
		reg := register(v)
		slot, ok := tracked[reg]
		if _, known := f.registers[reg]; ok && !known {
			f.focusOn(reg, slot)
			grown = true
		}
	}
	for _, x := range s.Begin.known {
		f.focusOn(x.reg, x.slot)
	}
	if !s.AtReturn {
		for _, v := range s.Track {
			ask(v)
		}
	} else {
		for i := range g.Nodes {
			if n := &g.Nodes[i]; n.Op == Return {
				ask(n.Val)
			}
		}
	}
	for grown {
		grown = false
		for i := range g.Nodes {
			switch n := &g.Nodes[i]; n.Op {
			case Move:
				if _, asked := f.registers[register(n.Res)]; asked {
					ask(n.Val)
				}
			case Branch:
				if n.Val == nil || n.Want == nil {
					continue
				}
				if _, asked := f.registers[register(n.Val)]; asked {
					ask(n.Want)
				}
			}
		}
	}
	return f
}

func (f *focus) focusOn(reg string, slot int32) {
	f.registers[reg] = slot
	if slot != kept {
		add(f.slots, slot)
	}
}

// coarse is the search that remembers no more than the goal asks for.
func (g *Graph) coarse(s *Search, f *focus) *Path {
	if s.Mark == nil && len(f.registers) == 0 {
		return g.findBlind(*s)
	}
	return g.explore(s, f)
}

// follow goes along a walk and remembers everything. It returns what is known at the
// end, or the number of the edge that cannot be taken; -1 stands for none.
func (g *Graph) follow(s *Search, p *Path, tracked slots) (Facts, int) {
	memory := g.memory()
	facts := s.Begin
	known := 0
	defer func() { g.spend(len(p.Nodes) + known/factsPerStep) }()
	visit := func(id int32) {
		facts = facts.relevant(memory.at(memory.live, id), nil)
		known += len(facts.known)
		if s.Mark == nil {
			return
		}
		if m := s.Mark(id, &g.Nodes[id]); m != "" {
			facts = facts.with(newFact(kept, m, passed, false))
		}
	}
	for i, e := range p.Edges {
		id := p.Nodes[i]
		if i > 0 || !s.After {
			visit(id)
		}
		var ok bool
		if facts, ok = facts.after(&g.Nodes[id], e, tracked, memory.renewed[id]); !ok {
			return facts, i
		}
		facts = s.assume(facts, &g.Nodes[id], tracked)
		if s.Alone {
			if facts, ok = g.entries(facts, id, e); !ok {
				return facts, i
			}
		}
	}
	visit(p.Nodes[len(p.Nodes)-1])
	return facts, -1
}

// Contradiction goes along a walk, given by its steps, and returns the IDs of the values
// that the first branch rests on which cannot be taken after those before it; nil if
// there is none. Steps that are free tell nothing: one side of them is as good as the other.
func (g *Graph) Contradiction(walk []int32, free func(i int) bool) []string {
	memory := g.memory()
	var facts Facts
	for i := range max(0, len(walk)-1) {
		n := &g.Nodes[walk[i]]
		j := slices.IndexFunc(n.Succ, func(e Edge) bool { return e.To == walk[i+1] })
		if j < 0 {
			return nil // the end of the walk
		}
		if free(i) && n.Op == Branch {
			continue
		}
		var ok bool
		if facts, ok = facts.after(n, n.Succ[j], memory.registers, memory.renewed[walk[i]]); !ok {
			return slices.Sorted(maps.Keys(g.restsOn(walk, i)))
		}
	}
	return nil
}

// restsOn returns the registers that a branch of a walk compares, and those that were
// moved into them on the way.
func (g *Graph) restsOn(walk []int32, at int) map[string]bool {
	regs := map[string]bool{}
	if n := &g.Nodes[walk[at]]; n.Op == Branch {
		for _, v := range []*Value{n.Val, n.Want} {
			if v != nil && v.Kind != Const {
				regs[register(v)] = true
			}
		}
	}
	for i := at; i >= 0; i-- {
		if n := &g.Nodes[walk[i]]; n.Op == Move && n.Val.Kind != Const && regs[register(n.Res)] {
			regs[register(n.Val)] = true
		}
	}
	return regs
}

// blame adds what a contradiction at an edge of a walk rests on: the registers that
// the branch compares, those that were moved into them on the way, and the entry that
// the edge tells about. It reports whether any of it is new.
func (f *focus) blame(g *Graph, p *Path, at int, tracked slots) bool {
	memory := g.memory()
	grown := false
	grow := func(slot int32) {
		if slot != kept && !has(f.slots, slot) {
			add(f.slots, slot)
			grown = true
		}
	}
	if pr, ok := g.Presence(p.Nodes[at], p.Edges[at]); ok {
		grow(memory.entries[entryID(&g.Nodes[pr.Read])])
	}
	for reg := range g.restsOn(p.Nodes, at) {
		if slot, ok := tracked[reg]; ok {
			f.registers[reg] = slot
			grow(slot)
		}
	}
	return grown
}
