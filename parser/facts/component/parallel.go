package component

import (
	"slices"

	"github.com/kvrace/kvrace/parser/facts/directives"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
)

// Parallelism tells how two steps can interleave.
type Parallelism uint8

// The ways in which steps interleave.
const (
	// Ordered: never, or only as the caller orders them.
	Ordered Parallelism = iota
	// AtAwait: both run on one event loop, which switches only at an await.
	AtAwait
	// Threads: at any point.
	Threads
)

// Meet reports how an entrypoint can interleave with a step, whatever locks are
// held: it goes by their threads, and nothing interleaves with a step on what is
// said to belong to one thread.
func (c *Component) Meet(e *flow.Entry, a Access) Parallelism {
	switch mine, other := e.Graph, a.Entry.Graph; {
	case confined(a.Node):
		return Ordered
	case a.Loc == nil:
	case mine.Private(a.Loc), other.Private(a.Loc), mine.Makes(a.Loc) && other.Makes(a.Loc):
		return Ordered // each works on an object of its own
	}
	return c.Concurrent(e, a.Entry)
}

// confined reports whether a step is on something that is said to belong to one
// thread.
func confined(n *flow.Node) bool { return n.Loc != nil && n.Loc.Root().Confined }

// Concurrent reports how two entrypoints of the component can interleave when
// they work on the same key. Hooks of all objects of a component run on one
// thread; the constructor of the component's class runs before its threads.
func (c *Component) Concurrent(a, b *flow.Entry) Parallelism {
	ta, tb := c.thread(a), c.thread(b)
	switch {
	case ta == startup || tb == startup:
		return Ordered
	case ta == named && tb == named && a.Thread == b.Thread:
		return Ordered
	case a.Serial != "" && a.Serial == b.Serial:
		return Ordered
	case ta == loop && tb == loop, ta == loop && c.onLoop[b], tb == loop && c.onLoop[a]:
		return AtAwait
	case a == b:
		if a.Many && !a.Sharded && !a.Process && !c.ownsThread(a) { // processes share no objects
			return Threads
		}
		return Ordered
	case ta == caller && tb == caller:
		return Ordered
	}
	return Threads
}

// ownsThread reports whether an entrypoint is the run method of the component's
// own class: each thread is an object of its own then, with its own containers.
func (c *Component) ownsThread(e *flow.Entry) bool {
	return e.Role == flow.ThreadOf && e.Class == c.Class && c.Class.HasExternalBase("threading.Thread", "threading.Timer")
}

type threadKind uint8

const (
	other threadKind = iota
	startup
	caller
	loop
	named // one that people have given a name
)

func (c *Component) thread(e *flow.Entry) threadKind {
	if e.Thread != "" && (e.Role != flow.Init || e.Class != c.Class) {
		switch e.Thread {
		case directives.CallerThread:
			return c.callerThread()
		case directives.LoopThread:
			return loop
		case directives.PoolThread:
			return other
		}
		return named
	}
	if e.Process {
		return c.callerThread()
	}
	switch e.Role {
	case flow.Init:
		if e.Class == c.Class {
			return startup
		}
		return c.callerThread()
	case flow.Caller:
		return c.callerThread()
	case flow.LoopTask:
		return loop
	case flow.Callback:
		if c.looped {
			return loop // of a future of that loop
		}
	}
	return other
}

// callerThread is the thread of hooks: the event loop, when hooks of the
// component are coroutines.
func (c *Component) callerThread() threadKind {
	if c.looped {
		return loop
	}
	return caller
}

// CommonLock returns a lock that both steps hold, or nil. A lock is identified
// by where it is kept; locks kept in a container are taken to be chosen by the
// same key, unless constants choose them.
func CommonLock(a, b *flow.Node) *flow.Value {
	for _, x := range a.Locks {
		if x.Loc != nil && holdsAt(b, x) {
			return x
		}
	}
	return nil
}

// A Rival is a step of another entrypoint, or of another instance of the same
// one, that can come between two steps.
type Rival struct {
	Access
	How Parallelism
}

// Between returns the first of the given steps that can run after step from
// and before step to of entrypoint e, or nil: the stretch is not protected by a
// lock held from end to end and by the rival, and on an event loop there is an
// await in it. What comes after one of the two has waited for the other to end, or
// before it starts the other, does not count, nor what needs the same claim of the key
// or another mode of the object, or only fills a slot that this one is given, or gets an item
// that this one hands on only after the second step.
func (c *Component) Between(e *flow.Entry, from, to int32, rivals []Access) *Rival {
	return c.between(&stretch{g: e.Graph, from: from, to: to, by: -1}, rivals)
}

