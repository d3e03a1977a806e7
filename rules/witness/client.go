package witness

import "github.com/kvrace/kvrace/parser/facts/flow"

// This file is the most general client: it calls the constructors, in order,
// and then hooks, in any order and as often as their protocol allows.

func isInit(pr *prog) bool { return pr.entry.Role == flow.Init }

// calls returns the hooks and constructors that the client can call next, as
// values of the running byte.
func (m *model) calls(st state) []byte {
	l := &m.layout
	if st[l.bits]&bitBroken != 0 {
		return nil
	}
	if i := int(st[l.init]); i < len(m.inits) {
		return []byte{byte(1 + len(m.hooks) + i)}
	}
	bits := st[l.bits]
	if bits&bitCleared != 0 || bits&bitDropped != 0 && bits&bitTerm != 0 {
		return nil
	}
	var out []byte
	for i, h := range m.hooks {
		if bits&bitDropped != 0 && h.kind == PlainHook && h.calls > 0 {
			continue // it brings the request in
		}
		if h.drops && !m.cameIn(st) {
			continue // nobody knows of it yet
		}
		if m.mayCall(h.kind, bits) && (h.called < 0 || st[h.called] < h.calls) {
			out = append(out, byte(1+i))
		}
	}
	return out
}

// cameIn reports whether a hook has brought the request in, if there are such hooks.
func (m *model) cameIn(st state) bool {
	any := false
	for _, h := range m.hooks {
		if h.kind == PlainHook && h.called >= 0 {
			if st[h.called] > 0 {
				return true
			}
			any = true
		}
	}
	return !any
}

// isInput reports whether a call needs something from outside: an abort, or more
// of what the request has got already.
func (m *model) isInput(st state, which byte) bool {
	i := int(which) - 1
	if i >= len(m.hooks) {
		return false
	}
	h := m.hooks[i]
	return h.kind == AbortHook || h.called >= 0 && st[h.called] > 0
}

// mayCall reports whether the protocol allows a call.
func (m *model) mayCall(kind Hook, bits byte) bool {
	over := bits&bitTerm != 0
	switch kind {
	case PollHook:
		return !over
	case ClearHook:
		return over || !m.polls()
	case PlainHook:
		return !over
	}
	return true
}

// polls reports whether a poll can say that the request is over.
func (m *model) polls() bool {
	for _, h := range m.hooks {
		if h.kind == PollHook && len(m.terms) > 0 {
			return true
		}
	}
	return false
}

// begin makes the client enter a hook or constructor.
func (m *model) begin(st state, which byte) {
	l := &m.layout
	at := l.threads[0]
	st[at+thStatus] = running
	st[l.running] = which
	m.setPC(st, 0, flow.StartNode)
	i := int(which) - 1
	switch {
	case i >= len(m.hooks):
		st[l.init]++
	case m.hooks[i].called >= 0:
		st[m.hooks[i].called]++
	}
}
