package witness

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
)

// Check validates a schedule that Search found: that each thread follows its
// graph, that branches go where the values send them, that strict operations
// raise exactly when the key is absent, that locks exclude, that nothing runs
// before it is started, that the states shown are those reached, and that the
// property is violated in the end, and that jobs are over past a barrier. Whether
// nothing could still conclude a request, which takes a search, is not checked.
//
// It uses nothing of the search: an error in the model would not show if both
// shared it.
func Check(p Problem, bound Bound, r Result) error {
	if r.Verdict != Found {
		return errors.New("check schedule: there is none")
	}
	c := newChecker(p, bound.withDefaults(), r.Tracked)
	if err := c.outside(r.Present); err != nil {
		return fmt.Errorf("check schedule: %w", err)
	}
	shown := 0
	for i, e := range r.Trace {
		if err := c.event(e); err != nil {
			n := e.Entry.Graph.Nodes[e.Node]
			return fmt.Errorf("check schedule: event %d, %s step %d (%s): %w", i, e.Entry.Name(), e.Node, &n, err)
		}
		for ; shown < len(r.Schedule) && r.Schedule[shown].Event == i; shown++ {
			if err := c.compare(r.Schedule[shown]); err != nil {
				return fmt.Errorf("check schedule: step %d: %w", shown+1, err)
			}
		}
	}
	if shown != len(r.Schedule) {
		return fmt.Errorf("check schedule: %d of %d steps have no event", len(r.Schedule)-shown, len(r.Schedule))
	}
	return c.verdict()
}

// checker executes a trace with maps and pointers, event by event.
type checker struct {
	p       Problem
	bound   Bound
	tracked map[*flow.Location]bool
	content map[*flow.Location]*content // nil: no entry
	queues  map[*flow.Location]int
	locks   map[string]*holder
	unsure  map[*flow.Location]bool // containers of locks out of which more than constants choose
	handed  map[call]int            // how often each call has started an entrypoint
	runs    map[int]*run            // by thread
	loop    int                     // thread that has the turn on the event loop, -1
	// started counts the threads of each entrypoint, spawns the permissions.
	started, spawns map[*flow.Entry]int
	spawned         map[*flow.Entry]bool
	inits           int  // constructors that have returned
	broken          bool // one of them by an exception
	over            bool
	cleared         bool
	dropped         bool
	triggered       bool
	violated        bool
	absentAfter     map[*flow.Location]bool
	held            int
	released        bool
	passed          int // places of the path
	first           int // thread that passed the first
	raised          bool
	foreign         map[*flow.Location]bool // filled by what is not analyzed
}

// content is what a location holds for the key.
type content struct {
	val *flow.Value // a constant, or nil when it is not known
}

type holder struct{ thread, depth int }

// run is one execution of an entrypoint.
type run struct {
	entry  *flow.Entry
	at     int32
	done   bool
	regs   map[string]*known
	elems  map[string]bool // by ID of the element: whether it is that of the key
	size   map[int32]bool  // by Next: whether the container had the key
	copies map[*flow.Location]bool
}

// known is what a register holds.
type known struct {
	val   *flow.Value // a constant
	entry bool        // not None
	other bool        // something of another key
	truth int         // 1 for true, -1 for false, 0 when it is not known
}

func newChecker(p Problem, bound Bound, tracked []*flow.Location) *checker {
	c := &checker{
		p: p, bound: bound, loop: -1,
		tracked: map[*flow.Location]bool{}, content: map[*flow.Location]*content{}, queues: map[*flow.Location]int{},
		locks: map[string]*holder{}, runs: map[int]*run{}, started: map[*flow.Entry]int{}, spawns: map[*flow.Entry]int{},
		spawned: map[*flow.Entry]bool{}, absentAfter: map[*flow.Location]bool{}, unsure: map[*flow.Location]bool{}, handed: map[call]int{},
	}
	for _, l := range tracked {
		c.tracked[l] = true
	}
	for l, v := range p.Initial {
		c.content[l] = &content{val: v}
	}
	for _, a := range p.Actors {
		for i := range a.Entry.Graph.Nodes {
			n := &a.Entry.Graph.Nodes[i]
			if p.Begins(a.Entry, n) {
				c.spawned[n.Entry] = true
			}
			if n.Op == flow.Acquire && n.Lock != nil && len(n.Lock.Path()) > 0 && n.Lock.Slots() == "" {
				c.unsure[n.Lock.Loc] = true
			}
		}
	}
	if len(p.Reset) == 0 {
		c.held = 1
	}
	return c
}