// BetweenWithin is [Component.Between] for the walks that do not come to a step which
// ends them, as the head of the loop does of which one turn is looked at.
func (c *Component) BetweenWithin(e *flow.Entry, from, to int32, ends func(*flow.Node) bool, rivals []Access) *Rival {
	return c.between(&stretch{g: e.Graph, from: from, to: to, by: -1, ends: ends}, rivals)
}

// BetweenTurns is [Component.Between] for one turn of a loop after the other: the
// walks that enter its body at step body and come back to its head without a
// step that ends it.
func (c *Component) BetweenTurns(e *flow.Entry, head, body int32, ends func(*flow.Node) bool, rivals []Access) *Rival {
	return c.between(&stretch{g: e.Graph, from: head, to: head, by: body, ends: ends}, rivals)
}

func (c *Component) between(s *stretch, rivals []Access) *Rival {
	return c.Rivals(s.g.Entry, s.to, rivals).within(s)
}

// Rivals are steps of which one may come before a certain step of an entrypoint, after
// some other step of it. What that other step is does not matter to most of what keeps
// them away: that is found out once.
type Rivals struct {
	c    *Component
	e    *flow.Entry
	to   int32
	rest []Access // of which nothing is known yet
	met  []Rival  // of the others, those that can interleave with the step
}

// Rivals returns the given steps as rivals of what an entrypoint does before step to.
func (c *Component) Rivals(e *flow.Entry, to int32, of []Access) *Rivals {
	return &Rivals{c: c, e: e, to: to, rest: of}
}

// After is [Component.Between] for the walks that leave step from by the edge to step
// by, or that begin there.
func (rs *Rivals) After(from, by int32) *Rival {
	return rs.within(&stretch{g: rs.e.Graph, from: from, to: rs.to, by: by})
}

// within returns the first of the rivals that can run within a stretch, or nil. There is
// none once there is no work left to spend.
func (rs *Rivals) within(s *stretch) *Rival {
	looked := 0
	defer func() { s.g.Spend(looked) }()
	if s.g.Spend(0) {
		return nil
	}
	for i := 0; ; i++ {
		for i == len(rs.met) {
			if len(rs.rest) == 0 {
				return nil
			}
			r := rs.rest[0]
			rs.rest = rs.rest[1:]
			looked++
			if how := rs.meet(r); how != Ordered {
				rs.met = append(rs.met, Rival{r, how})
			}
		}
		looked++
		if r := &rs.met[i]; rs.c.enters(s, r) {
			return r
		}
	}
}

// meet reports how a rival can interleave with the step.
func (rs *Rivals) meet(r Access) Parallelism {
	c, e, to := rs.c, rs.e, Access{Entry: rs.e, ID: rs.to, Node: &rs.e.Graph.Nodes[rs.to]}
	how := c.Meet(e, r)
	switch {
	case how == Ordered || r.Mode&flow.Initial != 0 || c.Apart(to, r):
		return Ordered
	case c.joined(e, r), startedAfter(e, r), startedAfter(r.Entry, to), c.inOtherModes(e, rs.to, r), c.refilled(to, r), c.handedOver(to, r):
		return Ordered
	}
	return how
}

// enters reports whether a rival can run within a stretch.
func (c *Component) enters(s *stretch, r *Rival) bool {
	switch {
	case s.heldWith(r.Node):
	case r.How == AtAwait && !s.awaits():
	case c.joined(r.Entry, Access{Entry: s.g.Entry, ID: s.from, Node: &s.g.Nodes[s.from]}):
	case c.claimed(s, r.Access):
	default:
		return true
	}
	return false
}

// A stretch is what an entrypoint does between two steps, without passing
// either of them again.
type stretch struct {
	g        *flow.Graph
	from, to int32
	by       int32                 // where it enters, -1 for anywhere
	ends     func(*flow.Node) bool // what is not part of it, if not nil
	known    bool
	inner    []int32 // the steps in between
}

// steps returns the steps on the walks from one end to the other.
func (s *stretch) steps() []int32 {
	if s.known {
		return s.inner
	}
	s.known = true
	start := s.from
	if s.by >= 0 {
		start = s.by
	}
	if start == s.to {
		return nil
	}
	after := s.reach(start, func(n *flow.Node, visit func(int32)) {
		for _, e := range n.Succ {
			visit(e.To)
		}
	})
	after[start] = start != s.from && start != s.to
	before := s.reach(s.to, func(n *flow.Node, visit func(int32)) {
		for _, p := range n.Pred {
			visit(p)
		}
	})
	for i := range after {
		if after[i] && before[i] {
			s.inner = append(s.inner, int32(i))
		}
	}
	return s.inner
}

