package witness

import (
	"slices"

	"github.com/kvrace/kvrace/parser/facts/flow"
)

// This file searches with a few programs as if there were no others. Another program
// that the path names, or that only touches what one of them tests, makes more of
// their steps matter, and so more states. What the few do is a schedule of all.

// maxCourses is how many ways along the path are tried by themselves.
const maxCourses = 6

// courses returns the sets of one way along the path each, where several lead along
// it: when a helper is part of many programs, as the removal of an entry tends to
// be, the programs that the path names are too many to run side by side. Those in
// which the places are near go first.
func (m *model) courses() []mask {
	type way struct {
		marks []*Mark
		cost  int
	}
	ways := []way{{}}
	for _, places := range append(m.p.Path[:len(m.p.Path):len(m.p.Path)], m.p.Victims) {
		near := m.nearest(places)
		if len(near) == 0 {
			continue
		}
		var longer []way
		for _, w := range ways {
			for _, k := range near {
				if k.Other && len(w.marks) > 0 && m.progOf[k.Entry].ofClient() && m.progOf[w.marks[0].Entry].ofClient() {
					continue // there is one client
				}
				marks := append(w.marks[:len(w.marks):len(w.marks)], k)
				longer = append(longer, way{marks, w.cost + m.wayTo(k.Entry, k.Node)})
			}
		}
		slices.SortStableFunc(longer, func(a, b way) int { return a.cost - b.cost })
		if len(longer) > 0 {
			ways = longer[:min(len(longer), maxCourses)]
		}
	}
	var out []mask
	add := func(k mask) {
		if !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	for _, w := range ways {
		k := m.walkers(w.marks)
		if m.fillAgain(w.marks) {
			add(k)
		}
		add(m.withStock(k, w.marks))
	}
	return out
}

// fillAgain reports whether a hook of a way, called once more, can put the key where the
// places of the way need it.
func (m *model) fillAgain(marks []*Mark) bool {
	for _, k := range marks {
		slot, ok := m.slotOf[k.at()]
		if !ok || !k.Present {
			continue
		}
		if !slices.ContainsFunc(marks, func(o *Mark) bool {
			pr := m.progOf[o.Entry]
			return pr.hook >= 0 && m.hooks[pr.hook].calls != 1 && pr.does(slot, flow.Put)
		}) {
			return false
		}
	}
	return true
}

// withStock adds to the programs of a way what fills the containers that must have the
// key.
func (m *model) withStock(k mask, marks []*Mark) mask {
	for _, o := range marks {
		if loc := o.at(); o.Present && loc != nil {
			k = m.stocked(k, marks, loc)
		}
	}
	if m.polls() && m.clears(k) {
		k = k.with(m.pollHooks())
	}
	return k
}

// nearest returns of each program the place that is nearest to its start.
func (m *model) nearest(places []Mark) []*Mark {
	var out []*Mark
	for i := range places {
		k := &places[i]
		if m.progOf[k.Entry] == nil {
			continue
		}
		at := slices.IndexFunc(out, func(o *Mark) bool { return o.Entry == k.Entry })
		if at < 0 {
			out = append(out, k)
		} else if m.wayTo(k.Entry, k.Node) < m.wayTo(k.Entry, out[at].Node) {
			out[at] = k
		}
	}
	return out
}

// wayTo returns how many steps a step is from the start of its program.
func (m *model) wayTo(e *flow.Entry, node int32) int {
	pr := m.progOf[e]
	if pr.depth == nil {
		pr.findDepth()
	}
	return int(pr.depth[node])
}

// findDepth finds how many steps each step is from the start.
func (pr *prog) findDepth() {
	pr.depth = make([]uint16, len(pr.nodes))
	for i := range pr.depth {
		pr.depth[i] = reach
	}
	pr.depth[flow.StartNode] = 0
	for work := []int32{flow.StartNode}; len(work) > 0; work = work[1:] {
		for _, e := range pr.nodes[work[0]].node.Succ {
			if pr.depth[e.To] == reach {
				pr.depth[e.To] = min(pr.depth[work[0]]+1, reach-1)
				work = append(work, e.To)
			}
		}
	}
}

// walkers returns the hooks and threads of a way: those of its places, several of a
// program where another thread has to pass a place of it.
func (m *model) walkers(marks []*Mark) mask {
	var out mask
	for _, k := range marks {
		one := m.maskOf(m.progOf[k.Entry])
		if k.Other && slices.ContainsFunc(marks, func(o *Mark) bool { return o.Entry == k.Entry && !o.Other }) {
			one = m.maskOfAll(m.progOf[k.Entry])
		}
		out = m.started(out.with(one), m.progOf[k.Entry])
	}
	out = m.supplied(out)
	if m.polls() && m.clears(out) {
		out = out.with(m.pollHooks())
	}
	return out
}

// at returns the location that the conditions of a place speak of.
func (k *Mark) at() *flow.Location {
	if k.Loc != nil {
		return k.Loc
	}
	return k.Entry.Graph.Nodes[k.Node].Loc
}

// stocked adds what puts the key into a location, unless something of the set
// that is not on the way does.
func (m *model) stocked(k mask, marks []*Mark, loc *flow.Location) mask {
	slot, ok := m.slotOf[loc]
	if !ok {
		return k
	}
	var best *prog
	cost := 0
	for _, pr := range m.progs {
		if slices.ContainsFunc(marks, func(o *Mark) bool { return o.Entry == pr.entry }) {
			continue
		}
		d := reach
		for i := range pr.nodes {
			if in := &pr.nodes[i]; in.slot == slot && !in.never && (in.op == flow.Put || in.op == flow.PutAll) {
				d = min(d, m.wayTo(pr.entry, int32(i)))
			}
		}
		if d == reach {
			continue
		}
		if one := m.maskOf(pr); isInit(pr) || one != (mask{}) && k.with(one) == k {
			return k
		}
		if best == nil || d < cost {
			best, cost = pr, d
		}
	}
	if best == nil {
		return k
	}
	return m.supplied(m.started(k.with(m.maskOf(best)), best))
}

// maxAside bounds the steps of the programs that are prepared once more.
const maxAside = 10_000

// aside prepares the problem for the programs of a set alone, or returns nil where that
// is all there are, or too much. Where nobody else runs, less matters: what only other
// programs test is sliced away.
func (m *model) aside(part mask) *model {
	p := m.asked
	p.Actors = nil
	steps, all := 0, true
	for _, a := range m.asked.Actors {
		pr := m.progOf[a.Entry]
		if pr == nil {
			continue
		}
		if one := m.maskOfAll(pr); !isInit(pr) && part.with(one) != part {
			all = false
		}
		if one := m.maskOf(pr); isInit(pr) || part.with(one) == part {
			steps += len(pr.nodes)
			a.Instances = 0
			for t, th := range m.threads {
				if t > 0 && th.prog == pr && part.thread(t) {
					a.Instances++
				}
			}
			p.Actors = append(p.Actors, a)
		}
	}
	if all || steps > maxAside {
		return nil
	}
	out := compile(p, m.bound)
	for i := range out.slots {
		slot, ok := m.slotOf[out.slots[i].loc]
		out.slots[i].absent = !ok || m.filled(slot)
		out.slots[i].turned = ok && m.slots[slot].turned
	}
	return out
}
