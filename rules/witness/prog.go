package witness

import (
	"slices"
	"sort"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
)

// prog is a graph prepared for execution.
type prog struct {
	entry  *flow.Entry
	nodes  []inst
	hook   int  // index among the hooks, -1
	polls  bool // what it returns is the status
	onLoop bool
	marks  []placed
	depth  []uint16 // by step: how far it is from the start; nil until that is asked

	regs    int            // registers
	regOf   map[string]int // by value ID; only registers that decide something
	heads   int            // loops
	headOf  map[int32]int
	elemOf  map[string]int // loop element to loop
	snaps   int            // containers of which the thread holds a copy
	snapOf  map[string]int
	live    []cellSet // cells that are read after each step is reached, by node
	foreign map[string]bool
	keys    map[string]bool // IDs of the values that are the key, by which the entrypoint finds tracked state
	firm    map[string]bool // IDs of the values that are remembered, see firm.go
	// outcomes are, by firm value, the registers for the outcomes of its tests.
	outcomes map[string][]int
	vague    map[string]bool // registers of which nothing is ever known but by tests
	fades    []int           // their numbers
}

// inst is a step prepared for execution.
type inst struct {
	op   flow.Op
	mode flow.Mode
	node *flow.Node

	slot  int  // tracked location, or -1
	never bool // the access is to another key
	heads []int
	// another says that the access is to another key than the loop among heads has taken.
	another bool
	regs    []int // registers that may say that the access is to another key
	res     int   // register, or -1
	val     expr
	def     expr
	want    expr
	read    expr // what an update rests on
	test    flow.Test
	lock    int   // -1
	cond    int   // stable condition, or -1
	firm    int   // register for the outcome of the branch, or -1
	renews  []int // registers of what is known of values that hold something else now
	named   bool  // the branch tests what is the key of the request
	head    int   // loop of a LoopHead, Iter or Next, or -1
	snap    int   // copy that an Iter or Rebind makes, or a loop walks over, or -1
	others  bool  // another element than that of the key matters to the loop
	early   bool  // the loop over a copy can end before it has come to the key
	held    uint64
	target  *flow.Entry // of Spawn and Join
	from    int         // of PutAll: the slot of the container whose entries it adds, or -1
	same    bool        // of PutAll: it stores val for each of these
	// fill tells whether a new container has the key: of a Call that puts something into
	// it, and of the Rebind that stores it. Else it is -1.
	fill int
	// over are jobs and tasks that do not run any more past the step, overAtExit those
	// past the way out of the loop only.
	over, overAtExit []handedOut

	next, yes, no []int32
	caught        []int32 // exceptions that a handler catches
	uncaught      []int32 // exceptions that leave the entrypoint
	doomed        bool    // every way from here leaves by an exception
	awaited       bool    // doomed, and one way passes a step whose exception is looked for

	rest    restKind
	visible bool  // a scheduling point unless its location is atomic
	skip    bool  // does not matter
	way     int32 // where a step that does not matter leads, -1 to nothing that does
	soft    bool
	ends    []int32 // of a soft step, see prog.findEnds
	merge   bool    // several ways lead here
	marked  bool
	faulty  bool // raises, though nothing may handle it
	handed  bool // of a LoopHead: each element is a message from outside
}

// restKind tells where a loop of a thread begins anew.
type restKind uint8

const (
	noRest   restKind = iota
	messages          // each pass takes a message from outside
)

func (in *inst) writes() bool {
	switch in.op {
	case flow.Put, flow.Del, flow.Clear, flow.Rebind, flow.PutAll, flow.DelAll, flow.SetFlag, flow.Enqueue, flow.Dequeue:
		return true
	case flow.Read:
		return in.mode&flow.Upsert != 0
	}
	return false
}

// expr is a value as a step computes it.
type expr struct {
	kind exprKind
	c    code
	reg  int
	args []expr
}

type exprKind uint8

const (
	exprCode exprKind = iota
	exprReg
	exprMax
	exprMin
	exprAdd
	exprSub
	exprNot
)

// register returns the identity of the register that a value is.
func register(v *flow.Value) string {
	for v.Kind == flow.Phi && v.Base != nil {
		v = v.Base
	}
	return v.ID()
}

