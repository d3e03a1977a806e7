package replay

import (
	"fmt"
	"os"
	"slices"
	"sort"
	"strconv"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/rules/witness"
)

// A Script is a schedule in words that hold for a program and its patched
// form: which thread does what, in which order, and what is assumed of all that
// the slice leaves out.
type Script struct {
	problem witness.Problem
	sites   *sites

	steps   []step
	threads []thread
	calls   []call
	// answers are the outcomes of branches, and taken whether loops took the
	// key, by thread and place.
	answers, taken map[string][]bool
	raises         map[string]raise  // by the place of a call that raises
	seeds          map[string]bool   // IDs of locations that hold another key
	behind         map[string]bool   // of these, the lists in which it comes behind the key
	tested         []testedAttr      // attributes that branches of the schedule ask for
	modes          map[string]bool   // what it knows of those that constructors alone set
	marks          map[string][]mark // by position
	present        map[string]bool   // IDs of locations that have the key from the start
	feeding        map[string]bool   // IDs of hooks that bring the request in
	sources        map[string][]byte // of the code as it is, by file
	inputs         map[string]bool   // places where threads wait for what comes from outside
	handed         map[string]bool   // loops of polls over what has come from outside
	once           map[string]bool   // loops whose text the function has once
	others         map[string]bool   // places with the entry of another request
}

// A step is one scheduling step. A lock that guards nothing of interest is not in
// the slice, and its step is left out.
type step struct {
	thread, site string
	lock         bool
}

// A thread is a thread of the schedule, other than the client.
type thread struct {
	name, entry string // entry is the ID of the entrypoint
}

// A call is a call of a constructor or hook by the client.
type call struct{ entry string }

// A mark is what a position means to the property. Its conditions hold before
// the step.
type mark struct {
	role  string // path, undo, victim, release or reset
	phase int    // of the path
	needs string // present, absent or pending; empty for nothing
	who   string // same or other thread as the first place of the path
	in    string // name of the entrypoint
	loc   string // ID of the location that the condition speaks of, if not that of the step
	// What the place does, to find it again when a patch changes its text.
	fn, at string
	op     flow.Op
	blocks bool // it waits without a limit
	takes  bool // it is a loop that takes an element
}

// A Refusal is the reason why a schedule is not replayable.
type Refusal string

func (r Refusal) Error() string { return "not replayable: " + string(r) }

// NewScript returns the script of a schedule that was found.
func NewScript(p witness.Problem, r witness.Result) (s *Script, err error) {
	defer catch(&err)
	if r.Verdict != witness.Found {
		return nil, Refusal("there is no schedule")
	}
	s = &Script{
		problem: p, sites: newSites(), answers: map[string][]bool{}, taken: map[string][]bool{},
		raises: map[string]raise{}, seeds: map[string]bool{}, behind: map[string]bool{}, marks: map[string][]mark{}, present: map[string]bool{}, feeding: map[string]bool{}, once: map[string]bool{}, inputs: map[string]bool{}, handed: map[string]bool{},
	}
	s.problem.Track = r.Tracked
	for _, l := range r.Present {
		s.present[l.ID] = true
	}
	s.addThreads(r)
	if err := s.addMarks(); err != nil {
		return nil, err
	}
	in := witness.InputsOf(p)
	for e := range in.Feeding {
		s.feeding[entryID(e)] = true
	}
	for _, x := range []struct {
		heads map[*flow.Entry]map[int32]bool
		to    map[string]bool
	}{{in.Messages, s.inputs}, {in.Handed, s.handed}} {
		for e, heads := range x.heads {
			for h := range heads {
				n := &e.Graph.Nodes[h]
				x.to[s.sites.of(n.Fn, n.Src)] = true
			}
		}
	}
	s.findOthers()
	s.findRaises(r)
	names := s.threadNames(r)
	t := tracer{s: s, tracked: map[*flow.Location]bool{}, put: map[*flow.Location]bool{}, inputs: in.Messages}
	for _, l := range r.Tracked {
		t.tracked[l] = true
	}
	for i, ev := range r.Trace {
		t.event(names[ev.Thread], ev, i > 0 && t.continues(r.Trace[i-1], ev))
	}
	s.grant(names, r)
	return s, nil
}

