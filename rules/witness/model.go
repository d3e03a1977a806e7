package witness

import (
	"slices"
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
)

// model is a problem prepared for execution.
type model struct {
	p        Problem
	asked    Problem // with all that it tracks
	bound    Bound
	consts   *consts
	slots    []slot
	slotOf   map[*flow.Location]int
	locks    []lock
	lockOf   map[string]int
	mixed    map[*flow.Location]bool // see lockID
	sited    map[*flow.Entry]bool    // see findSited
	conds    map[stableCond]int      // stable conditions that several steps test
	excluded [][]int                 // for each, those that do not hold where it does
	lastTest []byte                  // of each stable condition, see findLastTests
	progs    []*prog
	progOf   map[*flow.Entry]*prog
	threads  []thread
	hooks    []hook
	inits    []*prog
	terms    []code

	ordered bool // a mark asks which thread passed the first place of the path

	toGo            [][]goal      // by phase
	ending          route         // to what ends the request
	polling         route         // to what says so
	taking, filling map[int]route // by queue: to what takes from it, and fills it

	part   *slice // nil while it is computed
	layout layout
}

// slot is a tracked location.
type slot struct {
	loc      *flow.Location
	kind     slotKind
	children []int // tracked locations inside its entries
	initial  code
	status   bool // holds a status (P4)
	drained  bool // what a hook takes from it is over
	revived  bool // the last place of the path brings back what it holds (P2)
	watched  byte // its bit among the watched locations
	atomic   bool // an operation on it is no scheduling point
	outside  bool // filled by what is not analyzed
	turned   bool // a flag that something sets to the opposite of what it is
	absent   bool // filled by programs that are not part of the model, if by any
}

type slotKind uint8

const (
	keyed slotKind = iota
	flag
	queue
)

type lock struct {
	reentrant bool
	loc       *flow.Location
}

// thread is a thread of control. Thread 0 is the client.
type thread struct {
	prog    *prog // nil for the client
	live    bool  // from the start; else begun by a Spawn
	onLoop  bool  // of the coroutines that share one event loop
	counted bool  // begun by a Spawn in the problem
	after   int   // constructors that must have returned before it begins
}

// hook is a hook that the client calls.
type hook struct {
	prog *prog
	kind Hook
	// calls is how often it is called, 0 for any number. What comes after the
	// first call is input.
	calls  byte
	called int  // offset of the number of calls, -1 when it is not counted
	drops  bool // the request, so that nobody brings it in again
}

// compile prepares the part of a problem that matters.
func compile(p Problem, bound Bound) *model {
	asked := p
	whole := prepare(p, bound, nil)
	part := newSlicer(whole).compute()
	var track []*flow.Location
	for _, s := range whole.slots {
		if part.locs[s.loc] {
			track = append(track, s.loc)
		}
	}
	p.Track = track
	m := prepare(p, bound, part)
	m.asked = asked
	m.finish()
	return m
}

// finish prepares what depends on all programs together.
func (m *model) finish() {
	m.findAtomic()
	m.findSited()
	for _, pr := range m.progs {
		pr.findSoft(m.bound.Faults)
	}
	m.findLastTests()
	m.layOut()
}

// findSited finds the entrypoints of which somebody waits for some only, by what has
// started them.
func (m *model) findSited() {
	m.sited = map[*flow.Entry]bool{}
	for _, pr := range m.progs {
		for i := range pr.nodes {
			in := &pr.nodes[i]
			for _, over := range [][]handedOut{in.over, in.overAtExit} {
				for _, a := range over {
					m.sited[a.entry] = m.sited[a.entry] || len(a.sites) < len(a.entry.Spawns)
				}
			}
		}
	}
}

// prepare compiles the steps of a problem that are in a slice, or all.
func prepare(p Problem, bound Bound, part *slice) *model {
	m := &model{
		part: part, p: p, bound: bound.withDefaults(), consts: newConsts(),
		slotOf: map[*flow.Location]int{}, lockOf: map[string]int{}, conds: map[stableCond]int{}, progOf: map[*flow.Entry]*prog{},
	}
	m.askConsts()
	for _, v := range p.Terminal {
		m.terms = append(m.terms, m.consts.of(v))
	}
	m.addSlots()
	m.findLocks()
	m.findStableConds()
	m.addThreads()
	m.orderInits()
	m.mark()
	return m
}