// registers calls f for each register within a value.
func registers(v *flow.Value, f func(id string)) {
	v.Walk(func(x *flow.Value) {
		if x.Register() {
			f(register(x))
		}
	})
}

func (m *model) compileProg(a Actor) *prog {
	g := a.Entry.Graph
	pr := &prog{
		entry: a.Entry, hook: -1, polls: a.Hook == PollHook && a.Entry.Role == flow.Caller, onLoop: a.onLoop(),
		nodes: make([]inst, len(g.Nodes)), regOf: map[string]int{}, headOf: map[int32]int{},
		elemOf: map[string]int{}, snapOf: map[string]int{}, foreign: map[string]bool{},
	}
	pr.firm = m.p.firm[a.Entry]
	pr.findLoops(m, g)
	pr.findKeys(m, g)
	pr.findRegisters(m, g)
	pr.findOutcomes(g)
	for i := range g.Nodes {
		m.compileNode(pr, int32(i), &g.Nodes[i])
	}
	m.compileBarriers(pr, g)
	pr.findDoomed()
	pr.splitExceptions(g)
	pr.findMessages(m, g)
	takes := m.takings(a.Entry)
	pr.dropLoops(takes)
	pr.findOthers(takes)
	pr.findLive()
	pr.findWays()
	return pr
}

// findLoops numbers the loops and the elements that they take, and the
// containers of which the graph makes copies.
func (pr *prog) findLoops(m *model, g *flow.Graph) {
	for i := range g.Nodes {
		n := &g.Nodes[i]
		isLoop := n.Op == flow.Next || n.Op == flow.LoopHead && n.Val != nil
		if isLoop {
			h := pr.heads
			pr.heads++
			pr.headOf[int32(i)] = h
			n.Val.Walk(func(x *flow.Value) {
				if x.Kind == flow.Element {
					pr.elemOf[x.ID()] = h
				}
			})
		}
		if n.Loc != nil && (n.Op == flow.Iter || n.Op == flow.Rebind) {
			if _, tracked := m.slotOf[n.Loc]; tracked {
				pr.snapshot(n.Loc)
				if n.Op == flow.Rebind && n.Val != nil && n.Val.Kind == flow.Object && slices.ContainsFunc(g.Nodes, func(c flow.Node) bool { return fills(&c, n.Val) }) {
					pr.copy(newContainer(n.Val))
				}
			}
		}
	}
}

func (pr *prog) snapshot(l *flow.Location) int { return pr.copy(l.ID) }

// copy returns the cell that tells what is in a copy, or in a new container.
func (pr *prog) copy(id string) int {
	s, ok := pr.snapOf[id]
	if !ok {
		s = pr.snaps
		pr.snaps++
		pr.snapOf[id] = s
	}
	return s
}

func newContainer(v *flow.Value) string { return "new " + v.ID() }

// compileFill finds the new container that a step stores, or puts something into, and
// the loop whose element that is.
func (m *model) compileFill(pr *prog, i int32, in *inst) {
	n := in.node
	switch {
	case n.Op == flow.Rebind && in.slot >= 0 && n.Val != nil && n.Val.Kind == flow.Object:
		if c, ok := pr.snapOf[newContainer(n.Val)]; ok {
			in.fill = c
		}
	case n.Op == flow.Call && n.Recv != nil && fills(n, n.Recv):
		c, ok := pr.snapOf[newContainer(n.Recv)]
		if !ok {
			return
		}
		in.fill = c
		for _, h := range pr.entry.Graph.LoopsAround(i) {
			if loop, ok := pr.headOf[h]; ok {
				in.heads = append(in.heads, loop)
			}
		}
	}
}

// fills reports whether a step puts something into a new container.
func fills(n *flow.Node, v *flow.Value) bool {
	if n.Op != flow.Call || n.Recv != v || v.Kind != flow.Object || len(n.Pred) == 0 {
		return false
	}
	switch n.Name {
	case "append", "appendleft", "add", "extend", "insert", "update":
		return true
	}
	return false
}

