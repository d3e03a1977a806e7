package witness

// SearchWhole is Search without the slice: every step is taken to matter.
func SearchWhole(p Problem, bound Bound) Result {
	m := prepare(p, bound, nil)
	m.findAtomic()
	for _, pr := range m.progs {
		pr.findSoft(m.bound.Faults)
	}
	m.layOut()
	s := &search{m: m, store: newStore(m.layout.size), stepper: newStepper(m)}
	return s.run()
}
