package flow

import (
	"maps"
	"reflect"
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/program"
)

// Bounds of one graph. A graph that reaches one is marked Truncated.
const (
	maxDepth = 7    // calls inlined into each other
	maxNodes = 3000 // steps
)

// builder lowers one entrypoint. It walks statements in order and keeps, for
// the place it has reached, the edges that wait for the next step, the values
// of the variables and the locks held. Where the walk branches these are saved
// and joined again.
type builder struct {
	p     *Program
	prog  *program.Program
	g     *Graph
	frame *Frame
	pend  []dangling
	locks []*Value
	ctx   []*context
	stmt  ast.Stmt
	nodes []Node

	interned map[string]*Value
	id       []byte // memory for the identity of a value
	depth    int    // bounds the calls that are inlined into each other
	full     bool   // there was no room for all steps
	// tried holds the locks that may not have been taken, by the value that
	// tells whether they were.
	tried map[*Value]*Value
	// handedOn tells which call has given a container to another object.
	handedOn map[*Location]*Frame
	fresh    int      // values made so far
	frames   int      // frames made so far
	excs     []string // exception classes of the handlers around, innermost last
	awaited  ast.Node // the call that an await expression is about to make
	inlined  ast.Node // the last call that was inlined
	// receivers are the objects of the method calls that are being lowered.
	receivers map[*ast.Call]*Value
	// absent holds, for containers that a step has yielded unless there is no
	// such entry, the register of the step.
	absent map[*Value]*Value
	// collected holds, for new lists and sets, the element of a container that is
	// put in; nil when there are several, or other values as well.
	collected map[*Value]*Value
	// items are the entries of new dicts, as displays and dict() give them.
	items map[*Value][]item
	// readAs holds where a method of a container was last read as a value, by the
	// identity of that value.
	readAs map[string]*ast.Attribute
	// begun holds the calls that have started what a value is the future of, or what
	// those that it holds are the futures of; heads the loop that takes a value.
	begun map[*Value][]ast.Node
	heads map[*Value]int32
	// gathered are what attributes hold that a value waits for.
	gathered map[*Value][]*Value
	// yielding are the iterables that wait for what they yield, and keptIn the
	// containers whose futures these are.
	yielding map[*Value]bool
	keptIn   map[*Value]*Location
	// stacks are the exit stacks, with the last statement of the with statement
	// that empties each.
	stacks map[*Value]ast.Stmt
	made   map[*Value]ownership // the objects that the entrypoint has made
	// threads are the entrypoints of the threads that functions keep in attributes, by
	// the text of those; nil where there are several.
	threads map[threadAttr]*Entry
}

// A threadAttr is an attribute as a function spells it.
type threadAttr struct {
	frame *Frame
	text  string
}

// An item is an entry of a new dict. The key is nil for the entries of another one.
type item struct{ key, val *Value }

// dangling is an edge whose target is the next step.
type dangling struct {
	from int32
	kind EdgeKind
	exc  string
}

// state is a place that the walk has reached.
type state struct {
	pend  []dangling
	env   map[string]*Value
	locks []*Value
}

// context is a construct around the current statement that catches jumps or
// exceptions.
type context struct {
	kind    contextKind
	frame   *Frame // of the call that the construct is part of
	stmt    ast.Stmt
	locks   []*Value
	head    int32     // loop: where continue goes
	breaks  []state   // loop
	turn    bool      // loop: one turn of it, see turns; continue ends it
	nexts   []state   // turn
	returns []outcome // call
	excs    []dangling
	cleanup func() // what leaving it runs: a finally body, the release of a lock
}

// resumption returns the context of a statement of a generator in which it yields:
// what leaves the with statement that the generator manages by a jump resumes it, and
// runs what comes after.
func (b *builder) resumption(rest []ast.Stmt) *context {
	return &context{kind: resumeContext, cleanup: func() { b.block(rest) }}
}

type contextKind uint8

const (
	loopContext contextKind = iota
	callContext
	tryContext
	cleanupContext
	resumeContext
)

// outcome is one way a call returns.
type outcome struct {
	pend  []dangling
	locks []*Value
	val   *Value
}

func newBuilder(p *Program, e *Entry, depth int) *builder {
	b := &builder{p: p, depth: depth, prog: p.Index, g: &Graph{Entry: e, Taught: p.Taught}, interned: map[string]*Value{}, receivers: map[*ast.Call]*Value{}, absent: map[*Value]*Value{}, stacks: map[*Value]ast.Stmt{}, collected: map[*Value]*Value{}, items: map[*Value][]item{}, readAs: map[string]*ast.Attribute{}}
	b.g.effort = &p.effort
	b.nodes = append(p.scratch[:0], make([]Node, 3)...)
	b.nodes[StartNode].Op, b.nodes[ExitNode].Op, b.nodes[FailNode].Op = Start, Exit, Fail
	b.pend = []dangling{{from: StartNode}}
	return b
}