// findKeys collects the parameters and attributes that are the key of the request:
// what the entrypoint looks tracked state up with.
func (pr *prog) findKeys(m *model, g *flow.Graph) {
	pr.keys = map[string]bool{}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if _, tracked := m.slotOf[n.Loc]; tracked && n.Key != nil && (n.Key.Kind == flow.Attribute || n.Key.Kind == flow.Param) {
			pr.keys[n.Key.ID()] = true
		}
	}
}

// findRegisters numbers the registers that can decide a branch, a value that
// is stored, or which key an access has.
func (pr *prog) findRegisters(m *model, g *flow.Graph) {
	pr.findForeign(m, g)
	need := map[string]bool{}
	add := func(v *flow.Value) { registers(v, func(id string) { need[id] = true }) }
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if !m.part.has(pr.entry, int32(i)) {
			continue
		}
		_, tracked := m.slotOf[n.Loc]
		switch n.Op {
		case flow.Branch:
			if n.Test != flow.TestUnknown {
				add(n.Val)
				add(n.Want)
			}
		case flow.Put, flow.SetFlag, flow.Enqueue:
			if tracked {
				add(n.Val)
			}
			if tracked && n.Mode&flow.Update != 0 && i > 0 && g.Nodes[i-1].Res != nil {
				add(g.Nodes[i-1].Res)
			}
		case flow.Return:
			if pr.polls {
				add(n.Val)
			}
		}
	}
	for id := range pr.foreign {
		need[id] = true
	}
	for changed := true; changed; {
		changed = false
		for i := range g.Nodes {
			n := &g.Nodes[i]
			if n.Res == nil || !need[register(n.Res)] {
				continue
			}
			before := len(need)
			if n.Op == flow.Move {
				add(n.Val)
			}
			add(n.Def)
			if n.Op == flow.Put {
				add(n.Val) // setdefault
			}
			changed = changed || len(need) > before
		}
	}
	pr.dropUnknown(m, g, need)
	pr.addFirm(m, g, need)
	ids := make([]string, 0, len(need))
	for id := range need {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	for _, id := range ids {
		if pr.vague[id] {
			pr.fades = append(pr.fades, pr.regs)
		}
		pr.regOf[id] = pr.regs
		pr.regs++
	}
}

// dropUnknown removes the registers of which nothing is ever known and that one
// branch alone tests: that branch is a choice. Those that several test are
// vague: what one test has shown of them is remembered up to the next scheduling
// point.
func (pr *prog) dropUnknown(m *model, g *flow.Graph, need map[string]bool) {
	known := pr.findKnown(m, g)
	uses := map[string]int{}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if !m.part.has(pr.entry, int32(i)) || n.Op == flow.Branch && n.Test == flow.TestUnknown {
			continue
		}
		count := func(id string) { uses[id]++ }
		registers(n.Val, count)
		registers(n.Want, count)
		registers(n.Def, count)
	}
	pr.vague = map[string]bool{}
	for id := range need {
		switch {
		case known[id], pr.firm[id]:
		case uses[id] < 2:
			delete(need, id)
		default:
			pr.vague[id] = true
		}
	}
}

// findKnown finds the registers of which more can be known than a test shows:
// they hold a constant or what tracked state held, or their value is stored.
func (pr *prog) findKnown(m *model, g *flow.Graph) map[string]bool {
	known := map[string]bool{}
	for id := range pr.foreign {
		known[id] = true
	}
	note := func(id string) { known[id] = true }
	for changed := true; changed; {
		before := len(known)
		for i := range g.Nodes {
			n := &g.Nodes[i]
			if !m.part.has(pr.entry, int32(i)) {
				continue
			}
			_, tracked := m.slotOf[n.Loc]
			switch {
			case n.Op == flow.Move:
				if n.Val.Kind == flow.Const || known[register(n.Val)] {
					note(register(n.Res))
				}
			case n.Res != nil && tracked:
				note(register(n.Res))
			}
			if n.Op != flow.Move && n.Op != flow.Branch {
				registers(n.Val, note)
				registers(n.Def, note)
			}
		}
		changed = len(known) > before
	}
	return known
}