// findOthers notes the places of which the problem says that they are about the entry of
// another request.
func (s *Script) findOthers() {
	if s.problem.OtherKey == nil {
		return
	}
	s.others = map[string]bool{}
	for _, a := range s.problem.Actors {
		for i := range a.Entry.Graph.Nodes {
			if n := &a.Entry.Graph.Nodes[i]; s.problem.OtherKey(a.Entry, n) {
				s.others[s.sites.of(n.Fn, n.Src)] = true
			}
		}
	}
}

const clientName = "client"

// addThreads names the threads of a schedule.
func (s *Script) addThreads(r witness.Result) {
	seen := map[int]bool{0: true}
	for _, ev := range r.Trace {
		if seen[ev.Thread] {
			continue
		}
		seen[ev.Thread] = true
	}
	var ids []int
	for t := range seen {
		ids = append(ids, t)
	}
	sort.Ints(ids)
	count := map[string]int{}
	for _, t := range ids {
		if t == 0 {
			continue
		}
		e := entryOf(r, t)
		name := e.Name()
		count[name]++
		if count[name] > 1 {
			name += " #" + strconv.Itoa(count[name])
		}
		s.threads = append(s.threads, thread{name: name, entry: entryID(e)})
	}
}

func entryOf(r witness.Result, t int) *flow.Entry {
	for _, ev := range r.Trace {
		if ev.Thread == t {
			return ev.Entry
		}
	}
	return nil
}

// threadNames returns the names by the number of the thread.
func (s *Script) threadNames(r witness.Result) map[int]string {
	out := map[int]string{0: clientName}
	var ids []int
	for _, ev := range r.Trace {
		if _, ok := out[ev.Thread]; !ok {
			out[ev.Thread] = ""
			ids = append(ids, ev.Thread)
		}
	}
	sort.Ints(ids)
	for i, t := range ids {
		out[t] = s.threads[i].name
	}
	return out
}

// addMarks notes the places that the problem speaks of.
func (s *Script) addMarks() error {
	p := &s.problem
	if p.Property == witness.NoLostUpdate {
		return Refusal("lost updates are not followed")
	}
	if len(p.Path) > 0 && len(p.Trigger) > 0 {
		return Refusal("a problem with a path and a trigger")
	}
	for phase, ms := range p.Path {
		for _, m := range ms {
			if err := s.addMark(m, "path", phase); err != nil {
				return err
			}
		}
	}
	for _, list := range []struct {
		marks []witness.Mark
		role  string
	}{{p.Trigger, "path"}, {p.Undo, "undo"}, {p.Victims, "victim"}, {p.Release, "release"}, {p.Reset, "reset"}} {
		for _, m := range list.marks {
			if err := s.addMark(m, list.role, 0); err != nil {
				return err
			}
		}
	}
	return nil
}

// grant answers what the problem grants, for the threads that do not come to ask.
func (s *Script) grant(names map[int]string, r witness.Result) {
	for _, m := range s.problem.Granted {
		n := &m.Entry.Graph.Nodes[m.Node]
		end, ok := sideOf(n, m.To)
		if !ok || n.Fn == nil {
			continue
		}
		for _, ev := range r.Trace {
			key := names[ev.Thread] + ": " + s.sites.of(n.Fn, conditionOf(n))
			if ev.Entry == m.Entry && len(s.answers[key]) == 0 {
				s.answers[key] = []bool{end == testHolds}
			}
		}
	}
}

