package witness

// SearchWhole is Search without the slice: every step is taken to matter.
func SearchWhole(p Problem, bound Bound) Result {
	return refining(p, func(p Problem) Result {
		m := prepare(p, bound, nil)
		m.finish()
		return m.search()
	})
}
