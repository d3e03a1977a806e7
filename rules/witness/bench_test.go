package witness_test

import (
	"testing"

	"github.com/kvrace/kvrace/rules/witness"
)

// BenchmarkSearch searches each test program once per iteration.
func BenchmarkSearch(b *testing.B) {
	for _, q := range questions {
		b.Run(q.file, func(b *testing.B) {
			s := load(b, q.file)
			p := q.ask(s)
			b.ReportAllocs()
			states := 0
			for b.Loop() {
				states = witness.Search(p, q.bound).States
			}
			b.ReportMetric(float64(states), "states")
		})
	}
}
