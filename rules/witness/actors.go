package witness

import "github.com/kvrace/kvrace/parser/facts/flow"

// Actors returns the entrypoints of a program that touch any of the locations,
// with what starts them, in the order of the program. The kinds of hooks are
// found by kind, which may be nil.
func Actors(p *flow.Program, locs []*flow.Location, kind func(*flow.Entry) Hook) []Actor {
	tracked := map[*flow.Location]bool{}
	for _, l := range locs {
		tracked[l] = true
	}
	chosen := map[*flow.Entry]bool{}
	for _, e := range p.Entries {
		if touchesAny(e, tracked) {
			choose(e, chosen)
		}
	}
	var out []Actor
	for _, e := range p.Entries {
		if !chosen[e] {
			continue
		}
		a := Actor{Entry: e}
		if kind != nil && e.Role == flow.Caller {
			a.Hook = kind(e)
		}
		out = append(out, a)
	}
	return out
}

// choose adds an entrypoint and what starts it.
func choose(e *flow.Entry, chosen map[*flow.Entry]bool) {
	if e == nil || chosen[e] {
		return // what a module starts when it is imported is started by nobody
	}
	chosen[e] = true
	for _, s := range e.Spawns {
		choose(s.By, chosen)
	}
}

func touchesAny(e *flow.Entry, tracked map[*flow.Location]bool) bool {
	for i := range e.Graph.Nodes {
		if n := &e.Graph.Nodes[i]; n.Loc != nil && tracked[n.Loc] && len(n.Pred) > 0 {
			return true
		}
	}
	return false
}
