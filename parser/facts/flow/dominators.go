package flow

import "sync"

// dominators answers which steps every walk from the start to a step passes.
type dominators struct {
	once sync.Once
	// in and out number the tree of immediate dominators on the way down and up,
	// so that a step dominates another if its numbers enclose the other's. in is 0
	// for what no walk gets to.
	in, out []int32
}

// over computes the tree for the walks that take the accepted edges, with the
// algorithm of Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm"
// (2001).
func (d *dominators) over(g *Graph, accepts func(*Node, Edge) bool) *dominators {
	d.once.Do(func() {
		order := g.postorder(accepts)
		number := make([]int32, len(g.Nodes)) // position in order, from 1
		for i, id := range order {
			number[id] = int32(i) + 1
		}
		up := make([]int32, len(g.Nodes)) // immediate dominators; -1 while unknown
		for i := range up {
			up[i] = -1
		}
		up[StartNode] = StartNode
		meet := func(a, b int32) int32 {
			for a != b {
				for number[a] < number[b] {
					a = up[a]
				}
				for number[b] < number[a] {
					b = up[b]
				}
			}
			return a
		}
		for changed := true; changed; {
			changed = false
			for i := len(order) - 2; i >= 0; i-- { // the start is last
				id := order[i]
				best := int32(-1)
				for _, p := range g.Nodes[id].Pred {
					if up[p] < 0 || !g.joins(p, id, accepts) {
						continue
					}
					if best < 0 {
						best = p
					} else {
						best = meet(best, p)
					}
				}
				if best != up[id] {
					up[id] = best
					changed = true
				}
			}
		}
		d.enclose(order, up)
	})
	return d
}

// enclose numbers the tree.
func (d *dominators) enclose(order, up []int32) {
	n := len(up)
	below := make([][]int32, n)
	for i := len(order) - 2; i >= 0; i-- {
		below[up[order[i]]] = append(below[up[order[i]]], order[i])
	}
	d.in, d.out = make([]int32, n), make([]int32, n)
	clock := int32(0)
	type frame struct {
		id   int32
		next int
	}
	work := []frame{{id: StartNode}}
	for len(work) > 0 {
		f := &work[len(work)-1]
		if f.next == 0 {
			clock++
			d.in[f.id] = clock
		}
		if f.next < len(below[f.id]) {
			f.next++
			work = append(work, frame{id: below[f.id][f.next-1]})
			continue
		}
		clock++
		d.out[f.id] = clock
		work = work[:len(work)-1]
	}
}

// dominates reports whether every walk to b passes a.
func (d *dominators) dominates(a, b int32) bool {
	return d.in[a] != 0 && d.in[a] <= d.in[b] && d.out[b] <= d.out[a]
}

// joins reports whether an accepted edge leads from one step to another.
func (g *Graph) joins(from, to int32, accepts func(*Node, Edge) bool) bool {
	n := &g.Nodes[from]
	for _, e := range n.Succ {
		if e.To == to && accepts(n, e) {
			return true
		}
	}
	return false
}

// postorder returns the steps that accepted edges lead to from the start, each
// after those that it leads to.
func (g *Graph) postorder(accepts func(*Node, Edge) bool) []int32 {
	type frame struct {
		id   int32
		next int
	}
	seen := make([]bool, len(g.Nodes))
	seen[StartNode] = true
	work := []frame{{id: StartNode}}
	var out []int32
	for len(work) > 0 {
		f := &work[len(work)-1]
		n := &g.Nodes[f.id]
		if f.next == len(n.Succ) {
			out = append(out, f.id)
			work = work[:len(work)-1]
			continue
		}
		e := n.Succ[f.next]
		f.next++
		if !seen[e.To] && accepts(n, e) {
			seen[e.To] = true
			work = append(work, frame{id: e.To})
		}
	}
	return out
}

// Passes reports whether every walk from the start to step id comes by another step.
func (g *Graph) Passes(by, id int32) bool { return g.all.over(g, AllEdges).dominates(by, id) }

// Decides reports whether every walk from the start to step id leaves step by
// over edge e, calls of unknown code being taken to succeed. known is false for a
// step that no such walk gets to.
func (g *Graph) Decides(by int32, e Edge, id int32) (decides, known bool) {
	d := g.known.over(g, KnownEdges)
	if d.in[id] == 0 {
		return false, false
	}
	if !d.dominates(by, id) || !d.dominates(e.To, id) {
		return false, true
	}
	// An edge is inevitable if its end is, and if no other edge leads there but
	// those of walks that have passed it.
	for _, p := range g.Nodes[e.To].Pred {
		n := &g.Nodes[p]
		for _, o := range n.Succ {
			if o.To == e.To && KnownEdges(n, o) && !(p == by && o.Kind == e.Kind) && d.in[p] != 0 && !d.dominates(e.To, p) {
				return false, true
			}
		}
	}
	return true, true
}
