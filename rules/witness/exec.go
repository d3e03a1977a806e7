package witness

import (
	"slices"

	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
)

// What a loop remembers, in one byte.
const (
	bindMask   byte = 3
	bindKey    byte = 1 // the element is that of the key
	bindOther  byte = 2 // the element is that of another key
	seenKey    byte = 4
	seenOther  byte = 8
	sizeAtIter byte = 16 // the container had the key when the iteration began
)

// move is one step of one thread under execution: the state before it, and
// where its outcomes go.
type move struct {
	m  *model
	st state
	t  int
	pr *prog
	pc int32
	in *inst
	// at is the offset of the cells of the thread.
	at int
	// put receives each outcome; it may change the state but not keep it.
	put func(st state, to int32)
	buf state
}

// exec executes the step that thread t is at. The outcomes are handed to put.
func (m *model) exec(st state, t int, buf state, put func(st state, to int32)) {
	pr := m.progAt(st, t)
	pc := m.pc(st, t)
	mv := move{m: m, st: st, t: t, pr: pr, pc: pc, in: &pr.nodes[pc], at: m.layout.threads[t] + thCells, put: put, buf: buf}
	mv.run()
}

// fork returns a copy of the state for one outcome.
func (mv *move) fork() state {
	copy(mv.buf, mv.st)
	return mv.buf
}

// goTo hands on an outcome that leads to each of the given steps.
func (mv *move) goTo(change func(st state), targets []int32) {
	for _, to := range targets {
		st := mv.fork()
		if change != nil {
			change(st)
		}
		mv.land(st, to)
	}
}

// land finishes an outcome: marks, bindings of a loop entered anew, and the
// place of the thread.
func (mv *move) land(st state, to int32) {
	if len(mv.in.overAtExit) > 0 && mv.in.leaves(to) && !mv.m.allFinished(mv.st, mv.in.overAtExit) {
		return // not yet
	}
	if mv.in.marked && !mv.other() {
		mv.applyMarks(st, to)
	}
	if len(mv.in.renews) > 0 && !mv.in.leaves(to) {
		for _, r := range mv.in.renews {
			st[mv.at+r] = 0
		}
	}
	if mv.in.op != flow.Iter {
		mv.pr.unbind(st, mv.at, mv.pc, to)
	}
	mv.m.setPC(st, mv.t, to)
	mv.m.arrive(st, mv.t, mv.pr, to)
	mv.put(st, to)
}

// leaves reports whether a step is left for good on its way to another one, as the
// head of a loop is when that ends.
func (in *inst) leaves(to int32) bool {
	return slices.ContainsFunc(in.node.Succ, func(e flow.Edge) bool { return e.To == to && e.Kind == flow.False })
}

// unbind forgets the elements of the loops that a thread leaves, or enters
// anew, on its way from one step to another. The cells of the thread are at at.
func (pr *prog) unbind(st state, at int, from, to int32) {
	if pr.heads == 0 {
		return
	}
	live := pr.live[to]
	for h := range pr.heads {
		if !live.has(pr.regs + h) {
			st[at+pr.regs+h] = 0
		}
	}
	if h := pr.nodes[to].head; h >= 0 && from < to && pr.nodes[to].op != flow.Iter {
		st[at+pr.regs+h] = 0
	}
}

func (mv *move) applyMarks(st state, to int32) {
	l := &mv.m.layout
	bits, held := &st[l.bits], l.held
	for i := range mv.pr.marks {
		k := &mv.pr.marks[i]
		if k.bit == markPath || k.bit == markUndo || !mv.counts(k, st, to) {
			continue
		}
		switch k.bit {
		case markTrigger:
			*bits |= bitTrigger
		case markRelease:
			if st[held] > 0 {
				st[held]--
			} else if *bits&bitReleased != 0 && mv.m.p.Property == NoDoubleRelease {
				*bits |= bitViolated
			}
			*bits |= bitReleased
		case markReset:
			st[held] = min(st[held]+1, 3)
		case markVictim:
			if slices.Contains(mv.in.uncaught, to) && int(st[l.phase]) == len(mv.m.p.Path) {
				*bits |= bitRaised
			}
		}
	}
	if len(mv.m.p.Path) > 0 && !mv.goOn(st, to) && mv.undone(st, to) {
		st[l.phase], st[l.first] = 0, 0
		mv.goOn(st, to)
	}
}