// dead reports whether the place cannot be reached.
func (b *builder) dead() bool { return len(b.pend) == 0 }

// emit appends a step at the current place and returns its number, or -1 when
// the place cannot be reached.
func (b *builder) emit(n Node, src ast.Node) int32 {
	if b.dead() {
		return -1
	}
	if len(b.nodes) >= maxNodes {
		b.g.Truncated, b.full = true, true
		b.pend = nil
		return -1
	}
	switch n.Op {
	case Put, Enqueue, Move:
		b.escapes(n.Val)
	}
	n.Src, n.Stmt, n.Locks, n.Frame = src, b.stmt, b.locks, b.frame
	if b.frame != nil {
		n.Fn, n.Mod = b.frame.Fn, b.frame.Fn.Module
	}
	if (n.Op == Put || n.Op == SetFlag) && len(b.begun) > 0 {
		b.keeps(n.Loc, n.Val)
	}
	id := int32(len(b.nodes))
	b.nodes = append(b.nodes, n)
	b.connect(id)
	b.pend = b.p.dangle(id)
	return id
}

// connect makes all waiting edges lead to step id.
func (b *builder) connect(id int32) {
	for _, d := range b.pend {
		from := &b.nodes[d.from]
		if !hasEdge(from.Succ, id, d.kind) {
			if from.Succ == nil {
				from.Succ = b.newEdges()
			}
			from.Succ = append(from.Succ, Edge{To: id, Kind: d.kind, Exc: d.exc})
		}
	}
	b.pend = nil
}

// dangle returns the edge that leaves a step, in a list without room for more.
func (p *Program) dangle(from int32) []dangling {
	if len(p.dangling) == 0 {
		p.dangling = make([]dangling, 256)
	}
	d := p.dangling[:1:1]
	p.dangling = p.dangling[1:]
	d[0].from = from
	return d
}

// newEdges returns room for two edges: few steps have more.
func (b *builder) newEdges() []Edge {
	p := b.p
	if len(p.edges) < 2 {
		p.edges = make([]Edge, 256)
	}
	room := p.edges[:0:2]
	p.edges = p.edges[2:]
	return room
}

func hasEdge(edges []Edge, to int32, kind EdgeKind) bool {
	for _, e := range edges {
		if e.To == to && e.Kind == kind {
			return true
		}
	}
	return false
}

// mayRaise adds the edge for an exception of step id.
func (b *builder) mayRaise(id int32, exc string) {
	if id >= 0 {
		b.propagate(dangling{from: id, kind: Exc, exc: exc})
	}
}

// propagate hands an exception to the construct that sees it first.
func (b *builder) propagate(d dangling) {
	for i := len(b.ctx) - 1; i >= 0; i-- {
		if c := b.ctx[i]; c.kind == tryContext || c.kind == cleanupContext {
			c.excs = append(c.excs, d)
			return
		}
	}
	saved := b.pend
	b.pend = []dangling{d}
	b.connect(FailNode)
	b.pend = saved
}

func (b *builder) push(c *context) {
	c.frame, c.stmt, c.locks = b.frame, b.stmt, b.locks
	b.ctx = append(b.ctx, c)
}

func (b *builder) pop() { b.ctx = b.ctx[:len(b.ctx)-1] }

// jump leaves constructs up to the innermost one of the given kind in the current
// call, running their cleanups, and returns that one; nil when there is none. Around
// the body of a with statement are also those of the generator that manages it, which
// runs to its end before the jump goes on.
func (b *builder) jump(kind contextKind) *context {
	saved, frame := b.ctx, b.frame
	defer func() { b.ctx = saved }()
	var ended []outcome
	for i := len(saved) - 1; i >= 0; i-- {
		c := saved[i]
		b.ctx = saved[:i:i] // a cleanup pushes its own
		switch {
		case c.kind == cleanupContext:
			b.aside(c)
		case c.frame != frame && c.kind == resumeContext:
			ended = append(ended, b.resume(c)...)
		case c.frame != frame && c.kind == callContext:
			b.meet(ended)
			ended = nil
		}
		if c.frame != frame {
			continue
		}
		if c.kind == kind {
			return c
		}
		if c.kind == callContext {
			return nil
		}
	}
	return nil
}