// addMark notes one place.
func (s *Script) addMark(m witness.Mark, role string, phase int) error {
	n := &m.Entry.Graph.Nodes[m.Node]
	k := mark{role: role, phase: phase, op: n.Op, in: m.Entry.Name(), takes: m.Takes != witness.AnyStep}
	switch {
	case m.Present:
		k.needs = "present"
	case m.Absent:
		k.needs = "absent"
	case m.Pending:
		k.needs = "pending"
	case m.Takes == witness.KeyElement:
		k.needs = takesKey
	case m.Takes == witness.OtherElement:
		k.needs = takesOther
	}
	switch {
	case m.Same:
		k.who = "same"
	case m.Other:
		k.who = "other"
	}
	if m.Loc != nil {
		k.loc = m.Loc.ID
	}
	position := ""
	switch m.Node {
	case flow.StartNode:
		position = "start " + m.Entry.Name()
	case flow.ExitNode, flow.FailNode:
		position = "end " + m.Entry.Name()
	default:
		if n.Src == nil || n.Fn == nil {
			return Refusal("a step of the finding has no source")
		}
		src := n.Src
		if m.To != 0 {
			src = conditionOf(n)
		}
		position = "at " + s.sites.of(n.Fn, src)
		k.fn, k.blocks = n.Fn.Qual, blocks(n)
		if n.Loc != nil {
			k.at = n.Loc.ID
		}
	}
	if m.To != 0 {
		side, ok := sideOf(n, m.To)
		if !ok {
			return Refusal("a step of the finding is one side of a step that has none")
		}
		position += side
	}
	raises := m.Raises || role == "victim" && s.problem.Property == witness.NoThreadDeath
	switch {
	case m.Arrives:
		position += " arrives"
	case raises && (n.Op == flow.Read || n.Op == flow.Del):
		k.needs = "absent"
	case raises && n.Op != flow.Raise && n.Op != flow.Assert:
		position += " raises"
	case n.Op == flow.Next: // where the iteration begins is another step
		position += goesOn
	}
	for _, have := range s.marks[position] {
		if have == k {
			return nil
		}
	}
	s.marks[position] = append(s.marks[position], k)
	return nil
}

// The ends of the positions of the sides of a branch.
const (
	testHolds = " holds"
	testFails = " fails"
)

// sideOf returns how the position of a branch ends on the side that leads to a step.
func sideOf(n *flow.Node, to int32) (string, bool) {
	yes, no := false, false
	for _, e := range n.Succ {
		yes = yes || e.To == to && e.Kind == flow.True
		no = no || e.To == to && e.Kind == flow.False
	}
	if n.Op != flow.Branch || yes == no {
		return "", false
	}
	yes = yes != inverts(n)
	if x, ok := n.Src.(ast.Expr); ok {
		if whole, is := conditionOf(n).(ast.Expr); is {
			if yes, ok = decides(whole, x, yes); !ok {
				return "", false
			}
		}
	}
	if yes {
		return testHolds, true
	}
	return testFails, true
}

// conditionOf returns the condition that a branch is a part of, where a statement has one,
// or what the branch tests.
func conditionOf(n *flow.Node) ast.Node {
	var test ast.Expr
	switch st := n.Stmt.(type) {
	case *ast.If:
		test = st.Test
	case *ast.While:
		test = st.Test
	}
	if test != nil && ast.Encloses(test, n.Src) && !joins(test, n.Src) {
		return test
	}
	return n.Src
}

// joins reports whether a condition has several parts, of which one is a part.
func joins(whole ast.Expr, part ast.Node) bool {
	switch x := whole.(type) {
	case *ast.UnaryOp:
		return x.Op == ast.Not && joins(x.Operand, part)
	case *ast.BoolOp:
		return slices.ContainsFunc(x.Values, func(v ast.Expr) bool { return ast.Encloses(v, part) && plainPart(v, part) })
	}
	return false
}

// plainPart reports whether a part of a condition is tested by itself.
func plainPart(x ast.Expr, part ast.Node) bool {
	switch x := x.(type) {
	case *ast.UnaryOp:
		return x.Op == ast.Not && plainPart(x.Operand, part) || ast.Node(x) == part
	case *ast.BoolOp:
		return joins(x, part)
	}
	return ast.Node(x) == part
}

