package parser

// slab hands out values of one type from chunks: most of a tree is a few kinds
// of nodes, and one allocation for many of them is faster than one for each. A
// chunk stays in memory as long as one of its values.
type slab[T any] struct {
	free  []T
	chunk int // values in a chunk, at least 1
}

// new returns a pointer to a zero value.
func (s *slab[T]) new() *T {
	if len(s.free) == 0 {
		s.free = make([]T, s.chunk)
	}
	v := &s.free[0]
	s.free = s.free[1:]
	return v
}

// copy returns a copy of list, which is nil if list is empty.
func (s *slab[T]) copy(list []T) []T {
	n := len(list)
	if n == 0 {
		return nil
	}
	if n > len(s.free) {
		if n > s.chunk/2 {
			return append(make([]T, 0, n), list...)
		}
		s.free = make([]T, s.chunk)
	}
	c := s.free[:n:n]
	s.free = s.free[n:]
	copy(c, list)
	return c
}

// stack collects lists whose length is not known yet. Lists nest: mark starts
// one, push adds to the innermost one, and take ends it.
type stack[T any] struct {
	items []T
	slab  slab[T]
}

func (s *stack[T]) mark() int { return len(s.items) }

func (s *stack[T]) push(v T) { s.items = append(s.items, v) }

// take returns the list that began at mark, in memory of its own.
func (s *stack[T]) take(mark int) []T {
	list := s.slab.copy(s.items[mark:])
	s.items = s.items[:mark]
	return list
}

// drop forgets the list that began at mark.
func (s *stack[T]) drop(mark int) {
	s.items = s.items[:mark]
}