// outside puts the key into the containers that are filled by what is not
// analyzed. Nothing in the problem may do that.
func (c *checker) outside(locs []*flow.Location) error {
	c.foreign = map[*flow.Location]bool{}
	for _, l := range locs {
		for _, a := range c.p.Actors {
			for i := range a.Entry.Graph.Nodes {
				n := &a.Entry.Graph.Nodes[i]
				fills := n.Op == flow.Put || n.Op == flow.PutAll || n.Op == flow.Rebind && n.Mode&flow.Initial == 0
				if n.Loc == l && fills && len(n.Pred) > 0 && (n.Key == nil || n.Key.Kind != flow.Const) {
					return fmt.Errorf("%s has the key from the start, and %s fills it", l, a.Entry.Name())
				}
			}
		}
		c.foreign[l] = true
		c.content[l] = &content{}
	}
	return nil
}

// event executes one event.
func (c *checker) event(e Event) error {
	r, err := c.runOf(e)
	if err != nil {
		return err
	}
	n := &e.Entry.Graph.Nodes[e.Node]
	var edge *flow.Edge
	if e.Node == flow.ExitNode || e.Node == flow.FailNode {
		if e.To != -1 {
			return errors.New("goes on after the end")
		}
		c.walk(e, n, nil, nil, false, false)
		err := c.end(e, r)
		c.notice()
		return err
	}
	for i := range n.Succ {
		if n.Succ[i].To == e.To && (edge == nil || n.Succ[i].Kind != flow.Exc) {
			edge = &n.Succ[i]
		}
	}
	if edge == nil {
		return fmt.Errorf("no edge to %d", e.To)
	}
	if err := c.turn(e, n); err != nil {
		return err
	}
	if err := c.barrier(e, edge); err != nil {
		return err
	}
	if e.Skipped {
		r.set(n, nil)
		r.at = e.To
		c.comeTo(e)
		return nil
	}
	ours := c.ours(r, n)
	said := r.value(n.Val)
	if ours {
		c.marks(e, n)
	}
	before := c.content[n.Loc]
	over := c.over
	if err := c.execute(e, r, n, edge, ours); err != nil {
		return err
	}
	if ours {
		c.walk(e, n, before, said, edge.Kind == flow.Exc, c.over && !over)
	}
	c.comeTo(e)
	if before != nil && c.content[n.Loc] == nil && e.Thread == 0 && slices.Contains(c.p.Drained, n.Loc) {
		c.over = true
	}
	if before != nil && c.content[n.Loc] == nil && e.Entry.Role == flow.Caller && c.hookOf(e.Entry) == ClearHook {
		c.absentAfter[n.Loc] = true
	}
	c.notice()
	r.at = e.To
	return nil
}

