package source

import (
	"context"
	"slices"
)

// A Graph holds which file of a program imports which, by index.
type Graph struct {
	Imports    [][]int // sorted
	ImportedBy [][]int // sorted
	// Bases holds the files among Imports that names come from which the file
	// uses as bases of its classes. For a package it is all of them, since
	// others may take the names from there.
	Bases [][]int
}

// A Survey is what one pass over the bytes of all files tells.
type Survey struct {
	Graph      Graph
	Candidates []int // indexes of the files that Candidate accepts, sorted
	Bytes      int64 // read
}

// Survey reads each file of the program once, with several workers, and drops
// its bytes again.
func (p *Program) Survey(ctx context.Context, workers int) (*Survey, []Problem) {
	all := make([]int, len(p.Files))
	for i := range all {
		all[i] = i
	}
	sizes := make([]int64, len(all))
	candidate := make([]bool, len(all))
	s := &Survey{Graph: Graph{make([][]int, len(all)), make([][]int, len(all)), make([][]int, len(all))}}
	problems := p.ReadAll(ctx, all, workers, func(i int, src []byte) {
		sizes[i] = int64(len(src))
		candidate[i] = Candidate(src)
		imports := Imports(src)
		s.Graph.Imports[i] = p.edges(i, imports)
		if p.Files[i].Package() {
			s.Graph.Bases[i] = s.Graph.Imports[i]
		} else {
			s.Graph.Bases[i] = p.edges(i, basesAmong(imports, baseNames(src)))
		}
	})
	for i := range all {
		s.Bytes += sizes[i]
		if candidate[i] {
			s.Candidates = append(s.Candidates, i)
		}
		for _, to := range s.Graph.Imports[i] {
			s.Graph.ImportedBy[to] = append(s.Graph.ImportedBy[to], i)
		}
	}
	return s, problems
}

// basesAmong returns the imports that bind one of the names, and those that
// bind nobody knows what.
func basesAmong(imports []Import, names []string) []Import {
	if len(names) == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(imports), func(imp Import) bool {
		if imp.Bound == nil || slices.Contains(imp.Names, "*") {
			return false
		}
		return !slices.ContainsFunc(imp.Bound, func(b string) bool { return slices.Contains(names, b) })
	})
}

// edges returns the files that the imports of file from refer to.
func (p *Program) edges(from int, imports []Import) []int {
	var to []int
	for _, imp := range imports {
		to = append(to, imp.Resolve(p, from)...)
	}
	slices.Sort(to)
	return slices.Compact(to)
}

// Closure returns the seeds and the files that can be reached from them along
// imports in either direction, sorted. A step from one file to another is
// taken only if keep allows it; a nil keep allows all. The direction is told
// by imports: true when from imports to.
func (g Graph) Closure(seeds []int, keep func(from, to int, imports bool) bool) []int {
	seen := make([]bool, len(g.Imports))
	var queue []int
	push := func(i int) {
		if !seen[i] {
			seen[i] = true
			queue = append(queue, i)
		}
	}
	for _, i := range seeds {
		push(i)
	}
	for n := 0; n < len(queue); n++ {
		from := queue[n]
		for _, to := range g.Imports[from] {
			if !seen[to] && (keep == nil || keep(from, to, true)) {
				push(to)
			}
		}
		for _, to := range g.ImportedBy[from] {
			if !seen[to] && (keep == nil || keep(from, to, false)) {
				push(to)
			}
		}
	}
	slices.Sort(queue)
	return queue
}

// Around returns the part of the program that the meaning of the seeds hangs
// on, sorted: the seeds, the files that they import and that import them, and
// all files with bases of the classes in these, however far up.
func (g Graph) Around(seeds []int) []int {
	isSeed := make(map[int]bool, len(seeds))
	for _, i := range seeds {
		isSeed[i] = true
	}
	near := g.Closure(seeds, func(from, _ int, _ bool) bool { return isSeed[from] })
	return g.Closure(near, func(from, to int, imports bool) bool {
		return imports && slices.Contains(g.Bases[from], to)
	})
}