// decides returns the outcome of a condition that the outcome of a part of it, which is
// evaluated, brings about.
func decides(whole, part ast.Expr, yes bool) (outcome, ok bool) {
	if whole == part {
		return yes, true
	}
	switch x := whole.(type) {
	case *ast.UnaryOp:
		if x.Op == ast.Not {
			outcome, ok = decides(x.Operand, part, yes)
			return !outcome, ok
		}
	case *ast.BoolOp:
		for i, v := range x.Values {
			if v.Pos() > part.Pos() || part.End() > v.End() {
				continue
			}
			outcome, ok = decides(v, part, yes)
			return outcome, ok && (outcome == (x.Op == ast.Or) || i == len(x.Values)-1)
		}
	}
	return false, false
}

// What a loop takes, where the property speaks of it.
const (
	takesKey   = "takes 7"
	takesOther = "takes another"
)

// goesOn ends the position of a step that takes the next element of a live iteration.
const goesOn = " goes on"

// blocks reports whether a step waits without a limit.
func blocks(n *flow.Node) bool {
	return (n.Op == flow.Wait || n.Op == flow.Dequeue || n.Op == flow.Join) && n.Mode&flow.Timeout == 0
}

// A raise is an exception that comes from outside of the slice.
type raise struct {
	exc  string // its class, * when it is not known
	to   string // place where the thread goes on
	ends bool   // the entrypoint ends there
	// caught is a class that the handler of a caller catches where the thread goes on, or "".
	caught string
}

// findRaises finds the calls that raise in the schedule.
func (s *Script) findRaises(r witness.Result) {
	for _, ev := range r.Trace {
		n := &ev.Entry.Graph.Nodes[ev.Node]
		exc, ok := raised(ev, n)
		if !ok || !assumesRaise(n) || n.Src == nil || n.Fn == nil {
			continue
		}
		k := raise{exc: exc, ends: ev.To == flow.FailNode}
		if to := &ev.Entry.Graph.Nodes[ev.To]; to.Src != nil && to.Fn != nil {
			k.to = s.sites.of(to.Fn, to.Src)
			k.caught = caughtBy(n, to)
		}
		s.raises[s.sites.of(n.Fn, n.Src)] = k
	}
}

// assumesRaise reports whether an exception of a step comes from outside of the
// slice.
func assumesRaise(n *flow.Node) bool {
	switch n.Op {
	case flow.Raise, flow.Assert, flow.Next, flow.Read, flow.Del:
		return false
	}
	return true
}

func raised(ev witness.Event, n *flow.Node) (string, bool) {
	exc, ok := "", false
	for _, e := range n.Succ {
		if e.To == ev.To {
			if e.Kind != flow.Exc {
				return "", false
			}
			exc, ok = e.Exc, true
		}
	}
	return exc, ok
}

// tracer reads the events of a trace.
type tracer struct {
	s       *Script
	tracked map[*flow.Location]bool
	put     map[*flow.Location]bool // something has been put into them
	inputs  map[*flow.Entry]map[int32]bool
}

// continues reports whether an event is another part of the same test.
func (t *tracer) continues(before, ev witness.Event) bool {
	a, b := &before.Entry.Graph.Nodes[before.Node], &ev.Entry.Graph.Nodes[ev.Node]
	return before.Thread == ev.Thread && before.Entry == ev.Entry && a.Op == flow.Branch && b.Op == flow.Branch && a.Src == b.Src && a.Frame == b.Frame
}