// goOn passes the next place of the path, if the step is at it.
func (mv *move) goOn(st state, to int32) bool {
	phase := st[mv.m.layout.phase]
	for i := range mv.pr.marks {
		if k := &mv.pr.marks[i]; k.bit == markPath && k.phase == phase && mv.counts(k, st, to) {
			mv.m.pass(st, mv.t)
			return true
		}
	}
	return false
}

// undone reports whether the path begins anew.
func (mv *move) undone(st state, to int32) bool {
	for i := range mv.pr.marks {
		if k := &mv.pr.marks[i]; k.bit == markUndo && mv.counts(k, st, to) {
			return true
		}
	}
	return false
}

// pass notes that a place of the path has been passed.
func (m *model) pass(st state, t int) {
	l := &m.layout
	if st[l.phase]++; st[l.phase] == 1 && m.ordered {
		st[l.first] = byte(t + 1)
	}
	if int(st[l.phase]) < len(m.p.Path) {
		return
	}
	switch m.p.Property {
	case NoPassage:
		st[l.bits] |= bitViolated
	case NoRevival:
		for _, s := range m.slots {
			st[l.gone] |= s.watched
		}
		fallthrough
	default:
		st[l.bits] |= bitTrigger
	}
}

// arrive applies the marks that count when a thread comes to a step.
func (m *model) arrive(st state, t int, pr *prog, to int32) {
	if to < 0 || !pr.nodes[to].marked {
		return
	}
	for i := range pr.marks {
		if k := &pr.marks[i]; k.Arrives && k.Node == to && k.bit == markPath && st[m.layout.phase] == k.phase {
			m.pass(st, t)
			return
		}
	}
}

// counts reports whether a mark is on the step, and its conditions hold before
// it. It leads to step to, with state st.
func (mv *move) counts(k *placed, st state, to int32) bool {
	if k.Node != mv.pc || k.Arrives || k.To != 0 && k.To != to {
		return false
	}
	if k.Raises && !slices.Contains(mv.in.uncaught, to) && !slices.Contains(mv.in.caught, to) {
		return false
	}
	if k.Takes != AnyStep && !mv.takes(k.Takes, st, to) {
		return false
	}
	if first := int(st[mv.m.layout.first]); k.Same && first != mv.t+1 || k.Other && first == mv.t+1 {
		return false
	}
	has := absent
	if k.slot >= 0 {
		has = code(mv.st[k.slot])
		if mv.m.slots[k.slot].kind == queue {
			has = code(mv.st[mv.m.layout.queueOf[k.slot]])
		}
		if k.Loc != nil && mv.m.slots[k.slot].kind == flag && (has == anything || has == falsy || has == foreign || has == none || has == no) {
			has = absent // it is not known to hold the request
		}
	}
	switch {
	case k.Present && k.slot >= 0 && has == absent, k.Absent && has != absent:
		return false
	case k.Absent && k.slot >= 0 && mv.m.slots[k.slot].drained && mv.st[mv.m.layout.bits]&bitTerm != 0:
		return false // it has been told before
	}
	if k.Pending && mv.in.op == flow.Exit {
		return mv.st[mv.m.layout.bits]&bitTerm == 0 && !mv.m.isTerminal(has)
	}
	if k.Pending {
		x := has
		if mv.in.op == flow.Return {
			x = mv.eval(mv.in.val)
			if st[mv.m.layout.bits]&bitTerm != 0 {
				return false
			}
		}
		return x >= firstConst && !mv.m.isTerminal(x)
	}
	return true
}

// takes reports whether a loop takes an element on its way to step to, with state st.
func (mv *move) takes(which Taking, st state, to int32) bool {
	if !slices.Contains(mv.in.yes, to) {
		return false
	}
	if which == AnyElement || mv.in.head < 0 {
		return which == AnyElement
	}
	return (st[mv.at+mv.pr.regs+mv.in.head]&bindMask == bindKey) == (which == KeyElement)
}

