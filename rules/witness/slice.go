package witness

import (
	"github.com/kvrace/kvrace/parser/facts/flow"
)

// This file finds the steps that can influence whether the property holds: a
// slice over all programs of a problem, along values, control and shared state.
// What is outside of it is passed over without a choice.

// slice is the part of a problem that matters.
type slice struct {
	nodes map[*flow.Entry][]bool
	locs  map[*flow.Location]bool
}

// has reports whether a step matters; without a slice, all do.
func (s *slice) has(e *flow.Entry, i int32) bool {
	return s == nil || s.nodes[e] != nil && s.nodes[e][i]
}

// empty reports whether nothing of an entrypoint matters.
func (s *slice) empty(e *flow.Entry) bool { return s != nil && s.nodes[e] == nil }

// slicer computes a slice as a least fixed point.
type slicer struct {
	m     *model
	out   *slice
	sides map[*flow.Entry]*dependence
	work  []place
}

// place is a step of a program.
type place struct {
	pr *prog
	i  int32
}

// dependence is what the steps of one program depend on.
type dependence struct {
	control [][]int32          // by step: the steps that decide whether it is reached
	defs    map[string][]int32 // by register: the steps that set it
	locks   map[int]bool       // locks that matter
}

func newSlicer(m *model) *slicer {
	s := &slicer{
		m:     m,
		out:   &slice{nodes: map[*flow.Entry][]bool{}, locs: map[*flow.Location]bool{}},
		sides: map[*flow.Entry]*dependence{},
	}
	for _, pr := range m.progs {
		d := &dependence{control: pr.controlDependence(m.bound.Faults), defs: map[string][]int32{}, locks: map[int]bool{}}
		for i := range pr.nodes {
			if r := pr.nodes[i].node.Res; r != nil {
				d.defs[register(r)] = append(d.defs[register(r)], int32(i))
			}
		}
		s.sides[pr.entry] = d
	}
	return s
}

// compute returns the slice of the model's problem.
func (s *slicer) compute() *slice {
	s.seed()
	s.close()
	if s.m.p.Property.eventual() || s.clears() {
		s.addPolls()
		s.close()
	}
	return s.out
}

// close adds what the steps of the slice depend on.
func (s *slicer) close() {
	for len(s.work) > 0 {
		p := s.work[len(s.work)-1]
		s.work = s.work[:len(s.work)-1]
		s.expand(p)
	}
}

// clears reports whether a hook matters that is called only after a poll has
// said that the request is over.
func (s *slicer) clears() bool {
	for _, h := range s.m.hooks {
		if h.kind == ClearHook && s.out.nodes[h.prog.entry] != nil {
			return true
		}
	}
	return false
}

// addPolls adds the answers of polls.
func (s *slicer) addPolls() {
	for _, pr := range s.m.progs {
		for i := range pr.nodes {
			if pr.polls && pr.nodes[i].op == flow.Return {
				s.add(pr, int32(i))
			}
		}
	}
}

// seed adds what the property speaks of.
func (s *slicer) seed() {
	p := &s.m.p
	for _, list := range append([][]Mark{p.Trigger, p.Release, p.Reset, p.Victims, p.Undo}, p.Path...) {
		for _, k := range list {
			s.addMark(k)
		}
	}
	for _, l := range p.Beside {
		s.addLoc(l)
	}
	for _, list := range [][]Cond{p.Live, p.Concluded} {
		for _, c := range list {
			s.addLoc(c.Loc)
		}
	}
	if p.Property == NoRevival || p.Property == NoRemains {
		for _, l := range p.Watch {
			s.addLoc(l)
		}
	}
	if p.Property == NoOverwrite && len(p.Victims) == 0 {
		for _, l := range p.Status {
			s.addLoc(l)
		}
	}
	for _, pr := range s.m.progs {
		for i := range pr.nodes {
			if pr.outcomeOf(pr.nodes[i].node) != "" {
				s.add(pr, int32(i))
			}
			if s.threatens(pr, &pr.nodes[i]) {
				s.add(pr, int32(i))
			}
		}
	}
}

// addMark adds a place and what its conditions speak of.
func (s *slicer) addMark(k Mark) {
	pr := s.m.progOf[k.Entry]
	if pr == nil {
		return
	}
	s.add(pr, k.Node)
	if k.Loc != nil {
		s.addLoc(k.Loc)
	}
	if k.Pending && k.Node == flow.ExitNode {
		for _, l := range s.m.p.Drained {
			s.addLoc(l)
		}
	}
}

