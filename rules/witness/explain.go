package witness

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
)

// keyText stands for the key in what a reader sees.
const keyText = "7"

// happening is an event with the states around it.
type happening struct {
	ev            Event
	before, after state
}

// explain fills in the schedule that leads to a state.
func (s *search) explain(r *Result, end int32) {
	s.stepper.trace = true
	hs := s.retrace(end)
	if len(hs) > 0 {
		for i, slot := range s.m.slots {
			if slot.outside && hs[0].before[i] != byte(absent) {
				r.Present = append(r.Present, slot.loc)
			}
		}
	}
	if s.m.p.Property == NoPin {
		s.stepper.mask = everybody
		hs = append(hs, s.pollOnce(s.store.at(end))...)
	}
	names := s.m.slotNames()
	for i, h := range hs {
		r.Trace = append(r.Trace, h.ev)
		d := describer{m: s.m, names: names, happening: h}
		if text := d.action(); text != "" {
			in := d.inst()
			step := Step{
				Event: i, Entry: h.ev.Entry, Thread: h.ev.Thread, Node: in.node, Action: text,
				State: s.m.stateMap(h.after, names), Input: in.rest == messages || s.m.startsAbort(h.ev),
			}
			step.File, step.Line = position(h.ev, in.node)
			r.Schedule = append(r.Schedule, step)
		}
	}
	if n := len(r.Schedule); n > 0 {
		s.m.keepState(r, names)
		r.Schedule[n-1].Action += s.m.outcome(r, hs)
	}
}

// keepState leaves in the states of a schedule what changes in it, the containers
// that its steps use, and what the property speaks of.
func (m *model) keepState(r *Result, names []string) {
	matters := map[*flow.Location]bool{}
	p := &m.p
	for _, list := range append([][]Mark{p.Trigger, p.Release, p.Reset, p.Victims}, p.Path...) {
		for _, k := range list {
			matters[k.Entry.Graph.Nodes[k.Node].Loc] = true
			matters[k.Loc] = true
		}
	}
	for _, l := range p.Watch {
		matters[l] = true
	}
	for _, step := range r.Schedule {
		if l := step.Node.Loc; l != nil && l.Keyed() {
			matters[l] = true
		}
	}
	for i, s := range m.slots {
		name := names[i]
		keep := matters[s.loc]
		first, set := "", false
		for _, step := range r.Schedule {
			if now := step.State[name]; now != "unknown" {
				keep = keep || set && now != first
				first, set = now, true
			}
		}
		for _, step := range r.Schedule {
			if !keep {
				delete(step.State, name)
			}
		}
	}
}

// outcome returns what the last step of a schedule leads to, to be added to it.
func (m *model) outcome(r *Result, hs []happening) string {
	last := hs[r.Schedule[len(r.Schedule)-1].Event]
	in := describer{m: m, happening: last}.inst()
	switch m.p.Property {
	case NoPin:
		if in.op == flow.Return || in.op == flow.Exit {
			return ", for ever: no step is left that ends it"
		}
		return ": no step is left that ends the request"
	case NoRevival:
		return ": it stays, nothing removes it any more"
	case NoOverwrite:
		if in.slot >= 0 && in.op == flow.Put {
			return ", which was " + m.consts.name(code(last.before[in.slot]))
		}
	case NoLostUpdate:
		return ": what came in between is lost"
	}
	return ""
}

// startsAbort reports whether an event is the call of an abort hook.
func (m *model) startsAbort(ev Event) bool {
	h := m.progOf[ev.Entry].hook
	return ev.Node == flow.StartNode && h >= 0 && m.hooks[h].kind == AbortHook
}

// position returns the place of a step in its source. The fixed steps of a
// graph stand for the whole function.
func position(ev Event, n *flow.Node) (file string, line int) {
	mod, at := n.Mod, n.Src
	if mod == nil || at == nil {
		mod, at = ev.Entry.Func.Module, ev.Entry.Func.Node
	}
	line, _ = mod.AST.Position(at.Pos())
	return mod.File, line
}

// retrace executes the schedule that leads to a state again. Of several ways to do one of
// its steps, it takes a shortest one.
func (s *search) retrace(end int32) []happening {
	var path []int32
	for i := end; i >= 0; i = s.from[i] {
		path = append(path, i)
	}
	slices.Reverse(path)
	var out []happening
	for k := 1; k < len(path); k++ {
		want := s.store.at(path[k])
		before := s.store.at(path[k-1])
		var last *link
		for _, s.stepper.breadth = range []bool{true, false} { // either may reach its bound
			if last != nil {
				continue
			}
			s.stepper.step(before, int(s.by[path[k]]), func(c config) {
				if s.m.history(c.st); last == nil && bytes.Equal(c.st, want) {
					last = c.last
				}
			})
		}
		out = append(out, last.happenings(before)...)
	}
	return out
}