// walk notes the places of the path, and the steps whose exceptions count, that
// an event passes. The location of the step held before, and said is what its
// value was.
func (c *checker) walk(e Event, n *flow.Node, before *content, said *known, raised, over bool) {
	at := func(k Mark) bool {
		if k.Entry != e.Entry || k.Node != e.Node || k.Arrives || k.To != 0 && k.To != e.To || k.Raises && !raised {
			return false
		}
		switch {
		case k.Takes != AnyStep && !taken(n, e.To), k.Takes == KeyElement && !e.Key, k.Takes == OtherElement && e.Key:
			return false
		}
		if k.Same && e.Thread != c.first || k.Other && e.Thread == c.first {
			return false
		}
		have := before
		if k.Loc != nil && k.Loc != n.Loc {
			have = c.content[k.Loc]
			switch {
			case c.queues[k.Loc] > 0:
				have = &content{}
			case have != nil && have.val != nil && (have.val.IsNone() || have.val.IsBool(false)):
				have = nil
			}
		}
		if k.Absent && c.over && slices.Contains(c.p.Drained, n.Loc) {
			return false
		}
		tracked := c.tracked[n.Loc] || k.Loc != nil
		if tracked && (k.Present && have == nil || k.Absent && have != nil) {
			return false
		}
		switch {
		case !k.Pending:
			return true
		case n.Op == flow.Exit:
			return !c.over && (have == nil || have.val == nil || !c.terminal(have.val))
		case n.Op == flow.Return:
			return !over && (said == nil || said.val == nil || !c.terminal(said.val))
		}
		return have != nil && (have.val == nil || !c.terminal(have.val))
	}
	if slices.ContainsFunc(c.p.Victims, at) && c.passed == len(c.p.Path) {
		c.raised = c.raised || raised
	}
	if c.pass(e, at) || !slices.ContainsFunc(c.p.Undo, at) || c.passed == len(c.p.Path) {
		return
	}
	c.passed, c.first = 0, -1
	c.pass(e, at)
}

// taken reports whether a loop goes to a step with an element.
func taken(n *flow.Node, to int32) bool {
	return slices.ContainsFunc(n.Succ, func(e flow.Edge) bool { return e.Kind == flow.True && e.To == to })
}

// pass notes the next place of the path, if the event is at it.
func (c *checker) pass(e Event, at func(Mark) bool) bool {
	if c.passed == len(c.p.Path) || !slices.ContainsFunc(c.p.Path[c.passed], at) {
		return false
	}
	if c.passed == 0 {
		c.first = e.Thread
	}
	if c.passed++; c.passed == len(c.p.Path) {
		c.triggered = c.triggered || c.p.Property == NoPin || c.p.Property == NoRevival || c.p.Property == NoRemains
		c.violated = c.violated || c.p.Property == NoPassage
		if c.p.Property == NoRevival {
			for _, l := range c.p.Watch {
				c.absentAfter[l] = true
			}
		}
	}
	return true
}

// comeTo notes a place that counts when a thread comes to it.
func (c *checker) comeTo(e Event) {
	c.pass(e, func(k Mark) bool { return k.Arrives && k.Entry == e.Entry && k.Node == e.To })
}

// notice records which watched locations are without the key after the
// trigger.
func (c *checker) notice() {
	for _, l := range c.p.Watch {
		if c.triggered && c.content[l] == nil {
			c.absentAfter[l] = true
		}
	}
}

// runOf returns the run that an event belongs to, beginning one at Start.
func (c *checker) runOf(e Event) (*run, error) {
	r := c.runs[e.Thread]
	if r != nil && !r.done {
		if r.entry != e.Entry || r.at != e.Node {
			return nil, fmt.Errorf("thread %d is at step %d of %s", e.Thread, r.at, r.entry.Name())
		}
		return r, nil
	}
	if e.Node != flow.StartNode {
		return nil, errors.New("does not begin at the start")
	}
	if err := c.mayStart(e, r != nil); err != nil {
		return nil, err
	}
	r = &run{
		entry: e.Entry, regs: map[string]*known{}, elems: map[string]bool{},
		size: map[int32]bool{}, copies: map[*flow.Location]bool{},
	}
	c.runs[e.Thread] = r
	return r, nil
}

// mayStart checks what must have happened before a run.
func (c *checker) mayStart(e Event, again bool) error {
	if e.Thread != 0 {
		if again {
			return errors.New("runs twice")
		}
		c.started[e.Entry]++
		if c.spawned[e.Entry] && c.started[e.Entry] > c.spawns[e.Entry] {
			return errors.New("runs before it is started")
		}
		return nil
	}
	if c.broken {
		return errors.New("is called though a constructor has failed")
	}
	if e.Entry.Role != flow.Init && c.inits < c.countInits() {
		return errors.New("is called before the constructors")
	}
	if c.cleared {
		return errors.New("is called after the request was cleared")
	}
	if c.dropped && (c.over || c.hookOf(e.Entry) == PlainHook && c.bringsIn(e.Entry)) {
		return errors.New("is called after the request was dropped")
	}
	return nil
}