// aside runs the cleanup of a construct on the way of a jump. What it assigns in a
// call that the jump does not leave is gone for the other ways.
func (b *builder) aside(c *context) {
	if c.frame == b.frame {
		c.cleanup()
		return
	}
	frame, stmt, env := b.frame, b.stmt, c.frame.env
	c.frame.shared = true
	b.frame, b.stmt = c.frame, c.stmt
	c.cleanup()
	c.frame.env, c.frame.shared = env, true
	b.frame, b.stmt = frame, stmt
}

// resume runs what a generator does after a statement, and returns where it ends
// before that is over. A loop around the statement ends.
func (b *builder) resume(c *context) []outcome {
	call, loop := &context{kind: callContext}, &context{kind: loopContext, head: -1}
	rest := *c
	rest.cleanup = func() {
		b.push(call)
		b.push(loop)
		c.cleanup()
		b.pop()
		b.pop()
		for _, s := range loop.breaks {
			b.meet([]outcome{{pend: s.pend, locks: s.locks}})
		}
	}
	b.aside(&rest)
	return call.returns
}

// meet makes the current place the meeting point with ways out of a generator.
func (b *builder) meet(outs []outcome) {
	for _, o := range outs {
		if b.dead() {
			b.locks = o.locks
		}
		b.pend = append(b.pend[:len(b.pend):len(b.pend)], o.pend...)
		b.locks = commonLocks(b.locks, o.locks)
	}
}

// save returns the current place. Most branches set no variable, so it shares
// those of the current frame until one is set.
func (b *builder) save() state {
	b.frame.shared = true
	return state{pend: b.pend, env: b.frame.env, locks: b.locks}
}

// restore makes s the current place.
func (b *builder) restore(s state) {
	b.pend, b.frame.env, b.locks = s.pend, s.env, s.locks
	b.frame.shared = true
}

// own returns the variables of a frame to be changed.
func (f *Frame) own() map[string]*Value {
	if f.shared {
		f.env, f.shared = maps.Clone(f.env), false
	}
	return f.env
}

// join makes the current place the meeting point of several. A variable whose
// values differ becomes a Phi; each way moves its value into it.
func (b *builder) join(states ...state) {
	live := states[:0:0]
	for _, s := range states {
		if len(s.pend) > 0 {
			live = append(live, s)
		}
	}
	if len(live) == 0 {
		if len(states) > 0 {
			b.restore(states[0])
		}
		b.pend = nil
		return
	}
	if len(live) == 1 {
		b.restore(live[0])
		return
	}
	env := live[0].env
	if differ := differing(live); len(differ) > 0 {
		env = maps.Clone(env)
		for _, name := range differ {
			env[name] = b.joinVar(name, live)
		}
	}
	out := state{env: env, locks: live[0].locks}
	for _, s := range live {
		out.pend = append(out.pend, s.pend...)
		out.locks = commonLocks(out.locks, s.locks)
	}
	b.restore(out)
}

