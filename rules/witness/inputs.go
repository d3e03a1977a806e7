package witness

import (
	"slices"

	"github.com/kvrace/kvrace/parser/facts/flow"
)

// Inputs are what a problem takes from outside: the program has no say in when
// it comes, or whether it does.
type Inputs struct {
	// Messages are the loops whose passes each take a message.
	Messages map[*flow.Entry]map[int32]bool
	// Handed are the loops of polls over the messages that have come.
	Handed map[*flow.Entry]map[int32]bool
	// Feeding are the hooks that bring a request in, or something for it. One
	// call of each can be relied upon, a second is input.
	Feeding map[*flow.Entry]bool
}

// InputsOf returns the inputs of a problem.
func InputsOf(p Problem) Inputs {
	in := Inputs{Messages: map[*flow.Entry]map[int32]bool{}, Handed: map[*flow.Entry]map[int32]bool{}, Feeding: map[*flow.Entry]bool{}}
	add := func(to map[*flow.Entry]map[int32]bool, e *flow.Entry, i int) {
		if to[e] == nil {
			to[e] = map[int32]bool{}
		}
		to[e][int32(i)] = true
	}
	m := prepare(p, Bound{}, nil)
	for _, pr := range m.progs {
		for i := range pr.nodes {
			if pr.nodes[i].rest == messages {
				add(in.Messages, pr.entry, i)
			}
			if pr.nodes[i].handed {
				add(in.Handed, pr.entry, i)
			}
		}
	}
	for _, h := range m.hooks {
		if h.calls > 0 {
			in.Feeding[h.prog.entry] = true
		}
	}
	return in
}

// Begins reports whether an entrypoint runs from a step on, and not before. A thread that
// is kept in an attribute may have been started before, by another call of the function:
// that it has not matters where somebody waits for what it does.
func (p *Problem) Begins(by *flow.Entry, n *flow.Node) bool {
	if n.Op != flow.Spawn || n.Entry == nil {
		return false
	}
	return n.Val == nil || slices.ContainsFunc(p.Path, func(ms []Mark) bool {
		return slices.ContainsFunc(ms, func(k Mark) bool { return k.Arrives && k.Entry.Name() == by.Name() })
	})
}