// findForeign finds the registers that may hold something of another key: what
// is taken from a container that chooses the element.
func (pr *prog) findForeign(m *model, g *flow.Graph) {
	for changed := true; changed; {
		changed = false
		for i := range g.Nodes {
			n := &g.Nodes[i]
			if n.Res == nil || pr.foreign[n.Res.ID()] {
				continue
			}
			_, tracked := m.slotOf[n.Loc]
			hit := n.Op == flow.Del && n.Mode&flow.AnyKey != 0 && tracked
			if n.Op == flow.Move {
				registers(n.Val, func(id string) { hit = hit || pr.foreign[id] })
			}
			if hit {
				pr.foreign[register(n.Res)] = true
				changed = true
			}
		}
	}
}

func (m *model) compileNode(pr *prog, i int32, n *flow.Node) {
	in := &pr.nodes[i]
	*in = inst{op: n.Op, mode: n.Mode, node: n, slot: -1, res: -1, lock: -1, cond: -1, firm: -1, head: -1, snap: -1, from: -1, fill: -1, test: n.Test, target: n.Entry}
	in.skip = i > flow.FailNode && !m.part.has(pr.entry, i)
	if s, ok := m.slotOf[n.Loc]; ok && !in.skip {
		in.slot = s
	}
	if n.Op == flow.PutAll && in.slot >= 0 && n.Val != nil && n.Val.Kind == flow.Container && n.Val.Loc.Outer == nil {
		if s, ok := m.slotOf[n.Val.Loc]; ok && m.slots[s].kind != queue {
			in.from = s
		}
	}
	if n.Res != nil {
		if r, ok := pr.regOf[register(n.Res)]; ok {
			in.res = r
		}
	}
	if !in.skip {
		m.compileFill(pr, i, in)
	}
	m.compileKey(pr, in)
	m.compileValues(pr, i, in)
	pr.compileFirm(i, in)
	if n.Op == flow.Acquire || n.Op == flow.Release || n.Op == flow.Wait {
		in.lock = m.lockIndex(n.Lock)
	}
	for _, l := range n.Locks {
		if k := m.lockIndex(l); k >= 0 && k < loopLock {
			in.held |= 1 << k
		}
	}
	if pr.onLoop {
		in.held |= 1 << loopLock
	}
	if n.Op == flow.Branch {
		in.named = n.Val != nil && pr.keys[n.Val.ID()]
		if cond, ok := stableCondOf(pr.entry, n); ok {
			if c, have := m.conds[cond]; have {
				in.cond = c
			}
		}
	}
	m.compileLoop(pr, i, in)
	in.visible = in.isVisible(pr)
}

// handedOut is an entrypoint whose jobs or tasks are over past a step: those that calls with
// these numbers hand out, or all of them.
type handedOut struct {
	entry *flow.Entry
	sites []byte
}

// compileBarriers finds the steps past which the jobs or tasks of other entrypoints
// are over. Those that one call hands out at several times are not told apart.
func (m *model) compileBarriers(pr *prog, g *flow.Graph) {
	for _, a := range m.p.Actors {
		if a.Entry == pr.entry {
			continue // nobody waits for its own end
		}
		for i := range a.Entry.Spawns {
			for _, w := range g.WaitsFor(&a.Entry.Spawns[i]) {
				if w.Kept != nil && slices.Contains(m.p.Forgotten, w.Kept) {
					continue
				}
				in := &pr.nodes[w.At]
				if w.Exit {
					in.overAtExit = m.waits(in.overAtExit, a.Entry, i)
				} else {
					in.over = m.waits(in.over, a.Entry, i)
				}
				in.visible = in.isVisible(pr)
			}
		}
	}
}

// waits adds what one of the calls hands out that start an entrypoint.
func (m *model) waits(over []handedOut, e *flow.Entry, call int) []handedOut {
	i := slices.IndexFunc(over, func(a handedOut) bool { return a.entry == e })
	if i < 0 {
		i = len(over)
		over = append(over, handedOut{entry: e})
	}
	if !slices.Contains(over[i].sites, byte(call+1)) {
		over[i].sites = append(over[i].sites, byte(call+1))
	}
	return over
}

// site returns the number of the call that starts an entrypoint, from 1.
func site(n *flow.Node) byte {
	for i := range n.Entry.Spawns {
		if n.Entry.Spawns[i].Src == n.Src {
			return byte(i + 1)
		}
	}
	return 0
}