func (c *checker) hookOf(e *flow.Entry) Hook {
	for _, a := range c.p.Actors {
		if a.Entry == e {
			return a.Hook
		}
	}
	return PlainHook
}

// onLoop reports whether an entrypoint runs on the event loop.
func (c *checker) onLoop(e *flow.Entry) bool {
	return e.Role == flow.LoopTask || slices.ContainsFunc(c.p.Actors, func(a Actor) bool {
		return a.Entry == e && (a.Task || a.OnLoop)
	})
}

func (c *checker) countInits() int {
	n := 0
	for _, a := range c.p.Actors {
		if a.Entry.Role == flow.Init {
			n++
		}
	}
	return n
}

// end finishes a run.
func (c *checker) end(e Event, r *run) error {
	r.done = true
	if c.loop == e.Thread {
		c.loop = -1
	}
	if e.Node == flow.FailNode {
		hook := e.Entry.Role == flow.Caller || e.Entry.Role == flow.Init
		switch {
		case c.p.Property != NoThreadDeath:
		case len(c.p.Victims) > 0:
			c.violated = c.violated || c.raised
		case e.Entry == c.p.Victim || c.p.Victim == nil && !hook:
			c.violated = true
		}
	}
	if e.Entry.Role == flow.Init {
		c.broken = e.Node == flow.FailNode
		c.inits++
	}
	if e.Entry.Role == flow.Caller {
		kind := c.hookOf(e.Entry)
		c.cleared = c.cleared || kind == ClearHook
		c.dropped = c.dropped || c.drops(e.Entry)
		if len(c.p.Trigger)+len(c.p.Path) == 0 {
			c.triggered = c.triggered || kind == ClearHook && c.p.Property != NoPin || kind == AbortHook && c.p.Property == NoPin
		}
	}
	return nil
}

// bringsIn reports whether a hook makes an entry under a key that it is called with.
func (c *checker) bringsIn(e *flow.Entry) bool {
	for i := range e.Graph.Nodes {
		n := &e.Graph.Nodes[i]
		if n.Op == flow.Put && len(n.Pred) > 0 && n.Key != nil && n.Key.Kind == flow.Param && slices.Contains(c.p.Track, n.Loc) && len(e.Graph.LoopsAround(int32(i))) == 0 {
			return true
		}
	}
	return false
}

// drops reports whether a hook drops the request.
func (c *checker) drops(e *flow.Entry) bool {
	return slices.ContainsFunc(c.p.Actors, func(a Actor) bool { return a.Entry == e && a.Drops })
}

// call is a place that starts an entrypoint.
type call struct {
	entry *flow.Entry
	src   ast.Node
}

// barrier checks that nobody gets past a step while a job or task runs that it waits for. Of
// those of one entrypoint as many may run as other calls have started.
func (c *checker) barrier(e Event, edge *flow.Edge) error {
	for _, a := range c.p.Actors {
		if a.Entry == e.Entry {
			continue
		}
		waits, others := false, 0
		for i := range a.Entry.Spawns {
			s := &a.Entry.Spawns[i]
			past := slices.ContainsFunc(e.Entry.Graph.WaitsFor(s), func(w flow.Barrier) bool {
				return w.At == e.Node && (w.Kept == nil || !slices.Contains(c.p.Forgotten, w.Kept)) && (!w.Exit && edge.Kind != flow.Exc || w.Exit && edge.Kind == flow.False)
			})
			waits = waits || past
			if !past {
				others += c.handed[call{a.Entry, s.Src}]
			}
		}
		if !waits {
			continue
		}
		running, done := 0, 0
		for _, r := range c.runs {
			switch {
			case r.entry != a.Entry:
			case r.done:
				done++
			default:
				running++
			}
		}
		if n := c.spawns[a.Entry]; n <= max(1, a.Instances) { // all of them come to run
			running = max(running, n-done)
		}
		if running > others {
			return fmt.Errorf("goes on while %s runs, for which it waits", a.Entry.Name())
		}
	}
	return nil
}

