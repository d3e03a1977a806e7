package witness

import "math"

// This file tells a search which states to expand first: those that have passed
// most places of the path, and of these the ones in which a thread is near the
// next place. It only orders the work: what is found does not depend on it, but
// how soon.

// frontier holds states by how far they are from the goal.
type frontier struct {
	byFar [][]int32
	low   int // no state is nearer
}

// far is the largest distance that is told apart.
const farthest = 1 << 10

func (f *frontier) put(i int32, far int) {
	far = min(far, farthest)
	for len(f.byFar) <= far {
		f.byFar = append(f.byFar, nil)
	}
	f.byFar[far] = append(f.byFar[far], i)
	f.low = min(f.low, far)
}

// take removes the oldest of the nearest states, or returns -1.
func (f *frontier) take() int32 {
	for ; f.low < len(f.byFar); f.low++ {
		if list := f.byFar[f.low]; len(list) > 0 {
			f.byFar[f.low] = list[1:]
			return list[0]
		}
	}
	return -1
}

// stages is how many distances there are to one place of the path.
const stages = 64

// guide returns how far a state is from what is looked for.
func (m *model) guide(st state) int {
	phase := int(st[m.layout.phase])
	if m.p.Property.eventual() && phase >= len(m.p.Path) {
		return 0
	}
	near := stages - 1
	for t := range m.threads {
		if t > 0 && st[m.layout.threads[t]+thStatus] == done {
			continue
		}
		pr := m.progAt(st, t)
		if t > 0 && st[m.layout.threads[t]+thStatus] == idle {
			pr = nil // not started
		}
		if pr == nil {
			continue
		}
		if d := m.distances(pr, phase); d != nil {
			near = min(near, int(d[m.pc(st, t)]))
		}
	}
	return (len(m.p.Path)-phase)*stages + near
}

// distances returns how many steps each step of a program is away from the
// places of a phase, or nil when the program has none.
func (m *model) distances(pr *prog, phase int) []uint8 {
	for len(pr.far) <= phase {
		pr.far = append(pr.far, nil)
		pr.far[len(pr.far)-1] = pr.distancesTo(func(k *placed) bool {
			if k.bit == markPath {
				return int(k.phase) == len(pr.far)-1
			}
			return k.bit == markVictim && len(pr.far)-1 == len(m.p.Path)
		})
	}
	return pr.far[phase]
}

func (pr *prog) distancesTo(is func(*placed) bool) []uint8 {
	var work []int32
	out := make([]uint8, len(pr.nodes))
	for i := range out {
		out[i] = math.MaxUint8
	}
	for i := range pr.marks {
		if k := &pr.marks[i]; is(k) && out[k.Node] != 0 {
			out[k.Node] = 0
			work = append(work, k.Node)
		}
	}
	if len(work) == 0 {
		return nil
	}
	for ; len(work) > 0; work = work[1:] {
		d := out[work[0]]
		for _, p := range pr.nodes[work[0]].node.Pred {
			if out[p] == math.MaxUint8 {
				out[p] = min(d+1, stages-1)
				work = append(work, p)
			}
		}
	}
	return out
}
