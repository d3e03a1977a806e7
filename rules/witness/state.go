package witness

import (
	"bytes"
	"hash/maphash"
)

// A state is a string of bytes, laid out as layout tells: the tracked
// locations, what is known of stable conditions, locks, queues, the event
// loop, the client, and then the threads.
type state []byte

// layout holds the offsets of the parts of a state.
type layout struct {
	conds, locks, queues int
	loop                 int // thread whose turn it is on the event loop, plus one
	bits                 int
	gone                 int // watched locations that were absent after the trigger, or that a clear hook emptied
	held                 int // how often the resource was taken and not released
	init                 int // constructors that have been called
	running              int // hook that the client is in, plus one; constructors follow the hooks
	phase                int // how many places of the path have been passed
	first                int // thread that passed the first one, plus one; only when a mark asks for it
	threads              []int
	size                 int
	queueOf              []int // by slot
}

// What a state remembers.
const (
	bitTerm     = 1 << iota // a poll returned a terminal value
	bitCleared              // a clear hook has returned
	bitTrigger              // the request must be concluded, or gone
	bitReleased             // the resource was released once
	bitViolated             // the step before broke the property
	bitRaised               // a step whose exception is looked for has raised
	bitBroken               // a constructor has raised: nobody has the object
	bitDropped              // a hook has dropped the request, be it over or not
)

// queueCap is how many items a queue holds.
const queueCap = 2

// Offsets within the part of a thread.
const (
	thStatus = iota
	thPC     // two bytes
	thPCHigh
	thSite // what started it, see model.site
	thCells
)

// The states of a thread.
const (
	idle byte = iota
	running
	done
)

func (m *model) layOut() {
	l := &m.layout
	at := len(m.slots)
	l.conds = at
	at += len(m.conds)
	l.locks = at
	at += 2 * len(m.locks)
	l.queues = at
	l.queueOf = make([]int, len(m.slots))
	for i, s := range m.slots {
		if s.kind == queue {
			l.queueOf[i] = at
			at += 1 + queueCap
		}
	}
	l.loop, l.bits, l.gone, l.held, l.init, l.running, l.phase, l.first = at, at+1, at+2, at+3, at+4, at+5, at+6, at+7
	at += 8
	for i := range m.hooks {
		if m.hooks[i].calls > 0 {
			m.hooks[i].called = at
			at++
		}
	}
	for _, th := range m.threads {
		l.threads = append(l.threads, at)
		at += thCells
		if th.prog != nil {
			at += th.prog.cells()
			continue
		}
		n := 0
		for _, pr := range m.progs {
			if pr.hook >= 0 || isInit(pr) {
				n = max(n, pr.cells())
			}
		}
		at += n
	}
	l.size = at
}

// maxOutside is how many containers may be filled from outside.
const maxOutside = 3

// starts returns the states before anything has happened. A container that
// nothing in the problem fills is filled from outside, or would not be there.
func (m *model) starts() []state {
	out := []state{m.start()}
	n := 0
	for i, s := range m.slots {
		if s.kind != keyed || s.loc.Outer != nil || s.absent || m.filled(i) || n == maxOutside {
			continue
		}
		n++
		m.slots[i].outside = true
		for _, st := range out[:len(out):len(out)] {
			st = append(state(nil), st...)
			st[i] = byte(truthy)
			out = append(out, st)
		}
	}
	return out
}

// start returns the state in which all containers are empty.
func (m *model) start() state {
	st := make(state, m.layout.size)
	for i, s := range m.slots {
		if s.kind == flag {
			st[i] = byte(s.initial)
		}
	}
	for t, th := range m.threads {
		if th.live && t > 0 {
			st[m.layout.threads[t]+thStatus] = running
		}
	}
	if len(m.p.Reset) == 0 {
		st[m.layout.held] = 1
	}
	if len(m.inits) == 0 && len(m.hooks) == 0 {
		st[m.layout.threads[0]+thStatus] = done
	}
	return st
}

func (m *model) pc(st state, t int) int32 {
	at := m.layout.threads[t]
	return int32(st[at+thPC]) | int32(st[at+thPCHigh])<<8
}

func (m *model) setPC(st state, t int, pc int32) {
	at := m.layout.threads[t]
	st[at+thPC], st[at+thPCHigh] = byte(pc), byte(pc>>8)
}

// progAt returns the program that a thread runs.
func (m *model) progAt(st state, t int) *prog {
	if t > 0 {
		return m.threads[t].prog
	}
	i := int(st[m.layout.running]) - 1
	if i < 0 {
		return nil
	}
	if i < len(m.hooks) {
		return m.hooks[i].prog
	}
	return m.inits[i-len(m.hooks)]
}

// store keeps states without duplicates: their bytes in one slice, found by an
// open-addressing table of their numbers.
type store struct {
	size  int
	bytes []byte
	table []int32 // number plus one
	seed  maphash.Seed
	count int
}

func newStore(size int) *store {
	return &store{size: size, table: make([]int32, 1<<12), seed: maphash.MakeSeed()}
}

func (s *store) at(i int32) state { return s.bytes[int(i)*s.size : (int(i)+1)*s.size] }

// add returns the number of a state and whether it is new.
func (s *store) add(st state) (int32, bool) {
	if 4*s.count >= 3*len(s.table) {
		s.grow()
	}
	i := s.find(st)
	if n := s.table[i]; n != 0 {
		return n - 1, false
	}
	s.bytes = append(s.bytes, st...)
	s.count++
	s.table[i] = int32(s.count)
	return int32(s.count - 1), true
}

// find returns the place of a state in the table.
func (s *store) find(st state) int {
	mask := len(s.table) - 1
	i := int(maphash.Bytes(s.seed, st)) & mask
	for {
		n := s.table[i]
		if n == 0 || bytes.Equal(s.at(n-1), st) {
			return i
		}
		i = (i + 1) & mask
	}
}

func (s *store) grow() {
	s.table = make([]int32, 2*len(s.table))
	for i := range s.count {
		s.table[s.find(s.at(int32(i)))] = int32(i + 1)
	}
}