// awaits reports whether an entrypoint is among those whose jobs or tasks are over past a
// step.
func (in *inst) awaits(e *flow.Entry) bool {
	is := func(a handedOut) bool { return a.entry == e }
	return slices.ContainsFunc(in.over, is) || slices.ContainsFunc(in.overAtExit, is)
}

// isVisible reports whether other threads may notice the step, or the step may
// have to wait for them. Releasing a lock and starting a thread only make more
// possible, so they belong to the step before them.
func (in *inst) isVisible(pr *prog) bool {
	if in.skip {
		return false
	}
	if len(in.over)+len(in.overAtExit) > 0 {
		return true
	}
	switch in.op {
	case flow.Acquire:
		return in.lock >= 0
	case flow.Wait:
		return in.lock >= 0
	case flow.Join:
		return in.target != nil
	case flow.Await:
		return pr.onLoop
	case flow.Nop, flow.Start, flow.Exit, flow.Fail, flow.Release, flow.Spawn, flow.TaskDone:
		return false
	}
	return in.slot >= 0 && !in.never && in.mode&flow.Initial == 0
}

// compileKey finds out what decides whether an access is to the key.
func (m *model) compileKey(pr *prog, in *inst) {
	n := in.node
	if n.Key != nil && n.Key.Kind == flow.Const || m.p.OtherKey != nil && m.p.OtherKey(pr.entry, n) {
		in.never = true
		return
	}
	depend := func(v *flow.Value) {
		v.Walk(func(x *flow.Value) {
			if h, ok := pr.elemOf[x.ID()]; ok && x.Kind == flow.Element {
				in.heads = append(in.heads, h)
			}
			if x.Register() && pr.foreign[register(x)] {
				in.regs = append(in.regs, pr.regOf[register(x)])
			}
		})
	}
	depend(n.Key)
	in.another = NamesAnother(n) && len(in.heads) == 1 && len(in.regs) == 0
	for _, k := range n.Path {
		depend(k)
	}
	if n.Op == flow.Enqueue {
		depend(n.Val)
	}
}

func (m *model) compileValues(pr *prog, i int32, in *inst) {
	n := in.node
	in.val, in.def, in.want = m.expr(pr, n.Val), m.expr(pr, n.Def), m.expr(pr, n.Want)
	if keys, value, ok := pr.entry.Graph.FromKeys(i); ok && in.slot >= 0 {
		if s, tracked := m.slotOf[keys]; tracked {
			in.from, in.same, in.val = s, true, m.expr(pr, value)
		}
	}
	if n.Mode&flow.Update == 0 {
		return
	}
	switch n.Op {
	case flow.Put:
		in.val = m.updated(pr, i, n)
		if i > 0 {
			in.read = m.expr(pr, pr.nodes[i-1].node.Res)
		}
	case flow.SetFlag:
		if n.Val.Kind == flow.Derived {
			in.read = m.expr(pr, n.Val.Args[0])
		}
	}
}

// updated returns the value that d[k] += v stores.
func (m *model) updated(pr *prog, i int32, n *flow.Node) expr {
	var before *flow.Value
	if i > 0 {
		before = pr.nodes[i-1].node.Res
	}
	if n.Mode&flow.Counting == 0 || before == nil {
		return expr{c: notNone}
	}
	kind := exprAdd
	if n.Mode&flow.Down != 0 {
		kind = exprSub
	}
	return expr{kind: kind, args: []expr{m.expr(pr, before), m.expr(pr, n.Val)}}
}

// arithmeticOf are the derivations whose value is known when their operands
// are.
var arithmeticOf = map[string]exprKind{
	"max": exprMax, "min": exprMin, ast.Add.String(): exprAdd, ast.Sub.String(): exprSub,
}