// happenings returns the events of a list in order.
func (l *link) happenings(before state) []happening {
	var out []happening
	for ; l != nil; l = l.prev {
		out = append(out, happening{ev: l.ev, after: l.after})
	}
	slices.Reverse(out)
	for i := range out {
		out[i].before = before
		before = out[i].after
	}
	return out
}

// pollOnce lets the client go on alone until a poll has answered, to show what
// it says from now on.
func (s *search) pollOnce(st state) []happening {
	m := s.m
	poll := slices.IndexFunc(m.hooks, func(h hook) bool { return h.kind == PollHook })
	if poll < 0 {
		poll = slices.IndexFunc(m.hooks, func(h hook) bool { return m.drains(h.prog) })
	}
	if poll < 0 {
		return nil
	}
	st = append(state(nil), st...)
	var out []happening
	for range 50 {
		idling := st[m.layout.threads[0]+thStatus] == idle
		var next *config
		s.stepper.step(st, 0, func(c config) {
			if next == nil && c.st[m.layout.bits]&bitTerm == 0 && !c.input && (!idling || firstEntry(c.last) == m.hooks[poll].prog.entry) {
				next = &config{st: append(state(nil), c.st...), last: c.last}
			}
		})
		if next == nil {
			return out
		}
		hs := next.last.happenings(st)
		out = append(out, hs...)
		for _, h := range hs {
			if pr := m.progOf[h.ev.Entry]; pr == m.hooks[poll].prog && pr.nodes[h.ev.Node].op == flow.Exit {
				return out
			}
		}
		st = next.st
	}
	return out
}

func firstEntry(l *link) *flow.Entry {
	var e *flow.Entry
	for ; l != nil; l = l.prev {
		e = l.ev.Entry
	}
	return e
}

// slotNames returns the names of the tracked locations, with their class where
// two have the same.
func (m *model) slotNames() []string {
	count := map[string]int{}
	for _, s := range m.slots {
		count[s.loc.String()]++
	}
	names := make([]string, len(m.slots))
	for i, s := range m.slots {
		names[i] = s.loc.String()
		if count[names[i]] > 1 && s.loc.Owner != nil {
			names[i] = s.loc.Owner.Name + "." + names[i]
		}
	}
	return names
}

func (m *model) stateMap(st state, names []string) map[string]string {
	out := make(map[string]string, len(names))
	for i, s := range m.slots {
		switch {
		case s.kind == queue:
			out[names[i]] = strconv.Itoa(int(st[m.layout.queueOf[i]])) + " queued"
		case s.kind == flag && code(st[i]) <= truthy:
			out[names[i]] = "unknown"
		default:
			out[names[i]] = m.consts.name(code(st[i]))
		}
	}
	return out
}

// describer says what an event did.
type describer struct {
	m     *model
	names []string
	happening
}

func (d describer) inst() *inst { return &d.m.progOf[d.ev.Entry].nodes[d.ev.Node] }

// move returns the event as a step under execution, to ask about the state
// before it.
func (d describer) move() *move {
	pr := d.m.progOf[d.ev.Entry]
	return &move{m: d.m, st: d.before, t: d.ev.Thread, pr: pr, pc: d.ev.Node, in: d.inst(), at: d.m.layout.threads[d.ev.Thread] + thCells}
}

// raised reports whether the step ended in an exception, and which.
func (d describer) raised() (string, bool) {
	for _, e := range d.inst().node.Succ {
		if e.To == d.ev.To {
			return e.Exc, e.Kind == flow.Exc
		}
	}
	return "", false
}

// action returns the step in the words of the source, or "" for one that a
// reader need not see.
func (d describer) action() string {
	in := d.inst()
	if in.skip {
		return ""
	}
	exc, raised := d.raised()
	text := ""
	switch in.op {
	case flow.Start:
		return d.begins()
	case flow.LoopHead:
		if in.rest == messages {
			return "a message arrives"
		}
		return d.taking()
	case flow.Branch:
		return d.choice()
	case flow.Fail:
		return "an exception leaves " + d.ev.Entry.Name()
	case flow.Raise, flow.Assert:
		return "raises " + in.node.Name
	case flow.Spawn:
		if in.target != nil {
			return "starts " + in.target.Name()
		}
		return ""
	case flow.Acquire:
		if in.lock < 0 {
			return ""
		}
		if l := in.node.Lock; l.Slots() != "" {
			return "takes " + l.Loc.Root().Name + l.Slots()
		}
		return "takes " + in.node.Lock.String()
	case flow.Return:
		if d.m.progOf[d.ev.Entry].polls {
			return d.ev.Entry.Func.Name + "() -> " + d.m.consts.name(d.move().eval(in.val))
		}
		return ""
	case flow.Exit:
		return d.drained()
	case flow.Call, flow.Wait, flow.Await:
		if !raised {
			return ""
		}
		text = in.node.Name + "()"
	default:
		if in.slot < 0 || d.move().other() || in.mode&flow.Initial != 0 {
			return ""
		}
		text = d.access()
	}
	if raised && text != "" {
		text += " raises " + exc
	}
	return text
}