// askConsts finds the constants that values are compared with.
func (m *model) askConsts() {
	for _, v := range m.p.Terminal {
		m.consts.ask(v)
	}
	for _, c := range append(m.p.Live[:len(m.p.Live):len(m.p.Live)], m.p.Concluded...) {
		for _, v := range c.Values {
			m.consts.ask(v)
		}
	}
	for _, a := range m.p.Actors {
		for i := range a.Entry.Graph.Nodes {
			n := &a.Entry.Graph.Nodes[i]
			if !m.part.has(a.Entry, int32(i)) {
				continue
			}
			switch n.Op {
			case flow.Branch:
				m.consts.ask(n.Want)
				m.consts.ask(n.Val)
			case flow.Return, flow.Move:
				if a.Hook == PollHook {
					m.consts.ask(n.Val)
				}
			case flow.Put:
				if slices.Contains(m.p.Status, n.Loc) {
					m.consts.ask(n.Val)
				}
			}
		}
	}
}

func (m *model) addSlots() {
	for _, l := range m.p.Track {
		if _, dup := m.slotOf[l]; dup {
			continue
		}
		s := slot{loc: l, kind: flag}
		switch {
		case l.Keyed():
			s.kind = keyed
		case l.Type.Kind == program.Queue:
			s.kind = queue
		}
		if s.kind == flag {
			s.initial = anything
			if v := m.p.Initial[l]; v != nil {
				s.initial = m.consts.of(v)
			}
		}
		m.slotOf[l] = len(m.slots)
		m.slots = append(m.slots, s)
	}
	for _, l := range m.p.Status {
		if i, ok := m.slotOf[l]; ok {
			m.slots[i].status = true
		}
	}
	for _, l := range m.p.Drained {
		if i, ok := m.slotOf[l]; ok {
			m.slots[i].drained = true
		}
	}
	for _, a := range m.p.Actors {
		for i := range a.Entry.Graph.Nodes {
			n := &a.Entry.Graph.Nodes[i]
			if k, ok := m.slotOf[n.Loc]; ok && n.Op == flow.SetFlag && n.Val != nil && n.Val.Kind == flow.Derived && n.Val.Name == ast.Not.String() &&
				n.Val.Args[0].Kind == flow.Result && n.Val.Args[0].Loc == n.Loc {
				m.slots[k].turned = true
			}
		}
	}
	for i, l := range m.p.Watch {
		if k, ok := m.slotOf[l]; ok {
			m.slots[k].watched = 1 << i
		}
	}
	if n := len(m.p.Path); m.p.Property == NoRevival && n > 0 {
		for _, k := range m.p.Path[n-1] {
			if i, ok := m.slotOf[k.Entry.Graph.Nodes[k.Node].Loc]; ok {
				m.slots[i].revived = true
			}
		}
	}
	for i, s := range m.slots {
		if s.loc.Outer != nil {
			if o, ok := m.slotOf[s.loc.Outer]; ok {
				m.slots[o].children = append(m.slots[o].children, i)
			}
		}
	}
}

// lockID identifies a lock across graphs, or is empty when the value excludes
// nobody that we know of: one that is kept nowhere may be another one in each call.
// Those that are kept in a container are told apart where constants choose all of them.
func (m *model) lockID(v *flow.Value) string {
	if v == nil || v.Loc == nil || strings.HasSuffix(v.Type.Name, "Semaphore") {
		return ""
	}
	if v.Kind == flow.Container {
		if m.mixed[v.Loc] {
			return v.Loc.ID
		}
		return v.Loc.ID + v.Slots()
	}
	return v.ID()
}

// mixedLocks returns the locations of locks in containers that are chosen by more than
// constants, at one place at least.
func mixedLocks(actors []Actor) map[*flow.Location]bool {
	out := map[*flow.Location]bool{}
	for _, a := range actors {
		for i := range a.Entry.Graph.Nodes {
			n := &a.Entry.Graph.Nodes[i]
			if n.Op == flow.Acquire && n.Lock != nil && n.Lock.Kind == flow.Container && n.Lock.Loc.Outer != nil && n.Lock.Slots() == "" {
				out[n.Lock.Loc] = true
			}
		}
	}
	return out
}

func (m *model) findLocks() {
	m.mixed = mixedLocks(m.p.Actors)
	for _, a := range m.p.Actors {
		for i := range a.Entry.Graph.Nodes {
			n := &a.Entry.Graph.Nodes[i]
			if n.Op != flow.Acquire {
				continue
			}
			id := m.lockID(n.Lock)
			if _, have := m.lockOf[id]; have || id == "" {
				continue
			}
			m.lockOf[id] = len(m.locks)
			t := n.Lock.Type
			m.locks = append(m.locks, lock{loc: n.Lock.Loc, reentrant: t.Kind == program.Condition || strings.HasSuffix(t.Name, "RLock")})
		}
	}
}