// other reports whether the step touches the entry of another key.
func (mv *move) other() bool {
	if mv.in.never {
		return true
	}
	if mv.in.another {
		return mv.st[mv.at+mv.pr.regs+mv.in.heads[0]]&bindMask == bindKey
	}
	for _, h := range mv.in.heads {
		if mv.st[mv.at+mv.pr.regs+h]&bindMask == bindOther {
			return true
		}
	}
	for _, r := range mv.in.regs {
		if code(mv.st[mv.at+r]) == foreign {
			return true
		}
	}
	return false
}

func (mv *move) set(st state, x code) {
	if mv.in.res >= 0 {
		st[mv.at+mv.in.res] = byte(x)
	}
}

func (mv *move) eval(x expr) code {
	switch x.kind {
	case exprCode:
		return x.c
	case exprReg:
		if v := code(mv.st[mv.at+x.reg]); v != absent {
			return v
		}
		return anything
	}
	if x.kind == exprNot {
		switch mv.m.consts.isTrue(mv.eval(x.args[0])) {
		case holds:
			return no
		case fails:
			return yes
		}
		return anything
	}
	return mv.m.consts.arithmetic(x.kind, mv.eval(x.args[0]), mv.eval(x.args[1]))
}

// store puts a value into a location.
func (mv *move) store(st state, x code) {
	in := mv.in
	s := &mv.m.slots[in.slot]
	was := code(st[in.slot])
	st[in.slot] = byte(x)
	if s.status && mv.m.p.Property == NoOverwrite && mv.blamed() && x != absent && mv.m.isTerminal(was) {
		if eq := mv.m.consts.equal(was, x); eq == fails || eq == unknown && len(mv.m.p.Victims) > 0 {
			st[mv.m.layout.bits] |= bitViolated
		}
	}
	if mv.m.p.Property == NoLostUpdate && mv.blamed() && mv.loses(was) {
		st[mv.m.layout.bits] |= bitViolated
	}
	if x == absent && was != absent && s.drained && mv.t == 0 {
		st[mv.m.layout.bits] |= bitTerm
	}
	if x == absent && was != absent && mv.t == 0 && mv.pr.hook >= 0 && mv.m.hooks[mv.pr.hook].kind == ClearHook {
		st[mv.m.layout.gone] |= s.watched
	}
	if x == absent && was != absent && s.revived {
		// What has come back is gone again: what comes then is another revival.
		l := &mv.m.layout
		if before := byte(max(0, len(mv.m.p.Path)-2)); st[l.phase] > before {
			st[l.phase] = before
		}
		if st[l.phase] == 0 {
			st[l.first] = 0
		}
		st[l.bits] &^= bitTrigger
	}
	if in.op != flow.Put || in.mode&flow.Update == 0 {
		for _, c := range s.children {
			st[c] = byte(absent)
		}
	}
}

// blamed reports whether the step is one of those that the property speaks of.
func (mv *move) blamed() bool {
	return len(mv.m.p.Victims) == 0 || slices.ContainsFunc(mv.pr.marks, func(k placed) bool {
		return k.bit == markVictim && k.Node == mv.pc
	})
}

// loses reports whether an update overwrites what it has not seen; now is what
// the location holds.
func (mv *move) loses(now code) bool {
	in := mv.in
	switch {
	case in.op == flow.Rebind && in.mode&flow.Filter != 0:
		return now != absent && mv.st[mv.snapAt()] == 0
	case in.mode&flow.Update != 0 && in.read.kind == exprReg:
		return now != mv.eval(in.read)
	}
	return false
}

// snapAt returns the offset of the copy that the step makes or walks over.
func (mv *move) snapAt() int { return mv.at + mv.pr.regs + mv.pr.heads + mv.in.snap }

func (m *model) isTerminal(x code) bool {
	for _, t := range m.terms {
		if x == t || x >= firstConst && m.consts.equal(x, t) == holds {
			return true
		}
	}
	return false
}

// raise takes the exceptions of the step that occur in the model.
func (mv *move) raise() {
	mv.goTo(nil, mv.in.caught)
	mv.goTo(nil, mv.in.uncaught)
}

