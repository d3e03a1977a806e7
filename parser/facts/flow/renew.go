package flow

import "slices"

// renewed returns, for each step, the tested values that hold something else past it than
// before: those that are computed from the register which the step sets, or from the
// element that the loop takes whose head it is. Facts about them end there. The register
// itself is not among them.
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
			v.each(func(x *Value) {
				if from := register(x); from != of && !slices.Contains(rest[from], of) {
					rest[from] = append(rest[from], of)
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
			n.Val.each(func(x *Value) {
				if x.Kind == Element {
					out[i] = append(slices.Clip(out[i]), rest[x.id]...)
					if tested[x.id] != 0 {
						out[i] = append(out[i], x.id)
					}
				}
			})
		}
	}
	return out
}

// each calls f for a value and those that it is computed from, but for what a Phi may be.
func (v *Value) each(f func(*Value)) {
	if v == nil {
		return
	}
	f(v)
	switch v.Kind {
	case Attribute, Element:
		v.Base.each(f)
	case Derived:
		for _, a := range v.Args {
			a.each(f)
		}
	}
}