func (t *tracer) event(name string, ev witness.Event, more bool) {
	s := t.s
	n := &ev.Entry.Graph.Nodes[ev.Node]
	if ev.Node == flow.StartNode && name == clientName {
		s.calls = append(s.calls, call{entryID(ev.Entry)})
		s.steps = append(s.steps, step{thread: name, site: "call " + ev.Entry.Name()})
		return
	}
	if n.Src == nil || n.Fn == nil {
		return
	}
	at := s.sites.of(n.Fn, n.Src)
	key := name + ": " + at
	if _, ok := s.raises[at]; ok && assumesRaise(n) && n.Op != flow.Branch {
		_, up := raised(ev, n)
		s.answers[key+" raises"] = append(s.answers[key+" raises"], up)
	}
	if which := picks(n); which != "" {
		s.answers[key+which] = append(s.answers[key+which], outcome(ev, n))
		return
	}
	switch n.Op {
	case flow.Branch:
		yes := outcome(ev, n)
		s.noteTested(n, yes)
		if got := s.answers[key]; more && len(got) > 0 {
			last := &got[len(got)-1]
			if inverts(n) {
				*last = *last && yes
			} else {
				*last = *last || yes
			}
			return
		}
		s.answers[key] = append(s.answers[key], yes)
		t.notEmpty(name+": ", n, yes)
		t.copied(ev.Entry.Graph, n, yes)
	case flow.LoopHead, flow.Next:
		t.head(key, ev, n)
	case flow.Put:
		t.put[n.Loc] = true
	case flow.Del:
		if _, raised := raised(ev, n); !raised && n.Mode&flow.AnyKey != 0 && t.tracked[n.Loc] && t.unfilled(n.Loc) {
			s.seeds[n.Loc.ID] = true
		}
	case flow.PutAll:
		if n.Val == nil || n.Val.Kind != flow.Container || !t.tracked[n.Val.Loc] {
			s.answers[key+" brings"] = append(s.answers[key+" brings"], ev.Key)
		}
	}
	if t.scheduled(ev, n) {
		s.steps = append(s.steps, step{thread: name, site: at, lock: n.Op == flow.Acquire})
	}
}

// picks returns how the position of a step ends that tells whether a call is one of a
// certain function, of several that it may be; "" for any other step.
func picks(n *flow.Node) string {
	if n.Op != flow.Branch || n.Test != flow.TestUnknown || n.Val == nil || n.Val.Kind != flow.Function || n.Val.Fn == nil {
		return ""
	}
	if _, ok := n.Src.(*ast.Call); !ok {
		return ""
	}
	return " calls " + n.Val.Fn.Qual
}

// unfilled reports whether nothing but its constructor puts anything into a container: what
// is taken from it has been there.
func (t *tracer) unfilled(l *flow.Location) bool {
	for _, a := range t.s.problem.Actors {
		for i := range a.Entry.Graph.Nodes {
			n := &a.Entry.Graph.Nodes[i]
			if n.Loc == l && (n.Op == flow.Put || n.Op == flow.PutAll || n.Op == flow.Rebind && n.Mode&flow.Initial == 0) {
				return false
			}
		}
	}
	return !t.s.present[l.ID]
}

// head notes what a loop took.
func (t *tracer) head(key string, ev witness.Event, n *flow.Node) {
	s := t.s
	if len(s.sites.occurrences(n.Fn)[textOf(n.Fn.Module, n.Src)]) == 1 {
		s.once[s.sites.of(n.Fn, n.Src)] = true
	}
	yes := outcome(ev, n)
	walked := len(s.answers[key]) // steps of this walk before, or of others
	keyBefore := walked > 0 && s.answers[key][walked-1] && s.taken[key][len(s.taken[key])-1]
	if n.Val != nil {
		s.answers[key] = append(s.answers[key], yes)
		if yes {
			s.taken[key] = append(s.taken[key], ev.Key)
		}
	}
	if yes && ev.Key {
		t.passedFilters(key[:len(key)-len(s.sites.of(n.Fn, n.Src))], n)
	}
	if !yes || ev.Key || n.Val == nil {
		return
	}
	for _, l := range elementsOf(n.Val) {
		if t.tracked[l] {
			s.seeds[l.ID] = true
			s.behind[l.ID] = l == n.Loc && l.Type.Kind == program.List && keyBefore == (n.Mode&flow.Backward == 0)
		}
	}
}

