package witness

import "github.com/kvrace/kvrace/parser/facts/flow"

// Inputs returns the loops of a problem whose passes each take a message from
// outside, by entrypoint and step: where a thread waits for what nobody in the
// program sends.
func Inputs(p Problem) map[*flow.Entry]map[int32]bool {
	out := map[*flow.Entry]map[int32]bool{}
	for _, pr := range prepare(p, Bound{}, nil).progs {
		for i := range pr.nodes {
			if pr.nodes[i].rest != messages {
				continue
			}
			if out[pr.entry] == nil {
				out[pr.entry] = map[int32]bool{}
			}
			out[pr.entry][int32(i)] = true
		}
	}
	return out
}

// Feeding returns the hooks of a problem of which one call can be relied upon,
// and a second one is input: they bring the request in, or something for it.
func Feeding(p Problem) map[*flow.Entry]bool {
	out := map[*flow.Entry]bool{}
	for _, h := range prepare(p, Bound{}, nil).hooks {
		if h.calls > 0 {
			out[h.prog.entry] = true
		}
	}
	return out
}
