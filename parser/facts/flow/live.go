package flow

import (
	"maps"
	"slices"
	"sync"
)

// slots numbers, from 1, the registers and entries that walks remember facts
// about. A register of which a goal asks has the slot kept instead.
type slots map[string]int32

// kept is the slot of facts that a walk never forgets.
const kept = 0

// memory is what the walks through a graph need to remember, and how long. Two
// walks that meet at a step with different facts are the same from there on when
// no branch ahead asks for the difference.
type memory struct {
	once      sync.Once
	registers slots // those that tested returns
	asked     slots // all that a branch or a return asks for
	entries   slots
	words     int
	effects   []effect // for each step, what it does to a set of slots
	live      []uint64 // for each step, a set of slots
	// renewed are, for each step, the registers whose facts end with it, beside its own.
	renewed [][]string
}

// An effect turns what matters after a step into what matters before it: slots,
// of which a graph has fewer than its bound on steps allows, or 0 for nothing.
type effect struct {
	dst   uint16 // what a move sets; what it takes matters if this does
	kills [2]uint16
	uses  [4]uint16
}

// apply changes a set.
func (e *effect) apply(set []uint64) {
	if e.dst != 0 {
		if !has(set, int32(e.dst)) {
			return
		}
		remove(set, int32(e.dst))
	}
	for _, slot := range e.kills {
		remove(set, int32(slot))
	}
	for _, slot := range e.uses {
		if slot == 0 {
			return
		}
		add(set, int32(slot))
	}
}

// memory returns the memo of the graph.
func (g *Graph) memory() *memory {
	m := &g.remembers
	m.once.Do(func() {
		next := int32(kept)
		number := func(names map[string]bool) slots {
			out := make(slots, len(names))
			for _, name := range slices.Sorted(maps.Keys(names)) {
				next++
				out[name] = next
			}
			return out
		}
		m.asked = number(g.asked())
		tested := g.tested()
		m.registers = make(slots, len(tested))
		for reg := range tested {
			m.registers[reg] = m.asked[reg]
		}
		m.renewed = g.renewed(m.asked)
		m.entries = number(g.testedEntries())
		m.words = int(next)/64 + 1
		m.effects = make([]effect, len(g.Nodes))
		for i := range g.Nodes {
			m.effects[i] = m.effect(g, &g.Nodes[i])
		}
		m.live = m.fill(g, nil, nil)
	})
	return m
}

// at returns the slots that matter when a walk is at a step.
func (m *memory) at(live []uint64, id int32) []uint64 {
	return live[int(id)*m.words : (int(id)+1)*m.words]
}

// fill computes which slots matter where, against the direction of walks. With a
// region, the walks do not leave it. The memory of an earlier result is used
// again.
func (m *memory) fill(g *Graph, region []bool, live []uint64) []uint64 {
	size := m.words * len(g.Nodes)
	if cap(live) < size {
		live = make([]uint64, size)
	}
	live = live[:size]
	clear(live)
	in := make([]uint64, m.words)
	for changed := true; changed; {
		changed = false
		if region != nil { // otherwise this is done once for all searches
			g.spend(len(g.Nodes) * (1 + m.words/factsPerStep) / factsPerStep)
		}
		for i := len(g.Nodes) - 1; i >= 0; i-- {
			if region != nil && !region[i] {
				continue
			}
			clear(in)
			for _, e := range g.Nodes[i].Succ {
				for w, bits := range m.at(live, e.To) {
					in[w] |= bits
				}
			}
			m.effects[i].apply(in)
			at := m.at(live, int32(i))
			if !slices.Equal(at, in) {
				changed = true
				copy(at, in)
			}
		}
	}
	return live
}

// effect returns what a step does.
func (m *memory) effect(g *Graph, n *Node) (e effect) {
	uses := e.uses[:0]
	use := func(slot int32) {
		if slot != 0 {
			uses = append(uses, uint16(slot))
		}
	}
	if n.Op == Move {
		if e.dst = uint16(m.asked[register(n.Res)]); e.dst != 0 {
			use(m.slot(n.Val))
		}
		return e
	}
	if n.Res != nil {
		e.kills[0] = uint16(m.asked[register(n.Res)])
	}
	if n.Op == Put || n.Op == Read && n.Mode&Upsert != 0 {
		e.kills[1] = uint16(m.entries[entryID(n)])
	}
	switch n.Op {
	case Branch:
		use(m.slot(n.Val))
		use(m.slot(n.Want))
		use(m.entry(g, n.Val))
		use(m.entry(g, n.Want))
	case Return:
		use(m.slot(n.Val))
	case Read, Del:
		use(m.entries[entryID(n)])
	}
	return e
}

// slot returns the slot of a register, or 0.
func (m *memory) slot(v *Value) int32 {
	if v == nil || v.Kind == Const {
		return 0
	}
	return m.asked[register(v)]
}

// entry returns the slot of the entry whose presence a register tells, or 0.
func (m *memory) entry(g *Graph, v *Value) int32 {
	if at := g.Producer(v); at >= 0 {
		return m.entries[entryID(&g.Nodes[at])]
	}
	return 0
}

func has(set []uint64, slot int32) bool { return set[slot/64]&(1<<(slot%64)) != 0 }

func add(set []uint64, slot int32) { set[slot/64] |= 1 << (slot % 64) }

func remove(set []uint64, slot int32) { set[slot/64] &^= 1 << (slot % 64) }

// tracking returns the slots of the registers that a search follows.
func (m *memory) tracking(s *Search) slots {
	if len(s.Track) == 0 {
		return m.registers
	}
	out := maps.Clone(m.registers)
	for _, v := range s.Track {
		reg := register(v)
		if !s.AtReturn {
			out[reg] = kept
		} else if slot, ok := m.asked[reg]; ok {
			out[reg] = slot
		}
	}
	return out
}

// asked returns the registers that a branch tests or a return yields, and those
// that are moved into such a one.
func (g *Graph) asked() map[string]bool {
	out := map[string]bool{}
	use := func(v *Value) {
		if v != nil && v.Kind != Const {
			out[register(v)] = true
		}
	}
	for i := range g.Nodes {
		switch n := &g.Nodes[i]; n.Op {
		case Branch:
			use(n.Val)
			use(n.Want)
		case Return:
			use(n.Val)
		}
	}
	for before := -1; before < len(out); {
		before = len(out)
		for i := range g.Nodes {
			if n := &g.Nodes[i]; n.Op == Move && out[register(n.Res)] {
				use(n.Val)
			}
		}
	}
	return out
}

// relevant returns the facts whose slots are in a set, and in a second one if that
// is not nil, or are kept.
func (f Facts) relevant(set, only []uint64) Facts {
	stays := func(x fact) bool {
		return x.slot == kept || has(set, x.slot) && (only == nil || has(only, x.slot))
	}
	lost := 0
	for _, x := range f.known {
		if !stays(x) {
			lost++
		}
	}
	if lost == 0 {
		return f
	}
	out := Facts{}
	if lost < len(f.known) {
		out.known = make([]fact, 0, len(f.known)-lost)
	}
	for _, x := range f.known {
		if stays(x) {
			out.known = append(out.known, x)
			out.key ^= x.hash
		}
	}
	return out
}