// turn checks that coroutines of one loop take turns at awaits only.
func (c *checker) turn(e Event, n *flow.Node) error {
	if !c.onLoop(e.Entry) {
		return nil
	}
	if c.loop >= 0 && c.loop != e.Thread {
		other := c.runs[c.loop]
		switch other.entry.Graph.Nodes[other.at].Op {
		case flow.Await, flow.Dequeue, flow.Acquire, flow.LoopHead:
		default:
			return fmt.Errorf("runs while %s has the turn", other.entry.Name())
		}
	}
	c.loop = e.Thread
	return nil
}

// ours reports whether a step touches the entry of the key.
func (c *checker) ours(r *run, n *flow.Node) bool {
	if n.Key != nil && n.Key.Kind == flow.Const {
		return false
	}
	if c.p.OtherKey != nil && c.p.OtherKey(r.entry, n) {
		return false
	}
	if NamesAnother(n) {
		own, bound := r.elems[n.Key.Base.ID()]
		return !bound || !own
	}
	vals := append([]*flow.Value{n.Key}, n.Path...)
	if n.Op == flow.Enqueue {
		vals = append(vals, n.Val)
	}
	for _, v := range vals {
		if r.foreign(v) {
			return false
		}
	}
	return true
}

// foreign reports whether a value comes from another key.
func (r *run) foreign(v *flow.Value) bool {
	if v == nil {
		return false
	}
	switch v.Kind {
	case flow.Element:
		if own, bound := r.elems[v.ID()]; bound {
			return !own // whatever it was taken from
		}
	case flow.Result, flow.Phi:
		k := r.regs[root(v)]
		return k != nil && k.other
	case flow.Derived:
		return slices.ContainsFunc(v.Args, r.foreign)
	case flow.Attribute:
	default:
		return false
	}
	return v.Base != nil && v.Base.Kind != flow.Container && r.foreign(v.Base)
}

func root(v *flow.Value) string {
	if v.Kind == flow.Phi && v.Base != nil {
		return root(v.Base)
	}
	return v.ID()
}

// marks notes the places of the problem that an event passes.
func (c *checker) marks(e Event, n *flow.Node) {
	at := func(marks []Mark) bool {
		for _, k := range marks {
			if k.Entry == e.Entry && k.Node == e.Node && (k.To == 0 || k.To == e.To) && (!k.Present || c.content[n.Loc] != nil) {
				return true
			}
		}
		return false
	}
	c.triggered = c.triggered || at(c.p.Trigger)
	if at(c.p.Release) {
		if c.held == 0 && c.released && c.p.Property == NoDoubleRelease {
			c.violated = true
		}
		c.released = true
		c.held = max(c.held-1, 0)
	}
	if at(c.p.Reset) {
		c.held++
	}
}

// value returns what is known of a value.
func (r *run) value(v *flow.Value) *known {
	if v == nil {
		return nil
	}
	switch v.Kind {
	case flow.Const:
		return &known{val: v}
	case flow.Result, flow.Phi:
		return r.regs[root(v)]
	case flow.Derived:
		if (v.Name == "max" || v.Name == "min") && len(v.Args) == 2 {
			return extreme(v.Name, r.value(v.Args[0]), r.value(v.Args[1]))
		}
	case flow.Object, flow.Container, flow.Function, flow.Class:
		return &known{entry: true}
	}
	return nil
}

func extreme(name string, a, b *known) *known {
	if a == nil || b == nil || a.val == nil || b.val == nil || !a.val.HasInt || !b.val.HasInt {
		return nil
	}
	if (name == "max") == (b.val.Int > a.val.Int) {
		return b
	}
	return a
}

func (r *run) set(n *flow.Node, k *known) {
	if n.Res == nil {
		return
	}
	if k == nil {
		delete(r.regs, root(n.Res))
		return
	}
	r.regs[root(n.Res)] = k
}