// threatens reports whether a step itself can violate the property.
func (s *slicer) threatens(pr *prog, in *inst) bool {
	switch {
	case s.m.p.Property == NoThreadDeath:
		return len(s.m.p.Victims) == 0 && s.m.isVictim(pr.entry) && len(in.uncaught) > 0 && in.fails(s.m.bound.Faults)
	case s.m.p.Property == NoLostUpdate && len(s.m.p.Victims) == 0:
		return in.slot >= 0 && (in.mode&flow.Update != 0 || in.op == flow.Rebind && in.mode&flow.Filter != 0)
	}
	return false
}

// fails reports whether an exception of the step can leave the entrypoint in
// the model.
func (in *inst) fails(f Faults) bool {
	switch in.op {
	case flow.Raise, flow.Assert:
		return true
	case flow.Call, flow.Await, flow.Wait:
		if in.faulty {
			return true
		}
	case flow.Next, flow.Dequeue:
		return in.slot >= 0
	case flow.Read, flow.Del:
		return in.slot >= 0 && in.mode&flow.Strict != 0
	}
	return f == AllFaults
}

func (s *slicer) add(pr *prog, i int32) {
	rel := s.out.nodes[pr.entry]
	if rel == nil {
		rel = make([]bool, len(pr.nodes))
		s.out.nodes[pr.entry] = rel
		s.addThread(pr)
	}
	if !rel[i] {
		rel[i] = true
		s.work = append(s.work, place{pr, i})
	}
}

// addThread adds what decides whether a program runs at all: what starts it,
// what waits for it, and what it waits for.
func (s *slicer) addThread(pr *prog) {
	for _, other := range s.m.progs {
		for i := range other.nodes {
			if in := &other.nodes[i]; (in.op == flow.Spawn || in.op == flow.Join) && in.target == pr.entry || in.awaits(pr.entry) {
				s.add(other, int32(i))
			}
		}
	}
	for i := range pr.nodes {
		in := &pr.nodes[i]
		if in.op == flow.Dequeue && in.slot >= 0 || in.op == flow.Await && pr.onLoop {
			s.add(pr, int32(i))
		}
	}
}

// expand adds what a step depends on.
func (s *slicer) expand(p place) {
	d := s.sides[p.pr.entry]
	in := &p.pr.nodes[p.i]
	for _, c := range d.control[p.i] {
		s.add(p.pr, c)
	}
	define := func(id string) {
		for _, i := range d.defs[id] {
			s.add(p.pr, i)
		}
	}
	n := in.node
	switch in.op {
	case flow.Branch, flow.Move, flow.Put, flow.SetFlag, flow.Enqueue, flow.Return:
		registers(n.Val, define)
		registers(n.Want, define)
	}
	if n.Mode&flow.Update != 0 && p.i > 0 {
		s.add(p.pr, p.i-1)
	}
	registers(n.Def, define)
	if in.firm >= 0 {
		s.addHeads(p.pr, n)
	}
	for _, v := range append([]*flow.Value{n.Key}, n.Path...) {
		registers(v, func(id string) {
			if p.pr.foreign[id] {
				define(id)
			}
		})
	}
	for head, h := range p.pr.headOf {
		for _, x := range in.heads {
			if x == h {
				s.add(p.pr, head)
			}
		}
	}
	if in.op == flow.LoopHead && in.snap >= 0 {
		s.addCopied(p.pr, in.snap)
	}
	if in.fill >= 0 {
		for i := range p.pr.nodes {
			if p.pr.nodes[i].fill == in.fill {
				s.add(p.pr, int32(i))
			}
		}
	}
	if in.from >= 0 {
		s.addLoc(s.m.slots[in.from].loc)
	}
	if in.slot >= 0 && !in.never {
		s.addLoc(s.m.slots[in.slot].loc)
		s.addLocks(p.pr, in)
	}
}

// addCopied adds the location of which a loop walks over a copy.
func (s *slicer) addCopied(pr *prog, snap int) {
	for i := range pr.nodes {
		if in := &pr.nodes[i]; in.snap == snap && in.slot >= 0 {
			s.addLoc(s.m.slots[in.slot].loc)
		}
	}
}

// addLoc adds a location and every step that changes it or copies it.
func (s *slicer) addLoc(l *flow.Location) {
	slot, ok := s.m.slotOf[l]
	if !ok || s.out.locs[l] {
		return
	}
	s.out.locs[l] = true
	if l.Outer != nil {
		s.addLoc(l.Outer)
	}
	for _, pr := range s.m.progs {
		for i := range pr.nodes {
			in := &pr.nodes[i]
			if in.slot == slot && !in.never && (in.writes() || in.op == flow.Iter) {
				s.add(pr, int32(i))
			}
		}
	}
}