// lockIndex returns the number of a lock, or -1.
func (m *model) lockIndex(v *flow.Value) int {
	if i, ok := m.lockOf[m.lockID(v)]; ok {
		return i
	}
	return -1
}

// addThreads compiles the entrypoints and decides what runs them.
func (m *model) addThreads() {
	spawned := map[*flow.Entry]bool{}
	for _, a := range m.p.Actors {
		for i := range a.Entry.Graph.Nodes {
			if n := &a.Entry.Graph.Nodes[i]; m.p.Begins(a.Entry, n) {
				spawned[n.Entry] = true
			}
		}
	}
	m.threads = append(m.threads, thread{live: true})
	for _, a := range m.p.Actors {
		if m.progOf[a.Entry] != nil || m.idle(a) {
			continue
		}
		pr := m.compileProg(a)
		m.progs = append(m.progs, pr)
		m.progOf[a.Entry] = pr
		switch a.Entry.Role {
		case flow.Init:
			m.inits = append(m.inits, pr)
		case flow.Caller:
			if a.Task {
				m.addInstances(a, pr, false)
				break
			}
			m.threads[0].onLoop = m.threads[0].onLoop || a.OnLoop
			pr.hook = len(m.hooks)
			h := hook{prog: pr, kind: a.Hook, called: -1, drops: a.Drops}
			if a.Hook == PlainHook || a.Hook == AbortHook {
				h.calls = pr.calls(m.p.Property)
				if h.calls == 1 && (m.comesAgain(a.Entry) || m.comesBack(a.Entry)) {
					h.calls = 2
				}
			}
			m.hooks = append(m.hooks, h)
		default:
			m.addInstances(a, pr, spawned[a.Entry])
		}
	}
}

// onLoop reports whether an actor runs on the event loop.
func (a Actor) onLoop() bool { return a.Entry.Role == flow.LoopTask || a.Task || a.OnLoop }

// calls returns how often a hook can be called that is given the key, rather
// than takes it from a loop of its own: once when it makes an entry, since a
// request comes in once, twice when it queues items, 0 for any number. Where the
// question is not how a request ends, the key may be that of several requests.
func (pr *prog) calls(p Property) byte {
	var entry, item byte
	for i := range pr.nodes {
		in := &pr.nodes[i]
		if in.slot < 0 || in.never || len(in.heads) > 0 || len(in.regs) > 0 {
			continue
		}
		switch in.op {
		case flow.Put:
			entry = 1
		case flow.Enqueue:
			item = 2
		}
	}
	if p == NoThreadDeath {
		return 2 * max(entry, item/2)
	}
	if entry > 0 {
		return entry
	}
	return item
}

// comesAgain reports whether a step of the path removes an entry that the hook it is in
// alone can have made: it is called for one request more than once.
func (m *model) comesAgain(e *flow.Entry) bool {
	return slices.ContainsFunc(m.p.Path, func(places []Mark) bool {
		return slices.ContainsFunc(places, func(k Mark) bool {
			n := &k.Entry.Graph.Nodes[k.Node]
			return k.Entry == e && n.Op == flow.Del && k.Present && !slices.ContainsFunc(m.p.Actors, func(a Actor) bool {
				return a.Entry != e && slices.ContainsFunc(a.Entry.Graph.Nodes, func(o flow.Node) bool {
					return o.Loc == n.Loc && (o.Op == flow.Put || o.Op == flow.PutAll) && o.Mode&flow.Initial == 0 && len(o.Pred) > 0
				})
			})
		})
	})
}

// comesBack reports whether the path leaves a hook for another one and comes back to it: it
// is called more than once.
func (m *model) comesBack(e *flow.Entry) bool {
	been, left := false, false
	for _, places := range m.p.Path {
		here := slices.ContainsFunc(places, func(k Mark) bool { return k.Entry == e })
		switch {
		case here && left:
			return true
		case here:
			been = true
		case been && !slices.ContainsFunc(places, func(k Mark) bool { return k.Entry.Role != flow.Caller }):
			left = true
		}
	}
	return false
}

// idle reports whether an entrypoint neither does anything that matters nor
// means something to the protocol of the hooks.
func (m *model) idle(a Actor) bool {
	if !m.part.empty(a.Entry) || a.Entry.Role == flow.Init {
		return false
	}
	switch a.Hook {
	case AbortHook:
		return !m.p.Property.eventual()
	case ClearHook:
		return a.Entry.Role != flow.Caller
	}
	return true
}

func (m *model) addInstances(a Actor, pr *prog, spawned bool) {
	n := a.Instances
	if n == 0 {
		n = 1
		if a.Entry.Many && !a.Entry.Sharded {
			n = 2
		}
	}
	for range n {
		m.threads = append(m.threads, thread{
			prog: pr, live: !spawned, counted: spawned, onLoop: a.onLoop(),
		})
	}
}