// mayRaise takes the exceptions of a step of which nothing is known.
func (mv *move) mayRaise() {
	switch {
	case mv.m.bound.Faults == AllFaults || mv.in.faulty:
		mv.raise()
	case mv.m.bound.Faults == HandledFaults:
		mv.goTo(nil, mv.in.caught)
	}
}

// run executes the step.
func (mv *move) run() {
	in := mv.in
	switch in.op {
	case flow.Exit, flow.Fail:
		mv.leave()
		return
	case flow.Branch:
		mv.branch()
		return
	case flow.LoopHead, flow.Next:
		mv.loop()
		return
	case flow.Raise, flow.Assert:
		mv.raise()
		return
	case flow.Move:
		x := mv.eval(in.val)
		mv.goTo(func(st state) { mv.set(st, x) }, in.next)
		return
	case flow.Acquire, flow.Release, flow.Wait, flow.Await, flow.Call:
		mv.sync()
		return
	case flow.Spawn:
		mv.goTo(mv.spawn, in.next)
		return
	case flow.Return:
		mv.returns()
		return
	}
	if in.slot < 0 || mv.other() {
		mv.untracked()
		return
	}
	switch mv.m.slots[in.slot].kind {
	case keyed:
		mv.keyed()
	case flag:
		mv.flag()
	case queue:
		mv.queue()
	}
}

// untracked executes a step that does not touch the state of the key. What it
// yields is unknown.
func (mv *move) untracked() {
	mv.goTo(func(st state) { mv.set(st, anything) }, mv.in.next)
	if op := mv.in.op; mv.in.slot < 0 && op != flow.Read && op != flow.Del {
		mv.mayRaise()
	}
}

func (mv *move) sync() {
	in := mv.in
	l := mv.m.layout.locks + 2*in.lock
	switch {
	case in.op == flow.Acquire && in.lock >= 0:
		mv.goTo(func(st state) {
			st[l] = byte(mv.t + 1)
			st[l+1]++
		}, in.next)
	case in.op == flow.Release && in.lock >= 0:
		mv.goTo(func(st state) {
			if st[l] != byte(mv.t+1) {
				return
			}
			if st[l+1]--; st[l+1] == 0 {
				st[l] = 0
			}
		}, in.next)
	default:
		mv.goTo(func(st state) {
			mv.set(st, anything)
			if in.fill >= 0 && !mv.other() {
				st[mv.at+mv.pr.regs+mv.pr.heads+in.fill] = 1
			}
		}, in.next)
		if in.op != flow.Release {
			mv.mayRaise()
		}
	}
}

// canAcquire reports whether thread t can take a lock.
func (m *model) canAcquire(st state, t, lock int) bool {
	owner := st[m.layout.locks+2*lock]
	return owner == 0 || owner == byte(t+1) && m.locks[lock].reentrant
}

// spawn begins an instance of the entrypoint that the step starts, if one is
// left.
func (mv *move) spawn(st state) {
	for t, th := range mv.m.threads {
		at := mv.m.layout.threads[t]
		if th.prog != nil && th.prog.entry == mv.in.target && th.counted && st[at+thStatus] == idle {
			st[at+thStatus] = running
			if mv.m.sited[mv.in.target] {
				st[at+thSite] = site(mv.in.node)
			}
			return
		}
	}
}

func (mv *move) branch() {
	in := mv.in
	answer := unknown
	var want code
	switch in.test {
	case flow.TestTruth:
		answer = mv.m.consts.isTrue(mv.eval(in.val))
	case flow.TestNone:
		answer = mv.m.consts.isNone(mv.eval(in.val))
		if answer == unknown && in.named {
			answer = fails // a request has a name
		}
	case flow.TestEq:
		want = mv.eval(in.want)
		answer = mv.m.consts.equal(mv.eval(in.val), want)
	case flow.TestLess:
		answer = mv.m.consts.less(mv.eval(in.val), mv.eval(in.want))
	}
	if answer == unknown && in.cond >= 0 {
		answer = truth(mv.st[mv.m.layout.conds+in.cond])
	}
	if answer == unknown && in.firm >= 0 {
		answer = truth(mv.st[mv.at+in.firm])
	}
	takeYes, takeNo := answer != fails, answer != holds
	if answer == unknown && mv.m.bound.Faults != AllFaults {
		// What is asserted about other than tracked state holds, unless the
		// failing assertion is what is looked for.
		ruin, luck := mv.doomed(in.yes), mv.doomed(in.no)
		if ruin != luck {
			takeYes, takeNo = !ruin || mv.awaited(in.yes), !luck || mv.awaited(in.no)
		}
	}
	if takeYes {
		mv.goTo(func(st state) { mv.learn(st, want, true) }, in.yes)
	}
	if takeNo {
		mv.goTo(func(st state) { mv.learn(st, want, false) }, in.no)
	}
}

