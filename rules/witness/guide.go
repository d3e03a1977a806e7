package witness

import (
	"slices"

	"github.com/kvrace/kvrace/parser/facts/flow"
)

// This file tells a search which states to expand first: those that have passed
// most places of the path, and of these the ones in which a thread is near the
// next place. It only orders the work: what is found does not depend on it, but
// how soon.

// frontier holds states by how far they are from the goal: a heap in which those
// that are equally far stay in the order in which they came.
type frontier []ahead

type ahead struct {
	far int
	i   int32
}

func (a ahead) before(b ahead) bool { return a.far < b.far || a.far == b.far && a.i < b.i }

func (f *frontier) put(i int32, far int) {
	h := append(*f, ahead{far, i})
	for at := len(h) - 1; at > 0; {
		up := (at - 1) / 2
		if !h[at].before(h[up]) {
			break
		}
		h[at], h[up] = h[up], h[at]
		at = up
	}
	*f = h
}

// take removes the oldest of the nearest states, or returns -1.
func (f *frontier) take() int32 {
	h := *f
	if len(h) == 0 {
		return -1
	}
	top, last := h[0].i, len(h)-1
	h[0] = h[last]
	h = h[:last]
	for at := 0; ; {
		down := 2*at + 1
		if down >= last {
			break
		}
		if down+1 < last && h[down+1].before(h[down]) {
			down++
		}
		if !h[down].before(h[at]) {
			break
		}
		h[at], h[down] = h[down], h[at]
		at = down
	}
	*f = h
	return top
}

// reach is more than any distance within a program that is told apart, and
// stages more than any distance to a place of the path.
const (
	reach  = 1 << 10
	stages = 8 * reach
)

// guide returns how far a state is from what is looked for, when only the hooks
// and threads of a set run.
func (m *model) guide(st state, part mask) int {
	phase := int(st[m.layout.phase])
	if m.p.Property.eventual() && phase >= len(m.p.Path) {
		return 0
	}
	near := stages - 1
	stays := m.stays(st, phase)
	vain := stays
	for i := range m.goals(phase) {
		g := &m.toGo[phase][i]
		if stays && g.other && g.pr.ofClient() {
			continue
		}
		d := m.away(st, part, g.to)
		if g.change != nil && (code(st[g.slot]) == absent) == g.fill {
			far := m.away(st, part, g.change)
			if stays {
				far = m.awayFrom(st, part, g.change, true)
			}
			vain = vain && far >= reach
			d += far
		} else {
			vain = false
		}
		if g.late && st[m.layout.bits]&bitTerm == 0 {
			d += m.toTheEnd(st, part)
		}
		near = min(near, d)
	}
	near += 16 * (len(m.inits) - int(st[m.layout.init]))
	if vain {
		phase, near = 0, stages-1 // it has to begin anew
	}
	return (len(m.p.Path)-phase)*stages + near
}

// stays reports whether the client has to stay in the hook that it is in, as it has to
// come to a later place of the path before it returns.
func (m *model) stays(st state, phase int) bool {
	if phase == 0 || st[m.layout.first] != 1 || m.progAt(st, 0) == nil {
		return false
	}
	for _, places := range m.p.Path[min(phase, len(m.p.Path)):] {
		if slices.ContainsFunc(places, func(k Mark) bool { return k.Same }) {
			return true
		}
	}
	return false
}

// ofClient reports whether the client runs a program.
func (pr *prog) ofClient() bool { return pr.hook >= 0 || isInit(pr) }

// hopeless reports whether a place that is still to be passed is in threads that
// nothing will start any more.
func (m *model) hopeless(st state) bool {
	for phase := int(st[m.layout.phase]); phase <= len(m.p.Path); phase++ {
		goals := m.goals(phase)
		lost := len(goals) > 0
		for i := range goals {
			lost = lost && m.lost(st, goals[i].pr)
		}
		if lost {
			return true
		}
	}
	return false
}