func (m *model) expr(pr *prog, v *flow.Value) expr {
	if v == nil {
		return expr{c: none}
	}
	if r, ok := pr.regOf[v.ID()]; ok && !v.Register() {
		return expr{kind: exprReg, reg: r}
	}
	switch v.Kind {
	case flow.Const:
		return expr{c: m.consts.of(v)}
	case flow.Result, flow.Phi:
		if r, ok := pr.regOf[register(v)]; ok {
			return expr{kind: exprReg, reg: r}
		}
		return expr{c: anything}
	case flow.Derived:
		kind, ok := arithmeticOf[v.Name]
		if ok && len(v.Args) == 2 {
			return expr{kind: kind, args: []expr{m.expr(pr, v.Args[0]), m.expr(pr, v.Args[1])}}
		}
		switch {
		case v.Name == "tuple":
			return expr{c: notNone}
		case v.Name == ast.Not.String() && len(v.Args) == 1:
			return expr{kind: exprNot, args: []expr{m.expr(pr, v.Args[0])}}
		}
		return expr{c: anything}
	case flow.Object:
		if v.Type.Kind == program.Instance {
			return expr{c: truthy}
		}
		return expr{c: notNone}
	case flow.Container, flow.Function, flow.Class, flow.Module, flow.ThreadObj, flow.View:
		return expr{c: notNone}
	}
	return expr{c: anything}
}

func (m *model) compileLoop(pr *prog, i int32, in *inst) {
	n := in.node
	switch n.Op {
	case flow.Next, flow.LoopHead:
		if h, ok := pr.headOf[i]; ok {
			in.head = h
		}
		if n.Op == flow.Next && in.slot >= 0 {
			in.snap = pr.snapshot(n.Loc)
		}
		if n.Op == flow.LoopHead {
			n.Val.Walk(func(x *flow.Value) {
				if x.Kind != flow.Element || x.Base == nil || x.Base.Loc == nil {
					return
				}
				if s, ok := pr.snapOf[x.Base.Loc.ID]; ok {
					in.snap = s
				}
			})
		}
	case flow.Iter:
		if in.slot >= 0 {
			in.snap = pr.snapshot(n.Loc)
		}
		for _, e := range n.Succ {
			if h, ok := pr.headOf[e.To]; ok {
				in.head = h
			}
		}
	case flow.Rebind:
		if in.slot >= 0 {
			in.snap = pr.snapshot(n.Loc)
		}
	}
}

// findDoomed finds the steps from which every way leaves by an exception.
func (pr *prog) findDoomed() {
	pr.nodes[flow.FailNode].doomed = true
	for changed := true; changed; {
		changed = false
		for i := len(pr.nodes) - 1; i >= 0; i-- {
			in := &pr.nodes[i]
			if in.doomed || len(in.node.Succ) == 0 {
				continue
			}
			all := true
			for _, e := range in.node.Succ {
				all = all && pr.nodes[e.To].doomed
			}
			if all {
				in.doomed, changed = true, true
			}
		}
	}
}

func (pr *prog) splitExceptions(g *flow.Graph) {
	for i := range pr.nodes {
		in := &pr.nodes[i]
		for _, e := range g.Nodes[i].Succ {
			switch e.Kind {
			case flow.Normal:
				in.next = append(in.next, e.To)
			case flow.True:
				in.yes = append(in.yes, e.To)
			case flow.False:
				in.no = append(in.no, e.To)
			case flow.Exc:
				if pr.nodes[e.To].doomed {
					in.uncaught = append(in.uncaught, e.To)
				} else {
					in.caught = append(in.caught, e.To)
				}
			}
		}
	}
}

// findMessages finds the outermost loops of a thread that take something from
// outside before they touch tracked state.
func (pr *prog) findMessages(m *model, g *flow.Graph) {
	if r := pr.entry.Role; r == flow.Caller || r == flow.Init {
		if pr.polls {
			pr.findHanded(g)
		}
		return
	}
	used := pr.usedResults(g)
	for i := range pr.nodes {
		in := &pr.nodes[i]
		if in.op == flow.LoopHead && in.head < 0 && !in.skip && pr.takesMessage(int32(i), used) {
			in.rest = messages
			in.visible = true
		}
	}
}

// findHanded finds the loops of a poll over what a call outside has returned: the
// messages that have come since the last one.
func (pr *prog) findHanded(g *flow.Graph) {
	for i := range pr.nodes {
		in := &pr.nodes[i]
		if in.op != flow.LoopHead || in.skip || in.node.Val == nil {
			continue
		}
		in.node.Val.Walk(func(x *flow.Value) {
			if x.Kind != flow.Element || x.Base == nil {
				return
			}
			at := g.Producer(x.Base)
			in.handed = at >= 0 && g.Nodes[at].Op == flow.Call
		})
	}
}