// begins describes the call of a hook or constructor. A poll is seen by what
// it returns.
func (d describer) begins() string {
	e := d.ev.Entry
	switch {
	case e.Role == flow.Init && e.Class != nil:
		return e.Class.Name + "(...)"
	case d.ev.Thread == 0 && !d.m.progOf[e].polls:
		return e.Func.Name + "(...)"
	}
	return ""
}

// drained describes the end of a hook that returns what it takes out of
// containers.
func (d describer) drained() string {
	if d.ev.Thread != 0 || !d.m.drains(d.m.progOf[d.ev.Entry]) {
		return ""
	}
	answer := "without " + keyText
	if d.before[d.m.layout.bits]&bitTerm != 0 {
		answer = keyText
	}
	return d.ev.Entry.Func.Name + "() -> " + answer
}

// drains reports whether a hook empties a container and returns its content.
func (m *model) drains(pr *prog) bool {
	return slices.ContainsFunc(pr.nodes, func(in inst) bool {
		return in.slot >= 0 && m.slots[in.slot].drained && (in.op == flow.Rebind || in.op == flow.Clear) && in.mode&flow.Initial == 0
	})
}

// choice describes a branch that could go either way.
func (d describer) choice() string {
	mv := d.move()
	ways := 0
	mv.buf = make(state, d.m.layout.size)
	mv.put = func(state, int32) { ways++ }
	mv.branch()
	if ways < 2 || len(mv.in.yes) == 0 || len(mv.in.no) == 0 {
		return ""
	}
	text, inverted := conditionText(mv.in.node)
	text = strings.Join(strings.Fields(text), " ") // in one line
	if n := mv.in.node; n.Test == flow.TestUnknown && n.Val != nil && n.Val.Kind == flow.Function {
		if _, call := n.Src.(*ast.Call); call { // of one of several functions
			if !slices.Contains(mv.in.yes, d.ev.To) {
				return ""
			}
			return text + " calls " + n.Val.Fn.Qual
		}
	}
	if slices.Contains(mv.in.yes, d.ev.To) != inverted {
		return text + "? yes"
	}
	return text + "? no"
}

// conditionText returns the condition of a branch in the words of the source,
// and whether the branch tests the opposite.
func conditionText(n *flow.Node) (text string, inverted bool) {
	c, ok := n.Src.(*ast.Compare)
	if !ok || len(c.Ops) != 1 {
		return n.Text(n.Src), false
	}
	switch c.Ops[0] {
	case ast.NotEq, ast.IsNot, ast.GtE, ast.LtE:
		return n.Text(n.Src), true
	case ast.In, ast.NotIn:
		if n.Test == flow.TestEq {
			return n.Text(c.Left) + " == " + n.Want.String(), false
		}
		return n.Text(n.Src), c.Ops[0] == ast.NotIn
	}
	return n.Text(n.Src), false
}

// place returns the entry that the step touches, such as d[7].
func (d describer) place() string {
	n := d.inst().node
	s := n.Loc.Root().Name
	for l := n.Loc; l.Outer != nil; l = l.Outer {
		s += "[" + keyText + "]"
	}
	return s
}

func (d describer) access() string {
	in := d.inst()
	c := d.place()
	k := keyText
	if in.node.Loc.Outer != nil && in.node.Key != nil {
		k = in.node.Key.String()
	}
	before, after := code(d.before[in.slot]), code(d.after[in.slot])
	name := d.m.consts.name
	isMap := in.node.Loc.Type.Kind == program.Dict || in.node.Loc.Type.Kind == program.DefaultDict || in.node.Loc.Type.Kind == program.Counter
	switch in.op {
	case flow.Read:
		if in.mode&flow.Strict != 0 && before == absent {
			return c + "[" + k + "]"
		}
		if before > absent && before < firstConst {
			return "" // says no more than that there is an entry
		}
		if before == absent && in.mode&flow.Upsert == 0 {
			return c + ".get(" + k + ") -> " + name(d.move().eval(in.def))
		}
		if in.mode&(flow.Strict|flow.Upsert) == 0 {
			return c + ".get(" + k + ") -> " + name(before)
		}
		return c + "[" + k + "] -> " + name(after)
	case flow.Has:
		if before == absent {
			return k + " in " + c + "? no"
		}
		return k + " in " + c + "? yes"
	case flow.Put:
		switch {
		case in.mode&flow.Upsert != 0:
			return c + ".setdefault(" + k + ") -> " + name(after)
		case isMap:
			return c + "[" + k + "] = " + name(after)
		case in.node.Loc.Type.Kind == program.Set:
			return c + ".add(" + k + ")"
		}
		return c + ".append(" + k + ")"
	case flow.Del:
		return d.removal(c, k, before, isMap)
	case flow.Size:
		return "len(" + c + ")"
	case flow.Iter:
		return "iterates over " + c
	case flow.Next:
		return "next element of " + c + d.element()
	case flow.Clear:
		return c + ".clear()"
	case flow.Rebind:
		return c + " = ... (" + keyText + " is " + name(after) + ")"
	case flow.PutAll, flow.DelAll:
		if before == after {
			return ""
		}
		return c + " changes in place (" + keyText + " is " + name(after) + ")"
	case flow.GetFlag:
		if before <= truthy {
			return c + " is read"
		}
		return c + " -> " + name(before)
	case flow.SetFlag:
		return c + " = " + name(after)
	case flow.Enqueue:
		return c + ".put(" + keyText + ")"
	case flow.Dequeue:
		if d.before[d.m.layout.queueOf[in.slot]] == 0 {
			return c + ".get()"
		}
		return c + ".get() -> " + keyText
	}
	return in.op.String() + " " + c
}