// returned reports whether a constructor has returned.
func (m *model) returned(st state, pr *prog) bool {
	return slices.Index(m.inits, pr) < int(st[m.layout.init]) && m.progAt(st, 0) != pr
}

// lost reports whether a program does not run, and only constructors start it,
// which have returned.
func (m *model) lost(st state, pr *prog) bool {
	counted := false
	for t, th := range m.threads {
		if th.prog != pr {
			continue
		}
		if !th.counted || st[m.layout.threads[t]+thStatus] == running {
			return false
		}
		counted = true
	}
	if !counted {
		return false
	}
	for _, other := range m.progs {
		if isInit(other) && m.returned(st, other) {
			continue
		}
		for i := range other.nodes {
			if other.nodes[i].op == flow.Spawn && other.nodes[i].target == pr.entry {
				return false
			}
		}
	}
	return true
}

// toTheEnd returns how far a state is from a poll that says that the request is
// over.
func (m *model) toTheEnd(st state, part mask) int {
	if m.ending == nil {
		m.findEnding()
	}
	d := m.away(st, part, m.polling)
	for i, s := range m.slots {
		if s.status && m.isTerminal(code(st[i])) {
			return d
		}
	}
	return d + m.away(st, part, m.ending)
}

// findEnding finds the ways to the answers of polls, and to the steps that store
// a terminal status.
func (m *model) findEnding() {
	m.ending, m.polling = route{}, route{}
	for _, pr := range m.progs {
		var ends, answers []int32
		for i := range pr.nodes {
			in := &pr.nodes[i]
			switch {
			case in.slot >= 0 && !in.never && m.slots[in.slot].status && in.op == flow.Put:
				if x := in.val; x.kind != exprCode || m.isTerminal(x.c) {
					ends = append(ends, int32(i))
				}
			case in.op == flow.Return && pr.polls:
				answers = append(answers, int32(i))
			}
		}
		if len(ends) > 0 {
			m.ending[pr] = pr.distancesTo(ends)
		}
		if len(answers) > 0 {
			m.polling[pr] = pr.distancesTo(answers)
		}
	}
}

// goal is a step to come to, and what has to change before if the content of a
// location is not what it must be there.
type goal struct {
	pr     *prog
	to     route
	slot   int
	fill   bool // the location must have the key, else it must not
	change route
	late   bool // it is in a hook that is called when the request is over
	other  bool // another thread has to come to it than to the first place
}

// route tells by program how far each step is from certain ones.
type route map[*prog][]uint16

// goals returns what can be next in a phase.
func (m *model) goals(phase int) []goal {
	for len(m.toGo) <= phase {
		m.toGo = append(m.toGo, m.findGoals(len(m.toGo)))
	}
	return m.toGo[phase]
}

func (m *model) findGoals(phase int) []goal {
	var out []goal
	for _, pr := range m.progs {
		for i := range pr.marks {
			k := &pr.marks[i]
			if !(k.bit == markPath && int(k.phase) == phase) && !(k.bit == markVictim && phase == len(m.p.Path)) {
				continue
			}
			g := goal{pr: pr, to: route{pr: pr.distancesTo([]int32{k.Node})}, slot: k.slot, other: k.Other}
			g.late = pr.hook >= 0 && m.hooks[pr.hook].kind == ClearHook && m.polls()
			in := &pr.nodes[k.Node]
			raises := k.bit == markVictim && in.mode&flow.Strict != 0 && (in.op == flow.Read || in.op == flow.Del)
			if k.slot >= 0 && m.slots[k.slot].kind == keyed && (k.Present || k.Absent || raises) {
				g.fill = k.Present
				g.change = m.changes(k.slot, g.fill)
			}
			out = append(out, g)
		}
	}
	m.foresee(out, phase)
	return out
}