// usedResults returns the registers within any value of the graph.
func (pr *prog) usedResults(g *flow.Graph) map[string]bool {
	used := map[string]bool{}
	add := func(v *flow.Value) { registers(v, func(id string) { used[id] = true }) }
	for i := range g.Nodes {
		n := &g.Nodes[i]
		add(n.Val)
		add(n.Key)
		add(n.Want)
		for _, k := range n.Path {
			add(k)
		}
	}
	return used
}

// takesMessage reports whether the first thing of note after a loop head is to
// wait for something outside.
func (pr *prog) takesMessage(head int32, used map[string]bool) bool {
	seen := map[int32]bool{head: true}
	work := append([]int32(nil), pr.follow(head)...)
	takes := false
	for len(work) > 0 {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[i] {
			continue
		}
		seen[i] = true
		in := &pr.nodes[i]
		switch {
		case in.op == flow.Sleep, in.op == flow.Wait && in.mode&flow.Timeout != 0, in.op == flow.Dequeue && in.slot >= 0:
			return false
		case in.node.Loc != nil && in.op != flow.Dequeue || in.op == flow.LoopHead:
			continue
		case in.op == flow.Call && in.node.Res != nil && used[in.node.Res.ID()], in.op == flow.Wait, in.op == flow.Dequeue:
			takes = true
			continue
		case in.op == flow.Await:
			takes = true
			continue
		}
		work = append(work, pr.follow(i)...)
	}
	return takes
}

// follow returns the successors of a step without its exceptions.
func (pr *prog) follow(i int32) []int32 {
	var out []int32
	for _, e := range pr.nodes[i].node.Succ {
		if e.Kind != flow.Exc {
			out = append(out, e.To)
		}
	}
	return out
}

// takings returns the heads of loops of an entrypoint of which the path says that they take
// the element of the key or of another one, and whether it is another one.
func (m *model) takings(e *flow.Entry) map[int32]bool {
	var out map[int32]bool
	for _, marks := range append(m.p.Path[:len(m.p.Path):len(m.p.Path)], m.p.Undo) {
		for _, k := range marks {
			if k.Entry != e || k.Takes != KeyElement && k.Takes != OtherElement {
				continue
			}
			if out == nil {
				out = map[int32]bool{}
			}
			out[k.Node] = out[k.Node] || k.Takes == OtherElement
		}
	}
	return out
}

// dropLoops forgets the elements of loops on which neither an access nor the path
// depends, and that do not walk over a tracked container: such a loop goes on or ends,
// as it likes.
func (pr *prog) dropLoops(takes map[int32]bool) {
	used := map[int]bool{}
	for head := range takes {
		if h := pr.nodes[head].head; h >= 0 {
			used[h] = true
		}
	}
	for i := range pr.nodes {
		in := &pr.nodes[i]
		if in.slot >= 0 && !in.never {
			for _, h := range in.heads {
				used[h] = true
			}
			if in.op == flow.Next {
				used[in.head] = true
			}
		}
	}
	for i := range pr.nodes {
		in := &pr.nodes[i]
		if in.head >= 0 && !used[in.head] {
			in.head = -1
		}
	}
}

// findOthers finds the loops of which an iteration for another key matters:
// one that iterates over a tracked container, which may change meanwhile, or
// does something to the key, or starts a thread, in each iteration, or of which the
// path says so. One over a copy
// that ends before it has come to the key leaves that behind.
func (pr *prog) findOthers(takes map[int32]bool) {
	for head, h := range pr.headOf {
		in := &pr.nodes[head]
		in.others = in.op == flow.Next && in.slot >= 0 || takes[head]
		last := head
		for _, p := range in.node.Pred {
			last = max(last, p)
		}
		for i := head + 1; i <= last; i++ {
			x := &pr.nodes[i]
			if x.slot >= 0 && !x.never && !slices.Contains(x.heads, h) || x.op == flow.Spawn && x.target != nil {
				in.others = true
			}
			for _, e := range x.node.Succ {
				if in.snap >= 0 && in.op == flow.LoopHead && e.To != flow.FailNode && e.To != flow.ExitNode && (e.To < head || e.To > last) && !x.skip {
					in.others, in.early = true, true
				}
			}
		}
	}
}

