package flow

import (
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/program"
)

// A Barrier is a step that an entrypoint gets past only when work that it, or
// another one, has handed out is over:
//
//	futures = [pool.submit(self.load, k) for k in keys]
//	wait(futures)
//
// Threads that are joined are not among them: see the Join steps.
type Barrier struct {
	At int32
	// Exit reports that only the False edge of the step gets past: the loop over
	// all futures has ended, there are none.
	Exit bool
	// Through is the step of a loop that waits for what the loop has taken, or 0.
	Through int32

	// Calls are those that have handed out the work.
	Calls []ast.Node
	// Pool is the executor or task group whose work is over: the call that makes
	// it, or what the attribute that keeps it is first assigned.
	Pool ast.Node
	// AnyPool reports that it is one of which nothing is known.
	AnyPool bool
	// Kept is the container whose futures are over, or the attribute whose one is.
	Kept *Location
}

// WaitsFor returns the barriers past which what a call hands out is over.
func (g *Graph) WaitsFor(s *SpawnSite) []Barrier {
	var out []Barrier
	for _, w := range g.Barriers {
		if w.waitsFor(s) && !g.skips(w) {
			out = append(out, w)
		}
	}
	return out
}

// Forgets reports whether an entrypoint empties or replaces a container of futures where it
// has not waited for them. One that is swapped is in the hands of who takes it.
func (g *Graph) Forgets(kept *Location) bool {
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Loc != kept || n.Mode&(Initial|Filter|Swap) != 0 || n.Op != Clear && n.Op != Rebind || len(n.Pred) == 0 {
			continue
		}
		unwaited := g.Find(Search{
			From: []int32{StartNode}, Blind: true,
			Goal: func(id int32, _ *Node, _ Facts) bool { return id == int32(i) },
			Edge: func(n *Node, e Edge) bool {
				return !slices.ContainsFunc(g.Barriers, func(w Barrier) bool {
					return w.Kept == kept && n == &g.Nodes[w.At] && (w.Exit && e.Kind == False || !w.Exit && e.Kind != Exc)
				})
			},
		})
		if unwaited != nil {
			return true
		}
	}
	return false
}

// skips reports whether a turn of a loop can get by the step in it that waits.
func (g *Graph) skips(w Barrier) bool {
	if w.Through == 0 {
		return false
	}
	var body []int32
	for _, e := range g.Nodes[w.At].Succ {
		if e.Kind == True && e.To != w.Through {
			body = append(body, e.To)
		}
	}
	return len(body) > 0 && g.Find(Search{
		From: body, Blind: true, Avoid: func(id int32, _ *Node) bool { return id == w.Through },
		Goal: func(id int32, _ *Node, _ Facts) bool { return id == w.At },
	}) != nil
}

// waitsFor reports whether what a call hands out is over past the barrier.
func (w *Barrier) waitsFor(s *SpawnSite) bool {
	switch {
	case slices.Contains(w.Calls, s.Src), w.Kept != nil && slices.Contains(s.Kept, w.Kept):
		return true
	case w.Pool != nil:
		return w.Pool == s.On || s.OnAny
	}
	return w.AnyPool && (s.On != nil || s.OnAny)
}

// hands notes that a value is the future of what a call starts.
func (b *builder) hands(v *Value, call ast.Node) {
	if b.begun == nil {
		b.begun = map[*Value][]ast.Node{}
	}
	b.begun[v] = append(b.begun[v], call)
}

// holds notes that a value is, or holds, what another one does.
func (b *builder) holds(v, part *Value) {
	if part == nil {
		return
	}
	for _, call := range b.begun[part] {
		if !slices.Contains(b.begun[v], call) {
			b.hands(v, call)
		}
	}
	if head, ok := b.heads[part]; ok {
		b.heads[v] = head
	}
}

// keeps notes that a container, or attribute, holds the futures of a value from now on.
func (b *builder) keeps(l *Location, v *Value) {
	if v == nil {
		return
	}
	for _, call := range b.begun[v] {
		for _, e := range b.p.Entries {
			for i := range e.Spawns {
				if s := &e.Spawns[i]; s.Src == call && !slices.Contains(s.Kept, l) {
					s.Kept = append(s.Kept, l)
				}
			}
		}
	}
}

// runsOn notes on which executor or task group the entrypoints of a call run.
func (b *builder) runsOn(call ast.Node, pool *Value) {
	on := b.poolOf(pool)
	for _, e := range b.p.Entries {
		for i := range e.Spawns {
			if s := &e.Spawns[i]; s.Src == call {
				s.On, s.OnAny = on, on == nil
			}
		}
	}
}

// poolOf returns what identifies an executor or task group, or nil.
func (b *builder) poolOf(v *Value) ast.Node {
	switch {
	case v == nil:
	case v.Kind == Container && len(v.Path()) == 0:
		return v.Loc.Decl
	case v.Kind == Result:
		for i := len(b.nodes) - 1; i >= 0; i-- {
			if b.nodes[i].Res == v {
				return b.nodes[i].Src
			}
		}
	}
	return nil
}