// passedFilters notes that the request has passed the filters of the comprehension whose
// result a loop walks over, when the loop takes it: the search does not follow what is in
// a list.
func (t *tracer) passedFilters(thread string, n *flow.Node) {
	for _, c := range comprehensionOf(n) {
		for _, cond := range c.Ifs {
			t.holds(thread, n.Fn, cond, true)
		}
	}
}

// notEmpty lets the comprehension whose result a variable holds take an element when the
// variable is true: the search does not follow how many there are in a list.
func (t *tracer) notEmpty(thread string, n *flow.Node, yes bool) {
	test := n.Src
	if not, ok := test.(*ast.UnaryOp); ok && not.Op == ast.Not {
		test, yes = not.Operand, !yes
	}
	name, ok := test.(*ast.Name)
	if !ok || !yes {
		return
	}
	for _, c := range assignedComprehension(n.Fn, name) {
		key := thread + t.s.sites.of(n.Fn, c)
		got := t.s.answers[key]
		if len(got) == 0 || slices.Contains(got, true) {
			continue
		}
		t.s.answers[key] = append([]bool{true}, got...)
		t.s.taken[key] = append([]bool{false}, t.s.taken[key]...)
		for _, cond := range c.Ifs {
			t.holds(thread, n.Fn, cond, true)
		}
	}
}

// copied lets a container hold another key when a variable that holds a copy of it is true
// though nothing has been put into it.
func (t *tracer) copied(g *flow.Graph, n *flow.Node, yes bool) {
	name, ok := n.Src.(*ast.Name)
	if !ok || !yes || n.Test != flow.TestTruth {
		return
	}
	var value ast.Expr
	ast.Inspect(n.Fn.Node, func(x ast.Node) bool {
		if as, ok := x.(*ast.Assign); ok && len(as.Targets) == 1 && as.Pos() < name.Pos() {
			if target, ok := as.Targets[0].(*ast.Name); ok && target.Id() == name.Id() {
				value = as.Value
			}
		}
		return true
	})
	call, ok := value.(*ast.Call)
	if !ok {
		return
	}
	for i := range g.Nodes {
		x := &g.Nodes[i]
		if x.Op == flow.Iter && x.Fn == n.Fn && x.Loc != nil && t.tracked[x.Loc] && !t.put[x.Loc] && ast.Encloses(call, x.Src) {
			t.s.seeds[x.Loc.ID] = true
		}
	}
}

// holds notes the outcome of a condition, or of its parts, at the last time that a thread
// has met it.
func (t *tracer) holds(thread string, fn *program.Func, cond ast.Expr, yes bool) {
	switch x := cond.(type) {
	case *ast.UnaryOp:
		if x.Op == ast.Not {
			t.holds(thread, fn, x.Operand, !yes)
			return
		}
	case *ast.BoolOp:
		if yes == (x.Op == ast.And) {
			for _, v := range x.Values {
				t.holds(thread, fn, v, yes)
			}
			return
		}
	}
	key := thread + t.s.sites.of(fn, cond)
	if got := t.s.answers[key]; len(got) > 0 {
		got[len(got)-1] = yes
	} else {
		t.s.answers[key] = []bool{yes}
	}
}

// comprehensionOf returns the loops of the comprehension over whose result a loop walks:
// itself, or what the variable holds that it walks over.
func comprehensionOf(n *flow.Node) []*ast.Comprehension {
	var iter ast.Expr
	ast.Inspect(n.Fn.Node, func(x ast.Node) bool {
		if loop, ok := x.(*ast.For); ok && (ast.Node(loop) == n.Src || ast.Node(loop.Iter) == n.Src) {
			iter = loop.Iter
		}
		return iter == nil
	})
	name, ok := iter.(*ast.Name)
	if !ok {
		return generators(iter)
	}
	return assignedComprehension(n.Fn, name)
}