// foresee makes the first places ask for what the second ones do, where the client alone
// can see to that and has to stay in its hook between the two.
func (m *model) foresee(goals []goal, phase int) {
	if phase != 0 || len(m.p.Path) < 3 || !slices.ContainsFunc(m.p.Path[2], func(k Mark) bool { return k.Same }) {
		return
	}
	next := m.findGoals(1)
	for i := range goals {
		g := &goals[i]
		if g.change != nil || !g.pr.ofClient() {
			continue
		}
		for k := range next {
			n := &next[k]
			byClient := n.change != nil && n.slot == next[0].slot && n.fill == next[0].fill
			for pr := range n.change {
				byClient = byClient && pr.ofClient() && pr != g.pr
			}
			if !byClient {
				g.change = nil
				break
			}
			g.slot, g.fill, g.change = n.slot, n.fill, n.change
		}
	}
}

// changes returns the way to the steps that fill, or empty, a location.
func (m *model) changes(slot int, fill bool) route {
	out := route{}
	for _, pr := range m.progs {
		var at []int32
		for i := range pr.nodes {
			in := &pr.nodes[i]
			if in.slot != slot || in.never || in.mode&flow.Initial != 0 {
				continue
			}
			switch in.op {
			case flow.Put, flow.PutAll:
				if fill {
					at = append(at, int32(i))
				}
			case flow.Del, flow.Clear, flow.DelAll:
				if !fill {
					at = append(at, int32(i))
				}
			case flow.Rebind:
				if !fill || in.mode&flow.Filter == 0 {
					at = append(at, int32(i))
				}
			}
		}
		if len(at) > 0 {
			out[pr] = pr.distancesTo(at)
		}
	}
	return out
}

// away returns how many steps the nearest thread of a set is from the end of a
// route.
func (m *model) away(st state, part mask, to route) int {
	return m.awayFrom(st, part, to, false)
}

// awayFrom is away, where the client may have to stay in the hook that it is in.
func (m *model) awayFrom(st state, part mask, to route, stays bool) int {
	near := reach
	for t, th := range m.threads {
		at := m.layout.threads[t]
		switch {
		case t == 0:
			near = min(near, m.clientAway(st, part, to, stays))
		case part.thread(t) && st[at+thStatus] == running:
			if d := to[th.prog]; d != nil {
				d := int(d[m.pc(st, t)])
				if d == 0 && m.elsewhere(st, t) {
					d = reach / 8
				}
				near = min(near, d+m.hungry(st, t, part, d))
			}
		}
	}
	return near
}

// elsewhere reports whether a thread is at a step with the entry of another key.
func (m *model) elsewhere(st state, t int) bool {
	pr, pc := m.progAt(st, t), m.pc(st, t)
	mv := move{m: m, st: st, t: t, pr: pr, pc: pc, in: &pr.nodes[pc], at: m.layout.threads[t] + thCells}
	return mv.other()
}

// hungry returns how far the item is for which a thread has to wait on its way
// to a step that is d steps away.
func (m *model) hungry(st state, t int, part mask, d int) int {
	pr := m.threads[t].prog
	for slot, s := range m.slots {
		if s.kind != queue || st[m.layout.queueOf[slot]] > 0 {
			continue
		}
		takes, fills := m.supply(slot)
		if at := takes[pr]; at != nil && int(at[m.pc(st, t)]) <= d {
			return 1 + m.clientAway(st, part, fills, false)
		}
	}
	return 0
}

// supply returns the ways to the steps that take from a queue, and to those that
// fill it.
func (m *model) supply(slot int) (takes, fills route) {
	if m.taking == nil {
		m.taking, m.filling = map[int]route{}, map[int]route{}
	}
	if m.taking[slot] == nil {
		m.taking[slot], m.filling[slot] = m.routeTo(slot, flow.Dequeue), m.routeTo(slot, flow.Enqueue)
	}
	return m.taking[slot], m.filling[slot]
}

// routeTo returns the way to the operations of a kind on a location.
func (m *model) routeTo(slot int, op flow.Op) route {
	out := route{}
	for _, pr := range m.progs {
		var at []int32
		for i := range pr.nodes {
			if in := &pr.nodes[i]; in.slot == slot && in.op == op && !in.never {
				at = append(at, int32(i))
			}
		}
		if len(at) > 0 {
			out[pr] = pr.distancesTo(at)
		}
	}
	return out
}