// execute checks one event against the state and changes it.
func (c *checker) execute(e Event, r *run, n *flow.Node, edge *flow.Edge, ours bool) error {
	raised := edge.Kind == flow.Exc
	if n.Op == flow.Rebind && n.Loc.Type.Kind == program.Queue {
		c.queues[n.Loc] = 0 // a new one
	}
	switch n.Op {
	case flow.Branch:
		return r.branch(n, edge.Kind == flow.True)
	case flow.Move:
		r.set(n, r.value(n.Val))
		return nil
	case flow.Raise, flow.Assert:
		if !raised {
			return errors.New("does not raise")
		}
		return nil
	case flow.Acquire, flow.Release:
		return c.lock(e.Thread, n)
	case flow.Spawn:
		c.spawns[n.Entry]++
		c.handed[call{n.Entry, n.Src}]++
		return nil
	case flow.Return:
		return c.returned(r, n)
	case flow.LoopHead, flow.Next:
		return c.loopHead(e, r, n, edge)
	}
	if n.Loc == nil || !c.tracked[n.Loc] || !ours {
		r.set(n, nil)
		return nil
	}
	if n.Op == flow.Enqueue || n.Op == flow.Dequeue {
		return c.queue(r, n, raised)
	}
	return c.access(e, r, n, raised)
}

// branch checks that a branch goes where the values send it, and notes what it
// tells.
func (r *run) branch(n *flow.Node, taken bool) error {
	k := r.value(n.Val)
	if k != nil {
		if want, sure := decided(n, k, r.value(n.Want)); sure && want != taken {
			return fmt.Errorf("branch goes to %v although the value is known", taken)
		}
	}
	if n.Val != nil && n.Val.Register() && k == nil && n.Test == flow.TestEq && taken {
		r.regs[root(n.Val)] = r.value(n.Want)
	}
	return nil
}

// decided evaluates a test as far as the values are known.
func decided(n *flow.Node, k, want *known) (outcome, sure bool) {
	switch n.Test {
	case flow.TestNone:
		if k.val != nil {
			return k.val.IsNone(), true
		}
		return false, k.entry
	case flow.TestTruth:
		if k.truth != 0 {
			return k.truth > 0, true
		}
		if v := k.val; v != nil {
			switch {
			case v.HasInt:
				return v.Int != 0, true
			case v.Cls == nil && (v.Lit == ast.None || v.Lit == ast.True || v.Lit == ast.False):
				return v.IsBool(true), true
			}
		}
	case flow.TestEq:
		if k.val != nil && want != nil && want.val != nil {
			same := k.val.ID() == want.val.ID() || k.val.HasInt && want.val.HasInt && k.val.Int == want.val.Int
			return same, true
		}
	case flow.TestLess:
		if k.val != nil && want != nil && want.val != nil && k.val.HasInt && want.val.HasInt {
			return k.val.Int < want.val.Int, true
		}
	}
	return false, false
}

func (c *checker) lock(thread int, n *flow.Node) error {
	v := n.Lock
	if strings.HasSuffix(v.Type.Name, "Semaphore") {
		return nil
	}
	id := v.ID()
	if v.Kind == flow.Container {
		id = v.Loc.ID
		if !c.unsure[v.Loc] {
			id += v.Slots()
		}
	}
	h := c.locks[id]
	if n.Op == flow.Release {
		if h != nil && h.thread == thread {
			if h.depth--; h.depth == 0 {
				delete(c.locks, id)
			}
		}
		return nil
	}
	reentrant := v.Type.Kind == program.Condition || strings.HasSuffix(v.Type.Name, "RLock")
	switch {
	case h == nil:
		c.locks[id] = &holder{thread, 1}
	case h.thread == thread && reentrant:
		h.depth++
	default:
		return fmt.Errorf("takes a lock that thread %d holds", h.thread)
	}
	return nil
}

func (c *checker) returned(r *run, n *flow.Node) error {
	if c.hookOf(r.entry) != PollHook || r.entry.Role != flow.Caller {
		return nil
	}
	if k := r.value(n.Val); k != nil && k.val != nil && c.terminal(k.val) {
		c.over = true
	}
	return nil
}