func (mv *move) doomed(targets []int32) bool {
	for _, to := range targets {
		if !mv.pr.nodes[to].doomed {
			return false
		}
	}
	return true
}

func (mv *move) awaited(targets []int32) bool {
	return slices.ContainsFunc(targets, func(to int32) bool { return mv.pr.nodes[to].awaited })
}

// learn records the outcome of a test.
func (mv *move) learn(st state, want code, outcome bool) {
	in := mv.in
	if in.cond >= 0 {
		st[mv.m.layout.conds+in.cond] = byte(truthOf(outcome))
		for _, c := range mv.m.excluded[in.cond] {
			if outcome {
				st[mv.m.layout.conds+c] = byte(fails)
			}
		}
	}
	if in.firm >= 0 {
		st[mv.at+in.firm] = byte(truthOf(outcome))
	}
	if in.val.kind == exprReg {
		r := mv.at + in.val.reg
		st[r] = byte(mv.m.consts.refine(mv.eval(in.val), in.test, want, outcome))
	}
}

// loop executes the head of a loop.
func (mv *move) loop() {
	in := mv.in
	if in.head < 0 { // over something of which nothing is known
		mv.goTo(nil, in.next)
		mv.goTo(nil, in.yes)
		mv.goTo(nil, in.no)
		return
	}
	h := mv.at + mv.pr.regs + in.head
	b := mv.st[h]
	live := in.op == flow.Next && in.slot >= 0
	var has bool
	switch {
	case live:
		has = code(mv.st[in.slot]) != absent
		changed := has != (b&sizeAtIter != 0)
		if changed && len(in.caught)+len(in.uncaught) > 0 {
			mv.raise()
			return
		}
	case in.snap >= 0:
		has = mv.st[mv.snapAt()] != 0
	default:
		has = true
	}
	bind := func(as, seen byte) {
		mv.goTo(func(st state) {
			st[h] = b&^bindMask | as | seen
			if live && as == bindKey {
				st[mv.snapAt()] = 1
			}
		}, in.yes)
	}
	if has && b&seenKey == 0 {
		bind(bindKey, seenKey)
	}
	if in.others && b&seenOther == 0 && (live || in.early || b&seenKey != 0 && mv.m.bound.Iterations > 1) {
		bind(bindOther, seenOther)
	}
	must := has && b&seenKey == 0 && (live || in.snap >= 0)
	if !must {
		mv.goTo(func(st state) { st[h] &^= seenKey | seenOther | sizeAtIter }, in.no)
	}
}