// addLocks adds the steps on the locks that are held at a step.
func (s *slicer) addLocks(pr *prog, at *inst) {
	for _, v := range at.node.Locks {
		if k := s.m.lockIndex(v); k >= 0 {
			s.addLock(pr, k)
		}
	}
}

// addLock adds the steps of a program on a lock.
func (s *slicer) addLock(pr *prog, k int) {
	d := s.sides[pr.entry]
	if d.locks[k] {
		return
	}
	d.locks[k] = true
	for i := range pr.nodes {
		if pr.nodes[i].lock == k {
			s.add(pr, int32(i))
		}
	}
}

// taken returns the successors of a step that the model can take.
func (pr *prog) taken(i int32, f Faults) []int32 {
	in := &pr.nodes[i]
	out := append([]int32(nil), in.next...)
	out = append(out, in.yes...)
	out = append(out, in.no...)
	if in.op == flow.Branch && f != AllFaults && in.cond < 0 && in.firm < 0 && in.val.constant() && in.want.constant() {
		out = pr.lucky(out)
	}
	if f != NoFaults || in.fails(f) {
		out = append(out, in.caught...)
	}
	if in.fails(f) {
		out = append(out, in.uncaught...)
	}
	return out
}

// controlDependence returns for each step the steps that decide whether it is
// reached, after Ferrante, Ottenstein and Warren (The Program Dependence Graph,
// TOPLAS 1987). An endless loop is taken to end at its head, so that what it
// does depends on the head.
func (pr *prog) controlDependence(f Faults) [][]int32 {
	n := len(pr.nodes)
	succ := make([][]int32, n+1)
	pred := make([][]int32, n+1)
	for i := range n {
		succ[i] = pr.taken(int32(i), f)
		if len(succ[i]) == 0 || pr.nodes[i].op == flow.LoopHead && pr.nodes[i].mode&flow.Forever != 0 {
			succ[i] = append(succ[i], int32(n))
		}
		for _, to := range succ[i] {
			pred[to] = append(pred[to], int32(i))
		}
	}
	up := postDominators(succ, pred)
	out := make([][]int32, n+1)
	for a := range n {
		if len(succ[a]) < 2 {
			continue
		}
		for _, b := range succ[a] {
			for x := b; x != up[a] && x >= 0; x = up[x] {
				out[x] = appendOnce(out[x], int32(a))
			}
		}
	}
	return out[:n]
}

func appendOnce(list []int32, x int32) []int32 {
	for _, have := range list {
		if have == x {
			return list
		}
	}
	return append(list, x)
}

// postDominators returns the immediate post-dominator of each node, -1 for the
// last one, which is the exit, and for nodes that do not reach it. The method is
// that of Cooper, Harvey and Kennedy (A Simple, Fast Dominance Algorithm).
func postDominators(succ, pred [][]int32) []int32 {
	exit := int32(len(succ) - 1)
	order, number := postorder(exit, pred)
	up := make([]int32, len(succ))
	for i := range up {
		up[i] = -1
	}
	up[exit] = exit
	meet := func(a, b int32) int32 {
		for a != b {
			for number[a] < number[b] {
				a = up[a]
			}
			for number[b] < number[a] {
				b = up[b]
			}
		}
		return a
	}
	for changed := true; changed; {
		changed = false
		for k := len(order) - 2; k >= 0; k-- {
			x := order[k]
			at := int32(-1)
			for _, y := range succ[x] {
				switch {
				case up[y] < 0:
				case at < 0:
					at = y
				default:
					at = meet(at, y)
				}
			}
			if at != up[x] {
				up[x] = at
				changed = true
			}
		}
	}
	up[exit] = -1
	return up
}

// postorder numbers the nodes that are reached from root against the edges.
func postorder(root int32, pred [][]int32) (order, number []int32) {
	number = make([]int32, len(pred))
	type frame struct{ node, next int32 }
	seen := make([]bool, len(pred))
	stack := []frame{{root, 0}}
	seen[root] = true
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if int(top.next) < len(pred[top.node]) {
			to := pred[top.node][top.next]
			top.next++
			if !seen[to] {
				seen[to] = true
				stack = append(stack, frame{to, 0})
			}
			continue
		}
		number[top.node] = int32(len(order))
		order = append(order, top.node)
		stack = stack[:len(stack)-1]
	}
	return order, number
}
