package witness

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kvrace/kvrace/parser/facts/flow"
)

// TestEnds compares the ends of walks over soft steps with those of a walk from each
// step, on graphs with circles, with steps that share a circle, and with dead ends.
func TestEnds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	circles, never := 0, 0
	for range 500 {
		n := 2 + r.IntN(14)
		pr := &prog{nodes: make([]inst, n)}
		for i := range pr.nodes {
			in := &pr.nodes[i]
			in.op, in.node, in.soft = flow.Branch, &flow.Node{}, r.IntN(3) > 0
			for range r.IntN(3) {
				in.yes = append(in.yes, int32(r.IntN(n)))
			}
			if r.IntN(3) == 0 {
				in.skip, in.way = true, int32(r.IntN(n+1))-1
			}
		}
		pr.findEnds(AllFaults)
		for i := range pr.nodes {
			in := &pr.nodes[i]
			if !in.soft {
				if in.ends != nil {
					t.Fatalf("step %d is not soft and has ends", i)
				}
				continue
			}
			want, onCircle := walkEnds(pr, int32(i))
			if onCircle {
				circles++
			}
			if want[0] < 0 {
				never++
			}
			if !slices.Equal(in.ends, want) {
				t.Fatalf("step %d of %d: ends %v, want %v", i, n, in.ends, want)
			}
		}
	}
	if circles < 100 || never < 100 {
		t.Errorf("too few steps on circles, %d, or that never end, %d", circles, never)
	}
}

// walkEnds returns the ends of walks over soft steps from one of them, and whether a
// walk comes back to it.
func walkEnds(pr *prog, from int32) (ends []int32, circle bool) {
	seen := map[int32]bool{}
	var walk func(i int32)
	walk = func(i int32) {
		for _, to := range pr.softNext(i, AllFaults) {
			circle = circle || to == from
			if seen[to] {
				continue
			}
			seen[to] = true
			if pr.nodes[to].soft {
				walk(to)
			} else {
				ends = append(ends, to)
			}
		}
	}
	walk(from)
	if len(ends) == 0 {
		return []int32{-1}, circle
	}
	slices.Sort(ends)
	return ends, circle
}