func (s *stretch) reach(start int32, next func(*flow.Node, func(int32))) []bool {
	seen := make([]bool, len(s.g.Nodes))
	work := []int32{start}
	visit := func(id int32) {
		if !seen[id] && id != s.from && id != s.to && (s.ends == nil || !s.ends(&s.g.Nodes[id])) {
			seen[id] = true
			work = append(work, id)
		}
	}
	for len(work) > 0 {
		n := &s.g.Nodes[work[len(work)-1]]
		work = work[:len(work)-1]
		next(n, visit)
	}
	return seen
}

// heldWith reports whether one lock is held from end to end of the stretch,
// without a gap, and at the rival.
func (s *stretch) heldWith(r *flow.Node) bool {
	for _, x := range s.g.Nodes[s.from].Locks {
		if x.Loc == nil || !holds(&s.g.Nodes[s.to], x) || !holdsAt(r, x) {
			continue
		}
		gap := false
		for _, id := range s.steps() {
			n := &s.g.Nodes[id]
			gap = gap || !holds(n, x) && n.Op != flow.Start
		}
		if !gap {
			return true
		}
	}
	return false
}

// HeldThrough reports whether a graph holds the lock kept at a location from one
// step to another without a gap.
func HeldThrough(g *flow.Graph, from, to int32, lock *flow.Location) bool {
	s := stretch{g: g, from: from, to: to, by: -1}
	probe := flow.Node{Locks: []*flow.Value{{Loc: lock}}}
	return s.heldWith(&probe)
}

func holds(n *flow.Node, lock *flow.Value) bool {
	for _, y := range n.Locks {
		if y == lock {
			return true
		}
	}
	return false
}

// holdsAt reports whether a step, of whatever entrypoint, holds a lock.
func holdsAt(n *flow.Node, lock *flow.Value) bool {
	for _, y := range n.Locks {
		if y.Loc == lock.Loc && !apart(lock.Path(), y.Path()) {
			return true
		}
	}
	return false
}

// apart reports whether two ways into a container take different constants.
func apart(p, q []*flow.Value) bool {
	for i := range min(len(p), len(q)) {
		if p[i].Kind == flow.Const && q[i].Kind == flow.Const && p[i].ID() != q[i].ID() {
			return true
		}
	}
	return false
}

// awaits reports whether there is an await in the stretch.
func (s *stretch) awaits() bool {
	for _, id := range s.steps() {
		if s.g.Nodes[id].Op == flow.Await {
			return true
		}
	}
	return false
}

// startedAfter reports whether an entrypoint is a thread that runs once, and is
// started, in any case, after a step of the entrypoint that starts it.
func startedAfter(thread *flow.Entry, r Access) bool {
	if thread.Role != flow.ThreadOf || thread.Many || len(thread.Spawns) != 1 || r.Entry.Many || thread == r.Entry {
		return false
	}
	g, here := r.Entry.Graph, thread.Spawns[0].By == r.Entry
	type starting struct{ thread *flow.Entry }
	starts := flow.Once(g, starting{thread}, func() []int32 {
		// One that was kept in an attribute first is some thread that is started.
		return stepsOf(g, func(n *flow.Node) bool {
			return n.Op == flow.Spawn && (n.Entry == thread || n.Entry == nil && here)
		})
	})
	if len(starts) == 0 {
		return false
	}
	isStart := func(id int32, _ *flow.Node) bool { return slices.Contains(starts, id) }
	return g.Find(flow.Search{
		From: starts, After: true, Blind: true,
		Goal: func(id int32, _ *flow.Node, _ flow.Facts) bool { return id == r.ID },
	}) == nil && g.Find(flow.Search{
		Blind: true, Avoid: isStart,
		Goal: func(id int32, _ *flow.Node, _ flow.Facts) bool { return id == flow.ExitNode },
	}) == nil
}

// joined reports whether a step comes after its entrypoint has waited for
// another one to end.
func (c *Component) joined(e *flow.Entry, r Access) bool {
	if e.Role == flow.ThreadOf {
		return threadJoined(e, r)
	}
	return c.workOver(e, r)
}

// threadJoined reports whether a step comes after its entrypoint has waited for a
// thread to end. A wait that is skipped when there is nothing to wait for, or that
// gives up after a time, counts: who waits has told the other to stop.
func threadJoined(e *flow.Entry, r Access) bool {
	g := r.Entry.Graph
	type joining struct{ thread *flow.Entry }
	joins := flow.Once(g, joining{e}, func() []int32 {
		return stepsOf(g, func(n *flow.Node) bool { return n.Op == flow.Join && mayWaitFor(n, e) })
	})
	return len(joins) > 0 && g.Find(flow.Search{
		From: joins, After: true, Blind: true,
		Goal: func(id int32, _ *flow.Node, _ flow.Facts) bool { return id == r.ID },
	}) != nil
}