func (d describer) removal(c, k string, before code, isMap bool) string {
	mode := d.inst().mode
	missing := ""
	if before == absent && mode&(flow.Strict|flow.AnyKey) == 0 {
		missing = " (was absent)"
	}
	switch {
	case mode&flow.AnyKey != 0 && before == absent:
		return c + ".pop() -> another"
	case mode&flow.AnyKey != 0:
		return c + ".pop() -> " + keyText
	case isMap && mode&flow.Strict != 0:
		return "del " + c + "[" + k + "]"
	case isMap:
		return c + ".pop(" + k + ", ...)" + missing
	case mode&flow.Strict != 0:
		return c + ".remove(" + k + ")"
	}
	return c + ".discard(" + k + ")" + missing
}

// taking says what a loop took over something that is not tracked, where the path says
// which element that is.
func (d describer) taking() string {
	in := d.inst()
	loop, ok := in.node.Src.(*ast.For)
	if !ok || in.head < 0 || !in.marked || !slices.Contains(in.yes, d.ev.To) {
		return ""
	}
	asks := func(k placed) bool { return k.Node == d.ev.Node && (k.Takes == KeyElement || k.Takes == OtherElement) }
	if !slices.ContainsFunc(d.m.progOf[d.ev.Entry].marks, asks) {
		return ""
	}
	return "next of " + in.node.Text(loop.Iter) + d.element()
}

// element says what a loop took.
func (d describer) element() string {
	if _, raised := d.raised(); raised {
		return ""
	}
	in := d.inst()
	if !slices.Contains(in.yes, d.ev.To) {
		return ": none left"
	}
	h := d.m.layout.threads[d.ev.Thread] + thCells + d.m.progOf[d.ev.Entry].regs + in.head
	if d.after[h]&bindMask == bindKey {
		return ": " + keyText
	}
	return ": another"
}

// assumptions returns what the answer rests on.
func (m *model) assumptions(r *Result) []string {
	out := []string{"calls outside the analyzed files do not touch these containers"}
	met := map[string]bool{}
	for i := range m.progs {
		for k := range m.progs[i].nodes {
			in := &m.progs[i].nodes[k]
			met["messages"] = met["messages"] || in.rest == messages || in.handed
			met["queue"] = met["queue"] || in.op == flow.Enqueue && in.slot >= 0
			met["other"] = met["other"] || in.op == flow.Next && in.slot >= 0
			met["named"] = met["named"] || in.named && in.op == flow.Branch && in.test == flow.TestNone
		}
	}
	if met["messages"] {
		out = append(out, "messages for the key arrive in any order and number")
	}
	if len(m.hooks) > 0 {
		out = append(out, "hooks are called by one thread, in any order until the request is over")
	}
	if met["queue"] {
		out = append(out, "at most "+strconv.Itoa(queueCap)+" items for the key are queued")
	}
	for _, l := range r.Present {
		out = append(out, l.String()+" is filled by code that is not analyzed")
	}
	if met["other"] {
		out = append(out, "a container that is iterated over can hold another key")
	}
	if met["named"] {
		out = append(out, "the key of a request is not None")
	}
	for _, e := range r.Trace {
		if e.Entry.Graph.Nodes[e.Node].Op == flow.Branch && m.isChoice(e) {
			out = append(out, "conditions on anything else can go either way")
			break
		}
	}
	return out
}

// isChoice reports whether a branch does not depend on anything known.
func (m *model) isChoice(e Event) bool {
	in := &m.progOf[e.Entry].nodes[e.Node]
	return in.test == flow.TestUnknown || in.val.kind == exprCode && in.val.c == anything
}
