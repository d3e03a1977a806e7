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
	for i := range pr.nodes {
		if in := &pr.nodes[i]; in.soft {
			in.ends = pr.ends(int32(i), f)
		}
	}
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
	if in.visible || in.marked || in.handed || in.res >= 0 || in.fill >= 0 || in.slot >= 0 && !in.never {
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
		return in.cond < 0 && in.val.constant() && in.want.constant()
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

// ends returns the steps that are not soft at which a walk over soft ones can
// end; -1 stands for a walk that never does.
func (pr *prog) ends(from int32, f Faults) []int32 {
	var out []int32
	seen := map[int32]bool{from: true}
	work := []int32{from}
	for len(work) > 0 {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		if !pr.nodes[i].soft {
			out = append(out, i)
			continue
		}
		for _, to := range pr.softNext(i, f) {
			if !seen[to] {
				seen[to] = true
				work = append(work, to)
			}
		}
	}
	if len(out) == 0 {
		return []int32{-1}
	}
	slices.Sort(out)
	return out
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