// orderInits makes what nobody in the problem starts wait for the constructor
// of its object.
func (m *model) orderInits() {
	for t := range m.threads {
		th := &m.threads[t]
		if th.prog == nil || th.counted {
			continue
		}
		for i, pr := range m.inits {
			if pr.entry.Class == th.prog.entry.Class {
				th.after = i + 1
			}
		}
	}
}

// mark copies the marks of the problem to the steps they are on.
func (m *model) mark() {
	put := func(marks []Mark, bit markSet, phase int) {
		for _, k := range marks {
			pr := m.progOf[k.Entry]
			if pr == nil || k.Node > flow.FailNode && !m.part.has(k.Entry, k.Node) {
				continue
			}
			at := placed{Mark: k, bit: bit, phase: byte(phase), slot: pr.nodes[k.Node].slot}
			if k.Loc != nil {
				at.slot = -1
				if s, ok := m.slotOf[k.Loc]; ok {
					at.slot = s
				}
			}
			pr.marks = append(pr.marks, at)
			in := &pr.nodes[k.Node]
			in.marked, in.faulty = true, in.faulty || k.Raises
			m.ordered = m.ordered || k.Same || k.Other
		}
	}
	put(m.p.Trigger, markTrigger, 0)
	put(m.p.Release, markRelease, 0)
	put(m.p.Reset, markReset, 0)
	put(m.p.Victims, markVictim, 0)
	put(m.p.Undo, markUndo, 0)
	for i, list := range m.p.Path {
		put(list, markPath, i)
	}
	for _, pr := range m.progs {
		pr.findAwaited()
		for _, k := range pr.marks {
			// An operation in code that is not analyzed, such as a copy.
			if in := &pr.nodes[k.Node]; in.op == flow.Call && (k.bit == markPath || k.bit == markUndo) {
				in.visible = true
			}
		}
	}
}

// findAwaited finds the steps from which a step that must raise can be reached
// on ways that all leave by an exception.
func (pr *prog) findAwaited() {
	for _, k := range pr.marks {
		if k.bit == markVictim {
			pr.nodes[k.Node].awaited = true
		}
	}
	for changed := true; changed; {
		changed = false
		for i := len(pr.nodes) - 1; i >= 0; i-- {
			in := &pr.nodes[i]
			if in.awaited || !in.doomed {
				continue
			}
			for _, e := range in.node.Succ {
				if pr.nodes[e.To].awaited {
					in.awaited, changed = true, true
				}
			}
		}
	}
}

// markSet says what a place is to the property.
type markSet uint8

const (
	markTrigger markSet = 1 << iota
	markRelease
	markReset
	markVictim
	markPath
	markUndo
)

// placed is a mark on a step of a model.
type placed struct {
	Mark
	bit   markSet
	phase byte // of markPath
	slot  int  // that the conditions speak of, -1
}

// use is how the threads of a problem touch one location.
type use struct {
	threads map[int]bool
	locks   uint64 // held at each access
	written bool
}

// loopLock stands for the turn on the event loop among the locks of a use.
const loopLock = 63

// findAtomic finds the locations on which operations are no scheduling points:
// one thread alone touches them, nobody writes them, or one lock is held at
// every access.
func (m *model) findAtomic() {
	uses := make([]use, len(m.slots))
	for i := range uses {
		uses[i] = use{threads: map[int]bool{}, locks: ^uint64(0)}
	}
	for t, th := range m.threads {
		if t > 0 {
			m.addUses(uses, t, th.prog)
		}
	}
	for _, h := range m.hooks {
		m.addUses(uses, 0, h.prog)
	}
	for _, pr := range m.inits {
		m.addUses(uses, 0, pr)
	}
	for i, u := range uses {
		m.slots[i].atomic = len(u.threads) <= 1 || !u.written || u.locks != 0
		if m.slots[i].kind == queue {
			m.slots[i].atomic = false
		}
	}
}

func (m *model) addUses(uses []use, t int, pr *prog) {
	for i := range pr.nodes {
		in := &pr.nodes[i]
		if in.slot < 0 || in.never || in.mode&flow.Initial != 0 {
			continue
		}
		u := &uses[in.slot]
		u.threads[t] = true
		u.written = u.written || in.writes()
		u.locks &= in.held
		if in.from >= 0 {
			uses[in.from].threads[t] = true
			uses[in.from].locks &= in.held
		}
		for _, c := range m.slots[in.slot].children {
			if in.writes() {
				uses[c].threads[t] = true
				uses[c].written = true
				uses[c].locks &= in.held
			}
		}
	}
}
