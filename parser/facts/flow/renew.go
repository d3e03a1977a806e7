package flow

import "slices"

// Renewed returns the values that branches test and that hold something else past a step
// than before, by ID: those that are computed from the register which it sets, or from the
// element that the loop takes whose head it is. The register itself is not among them.
func (g *Graph) Renewed(id int32) []string { return g.memory().renewed[id] }

// renewed finds what [Graph.Renewed] returns, sorted, for each step. Facts about these values
// end there.
func (g *Graph) renewed(tested slots) [][]string {
	rest := map[string][]string{} // by what it is computed from
	seen := map[string]bool{}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Op != Branch {
			continue
		}
		for _, v := range []*Value{n.Val, n.Want} {
			if v == nil || v.Kind == Const || tested[register(v)] == 0 || seen[register(v)] {
				continue
			}
			of := register(v)
			seen[of] = true
			v.Walk(func(x *Value) {
				from := register(x)
				if known := rest[from]; from != of && (len(known) == 0 || known[len(known)-1] != of) {
					rest[from] = append(known, of)
				}
			})
		}
	}
	out := make([][]string, len(g.Nodes))
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Res != nil {
			out[i] = rest[register(n.Res)]
		}
		if n.Op == LoopHead || n.Op == Next {
			n.Val.Walk(func(x *Value) {
				if x.Kind == Element {
					out[i] = append(slices.Clip(out[i]), rest[x.id]...)
					if tested[x.id] != 0 {
						out[i] = append(out[i], x.id)
					}
				}
			})
		}
	}
	for i := range out {
		if !slices.IsSorted(out[i]) {
			out[i] = slices.Sorted(slices.Values(out[i]))
		}
	}
	return out
}