func (c *checker) terminal(v *flow.Value) bool {
	return slices.ContainsFunc(c.p.Terminal, func(t *flow.Value) bool { return t.ID() == v.ID() })
}

func (c *checker) loopHead(e Event, r *run, n *flow.Node, edge *flow.Edge) error {
	if n.Op == flow.LoopHead && n.Val == nil {
		return nil
	}
	live := n.Op == flow.Next && n.Loc != nil && c.tracked[n.Loc]
	has := live && c.content[n.Loc] != nil
	if edge.Kind == flow.Exc {
		if has == r.size[e.Node] {
			return errors.New("the container has not changed")
		}
		return nil
	}
	if live && has != r.size[e.Node] && n.Loc.Type.Kind != program.List {
		return errors.New("the container has changed")
	}
	if edge.Kind != flow.True {
		return nil
	}
	if live && e.Key && !has {
		return errors.New("takes the key from a container without it")
	}
	if live && e.Key {
		r.copies[n.Loc] = true
	}
	r.bind(n.Val, e.Key)
	return nil
}

// bind notes whether the elements within a value are those of the key.
func (r *run) bind(v *flow.Value, own bool) {
	if v == nil {
		return
	}
	if v.Kind == flow.Element {
		r.elems[v.ID()] = own
	}
	for _, a := range v.Args {
		r.bind(a, own)
	}
}

func (c *checker) queue(r *run, n *flow.Node, raised bool) error {
	if n.Op == flow.Enqueue {
		c.queues[n.Loc]++
		return nil
	}
	r.set(n, nil)
	switch {
	case raised && c.queues[n.Loc] > 0:
		return errors.New("finds a queue empty that is not")
	case !raised && c.queues[n.Loc] == 0:
		return errors.New("takes from an empty queue")
	case !raised:
		c.queues[n.Loc]--
	}
	return nil
}

// access checks and executes an operation on a container or flag.
func (c *checker) access(e Event, r *run, n *flow.Node, raised bool) error {
	have := c.content[n.Loc]
	if strict := n.Mode&flow.Strict != 0 && n.Mode&flow.AnyKey == 0 && (n.Op == flow.Read || n.Op == flow.Del); strict && raised != (have == nil) {
		return fmt.Errorf("strict operation raises: %v, key present: %v", raised, have != nil)
	}
	if raised {
		return nil
	}
	switch n.Op {
	case flow.Read:
		c.read(r, n, have)
	case flow.GetFlag:
		if have == nil {
			r.set(n, nil)
			break
		}
		r.set(n, have.known())
	case flow.Has:
		k := &known{entry: true, truth: -1}
		if have != nil {
			k.truth = 1
		}
		r.set(n, k)
	case flow.Size:
		r.set(n, nil)
		if have != nil {
			r.set(n, &known{entry: true, truth: 1})
		}
	case flow.Put, flow.SetFlag:
		c.write(r, n, have)
	case flow.Del:
		switch {
		case have != nil:
			r.set(n, have.known())
		case n.Mode&flow.AnyKey != 0:
			r.set(n, &known{entry: true, other: true})
		default:
			r.set(n, orNone(r, n))
		}
		c.remove(n.Loc)
	case flow.Clear:
		c.remove(n.Loc)
	case flow.Iter:
		r.copies[n.Loc] = have != nil && n.Mode&flow.Live == 0
		for _, s := range n.Succ {
			r.size[s.To] = have != nil
		}
	case flow.Rebind, flow.PutAll, flow.DelAll:
		c.whole(e, r, n, have)
	}
	return nil
}

func (h *content) known() *known {
	if h.val != nil {
		return &known{val: h.val}
	}
	return nil
}

func orNone(r *run, n *flow.Node) *known {
	if n.Def == nil {
		return nil
	}
	return r.value(n.Def)
}

func (c *checker) read(r *run, n *flow.Node, have *content) {
	switch {
	case have != nil:
		r.set(n, have.known())
	case n.Mode&flow.Upsert != 0:
		if n.Loc.Type.Kind != program.Counter {
			c.content[n.Loc] = &content{}
		}
		r.set(n, nil)
	default:
		r.set(n, orNone(r, n))
	}
}