// findLive computes what is read after each step is reached: registers, then
// the bindings of loops, then copies of containers.
func (pr *prog) findLive() {
	words := (pr.cells() + 63) / 64
	all := make(cellSet, words*len(pr.nodes))
	pr.live = make([]cellSet, len(pr.nodes))
	work := make([]int32, len(pr.nodes))
	waits := make([]bool, len(pr.nodes))
	for i := range pr.live {
		pr.live[i] = all[i*words : (i+1)*words]
		work[i], waits[i] = int32(i), true
	}
	now := make(cellSet, words)
	for len(work) > 0 {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		waits[i] = false
		pr.flowBack(i, now)
		if slices.Equal(now, pr.live[i]) {
			continue
		}
		copy(pr.live[i], now)
		for _, p := range pr.nodes[i].node.Pred {
			if !waits[p] {
				work, waits[p] = append(work, p), true
			}
		}
	}
	for head, h := range pr.headOf {
		last := head
		for _, p := range pr.nodes[head].node.Pred {
			last = max(last, p)
		}
		for i := head; i <= last; i++ {
			pr.live[i].add(pr.regs + h)
		}
	}
}

// cellSet is a set of cells.
type cellSet []uint64

func (s cellSet) has(i int) bool { return s[i/64]>>(i%64)&1 != 0 }
func (s cellSet) add(i int)      { s[i/64] |= 1 << (i % 64) }
func (s cellSet) drop(i int)     { s[i/64] &^= 1 << (i % 64) }

// cells is the size of the variable part of a thread's state.
func (pr *prog) cells() int { return pr.regs + pr.heads + pr.snaps }

// findWays finds where the steps that do not matter lead: along the shortest
// way to one that does, or to the end. A branch among them decides nothing of
// interest, so one side is as good as the other.
func (pr *prog) findWays() {
	var work []int32
	for i := range pr.nodes {
		if !pr.nodes[i].skip {
			work = append(work, int32(i))
		}
		pr.nodes[i].way = -1
	}
	for ; len(work) > 0; work = work[1:] {
		to := work[0]
		for _, p := range pr.nodes[to].node.Pred {
			in := &pr.nodes[p]
			if !in.skip || in.way >= 0 || !in.leadsTo(to) || pr.nodes[to].doomed && !in.doomed {
				continue
			}
			in.way = to
			work = append(work, p)
		}
	}
}

// leadsTo reports whether a step goes on to another when nothing unexpected
// happens.
func (in *inst) leadsTo(to int32) bool {
	if len(in.next)+len(in.yes)+len(in.no) == 0 {
		return true // it raises, whatever happens
	}
	return slices.Contains(in.next, to) || slices.Contains(in.yes, to) || slices.Contains(in.no, to)
}

// flowBack computes what is live at one step from what is live after it.
func (pr *prog) flowBack(i int32, now cellSet) {
	in := &pr.nodes[i]
	clear(now)
	for _, e := range in.node.Succ {
		for w, live := range pr.live[e.To] {
			now[w] |= live
		}
	}
	if in.res >= 0 {
		now.drop(in.res)
	}
	for _, r := range in.renews {
		now.drop(r)
	}
	if in.firm >= 0 {
		now.add(in.firm)
	}
	if in.head >= 0 && in.op != flow.Iter {
		now.drop(pr.regs + in.head)
	}
	if in.snap >= 0 {
		if at := pr.regs + pr.heads + in.snap; in.op == flow.LoopHead || in.op == flow.Next || in.mode&flow.Filter != 0 {
			now.add(at)
		} else {
			now.drop(at)
		}
	}
	if in.fill >= 0 && in.op == flow.Rebind {
		now.add(pr.regs + pr.heads + in.fill)
	}
	for _, x := range []expr{in.val, in.def, in.want, in.read} {
		x.uses(now)
	}
	for _, r := range in.regs {
		now.add(r)
	}
	for _, h := range in.heads {
		now.add(pr.regs + h)
	}
}

func (x expr) uses(now cellSet) {
	if x.kind == exprReg {
		now.add(x.reg)
	}
	for _, a := range x.args {
		a.uses(now)
	}
}