// assignedComprehension returns the loops of the comprehension that a variable holds at
// some place, as far as the text tells.
func assignedComprehension(fn *program.Func, name *ast.Name) []*ast.Comprehension {
	var found []*ast.Comprehension
	ast.Inspect(fn.Node, func(x ast.Node) bool {
		if as, ok := x.(*ast.Assign); ok && len(as.Targets) == 1 && as.Pos() < name.Pos() {
			if target, ok := as.Targets[0].(*ast.Name); ok && target.Id() == name.Id() {
				found = generators(as.Value)
			}
		}
		return true
	})
	return found
}

// generators returns the loops of a comprehension, or of one that a call is given.
func generators(x ast.Expr) []*ast.Comprehension {
	if call, ok := x.(*ast.Call); ok && len(call.Args()) == 1 {
		return generators(call.Args()[0])
	}
	return ast.Generators(x)
}

// elementsOf returns the locations whose elements a value holds.
func elementsOf(v *flow.Value) []*flow.Location {
	if v == nil {
		return nil
	}
	var out []*flow.Location
	if v.Kind == flow.Element && v.Loc != nil {
		out = append(out, v.Loc)
	}
	for _, a := range v.Args {
		out = append(out, elementsOf(a)...)
	}
	return out
}

// outcome returns whether the condition in the source held.
func outcome(ev witness.Event, n *flow.Node) bool {
	yes := false
	for _, e := range n.Succ {
		if e.To == ev.To && e.Kind != flow.Exc {
			yes = e.Kind == flow.True
			break
		}
	}
	if n.Op == flow.Branch && inverts(n) {
		return !yes
	}
	return yes
}

// inverts reports whether a branch tests the opposite of its source.
func inverts(n *flow.Node) bool {
	c, ok := n.Src.(*ast.Compare)
	if !ok || len(c.Ops) != 1 {
		return false
	}
	switch c.Ops[0] {
	case ast.NotEq, ast.IsNot, ast.GtE, ast.LtE, ast.NotIn:
		return true
	}
	return false
}

// scheduled reports whether the program yields before a step.
func (t *tracer) scheduled(ev witness.Event, n *flow.Node) bool {
	switch n.Op {
	case flow.LoopHead:
		return t.inputs[ev.Entry][ev.Node]
	case flow.Del: // what a new content leaves out goes with the old one
		if _, rebinds := n.Src.(*ast.Assign); rebinds {
			return false
		}
	case flow.Acquire:
		return keepsLock(n.Lock)
	case flow.Await:
		return t.s.onLoop(ev.Entry)
	}
	return yields(n, t.tracked)
}

// onLoop reports whether an entrypoint is a coroutine.
func (s *Script) onLoop(e *flow.Entry) bool {
	for _, a := range s.problem.Actors {
		if a.Entry == e && a.Task {
			return true
		}
	}
	return e.Role == flow.LoopTask
}

// yields reports whether a step on tracked state is one before which the
// program yields.
func yields(n *flow.Node, tracked map[*flow.Location]bool) bool {
	if n.Loc == nil || !tracked[n.Loc] {
		return false
	}
	switch n.Op {
	case flow.Rebind:
		return n.Mode&flow.Initial == 0
	case flow.TaskDone, flow.Nop:
		return false
	}
	return true
}

// keepsLock reports whether a lock excludes: one that is kept nowhere may be another one in
// each call.
func keepsLock(v *flow.Value) bool {
	if v == nil || v.Loc == nil {
		return false
	}
	n := len("Semaphore")
	name := v.Type.Name
	return len(name) < n || name[len(name)-n:] != "Semaphore"
}

// Steps is the number of steps of the schedule.
func (s *Script) Steps() int { return len(s.steps) }

// refuse stops an emission.
func refuse(format string, args ...any) { panic(Refusal(fmt.Sprintf(format, args...))) }

// catch turns a refusal into an error.
func catch(err *error) {
	switch r := recover().(type) {
	case nil:
	case Refusal:
		*err = r
	default:
		if os.Getenv("KVRACE_PANIC") != "" {
			panic(r) // with the stack, for whoever looks for the cause
		}
		*err = Refusal(fmt.Sprintf("internal error: %v", r))
	}
}