func (c *checker) write(r *run, n *flow.Node, have *content) {
	if n.Mode&flow.Upsert != 0 && have != nil {
		r.set(n, have.known())
		return
	}
	now := &content{}
	isMap := n.Loc.Type.Kind == program.Dict || n.Loc.Type.Kind == program.DefaultDict || n.Op == flow.SetFlag
	if k := r.value(n.Val); k != nil && isMap && n.Mode&flow.Update == 0 {
		now.val = k.val
	}
	known := now.val != nil || len(c.p.Victims) > 0
	if have != nil && have.val != nil && known && slices.Contains(c.p.Status, n.Loc) &&
		c.terminal(have.val) && (now.val == nil || have.val.ID() != now.val.ID()) {
		c.violated = c.violated || c.p.Property == NoOverwrite
	}
	if n.Mode&flow.Update != 0 {
		c.violated = c.violated || c.p.Property == NoLostUpdate
	}
	if n.Op == flow.Put && n.Mode&flow.Update == 0 {
		c.remove(n.Loc)
	}
	c.content[n.Loc] = now
	r.set(n, now.known())
}

// remove drops the entry of a location, with what is inside.
func (c *checker) remove(l *flow.Location) {
	delete(c.content, l)
	for inner := range c.content {
		if inner.Outer == l {
			delete(c.content, inner)
		}
	}
}

// whole executes a change of a whole container.
func (c *checker) whole(e Event, r *run, n *flow.Node, have *content) {
	if n.Mode&flow.Filter != 0 && have != nil && !r.copies[n.Loc] && c.p.Property == NoLostUpdate {
		c.violated = true
	}
	if n.Mode&flow.Swap != 0 {
		r.copies[n.Loc] = have != nil
	}
	if n.Mode&flow.Initial != 0 && c.foreign[n.Loc] {
		return
	}
	if keys, value, ok := e.Entry.Graph.FromKeys(e.Node); ok && c.tracked[keys] {
		if c.content[keys] == nil {
			return
		}
		if have != nil && have.val != nil && c.terminal(have.val) && have.val.ID() != value.ID() {
			c.violated = c.violated || c.p.Property == NoOverwrite
		}
		c.content[n.Loc] = &content{val: value}
		return
	}
	if n.Op == flow.PutAll && have != nil && have.val != nil && c.terminal(have.val) && len(c.p.Victims) > 0 {
		c.violated = c.violated || c.p.Property == NoOverwrite
	}
	if n.Op == flow.PutAll && have == nil && n.Val != nil && n.Val.Kind == flow.Container && c.tracked[n.Val.Loc] && n.Val.Loc.Keyed() && n.Val.Loc.Outer == nil {
		e.Key = c.content[n.Val.Loc] != nil // it gets what is there
	}
	switch {
	case !e.Key:
		c.remove(n.Loc)
	case have == nil:
		c.content[n.Loc] = &content{}
	}
}

// compare checks the state that a step shows.
func (c *checker) compare(s Step) error {
	for l := range c.tracked {
		shown, ok := s.State[l.String()]
		if !ok || !l.Keyed() {
			continue
		}
		if have := c.content[l]; (shown == "absent") != (have == nil) {
			return fmt.Errorf("%s is shown as %s", l, shown)
		}
	}
	return nil
}

// verdict checks that the property is violated at the end.
func (c *checker) verdict() error {
	switch c.p.Property {
	case NoPin:
		if !c.triggered || c.over {
			return fmt.Errorf("check schedule: triggered: %v, concluded: %v", c.triggered, c.over)
		}
		return nil
	case NoRevival, NoRemains:
		for _, l := range c.p.Watch {
			if c.triggered && c.content[l] != nil && c.absentAfter[l] == (c.p.Property == NoRevival) {
				return nil
			}
		}
	default:
		if c.violated {
			return nil
		}
	}
	return fmt.Errorf("check schedule: %s is not violated", c.p.Property)
}