func (mv *move) keyed() {
	in := mv.in
	has := code(mv.st[in.slot])
	snap := mv.snapAt()
	next := func(change func(st state)) { mv.goTo(change, in.next) }
	switch in.op {
	case flow.Read:
		mv.read(has)
	case flow.Has:
		x := no
		if has != absent {
			x = yes
		}
		next(func(st state) { mv.set(st, x) })
	case flow.Put:
		mv.putItem(has)
	case flow.Del:
		mv.del(has)
	case flow.Size:
		x := anything
		switch {
		case has != absent:
			x = truthy
		case len(in.node.Path) > 0:
			x = falsy
		}
		next(func(st state) { mv.set(st, x) })
	case flow.Iter:
		mv.iter(has != absent)
	case flow.Clear:
		next(func(st state) { mv.store(st, absent) })
	case flow.Rebind:
		if in.mode&flow.Initial != 0 && mv.m.slots[in.slot].outside {
			next(nil)
			return
		}
		before := func(st state) {
			if in.mode&flow.Swap != 0 {
				st[snap] = 0
				if has != absent {
					st[snap] = 1
				}
			}
		}
		if in.fill >= 0 {
			cell, x := mv.at+mv.pr.regs+mv.pr.heads+in.fill, absent
			if mv.st[cell] != 0 {
				x = truthy
			}
			next(func(st state) { before(st); mv.store(st, x); st[cell] = 0 })
			return
		}
		next(func(st state) { before(st); mv.store(st, absent) })
		kept := has
		if kept == absent {
			kept = truthy
		}
		if in.mode&flow.Filter != 0 && mv.st[snap] != 0 || in.mode&(flow.Filter|flow.Initial) == 0 && in.node.Val != nil && in.node.Val.Kind != flow.Object {
			next(func(st state) { before(st); mv.store(st, kept) })
		}
	case flow.PutAll:
		if in.from >= 0 && code(mv.st[in.from]) == absent {
			next(nil)
			return
		}
		if in.same {
			x := mv.eval(in.val)
			if k := mv.m.slots[in.slot].loc.Type.Kind; k != program.Dict && k != program.DefaultDict {
				x = truthy
			}
			next(func(st state) { mv.store(st, x) })
			return
		}
		if in.from < 0 || has != absent {
			next(nil)
		}
		if has == absent || in.marked {
			next(func(st state) { mv.store(st, truthy) })
		}
	case flow.DelAll:
		next(nil)
		if has != absent {
			next(func(st state) { mv.store(st, absent) })
		}
	default:
		mv.untracked()
	}
}

func (mv *move) iter(has bool) {
	in := mv.in
	snap := mv.snapAt()
	mv.goTo(func(st state) {
		if in.mode&flow.Live == 0 {
			st[snap] = 0
			if has {
				st[snap] = 1
			}
			return
		}
		st[snap] = 0
		if in.head >= 0 {
			h := mv.at + mv.pr.regs + in.head
			st[h] = 0
			if has {
				st[h] = sizeAtIter
			}
		}
	}, in.next)
}

func (mv *move) read(has code) {
	in := mv.in
	switch {
	case has != absent:
		mv.goTo(func(st state) { mv.set(st, has) }, in.next)
	case in.mode&flow.Upsert != 0:
		x := mv.madeByRead()
		mv.goTo(func(st state) {
			if mv.m.slots[in.slot].loc.Type.Kind != program.Counter {
				mv.store(st, x)
			}
			mv.set(st, x)
		}, in.next)
	case in.mode&flow.Strict != 0:
		mv.raise()
	default:
		x := mv.eval(in.def)
		mv.goTo(func(st state) { mv.set(st, x) }, in.next)
	}
}

// madeByRead is what reading an absent key of a defaultdict makes.
func (mv *move) madeByRead() code {
	t := mv.m.slots[mv.in.slot].loc.Type
	if t.Kind == program.Counter || t.Element().Kind == program.Scalar {
		return mv.m.consts.number(0)
	}
	return notNone
}

func (mv *move) putItem(has code) {
	in := mv.in
	x := mv.eval(in.val)
	if x == anything {
		x = notNone // nobody stores None to say that there is something
	}
	if k := mv.m.slots[in.slot].loc.Type.Kind; k != program.Dict && k != program.DefaultDict && k != program.Counter || x == foreign {
		x = truthy
	}
	if in.mode&flow.Upsert != 0 && has != absent {
		mv.goTo(func(st state) { mv.set(st, has) }, in.next)
		return
	}
	mv.goTo(func(st state) {
		mv.store(st, x)
		mv.set(st, x)
	}, in.next)
}

func (mv *move) del(has code) {
	in := mv.in
	anyKey := in.mode&flow.AnyKey != 0
	switch {
	case has != absent:
		x := has
		if anyKey {
			x = truthy
		}
		mv.goTo(func(st state) {
			mv.store(st, absent)
			mv.set(st, x)
		}, in.next)
	case anyKey:
		mv.goTo(func(st state) { mv.set(st, foreign) }, in.next)
	case in.mode&flow.Strict != 0:
		mv.raise()
	default:
		x := mv.eval(in.def)
		mv.goTo(func(st state) { mv.set(st, x) }, in.next)
	}
}