// clientAway is away for the client: in the hook that it is in, or in another
// one that it can call unless it has to stay.
func (m *model) clientAway(st state, part mask, to route, stays bool) int {
	near := reach
	now := m.progAt(st, 0)
	rest := 0
	if now != nil {
		rest = 4
		if d := to[now]; d != nil {
			near = int(d[m.pc(st, 0)])
			if near == 0 && m.elsewhere(st, 0) {
				near = reach / 8
			}
		}
	}
	if stays {
		return near
	}
	for i, h := range m.hooks {
		if d := to[h.prog]; d != nil && part.hook(i) {
			near = min(near, rest+1+int(d[flow.StartNode]))
		}
	}
	return near
}

// distancesTo returns how many steps each step of a program is away from the
// nearest of some.
func (pr *prog) distancesTo(ends []int32) []uint16 {
	out := make([]uint16, len(pr.nodes))
	for i := range out {
		out[i] = reach
	}
	work := append([]int32(nil), ends...)
	for _, i := range ends {
		out[i] = 0
	}
	for ; len(work) > 0; work = work[1:] {
		d := out[work[0]]
		for _, p := range pr.nodes[work[0]].node.Pred {
			if out[p] == reach {
				out[p] = min(d+1, reach-1)
				work = append(work, p)
			}
		}
	}
	return out
}

// novelty tells how new a state is: one part of it has a content that no state
// before had in the same phase (0), a pair of parts has (1), or none (2). What is
// new is worth expanding first (Lipovetzky and Geffner, Best-First Width Search,
// AAAI 2017).
type novelty struct {
	m     *model
	parts []int // offset of each part; a step counter is one part
	seen  []uint64
	now   []uint32
}

// noveltyBits is how many contents and pairs are told apart, hashed: that two
// fall together costs a little guidance.
const noveltyBits = 1 << 18

// noveltyPairs bounds the pairs that one state is asked about: a problem with
// hundreds of parts has more than it is worth to look at.
const noveltyPairs = 1 << 13

func newNovelty(m *model) *novelty {
	n := &novelty{m: m, seen: make([]uint64, noveltyBits/64)}
	high := map[int]bool{}
	for _, at := range m.layout.threads {
		high[at+thPCHigh] = true
	}
	for i := range m.layout.size {
		if !high[i] {
			n.parts = append(n.parts, i)
		}
	}
	return n
}

// content returns what a state has in a part.
func (n *novelty) content(st state, k int) uint32 {
	at := n.parts[k]
	c := uint32(st[at])
	if at+1 < len(st) && (k+1 == len(n.parts) || n.parts[k+1] > at+1) {
		c |= uint32(st[at+1]) << 8
	}
	return uint32(k)<<16 | c
}

// note remembers a hashed content and reports whether it is new.
func (n *novelty) note(h uint64) bool {
	h *= 0x9e3779b97f4a7c15
	h ^= h >> 32
	word, bit := &n.seen[h%noveltyBits/64], uint64(1)<<(h%64)
	fresh := *word&bit == 0
	*word |= bit
	return fresh
}

// of returns how new a state is that came from another one, nil for the first,
// and remembers it.
func (n *novelty) of(st, from state) int {
	phase := uint64(st[n.m.layout.phase]) << 56
	moved := from == nil || st[n.m.layout.phase] != from[n.m.layout.phase]
	n.now = n.now[:0]
	for k := range n.parts {
		n.now = append(n.now, n.content(st, k))
	}
	rank, left := 2, noveltyPairs
	for k, c := range n.now {
		if !moved && n.content(from, k) == c {
			continue
		}
		if n.note(uint64(c) | phase) {
			rank = 0
		}
		pairs := n.now[:min(left, len(n.now))]
		left -= len(pairs)
		for _, d := range pairs {
			if n.note(uint64(min(c, d))<<28 ^ uint64(max(c, d)) ^ phase ^ 1<<55) {
				rank = min(rank, 1)
			}
		}
	}
	return rank
}
