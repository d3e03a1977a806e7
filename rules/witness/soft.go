package witness

import (
	"slices"

	"github.com/kvrace/kvrace/parser/facts/flow"
)

// This file contracts the programs. A step is soft when it neither touches the
// state nor depends on it: it does not matter, or it only chooses where to go
// on. A walk over soft steps is not executed; what counts is at which other
// steps it can end.

// findSoft finds the soft steps, and where each can lead.
func (pr *prog) findSoft(f Faults) {
	for i := range pr.nodes {
		in := &pr.nodes[i]
		in.soft = in.skip || pr.isSoft(in)
	}
	pr.findEnds(f)
	pr.findMerges()
}

// findMerges finds the steps that are not soft to which several ways lead,
// walks over soft steps counted as one.
func (pr *prog) findMerges() {
	ways := make([]int, len(pr.nodes))
	arrive := func(to int32) {
		if !pr.nodes[to].soft {
			ways[to]++
			return
		}
		for _, end := range pr.nodes[to].ends {
			if end >= 0 {
				ways[end]++
			}
		}
	}
	for i := range pr.nodes {
		if in := &pr.nodes[i]; !in.soft {
			for _, e := range in.node.Succ {
				arrive(e.To)
			}
		}
	}
	for i, n := range ways {
		pr.nodes[i].merge = n > 1
	}
}

// isSoft reports whether a step that matters only chooses.
func (pr *prog) isSoft(in *inst) bool {
	if in.visible || in.marked || in.handed || in.res >= 0 || len(in.renews) > 0 || in.fill >= 0 || in.slot >= 0 && !in.never {
		return false
	}
	switch in.op {
	case flow.Start, flow.Exit, flow.Fail, flow.Move, flow.Spawn:
		return false
	case flow.Acquire, flow.Release, flow.Wait:
		return in.lock < 0
	case flow.Return:
		return !pr.polls
	case flow.Branch:
		return in.cond < 0 && in.firm < 0 && in.val.constant() && in.want.constant()
	case flow.LoopHead, flow.Next, flow.Iter:
		return in.head < 0
	}
	return true
}

// constant reports whether the value of an expression does not depend on
// registers.
func (x expr) constant() bool {
	if x.kind == exprReg {
		return false
	}
	for _, a := range x.args {
		if !a.constant() {
			return false
		}
	}
	return true
}

// softNext returns where a soft step can go.
func (pr *prog) softNext(i int32, f Faults) []int32 {
	in := &pr.nodes[i]
	if in.skip {
		if in.way < 0 {
			return nil
		}
		return []int32{in.way}
	}
	if in.op != flow.Branch {
		return pr.taken(i, f)
	}
	out := slices.Concat(in.yes, in.no)
	if f != AllFaults {
		return pr.lucky(out)
	}
	return out
}

// lucky returns the sides of a branch that can be taken when its condition is not over
// tracked state: what is asserted about anything else holds, unless the failing
// assertion is what is looked for.
func (pr *prog) lucky(sides []int32) []int32 {
	out := slices.DeleteFunc(slices.Clone(sides), func(to int32) bool { return pr.nodes[to].doomed && !pr.nodes[to].awaited })
	if len(out) > 0 {
		return out
	}
	return sides
}

// A contraction finds the steps at which walks over soft ones can end, for all of them
// in one pass: those that are on one circle end at the same steps, and so do those that
// lead nowhere else (Tarjan, Depth-First Search and Linear Graph Algorithms, SIAM J.
// Comput. 1972).
type contraction struct {
	pr     *prog
	succ   [][]int32 // of soft steps that have been seen
	number []int32   // in the order in which they have been, from 1
	last   int32     // the last number
	low    []int32   // the lowest number of a step that is known to be on a circle with it
	open   []int32   // those whose circle is not complete
	isOpen []bool
	ends   [][]int32 // nil for a walk that never ends
	noted  []int32   // the union that has taken a step last
	unions int32
}