// stepsOf returns the steps of a graph that a test accepts.
func stepsOf(g *flow.Graph, test func(*flow.Node) bool) []int32 {
	var out []int32
	for i := range g.Nodes {
		if test(&g.Nodes[i]) {
			out = append(out, int32(i))
		}
	}
	return out
}

// mayWaitFor reports whether a Join can be for a thread.
func mayWaitFor(n *flow.Node, e *flow.Entry) bool {
	if n.Entry != nil || n.Val == nil {
		return n.Entry == e
	}
	return n.Val.Type.Kind != program.Executor
}

// workOver reports whether the jobs or tasks that run an entrypoint are over when
// another one comes to a step: whatever hands them out, it has waited for them.
func (c *Component) workOver(e *flow.Entry, r Access) bool {
	if len(e.Spawns) == 0 {
		return false
	}
	for i := range e.Spawns {
		if !c.siteOver(&e.Spawns[i], r) {
			return false
		}
	}
	return true
}

// siteOver reports whether what one call hands out is over at a step.
func (c *Component) siteOver(s *flow.SpawnSite, r Access) bool {
	past, known := r.Entry.Graph.WaitsFor(s), false
	for _, x := range c.Entries {
		starts := handsOut(x.Graph, s)
		if len(starts) == 0 {
			continue
		}
		known = true
		switch {
		case x == r.Entry:
			if x.Many || x.Role == flow.LoopTask && len(x.Spawns) == 0 {
				return false // another one of it has not waited yet
			}
			again := len(x.Spawns) == 0 && x.Role != flow.Init
			if gets(x.Graph, starts, past, r.ID) || again && gets(x.Graph, starts, past, flow.ExitNode) && !c.behind(past, x, r) {
				return false
			}
		case c.Concurrent(x, r.Entry) == Ordered && !gets(x.Graph, starts, x.Graph.WaitsFor(s), flow.ExitNode):
			// It waits itself.
		case !c.behind(past, x, r):
			return false
		}
	}
	return known || c.behind(past, nil, r)
}

// handsOut returns the steps at which a graph starts what a call hands out.
func handsOut(g *flow.Graph, s *flow.SpawnSite) []int32 {
	var out []int32
	for i := range g.Nodes {
		if n := &g.Nodes[i]; n.Op == flow.Spawn && n.Src == s.Src {
			out = append(out, int32(i))
		}
	}
	return out
}

// gets reports whether a walk leads from some steps to another one without getting
// past a barrier.
func gets(g *flow.Graph, from []int32, barriers []flow.Barrier, to int32) bool {
	return g.Find(flow.Search{
		From: from, After: true, Blind: true,
		Goal: func(id int32, _ *flow.Node, _ flow.Facts) bool { return id == to },
		Edge: func(n *flow.Node, e flow.Edge) bool {
			return !slices.ContainsFunc(barriers, func(w flow.Barrier) bool {
				return n == &g.Nodes[w.At] && past(w, e)
			})
		},
	}) != nil
}

// past reports whether an edge out of a barrier leads past it. When the wait fails, other
// jobs may go on.
func past(w flow.Barrier, e flow.Edge) bool {
	if w.Exit {
		return e.Kind == flow.False
	}
	return e.Kind != flow.Exc
}

// forgets reports whether a container of futures loses some for which nobody has waited.
func (c *Component) forgets(kept *flow.Location) bool {
	type forgetting struct{ kept *flow.Location }
	return slices.ContainsFunc(c.Entries, func(e *flow.Entry) bool {
		return flow.Once(e.Graph, forgetting{kept}, func() bool { return e.Graph.Forgets(kept) })
	})
}

// startsOne reports whether an entrypoint starts the one task that an attribute holds: it
// takes no request, or is a constructor.
func startsOne(by *flow.Entry) bool {
	return by != nil && (by.Role == flow.Init || by.Func.IsMethod() && len(by.Func.Params) == 1)
}

// behind reports whether a step comes after a barrier for what another entrypoint
// hands out; a container of futures does not get more of them meanwhile then.
func (c *Component) behind(barriers []flow.Barrier, by *flow.Entry, r Access) bool {
	g := r.Entry.Graph
	var ends []int32
	for _, w := range barriers {
		switch {
		case w.Kept == nil:
		case !w.Kept.Keyed():
			if !startsOne(by) {
				continue
			}
		case c.forgets(w.Kept), by == nil, c.Concurrent(by, r.Entry) != Ordered:
			continue
		}
		for _, e := range g.Nodes[w.At].Succ {
			if past(w, e) {
				ends = append(ends, e.To)
			}
		}
	}
	return len(ends) > 0 && g.Find(flow.Search{
		From: ends, Blind: true,
		Goal: func(id int32, _ *flow.Node, _ flow.Facts) bool { return id == r.ID },
	}) != nil
}