// differing returns the variables to which some place gives another value than
// the first one, sorted.
func differing(live []state) []string {
	var names []string
	first := live[0].env
	for _, s := range live[1:] {
		if reflect.ValueOf(s.env).UnsafePointer() == reflect.ValueOf(first).UnsafePointer() {
			continue
		}
		for name, v := range s.env {
			if first[name] != v && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

func (b *builder) joinVar(name string, live []state) *Value {
	var vals []*Value
	same := true
	for _, s := range live {
		v := s.env[name]
		if v == nil {
			continue
		}
		same = same && (len(vals) == 0 || vals[0] == v)
		vals = append(vals, v)
	}
	if same {
		return vals[0]
	}
	phi := b.phi(name, vals)
	for i := range live {
		if v := live[i].env[name]; v != nil {
			b.move(&live[i], phi, v)
		}
	}
	return phi
}

// move appends "phi takes v" to a place, if v matters to a branch.
func (b *builder) move(s *state, phi, v *Value) {
	switch v.Kind {
	case Const, Result, Phi, View:
	default:
		return
	}
	saved, locks := b.pend, b.locks
	b.pend, b.locks = s.pend, s.locks
	b.emit(Node{Op: Move, Val: v, Res: phi}, b.stmt)
	s.pend = b.pend
	b.pend, b.locks = saved, locks
}

func (b *builder) phi(name string, vals []*Value) *Value {
	v := b.newValue(Phi, unknownOr(vals), name)
	seen := map[*Value]bool{}
	for _, x := range vals {
		if !seen[x] {
			seen[x] = true
			v.Args = append(v.Args, x)
		}
	}
	return v
}

// unknownOr returns the first known type among the values.
func unknownOr(vals []*Value) *program.Type {
	for _, v := range vals {
		if v.Type != nil && v.Type.Kind != program.Unknown && v.Type.Kind != program.None {
			return v.Type
		}
	}
	return program.UnknownType()
}

func commonLocks(a, c []*Value) []*Value {
	n := 0
	for n < len(a) && n < len(c) && a[n] == c[n] {
		n++
	}
	return a[:n:n]
}

// newValue returns a value that equals nothing else.
func (b *builder) newValue(kind ValueKind, t *program.Type, name string) *Value {
	b.fresh++
	if t == nil {
		t = program.UnknownType()
	}
	return &Value{Kind: kind, Type: t, Name: name, id: b.p.number(b.fresh)}
}

func (b *builder) opaque(t *program.Type, name string) *Value { return b.newValue(Opaque, t, name) }

// result returns the register of a new step.
func (b *builder) result(t *program.Type, name string) *Value { return b.newValue(Result, t, name) }

// intern returns the one value of the graph with the identity of v.
func (b *builder) intern(v *Value) *Value {
	if have := b.interned[v.id]; have != nil {
		return have
	}
	if v.Type == nil {
		v.Type = program.UnknownType()
	}
	b.interned[v.id] = v
	return v
}

// known returns the value whose identity b.id spells, or nil. Most values are
// asked for again and again, and most of the time spent on them was that of
// the allocator.
func (b *builder) known() *Value { return b.interned[string(b.id)] }

// named is known for the identity that some words make up.
func (b *builder) named(words ...string) *Value {
	b.id = b.id[:0]
	for _, w := range words {
		b.id = append(b.id, w...)
	}
	return b.known()
}

// coin makes a value the one whose identity b.id spells, which is not known yet.
func (b *builder) coin(v *Value) *Value {
	if v.Type == nil {
		v.Type = program.UnknownType()
	}
	v.id = string(b.id)
	b.interned[v.id] = v
	return v
}

func (b *builder) attribute(base *Value, name string, t *program.Type) *Value {
	b.id = append(append(append(b.id[:0], base.id...), '.'), name...)
	if v := b.known(); v != nil {
		return v
	}
	return b.coin(&Value{Kind: Attribute, Base: base, Name: name, Type: t})
}

func (b *builder) derived(name string, t *program.Type, args ...*Value) *Value {
	b.id = append(append(b.id[:0], name...), '(')
	for _, a := range args {
		b.id = append(append(b.id, a.id...), ',')
	}
	b.id = append(b.id, ')')
	if v := b.known(); v != nil {
		return v
	}
	return b.coin(&Value{Kind: Derived, Name: name, Args: args, Type: t})
}

// container returns the container at l of an object of class c.
func (b *builder) container(l *Location, c *program.Class, path []*Value) *Value {
	b.uses(l, nil)
	return b.containerAt(l, c, path)
}

// containerOf returns the container that an object keeps in an attribute.
func (b *builder) containerOf(base *Value, l *Location, c *program.Class, path []*Value) *Value {
	b.uses(l, base)
	return b.containerAt(l, c, path)
}

func (b *builder) containerAt(l *Location, c *program.Class, path []*Value) *Value {
	b.id = append(append(b.id[:0], '@'), l.ID...)
	for _, k := range path {
		b.id = append(append(append(b.id, '['), k.id...), ']')
	}
	if v := b.known(); v != nil {
		return v
	}
	v := &Value{Kind: Container, Loc: l, Cls: c, Type: l.Type}
	if len(path) > 0 {
		v.extra = &extra{path: path}
	}
	return b.coin(v)
}

// finish closes the graph.
func (b *builder) finish() *Graph {
	b.connect(ExitNode)
	nodes := slices.Clone(b.nodes)
	clear(b.nodes)
	b.p.scratch = b.nodes
	b.g.Nodes = nodes
	into := make([]int32, len(nodes)) // edges that lead to each step
	edges := 0
	for i := range nodes {
		edges += len(nodes[i].Succ)
		for _, e := range nodes[i].Succ {
			into[e.To]++
		}
	}
	all := make([]int32, edges)
	for i, n := range into {
		if n > 0 {
			nodes[i].Pred, all = all[:0:n], all[n:]
		}
	}
	for i := range nodes {
		for _, e := range nodes[i].Succ {
			nodes[e.To].Pred = append(nodes[e.To].Pred, int32(i))
		}
	}
	return b.g
}