// findEnds finds for each soft step those that are not soft at which a walk over soft
// ones can end, in order; -1 alone stands for a walk that never does.
func (pr *prog) findEnds(f Faults) {
	n := len(pr.nodes)
	c := &contraction{
		pr: pr, succ: make([][]int32, n), number: make([]int32, n), low: make([]int32, n),
		isOpen: make([]bool, n), ends: make([][]int32, n), noted: make([]int32, n),
	}
	never := []int32{-1}
	for i := range pr.nodes {
		in := &pr.nodes[i]
		if !in.soft {
			continue
		}
		if c.number[i] == 0 {
			c.from(int32(i), f)
		}
		if in.ends = c.ends[i]; len(in.ends) == 0 {
			in.ends = never
		}
	}
}

// from visits the soft steps to which a walk over them leads.
func (c *contraction) from(start int32, f Faults) {
	type visit struct {
		step int32
		next int
	}
	var walk []visit
	enter := func(i int32) {
		c.last++
		c.number[i], c.low[i] = c.last, c.last
		c.succ[i] = c.pr.softNext(i, f)
		c.open, c.isOpen[i] = append(c.open, i), true
		walk = append(walk, visit{step: i})
	}
	enter(start)
	for len(walk) > 0 {
		v := &walk[len(walk)-1]
		i := v.step
		if v.next < len(c.succ[i]) {
			to := c.succ[i][v.next]
			v.next++
			switch {
			case !c.pr.nodes[to].soft:
			case c.number[to] == 0:
				enter(to)
			case c.isOpen[to]:
				c.low[i] = min(c.low[i], c.number[to])
			}
			continue
		}
		walk = walk[:len(walk)-1]
		if len(walk) > 0 {
			by := walk[len(walk)-1].step
			c.low[by] = min(c.low[by], c.low[i])
		}
		if c.low[i] == c.number[i] {
			c.complete(i)
		}
	}
}

// complete takes a circle, that of the step with which it was entered, from the open
// steps, and finds where walks from it end.
func (c *contraction) complete(first int32) {
	at := len(c.open) - 1
	for c.open[at] != first { // from behind: a long chain is open before it
		at--
	}
	circle := c.open[at:]
	c.open = c.open[:at]
	for _, i := range circle {
		c.isOpen[i] = false
	}
	ends := c.union(circle)
	for _, i := range circle {
		c.ends[i] = ends
	}
}

// union returns where the steps behind a circle end.
func (c *contraction) union(circle []int32) []int32 {
	if next := c.succ[circle[0]]; len(circle) == 1 && len(next) == 1 {
		return c.endsAt(next[0])
	}
	var out []int32
	c.unions++
	for _, i := range circle {
		for _, to := range c.succ[i] {
			for _, end := range c.endsAt(to) {
				if c.noted[end] != c.unions {
					c.noted[end] = c.unions
					out = append(out, end)
				}
			}
		}
	}
	slices.Sort(out)
	return out
}

// endsAt returns where walks from a step end; nothing for one of a circle that is not
// complete.
func (c *contraction) endsAt(to int32) []int32 {
	if !c.pr.nodes[to].soft {
		return []int32{to}
	}
	return c.ends[to]
}

// softWalk returns the steps of a shortest walk over soft steps, with the one
// at which it ends.
func (pr *prog) softWalk(from, end int32, f Faults) []int32 {
	before := map[int32]int32{from: from}
	for work := []int32{from}; len(work) > 0; work = work[1:] {
		i := work[0]
		if i == end {
			var walk []int32
			for ; i != from; i = before[i] {
				walk = append(walk, i)
			}
			walk = append(walk, from)
			slices.Reverse(walk)
			return walk
		}
		if !pr.nodes[i].soft {
			continue
		}
		for _, to := range pr.softNext(i, f) {
			if _, seen := before[to]; !seen {
				before[to] = i
				work = append(work, to)
			}
		}
	}
	return nil
}
