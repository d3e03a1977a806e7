package witness

import (
	"slices"

	"github.com/kvrace/kvrace/parser/facts/flow"
)

// This file chooses which threads a search lets run.

// mask is a set of hooks and threads. Constructors are always in it, and so is
// the client.
type mask struct{ hooks, threads uint64 }

// everybody is the set of all.
var everybody = mask{^uint64(0), ^uint64(0)}

func (k mask) hook(i int) bool   { return i >= 63 || k.hooks&(1<<i) != 0 }
func (k mask) thread(t int) bool { return t == 0 || t >= 63 || k.threads&(1<<t) != 0 }

func (k mask) with(l mask) mask { return mask{k.hooks | l.hooks, k.threads | l.threads} }

// parts returns the sets to try, in order; the last one is everybody.
func (m *model) parts() []mask {
	named := m.named()
	var base mask
	var rest []mask
	seen := map[*prog]bool{}
	for t, th := range m.threads {
		if t == 0 {
			continue
		}
		one := m.started(mask{threads: 1 << min(t, 63)}, th.prog)
		if named[th.prog.entry] && !seen[th.prog] {
			base = base.with(one)
		} else {
			rest = append(rest, one)
		}
		seen[th.prog] = true
	}
	for i, h := range m.hooks {
		one := mask{hooks: 1 << min(i, 63)}
		if named[h.prog.entry] || h.kind == PollHook && m.p.Property == NoPin {
			base = base.with(one)
		} else {
			rest = append(rest, one)
		}
	}
	base = m.supplied(base)
	if m.polls() && m.clears(base) {
		base = base.with(m.pollHooks())
	}
	out := []mask{base}
	add := func(k mask) {
		if !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	for _, a := range rest {
		add(base.with(a))
	}
	for i, a := range rest {
		for _, b := range rest[i+1:] {
			add(base.with(a).with(b))
		}
	}
	return append(out, everybody)
}

// clears reports whether a set has a hook that is called only after a poll has
// said that the request is over.
func (m *model) clears(k mask) bool {
	for i, h := range m.hooks {
		if h.kind == ClearHook && k.hook(i) {
			return true
		}
	}
	return false
}

// supplied adds what fills the queues from which the threads take: without that
// they do nothing. A thread that puts an item back fills nothing.
func (m *model) supplied(k mask) mask {
	for {
		more := k
		for slot, s := range m.slots {
			takes := func(pr *prog) bool { return pr.does(slot, flow.Dequeue) }
			fills := func(pr *prog) bool { return pr.does(slot, flow.Enqueue) && !takes(pr) && !isInit(pr) }
			if s.kind != queue || !m.any(k, takes) || m.any(k, fills) {
				continue
			}
			for _, pr := range m.progs {
				if fills(pr) {
					more = m.started(more.with(m.maskOf(pr)), pr)
				}
			}
		}
		if more == k {
			return k
		}
		k = more
	}
}

// any reports whether a program of a set is as asked for.
func (m *model) any(k mask, is func(*prog) bool) bool {
	return slices.ContainsFunc(m.progs, func(pr *prog) bool {
		one := m.maskOf(pr)
		return one != (mask{}) && k.with(one) == k && is(pr)
	})
}

func (pr *prog) does(slot int, op flow.Op) bool {
	return slices.ContainsFunc(pr.nodes, func(in inst) bool { return in.slot == slot && in.op == op && !in.never })
}

// named returns the entrypoints that the property speaks of.
func (m *model) named() map[*flow.Entry]bool {
	out := map[*flow.Entry]bool{}
	p := &m.p
	for _, list := range append([][]Mark{p.Trigger, p.Release, p.Reset, p.Victims}, p.Path...) {
		for _, k := range list {
			out[k.Entry] = true
		}
	}
	out[p.Victim] = p.Victim != nil
	return out
}

// started adds what starts a thread, as far as that is part of the model.
func (m *model) started(k mask, pr *prog) mask {
	for changed := true; changed; {
		changed = false
		for _, s := range pr.entry.Spawns {
			by := m.progOf[s.By]
			if by == nil {
				continue
			}
			more := m.maskOf(by)
			if wide := k.with(more); wide != k {
				k = wide
				k = m.started(k, by)
				changed = true
			}
		}
	}
	return k
}

// maskOf returns the hook or the first thread that runs a program.
func (m *model) maskOf(pr *prog) mask {
	if pr.hook >= 0 {
		return mask{hooks: 1 << min(pr.hook, 63)}
	}
	for t, th := range m.threads {
		if th.prog == pr {
			return mask{threads: 1 << min(t, 63)}
		}
	}
	return mask{}
}

// maskOfAll returns the hook or all threads that run a program.
func (m *model) maskOfAll(pr *prog) mask {
	out := m.maskOf(pr)
	for t, th := range m.threads {
		if t > 0 && th.prog == pr {
			out.threads |= 1 << min(t, 63)
		}
	}
	return out
}

// pollHooks returns the hooks that are polls.
func (m *model) pollHooks() mask {
	var out mask
	for i, h := range m.hooks {
		if h.kind == PollHook {
			out.hooks |= 1 << min(i, 63)
		}
	}
	return out
}