func (mv *move) flag() {
	in := mv.in
	switch in.op {
	case flow.GetFlag:
		x := code(mv.st[in.slot])
		if x == absent {
			x = anything
		}
		if x == anything && mv.m.slots[in.slot].turned { // it is one or the other until it is turned
			for _, x := range []code{truthy, falsy} {
				mv.goTo(func(st state) { st[in.slot] = byte(x); mv.set(st, x) }, in.next)
			}
			return
		}
		mv.goTo(func(st state) { mv.set(st, x) }, in.next)
	case flow.SetFlag:
		x := mv.eval(in.val)
		mv.goTo(func(st state) { mv.store(st, x) }, in.next)
	default:
		mv.untracked()
	}
}

func (mv *move) queue() {
	in := mv.in
	q := mv.m.layout.queueOf[in.slot]
	n := int(mv.st[q])
	switch in.op {
	case flow.Enqueue:
		x := mv.eval(in.val)
		mv.goTo(func(st state) {
			st[q]++
			st[q+1+n] = byte(x)
		}, in.next)
	case flow.Dequeue:
		if n == 0 {
			mv.raise() // queue.Empty
			return
		}
		mv.goTo(func(st state) {
			mv.set(st, code(st[q+1]))
			copy(st[q+1:q+1+queueCap], st[q+2:q+1+queueCap])
			st[q+queueCap] = 0
			st[q]--
		}, in.next)
	case flow.Rebind: // to a new queue
		mv.goTo(func(st state) { clear(st[q : q+1+queueCap]) }, in.next)
	default:
		mv.untracked()
	}
}

// returns executes the return of the entrypoint.
func (mv *move) returns() {
	m := mv.m
	if !mv.pr.polls || mv.t != 0 || len(m.terms) == 0 {
		mv.goTo(nil, mv.in.next)
		return
	}
	x := mv.eval(mv.in.val)
	known := x >= firstConst
	if !known || m.isTerminal(x) {
		mv.goTo(func(st state) { st[m.layout.bits] |= bitTerm }, mv.in.next)
	}
	if !known || !m.isTerminal(x) {
		mv.goTo(nil, mv.in.next)
	}
}

// leave ends the run of an entrypoint.
func (mv *move) leave() {
	m, l := mv.m, &mv.m.layout
	st := mv.fork()
	failed := mv.in.op == flow.Fail
	if failed && m.p.Property == NoThreadDeath && m.isVictim(mv.pr.entry) && (len(m.p.Victims) == 0 || st[l.bits]&bitRaised != 0) {
		st[l.bits] |= bitViolated
	}
	if mv.in.marked {
		mv.applyMarks(st, -1)
	}
	at := l.threads[mv.t]
	for i := at + thPC; i < at+thCells+mv.pr.cells(); i++ {
		st[i] = 0
	}
	if mv.t > 0 {
		st[at+thStatus] = done
		mv.put(st, -1)
		return
	}
	st[at+thStatus] = idle
	st[l.running] = 0
	if mv.pr.hook >= 0 {
		m.afterHook(st, &m.hooks[mv.pr.hook])
	}
	if isInit(mv.pr) {
		m.forgetConds(st)
		if failed {
			st[l.bits] |= bitBroken
		}
	}
	mv.put(st, -1)
}

// isVictim reports whether an exception that leaves e breaks P3.
func (m *model) isVictim(e *flow.Entry) bool {
	if m.p.Victim != nil {
		return e == m.p.Victim
	}
	if len(m.p.Victims) > 0 {
		return slices.ContainsFunc(m.p.Victims, func(k Mark) bool { return k.Entry == e })
	}
	return e.Role != flow.Caller && e.Role != flow.Init
}

// afterHook records that a hook has returned.
func (m *model) afterHook(st state, h *hook) {
	l := &m.layout
	if h.drops {
		st[l.bits] |= bitDropped
	}
	switch h.kind {
	case ClearHook:
		st[l.bits] |= bitCleared
		if len(m.p.Trigger)+len(m.p.Path) == 0 && m.p.Property != NoPin {
			st[l.bits] |= bitTrigger
		}
	case AbortHook:
		if len(m.p.Trigger)+len(m.p.Path) == 0 && m.p.Property == NoPin {
			st[l.bits] |= bitTrigger
		}
	}
}