// isPool reports whether leaving a with statement over a value waits for what was
// started on it.
func isPool(v *Value) bool {
	return v.Type.Kind == program.Executor || v.Type.Kind == program.External && v.Type.Name == "asyncio.TaskGroup()"
}

// barrier notes that getting past a step waits for what a value is, or holds.
func (b *builder) barrier(at int32, v *Value) {
	if at < 0 || v == nil {
		return
	}
	w := Barrier{At: at, Calls: b.begun[v]}
	switch {
	case v.Kind == Container && v.Loc.Keyed():
		w.Kept = v.Loc
	case v.Kind == View:
		w.Kept = v.Base.Loc
	case v.Kind == Result && v.Loc != nil && !v.Loc.Keyed(): // what an attribute holds
		w.Kept = v.Loc
	}
	if w.Kept == nil && len(w.Calls) == 0 {
		return
	}
	b.g.Barriers = append(b.g.Barriers, w)
}

// waited notes that a step waits for one future: past the loop that takes it, if
// there is one, all of them are over.
func (b *builder) waited(at int32, v *Value) {
	for _, part := range b.gathered[v] {
		b.barrier(at, part)
	}
	head, looped := b.heads[v]
	if !looped || at < 0 {
		b.barrier(at, v)
		return
	}
	w := Barrier{At: head, Exit: true, Through: at, Calls: b.begun[v]}
	if v.Kind == Element {
		w.Kept = v.Loc
	}
	b.g.Barriers = append(b.g.Barriers, w)
}

// exhausted notes that a loop ends when all that its iterable waits for is over.
func (b *builder) exhausted(head int32, v *Value) {
	if v == nil || head < 0 || !b.yielding[v] {
		return
	}
	w := Barrier{At: head, Exit: true, Calls: b.begun[v], Kept: b.keptIn[v]}
	b.g.Barriers = append(b.g.Barriers, w)
}

// yieldsAll notes that an iterable yields, one after the other, the results of all
// that another value holds.
func (b *builder) yieldsAll(v, held *Value) {
	if b.yielding == nil {
		b.yielding, b.keptIn = map[*Value]bool{}, map[*Value]*Location{}
	}
	b.yielding[v] = true
	switch {
	case held == nil:
	case held.Kind == Container && held.Loc.Keyed():
		b.keptIn[v] = held.Loc
	case held.Kind == View:
		b.keptIn[v] = held.Base.Loc
	}
	b.holds(v, held)
}

// drained notes that a call takes all that an iterable yields, as list() does.
func (b *builder) drained(v *Value, src ast.Node) {
	if !b.yielding[v] {
		return
	}
	if at := b.emit(Node{Op: Nop}, src); at >= 0 {
		b.g.Barriers = append(b.g.Barriers, Barrier{At: at, Calls: b.begun[v], Kept: b.keptIn[v]})
	}
}

// noneLeft notes that on the False edge of a test there is no future left.
func (b *builder) noneLeft(at int32, v *Value) {
	if at >= 0 && len(b.begun[v]) > 0 {
		b.g.Barriers = append(b.g.Barriers, Barrier{At: at, Exit: true, Calls: b.begun[v]})
	}
}

// waits lowers a call of a function that waits for all that it is given.
func (b *builder) waits(name string, e *ast.Call) *Value {
	pos, kw := b.args(e)
	outs := b.unknownCall(name, arguments(e, pos, kw), e)
	res := outs[0].val
	if len(pos) == 1 && kw["return_when"] == nil && kw["timeout"] == nil {
		if name == "asyncio.wait" {
			b.holds(res, pos[0]) // whoever awaits it waits
		} else {
			b.barrier(b.last(), pos[0])
		}
	}
	b.left(res, pos)
	return res
}

// takes notes that a loop takes a value.
func (b *builder) takes(head int32, el *Value) {
	if head < 0 || el == nil {
		return
	}
	if el.Kind == Derived {
		for _, part := range el.Args {
			b.takes(head, part)
		}
	}
	if len(b.begun[el]) == 0 && (el.Kind != Element || el.Loc == nil) {
		return
	}
	if b.heads == nil {
		b.heads = map[*Value]int32{}
	}
	b.heads[el] = head
}

// waitsForEach reports whether a comprehension walks over futures or threads.
func (b *builder) waitsForEach(gens []*ast.Comprehension) bool {
	name, ok := gens[0].Iter.(*ast.Name)
	if !ok {
		return false
	}
	v := b.frame.env[name.Id()]
	return v != nil && (len(b.begun[v]) > 0 || v.Type.Element().Kind == program.Thread)
}

// poolEnds notes that past a step the work of an executor or task group is over.
func (b *builder) poolEnds(at int32, pool *Value) {
	if at >= 0 {
		b.g.Barriers = append(b.g.Barriers, Barrier{At: at, Pool: b.poolOf(pool), AnyPool: b.poolOf(pool) == nil})
	}
}

// left notes what the second part of what wait() returns holds.
func (b *builder) left(res *Value, pos []*Value) {
	if len(pos) > 0 && len(b.begun[pos[0]]) > 0 {
		b.holds(b.part(res, 1), pos[0])
	}
}

// last returns the last step.
func (b *builder) last() int32 {
	if b.dead() {
		return -1
	}
	return int32(len(b.nodes) - 1)
}
