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
	live      []uint64 // for each step, a set of slots
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
		m.entries = number(g.testedEntries())
		m.words = int(next)/64 + 1
		m.live = m.fill(g, nil)
	})
	return m
}

// at returns the slots that matter when a walk is at a step.
func (m *memory) at(live []uint64, id int32) []uint64 {
	return live[int(id)*m.words : (int(id)+1)*m.words]
}

// fill computes which slots matter where, against the direction of walks. With a
// region, the walks do not leave it.
func (m *memory) fill(g *Graph, region []bool) []uint64 {
	live := make([]uint64, m.words*len(g.Nodes))
	in := make([]uint64, m.words)
	for changed := true; changed; {
		changed = false
		for i := len(g.Nodes) - 1; i >= 0; i-- {
			if region != nil && !region[i] {
				continue
			}
			clear(in)
			n := &g.Nodes[i]
			for _, e := range n.Succ {
				for w, bits := range m.at(live, e.To) {
					in[w] |= bits
				}
			}
			m.transfer(g, n, in)
			at := m.at(live, int32(i))
			for w := range at {
				changed = changed || at[w] != in[w]
			}
			copy(at, in)
		}
	}
	return live
}

// transfer turns what matters after a step into what matters before it.
func (m *memory) transfer(g *Graph, n *Node, set []uint64) {
	if n.Op == Move {
		dst := m.asked[register(n.Res)]
		if dst != 0 && has(set, dst) {
			remove(set, dst)
			m.use(set, n.Val)
		}
		return
	}
	if n.Res != nil {
		remove(set, m.asked[register(n.Res)])
	}
	if n.Op == Put || n.Op == Read && n.Mode&Upsert != 0 {
		remove(set, m.entries[entryID(n)])
	}
	switch n.Op {
	case Branch:
		m.use(set, n.Val)
		m.use(set, n.Want)
		m.useEntry(g, set, n.Val)
		m.useEntry(g, set, n.Want)
	case Return:
		m.use(set, n.Val)
	case Read, Del:
		add(set, m.entries[entryID(n)])
	}
}

// use adds a register.
func (m *memory) use(set []uint64, v *Value) {
	if v != nil && v.Kind != Const {
		add(set, m.asked[register(v)])
	}
}

// useEntry adds the entry whose presence a register tells.
func (m *memory) useEntry(g *Graph, set []uint64, v *Value) {
	if at := g.Producer(v); at >= 0 {
		add(set, m.entries[entryID(&g.Nodes[at])])
	}
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
