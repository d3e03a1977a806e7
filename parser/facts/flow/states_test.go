package flow

import (
	"math/rand/v2"
	"testing"
)

// TestStates compares the set of states with a map.
func TestStates(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var s states
	for round := range 20 {
		want := map[uint64]bool{}
		for range 1 << (round / 2) {
			hash := r.Uint64() >> (r.IntN(8) * 8) // some of them are small
			if s.add(hash) == want[hash] {
				t.Fatalf("adding %#x again is %v", hash, want[hash])
			}
			want[hash] = true
			if hash <= 1 { // which the set does not tell apart
				want[0], want[1] = true, true
			}
		}
		s.clear()
	}
}
