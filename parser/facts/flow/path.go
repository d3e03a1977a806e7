package flow

import (
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A Path is a walk through a graph: the numbers of its nodes, and the edge by
// which each but the first was reached.
type Path struct {
	Nodes []int32
	Edges []Edge // Edges[i] leads from Nodes[i] to Nodes[i+1]
	// Facts is what the walk has established at its end.
	Facts Facts
}

// Facts are equalities that the branches on a walk have established: for each
// register the constant it holds, or those it does not hold. The zero value
// knows nothing. Facts are immutable.
type Facts struct {
	key   uint64 // the hashes of all facts, combined without regard to their order
	known []fact
}

type fact struct {
	reg, val string // val is the ID of a constant
	not      bool
	slot     int32 // tells how long it matters
	hash     uint64
}

func newFact(slot int32, reg, val string, not bool) fact {
	x := fact{reg: reg, val: val, not: not, slot: slot}
	x.hash = x.sum()
	return x
}

// sum returns the FNV-1a hash of a fact (Fowler, Noll and Vo, 64 bits).
func (x fact) sum() uint64 {
	h := uint64(14695981039346656037)
	mix := func(s string) {
		for i := 0; i < len(s); i++ {
			h = (h ^ uint64(s[i])) * 1099511628211
		}
		h = (h ^ 0xff) * 1099511628211
	}
	mix(x.reg)
	mix(x.val)
	if x.not {
		h = (h ^ 1) * 1099511628211
	}
	return h
}

// The IDs of the constants of the language.
const (
	NoneID  = "cNone"
	TrueID  = "cTrue"
	FalseID = "cFalse"
)

// isTrue and isNone stand for the outcomes of tests that name no constant.
const (
	isTrue = "true"
	isNone = NoneID
	passed = "passed" // of a mark

	// Of what a register is known not to be: below, or at least, a number.
	below   = "<"
	atLeast = ">="
	// Whether it is what an external name stands for. Neither tells a constant.
	same  = "is "
	other = "is not "
)

// Passed reports whether the walk has passed a node with the mark.
func (f Facts) Passed(mark string) bool {
	for _, x := range f.known {
		if x.reg == mark && x.val == passed {
			return true
		}
	}
	return false
}

// Holds reports whether v is known to equal a constant, and which: its ID.
func (f Facts) Holds(v *Value) (id string, ok bool) {
	if v.Kind == Const {
		return v.id, true
	}
	reg := register(v)
	for _, x := range f.known {
		if x.reg == reg && !x.not && x.val != isTrue {
			return x.val, true
		}
	}
	return "", false
}

// Excludes reports whether v is known not to equal the constant with the ID.
func (f Facts) Excludes(v *Value, id string) bool {
	if have, ok := f.Holds(v); ok {
		return have != id
	}
	reg := register(v)
	for _, x := range f.known {
		if x.reg == reg && (x.not && x.val == id || x.val == isTrue && !x.not && id == isNone) {
			return true
		}
	}
	return false
}

// ExcludesConst is Excludes for a constant, whose place in the order counts as well.
func (f Facts) ExcludesConst(v, c *Value) bool {
	if f.Excludes(v, c.id) {
		return true
	}
	if !c.HasInt {
		return false
	}
	reg := register(v)
	for _, x := range f.known {
		if x.reg != reg || !x.not {
			continue
		}
		if bound, ok := strings.CutPrefix(x.val, below); ok {
			if n, err := strconv.ParseInt(bound, 10, 64); err == nil && c.Int < n {
				return true
			}
		}
		if bound, ok := strings.CutPrefix(x.val, atLeast); ok {
			if n, err := strconv.ParseInt(bound, 10, 64); err == nil && c.Int >= n {
				return true
			}
		}
	}
	return false
}

// register returns the identity of the register behind a value.
func register(v *Value) string {
	for v.Kind == Phi && v.Base != nil {
		v = v.Base
	}
	return v.id
}

func (f Facts) with(x fact) Facts {
	for _, have := range f.known {
		if have == x {
			return f
		}
	}
	out := Facts{key: x.hash, known: make([]fact, 0, len(f.known)+1)}
	for _, have := range f.known {
		if have.reg != x.reg || x.not || have.val == isTrue && x.val != isTrue {
			out.known = append(out.known, have)
			out.key ^= have.hash
		}
	}
	out.known = append(out.known, x)
	return out
}

func (f Facts) without(reg string) Facts {
	drop := false
	for _, have := range f.known {
		drop = drop || have.reg == reg
	}
	if !drop {
		return f
	}
	var out Facts
	for _, have := range f.known {
		if have.reg != reg {
			out.known = append(out.known, have)
			out.key ^= have.hash
		}
	}
	return out
}

// withoutAny is without for registers that are sorted, of which there can be very many.
func (f Facts) withoutAny(regs []string) Facts {
	if len(regs) == 0 {
		return f
	}
	for _, have := range f.known {
		if _, gone := slices.BinarySearch(regs, have.reg); gone {
			f = f.without(have.reg)
		}
	}
	return f
}

// tested returns the registers whose facts can decide a branch: those that more
// than one branch tests, and those that are moved into such a one or that take a
// constant on some way.
func (g *Graph) tested() map[string]bool {
	count := map[string]int{}
	for i := range g.Nodes {
		if n := &g.Nodes[i]; n.Op == Branch && n.Val != nil && n.Test != TestUnknown && n.Val.Kind != Const {
			count[register(n.Val)]++
		}
	}
	multi := map[string]bool{}
	for reg, n := range count {
		if n > 1 {
			multi[reg] = true
		}
	}
	for changed := true; changed; {
		changed = false
		for i := range g.Nodes {
			n := &g.Nodes[i]
			if n.Op != Move {
				continue
			}
			dst, src := register(n.Res), register(n.Val)
			if count[dst] > 0 && !multi[dst] {
				multi[dst] = true
				changed = true
			}
			if multi[dst] && n.Val.Register() && count[src] > 0 && !multi[src] {
				multi[src] = true
				changed = true
			}
		}
	}
	return multi
}

// after returns what is known once node n was left by edge e, and whether the
// edge can be taken at all. Renewed are the values whose facts end there.
func (f Facts) after(n *Node, e Edge, tracked slots, renewed []string) (Facts, bool) {
	if n.Res != nil && n.Op != Move {
		f = f.without(register(n.Res))
	}
	if e.Kind != False { // a loop that ends takes nothing
		f = f.withoutAny(renewed)
	}
	switch n.Op {
	case Move:
		if slot, ok := tracked[register(n.Res)]; ok {
			return f.moved(slot, n.Res, n.Val), true
		}
	case Branch:
		if n.Val == nil {
			break
		}
		if n.Test == TestLess {
			return f.compared(n, e.Kind == True, tracked), true
		}
		if slot, ok := tracked[register(n.Val)]; ok {
			return f.branched(slot, n, e.Kind == True)
		}
	}
	return f, true
}

// moved copies what is known about src to dst, which has a slot.
func (f Facts) moved(slot int32, dst, src *Value) Facts {
	to := register(dst)
	f = f.without(to)
	switch src.Kind {
	case Const:
		return f.with(newFact(slot, to, src.id, false))
	case View:
		return f.with(newFact(slot, to, isNone, true))
	}
	from := register(src)
	for _, x := range f.known {
		if x.reg == from {
			f = f.with(newFact(slot, to, x.val, x.not))
		}
	}
	return f
}

// branched adds the outcome of a test of the register with a slot.
func (f Facts) branched(slot int32, n *Node, yes bool) (Facts, bool) {
	reg := register(n.Val)
	have, known := f.Holds(n.Val)
	switch n.Test {
	case TestEq:
		if n.Want == nil {
			return f, true
		}
		if n.Want.External() {
			return f.named(slot, reg, n.Want.id, yes)
		}
		want, constant := f.Holds(n.Want)
		if !constant {
			return f, true
		}
		if known {
			return f, (have == want) == yes
		}
		if yes && f.Excludes(n.Val, want) {
			return f, false
		}
		return f.with(newFact(slot, reg, want, !yes)), true
	case TestNone:
		if known {
			return f, (have == isNone) == yes
		}
		if yes && f.Excludes(n.Val, isNone) {
			return f, false
		}
		return f.with(newFact(slot, reg, isNone, !yes)), true
	case TestTruth:
		if outcome, ok := truth(have); known && ok {
			return f, outcome == yes
		}
		for _, x := range f.known {
			if x.reg == reg && x.val == isTrue {
				return f, x.not != yes
			}
		}
		return f.with(newFact(slot, reg, isTrue, !yes)), true
	}
	return f, true
}

// named adds whether the register is what an external name stands for.
func (f Facts) named(slot int32, reg, name string, yes bool) (Facts, bool) {
	for _, x := range f.known {
		switch {
		case x.reg != reg || !x.not:
		case x.val == same+name:
			return f, yes
		case x.val == other+name:
			return f, !yes
		case yes && strings.HasPrefix(x.val, same) && namesDistinct(x.val[len(same):], name):
			return f, false
		}
	}
	val := same
	if !yes {
		val = other
	}
	return f.with(newFact(slot, reg, val+name, true)), true
}

// compared adds the outcome of a comparison with a number.
func (f Facts) compared(n *Node, less bool, tracked slots) Facts {
	v, c, bound := n.Val, n.Want, int64(0)
	switch {
	case c != nil && c.HasInt:
		bound = c.Int
	case c != nil && v.HasInt: // number < v is not v < number + 1
		v, bound, less = c, v.Int+1, !less
	default:
		return f
	}
	slot, ok := tracked[register(v)]
	if !ok {
		return f
	}
	not := below
	if less {
		not = atLeast
	}
	return f.with(newFact(slot, register(v), not+strconv.FormatInt(bound, 10), true))
}

// truth returns the truth of the constant with an ID, if the ID tells it.
func truth(id string) (value, ok bool) {
	switch {
	case id == NoneID, id == FalseID, id == "c0", id == `c"`:
		return false, true
	case id == TrueID, strings.HasPrefix(id, `c"`):
		return true, true
	}
	if _, err := strconv.Atoi(strings.TrimPrefix(id, "c")); err == nil {
		return true, true
	}
	return false, false
}

// A Search describes the walks that [Graph.Find] looks for.
type Search struct {
	// From are the nodes to start at; the start node by default. The walk
	// begins after them when After is set.
	From  []int32
	After bool
	// Begin is what is known at the start.
	Begin Facts
	// Blind follows branches without regard to each other, which is faster.
	Blind bool
	// Alone takes the containers for unchanged by anybody else: what a walk has
	// found in one, it finds again.
	Alone bool
	// Track are registers whose facts the goal asks for, beside those that
	// several branches test.
	Track []*Value
	// AtReturn tells that the goal asks for no other fact than that of the value
	// which a Return yields.
	AtReturn bool
	// Assume tells the constant that the result of a step is taken to be, by its
	// ID, or "" for a step about which nothing is assumed. Steps with a result
	// that is assumed belong to Track.
	Assume func(n *Node) string
	// Avoid tells which nodes a walk may not enter.
	Avoid func(id int32, n *Node) bool
	// Mark names the nodes whose passing a goal wants to know of; "" for others.
	Mark func(id int32, n *Node) string
	// Goal tells where a walk ends; a walk has at least one node. A search that is not
	// blind may ask again, and about steps to which no walk comes in the end.
	Goal func(id int32, n *Node, f Facts) bool
	// To are the steps at which alone the goal can be, if that is known: it saves
	// looking where no walk leads to one of them.
	To []int32
	// Stop tells where a walk cannot go on, unless it begins there.
	Stop func(id int32) bool
	// Edge tells which edges may be taken. By default an exception edge is
	// only taken from a step that raises by itself or fails on a key; calls of
	// unknown code are taken to succeed.
	Edge func(n *Node, e Edge) bool
}

// assume adds what is assumed about the result of a step.
func (s *Search) assume(f Facts, n *Node, tracked slots) Facts {
	if s.Assume == nil || n.Res == nil || n.Op == Move {
		return f
	}
	reg := register(n.Res)
	slot, ok := tracked[reg]
	if !ok {
		return f
	}
	if id := s.Assume(n); id != "" {
		return f.with(newFact(slot, reg, id, false))
	}
	return f
}

// maxVisited bounds the states of one search.
const maxVisited = 8000

// A visit is a step as a walk has come to it.
type visit struct {
	facts  Facts
	node   int32
	parent int32 // the visit before, -1 for none
	edge   int32 // which of the parent's edges led here
}

// A frontier is the visits of one search, in the order in which they are made.
type frontier struct {
	visits []visit
	seen   states
	live   []uint64 // memory for what matters on the way to a goal
	known  int      // facts at all visits
}

// factsPerStep is how many facts cost as much as a step does.
const factsPerStep = 8

// frontiers keeps frontiers for later searches: there are very many.
var frontiers = sync.Pool{New: func() any { return new(frontier) }}

// states is a set of hashes of states: a table of a size that is a power of two, at
// most half full, in which a hash stands at the place that its low bits tell or behind
// it. Zero stands for a free place.
type states struct {
	table []uint64
	n     int
}

// add adds a hash and reports whether it is new.
func (s *states) add(hash uint64) bool {
	hash |= uint64(b2i(hash == 0)) // as good as any other
	if 2*s.n >= len(s.table) {
		s.grow()
	}
	if !s.put(hash) {
		return false
	}
	s.n++
	return true
}

func (s *states) put(hash uint64) bool {
	mask := uint64(len(s.table) - 1)
	// The hash of a fact has its differences in all bits, that of a step in the upper
	// ones.
	for i := (hash ^ hash>>32) & mask; ; i = (i + 1) & mask {
		switch s.table[i] {
		case 0:
			s.table[i] = hash
			return true
		case hash:
			return false
		}
	}
}

func (s *states) grow() {
	old := s.table
	s.table = make([]uint64, max(128, 2*len(old)))
	for _, hash := range old {
		if hash != 0 {
			s.put(hash)
		}
	}
}

// clear empties the set. A large table is given up: to clear it takes longer than a
// small search.
func (s *states) clear() {
	if len(s.table) > maxKept {
		s.table = nil
	}
	clear(s.table)
	s.n = 0
}

// maxKept bounds the size of a set of states that is kept.
const maxKept = 2048

// release hands the frontier back.
func (f *frontier) release() {
	f.seen.clear()
	clear(f.visits)
	f.visits, f.known = f.visits[:0], 0
	frontiers.Put(f)
}

// KnownEdges takes every edge but the exceptions of unknown code.
func KnownEdges(n *Node, e Edge) bool { return e.Kind != Exc || e.Exc != "*" || n.Op == Raise }

// AllEdges takes every edge.
func AllEdges(*Node, Edge) bool { return true }

// Find returns a shortest walk, or nil. Branches are followed in agreement
// with each other: a register keeps the value that a test has established until
// it is written again.
func (g *Graph) Find(s Search) *Path {
	if s.From == nil {
		s.From = []int32{StartNode}
	}
	if s.Edge == nil {
		s.Edge = KnownEdges
	}
	switch {
	case g.exhausted():
		return nil
	case s.Blind && s.Mark == nil && !s.Alone:
		return g.findBlind(s)
	case s.Blind:
		return g.explore(&s, nil)
	}
	return g.findRefining(s)
}

// explore is the search itself. Walks remember what the focus tells, and everything
// if that is nil.
func (g *Graph) explore(s *Search, f *focus) *Path {
	memory := g.memory()
	var tracked slots
	var only []uint64
	switch {
	case s.Blind:
	case f != nil:
		tracked, only = f.registers, f.slots
	default:
		tracked = memory.tracking(s)
	}
	fr := frontiers.Get().(*frontier)
	defer func() {
		g.spend(len(fr.visits) + fr.known/factsPerStep)
		fr.release()
	}()
	live := memory.live
	var region []bool
	push := func(v visit) {
		if region != nil && !region[v.node] {
			return
		}
		if len(v.facts.known) > 0 {
			v.facts = v.facts.relevant(memory.at(live, v.node), only)
		}
		if s.Mark != nil {
			if m := s.Mark(v.node, &g.Nodes[v.node]); m != "" {
				v.facts = v.facts.with(newFact(kept, m, passed, false))
			}
		}
		// One hash stands for the step and what is known there.
		k := v.facts.key ^ uint64(v.node+1)*0x9e3779b97f4a7c15
		if fr.seen.add(k) {
			fr.visits = append(fr.visits, v)
			fr.known += len(v.facts.known)
		}
	}
	expand := func(i int, v visit) {
		n := &g.Nodes[v.node]
		for j, e := range n.Succ {
			if !s.Edge(n, e) {
				continue
			}
			facts, ok := v.facts, true
			if !s.Blind {
				facts, ok = v.facts.after(n, e, tracked, memory.renewed[v.node])
				facts = s.assume(facts, n, tracked)
			}
			if ok && s.Alone {
				facts, ok = g.entries(facts, v.node, e)
			}
			if !ok || s.Avoid != nil && s.Avoid(e.To, &g.Nodes[e.To]) {
				continue
			}
			push(visit{node: e.To, facts: facts, parent: int32(i), edge: int32(j)})
		}
	}
	for _, f := range s.From {
		v := visit{node: f, facts: s.Begin, parent: -1}
		if s.After {
			fr.visits = append(fr.visits, v) // a root that is no state of its own
			expand(len(fr.visits)-1, v)
			continue
		}
		push(v)
	}
	for i := 0; i < len(fr.visits) && i < maxVisited; i++ {
		if i == patience && s.To != nil {
			region = g.leading(s)
			if !s.Blind && f == nil {
				fr.live = memory.fill(g, region, fr.live)
				live = fr.live
			}
		}
		v := fr.visits[i]
		if region != nil && !region[v.node] {
			continue
		}
		root := v.parent < 0 && s.After
		if root {
			continue
		}
		if s.Goal(v.node, &g.Nodes[v.node], v.facts) {
			return g.path(fr.visits, int32(i))
		}
		if s.Stop != nil && v.parent >= 0 && s.Stop(v.node) {
			continue
		}
		expand(i, v)
	}
	return nil
}

// patience is after how many visits a search looks at where it can lead.
const patience = 128

// LeadingTo returns the steps from which a walk can get to those that a search wants to
// get to, without regard to how branches depend on each other: one answer for searches
// that differ in where they begin. There are none once there is no work left to spend.
func (g *Graph) LeadingTo(s Search) []bool {
	if g.exhausted() {
		return make([]bool, len(g.Nodes))
	}
	region := g.leading(&s)
	n := 0
	for _, leads := range region {
		n += b2i(leads)
	}
	g.spend(n)
	return region
}

// leading returns the steps from which a walk can get to the goal of a search,
// without regard to how branches depend on each other.
func (g *Graph) leading(s *Search) []bool {
	region := make([]bool, len(g.Nodes))
	work := make([]int32, 0, len(g.Nodes))
	add := func(id int32) {
		if !region[id] {
			region[id] = true
			work = append(work, id)
		}
	}
	for _, id := range s.To {
		add(id)
	}
	for len(work) > 0 {
		id := work[len(work)-1]
		work = work[:len(work)-1]
		if s.Avoid != nil && s.Avoid(id, &g.Nodes[id]) {
			continue // only a walk that begins here has come here
		}
		for _, p := range g.Nodes[id].Pred {
			if region[p] || s.Stop != nil && s.Stop(p) && !slices.Contains(s.From, p) {
				continue
			}
			if n := &g.Nodes[p]; slices.ContainsFunc(n.Succ, func(e Edge) bool { return e.To == id && s.Edge(n, e) }) {
				add(p)
			}
		}
	}
	return region
}

// A trail is where a plain search has been. It is reused: there are very many.
type trail struct {
	seen   []uint32 // the search that has come to a step last
	parent []int32  // from where
	work   []int32
	search uint32
}

var trails = sync.Pool{New: func() any { return new(trail) }}

// begin prepares a trail for a search through n steps.
func (t *trail) begin(n int) {
	if len(t.seen) < n {
		t.seen, t.parent, t.search = make([]uint32, n), make([]int32, n), 0
	}
	t.search++
	if t.search == 0 { // the numbers have been used up
		clear(t.seen)
		t.search = 1
	}
	t.work = t.work[:0]
}

func (t *trail) step(to, by int32) {
	if t.seen[to] != t.search {
		t.seen[to], t.parent[to] = t.search, by
		t.work = append(t.work, to)
	}
}

// LeadsWithout reports whether a walk leads from one step to another one that passes none of
// some others, without regard to how branches depend on each other.
func (g *Graph) LeadsWithout(from, to int32, avoid func(id int32, n *Node) bool) bool {
	return g.Find(Search{
		From: []int32{from}, After: true, Blind: true, Avoid: avoid,
		Goal: func(id int32, _ *Node, _ Facts) bool { return id == to },
	}) != nil
}

// findBlind is Find for searches that establish no facts: a plain breadth first
// search, which visits each step once.
func (g *Graph) findBlind(s Search) *Path {
	const root = -1
	t := trails.Get().(*trail)
	defer func() {
		g.spend(len(t.work))
		trails.Put(t)
	}()
	t.begin(len(g.Nodes))
	expand := func(at, by int32) {
		n := &g.Nodes[at]
		for _, e := range n.Succ {
			if t.seen[e.To] != t.search && s.Edge(n, e) && (s.Avoid == nil || !s.Avoid(e.To, &g.Nodes[e.To])) {
				t.step(e.To, by)
			}
		}
	}
	for _, f := range s.From {
		if s.After {
			expand(f, root)
			continue
		}
		t.step(f, root)
	}
	starts := len(t.work)
	for i := 0; i < len(t.work); i++ {
		at := t.work[i]
		if s.Goal(at, &g.Nodes[at], s.Begin) {
			return g.blindPath(&s, t.parent, at)
		}
		if s.Stop != nil && (s.After || i >= starts) && s.Stop(at) {
			continue
		}
		expand(at, at)
	}
	return nil
}

// blindPath follows the parents of a step back to the start.
func (g *Graph) blindPath(s *Search, parent []int32, at int32) *Path {
	p := &Path{Facts: s.Begin}
	for at >= 0 {
		p.Nodes = append(p.Nodes, at)
		by := parent[at]
		if by >= 0 {
			for _, e := range g.Nodes[by].Succ {
				if e.To == at && s.Edge(&g.Nodes[by], e) {
					p.Edges = append(p.Edges, e)
					break
				}
			}
		}
		at = by
	}
	reverse(p.Nodes)
	reverse(p.Edges)
	return p
}

func (g *Graph) path(visits []visit, i int32) *Path {
	p := &Path{Facts: visits[i].facts}
	for ; i >= 0; i = visits[i].parent {
		p.Nodes = append(p.Nodes, visits[i].node)
		if by := visits[i].parent; by >= 0 {
			p.Edges = append(p.Edges, g.Nodes[visits[by].node].Succ[visits[i].edge])
		}
	}
	reverse(p.Nodes)
	reverse(p.Edges)
	return p
}

func reverse[T any](s []T) {
	for i, j := 0, len(s)-1; i < j; i, j = i+1, j-1 {
		s[i], s[j] = s[j], s[i]
	}
}

// Contains reports whether the walk visits node id.
func (p *Path) Contains(id int32) bool {
	for _, n := range p.Nodes {
		if n == id {
			return true
		}
	}
	return false
}

// loops is what LoopsAround needs to know of a graph.
type loops struct {
	once  sync.Once
	heads []int32
	back  [][]bool // for each head, the steps of its loop
}

// LoopsAround returns the heads of the loops that contain step id, in the order
// of the graph.
func (g *Graph) LoopsAround(id int32) []int32 {
	g.findLoops()
	if len(g.loops.heads) == 0 {
		return nil
	}
	var heads []int32
	for i, head := range g.loops.heads {
		if g.loops.back[i][id] {
			heads = append(heads, head)
		}
	}
	return heads
}

func (g *Graph) findLoops() {
	g.loops.once.Do(func() {
		for i := range g.Nodes {
			if n := &g.Nodes[i]; n.Op == LoopHead || n.Op == Next {
				g.loops.heads = append(g.loops.heads, int32(i))
				g.loops.back = append(g.loops.back, g.body(int32(i)))
			}
		}
	})
}

// Around reports whether a step is the head of a loop that contains another one.
func (g *Graph) Around(head, step int32) bool {
	if op := g.Nodes[head].Op; op != LoopHead && op != Next {
		return false
	}
	g.findLoops()
	i := slices.Index(g.loops.heads, head)
	return i >= 0 && g.loops.back[i][step]
}

// body returns the steps of the natural loop of a head: those that lead back to it
// over steps to which every walk passes the head. A loop that lies before or behind
// a step, in a loop around both, does not contain it.
func (g *Graph) body(head int32) []bool {
	all := g.all.over(g, AllEdges)
	seen := make([]bool, len(g.Nodes))
	work := []int32{head}
	for len(work) > 0 {
		n := &g.Nodes[work[len(work)-1]]
		work = work[:len(work)-1]
		for _, p := range n.Pred {
			if !seen[p] && all.dominates(head, p) {
				seen[p] = true
				if p != head {
					work = append(work, p)
				}
			}
		}
	}
	return seen
}

// Regular reports whether a step can be reached without an exception.
func (g *Graph) Regular(id int32) bool {
	return g.Find(Search{
		Blind: true,
		Goal:  func(at int32, _ *Node, _ Facts) bool { return at == id },
		Edge:  func(_ *Node, e Edge) bool { return e.Kind != Exc },
	}) != nil
}
