package source

import (
	"bytes"
	"context"
	"path"
	"slices"
	"strings"
)

// A Survey is what one pass over the bytes of all files of a program tells: the
// classes of each, what they derive from, what the files take from each other,
// and the [Signals] of each class. It answers which files the findings in some
// others depend on.
type Survey struct {
	Bytes int64 // read

	program  *Program
	outlines []outline
	byName   []map[string]int // of each file: class name -> index in its outline
}

// Survey reads each file of the program once, with several workers, and drops
// its bytes again. Words are names that the configuration has something to tell
// about: code with one of them matters.
func (p *Program) Survey(ctx context.Context, workers int, words ...string) (*Survey, []Problem) {
	all := make([]int, len(p.Files))
	for i := range all {
		all[i] = i
	}
	sizes := make([]int64, len(all))
	s := &Survey{program: p, outlines: make([]outline, len(all)), byName: make([]map[string]int, len(all))}
	problems := p.ReadAll(ctx, all, workers, func(i int, src []byte) {
		sizes[i] = int64(len(src))
		if p.Observe != nil {
			p.Observe(i, src)
		}
		s.outlines[i] = p.outlineOf(i, src, words)
		s.byName[i] = make(map[string]int, len(s.outlines[i].classes))
		for n, c := range s.outlines[i].classes {
			if _, ok := s.byName[i][c.name]; !ok {
				s.byName[i][c.name] = n
			}
		}
	})
	for _, size := range sizes {
		s.Bytes += size
	}
	return s, problems
}

// A Selection is the part of a program that findings depend on.
type Selection struct {
	// Files are the indexes of the files to parse, sorted.
	Files []int
	// Core are those among Files with code that findings can be about, sorted.
	Core []int
}

// A classID is a class: an index of a file, and one in its outline.
type classID struct{ file, class int }

// A selector collects a Selection.
type selector struct {
	*Survey
	ctx     context.Context
	workers int

	all   bool // tests, too
	files map[int]bool
	code  map[int]bool // files with code outside of classes that matters
	core  map[classID]bool
	queue []classID // classes of core whose family was not looked at

	subclasses map[classID][]classID
}

// Relevant selects what the findings in the seeds depend on, the indexes of
// files; nil stands for all files but tests.
//
// A finding is about objects of a class. It needs code with a signal in the
// class, its family or what works on its objects; so the selection starts with
// the classes that have one, or, when there are seeds, with those in the seeds;
// files with a signal that take names from the seeds are in it, too. It grows by
// the classes that derive from these. Around them it takes what tells the meaning of
// their code: the files that it takes names from, those that make objects of them,
// and the bases of all classes in any of these.
func (s *Survey) Relevant(ctx context.Context, workers int, seeds []int) Selection {
	sel := &selector{
		Survey: s, ctx: ctx, workers: workers, all: seeds != nil,
		files: make(map[int]bool), code: make(map[int]bool), core: make(map[classID]bool), subclasses: make(map[classID][]classID),
	}
	sel.linkSubclasses()
	if seeds == nil {
		for i := range s.outlines {
			if !IsTest(s.program.Files[i].Name) {
				sel.addSignalled(i)
			}
		}
	} else {
		sel.addSeeds(seeds)
	}
	sel.growFamilies()
	if seeds == nil {
		sel.addStarted()
		sel.growFamilies()
	}
	core := make(map[int]bool)
	for c := range sel.core {
		core[c.file] = true
	}
	for i := range sel.code {
		core[i] = true
	}
	near := sel.near()
	for i := range near {
		sel.files[i] = true
	}
	sel.addBases()
	return Selection{Files: sorted(sel.files), Core: sorted(core)}
}

func sorted(set map[int]bool) []int {
	out := make([]int, 0, len(set))
	for i := range set {
		out = append(out, i)
	}
	slices.Sort(out)
	return out
}

// IsTest reports whether a file holds tests, by the conventions of unittest and
// pytest. They run no service, so no finding is about them unless they are named.
func IsTest(name string) bool {
	dir, base := path.Split(name)
	if strings.HasPrefix(base, "test_") || strings.HasSuffix(base, "_test.py") || base == "conftest.py" {
		return true
	}
	for part := range strings.SplitSeq(dir, "/") {
		if part == "test" || part == "tests" {
			return true
		}
	}
	return false
}

// addSignalled adds file i and its classes as far as they have a signal.
func (s *selector) addSignalled(i int) {
	o := &s.outlines[i]
	if o.module.Decisive() {
		s.files[i], s.code[i] = true, true
	}
	for n := range o.classes {
		if o.classes[n].signals.Decisive() {
			s.addClass(classID{i, n})
		}
	}
}

func (s *selector) addClass(c classID) {
	if !s.core[c] {
		s.core[c] = true
		s.files[c.file] = true
		s.queue = append(s.queue, c)
	}
}

// addSeeds adds the seeds with all their classes, and the files with a signal that
// take names from them.
func (s *selector) addSeeds(seeds []int) {
	isSeed := make(map[int]bool, len(seeds))
	for _, i := range seeds {
		isSeed[i] = true
		s.files[i], s.code[i] = true, true
		for n := range s.outlines[i].classes {
			s.addClass(classID{i, n})
		}
	}
	for i := range s.outlines {
		if !isSeed[i] && s.outlines[i].signalled() && slices.ContainsFunc(s.outlines[i].edges, func(e edge) bool { return isSeed[e.to] }) {
			s.files[i] = true
		}
	}
}

// linkSubclasses finds the classes that derive from each class.
func (s *selector) linkSubclasses() {
	for i := range s.outlines {
		for n := range s.outlines[i].classes {
			for _, base := range s.outlines[i].classes[n].bases {
				if b, ok := s.lookup(i, base, 0); ok {
					s.subclasses[b] = append(s.subclasses[b], classID{i, n})
				}
			}
		}
	}
}

// growFamilies adds the classes that inherit the code of the core, however far
// down. The bases of the core are no part of it: if they have a signal, they are
// in it for that.
func (s *selector) growFamilies() {
	for len(s.queue) > 0 {
		c := s.queue[len(s.queue)-1]
		s.queue = s.queue[:len(s.queue)-1]
		for _, sub := range s.subclasses[c] {
			if s.all || !IsTest(s.program.Files[sub.file].Name) {
				s.addClass(sub)
			}
		}
	}
}

// addStarted adds the classes with containers whose names code takes that starts
// threads: these may run in them.
func (s *selector) addStarted() {
	wanted := make(map[int][]piece)
	var files []int
	for c := range s.core {
		if class := s.outlines[c.file].classes[c.class]; class.signals&Starts != 0 {
			if wanted[c.file] == nil {
				files = append(files, c.file)
			}
			wanted[c.file] = append(wanted[c.file], class.piece)
		}
	}
	started := make([][]classID, len(s.outlines))
	s.program.ReadAll(s.ctx, files, s.workers, func(i int, src []byte) {
		for e := range s.used(i, src, wanted[i]) {
			started[i] = append(started[i], s.taken(s.outlines[i].edges[e])...)
		}
	})
	for i := range s.outlines {
		if s.code[i] && s.outlines[i].module&Starts != 0 {
			for _, e := range s.outlines[i].edges {
				started[i] = append(started[i], s.taken(e)...)
			}
		}
		for _, c := range started[i] {
			if s.outlines[c.file].classes[c.class].signals&Stores != 0 {
				s.addClass(c)
			}
		}
	}
}

// near returns the files that the code of the core takes names from, and those
// that make objects of classes of the core which others derive from: a class that
// nobody makes objects of is an abstract one.
func (s *selector) near() map[int]bool {
	near := make(map[int]bool)
	wanted := make(map[int][]piece)        // by file: the code to look at
	calls := make(map[int]map[string]bool) // by file: the names of bases that it takes
	var files []int
	look := func(i int) {
		if wanted[i] == nil && calls[i] == nil {
			files = append(files, i)
		}
	}
	for c := range s.core {
		look(c.file)
		if wanted[c.file] == nil {
			wanted[c.file] = slices.Clone(s.outlines[c.file].outside)
		}
		wanted[c.file] = append(wanted[c.file], s.outlines[c.file].classes[c.class].piece)
	}
	for i := range s.outlines {
		for _, e := range s.outlines[i].edges {
			for _, c := range s.taken(e) {
				if !s.all && IsTest(s.program.Files[i].Name) {
					break
				}
				if name := s.outlines[c.file].classes[c.class].name; s.core[c] && len(s.subclasses[c]) > 0 {
					look(i)
					if calls[i] == nil {
						calls[i] = make(map[string]bool)
					}
					calls[i][name], calls[i][e.as] = true, true
				}
			}
		}
	}
	used := make([]map[int]bool, len(s.outlines))
	makes := make([]bool, len(s.outlines))
	// What cannot be read a second time is reported by the analysis.
	s.program.ReadAll(s.ctx, files, s.workers, func(i int, src []byte) {
		used[i] = make(map[int]bool)
		for e := range s.used(i, src, wanted[i]) {
			s.addTarget(s.outlines[i].edges[e], used[i])
		}
		makes[i] = callsAny(src, calls[i])
	})
	for i := range s.outlines {
		if makes[i] {
			near[i] = true
		}
		for to := range used[i] {
			near[to] = true
		}
	}
	for i := range s.code {
		for _, e := range s.outlines[i].edges {
			s.addTarget(e, near)
		}
	}
	return near
}

// callsAny reports whether source calls something by one of the names.
func callsAny(src []byte, names map[string]bool) bool {
	if len(names) == 0 {
		return false
	}
	for at := 0; ; {
		paren := bytes.IndexByte(src[at:], '(')
		if paren < 0 {
			return false
		}
		at += paren + 1
		if word := wordBefore(src, at-1); len(word) > 0 && names[string(word)] {
			return true
		}
	}
}

// used returns the edges of file i, by index, that some of its code uses.
func (s *selector) used(i int, src []byte, code []piece) map[int]bool {
	edges := make(map[int]bool)
	for _, c := range code {
		if c.to > len(src) {
			continue // the file has changed
		}
		names := usesOf(src[c.from:c.to], s.outlines[i].edges)
		for n, e := range s.outlines[i].edges {
			first, _, _ := strings.Cut(e.as, ".")
			if e.as == "" || e.name == "*" || names[first] {
				edges[n] = true
			}
		}
	}
	return edges
}

// addTarget adds the file that an edge leads to, and the one that holds the class
// which it takes from there. A function is needed if code outside of classes has a
// signal there, or if it can hand out objects of the core; else it is a call that
// may raise to the analysis.
func (s *selector) addTarget(e edge, files map[int]bool) {
	function := e.name != "" && 'a' <= e.name[0] && e.name[0] <= 'z'
	if !function || s.outlines[e.to].module.Decisive() || s.knowsCore(e.to) {
		files[e.to] = true
	}
	for _, c := range s.taken(e) {
		files[c.file] = true
	}
}

// knowsCore reports whether file i has a class of the core or takes the name of
// one.
func (s *selector) knowsCore(i int) bool {
	for n := range s.outlines[i].classes {
		if s.core[classID{i, n}] {
			return true
		}
	}
	for _, e := range s.outlines[i].edges {
		for _, c := range s.taken(e) {
			if s.core[c] {
				return true
			}
		}
	}
	return false
}

// taken returns the classes that can be reached by the name that an edge takes:
// one, or all of a module.
func (s *selector) taken(e edge) []classID {
	if e.name != "" && e.name != "*" {
		if c, ok := s.lookup(e.to, e.name, 0); ok {
			return []classID{c}
		}
		return nil
	}
	out := make([]classID, len(s.outlines[e.to].classes))
	for n := range out {
		out[n] = classID{e.to, n}
	}
	return out
}

// addBases adds the files with bases of classes in the selected ones, however
// far up.
func (s *selector) addBases() {
	queue := sorted(s.files)
	for len(queue) > 0 {
		i := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, c := range s.outlines[i].classes {
			for _, base := range c.bases {
				if b, ok := s.lookup(i, base, 0); ok && !s.files[b.file] {
					s.files[b.file] = true
					queue = append(queue, b.file)
				}
			}
		}
	}
}

// maxHops bounds chains of re-exports, which can be cyclic.
const maxHops = 8

// lookup returns the class that a dotted name means in file i.
func (s *Survey) lookup(i int, dotted string, hops int) (classID, bool) {
	if hops > maxHops {
		return classID{}, false
	}
	first, rest, deeper := strings.Cut(dotted, ".")
	if n, ok := s.byName[i][first]; ok {
		return classID{i, n}, true
	}
	for _, e := range s.outlines[i].edges {
		switch {
		case e.name == "*":
			if c, ok := s.lookup(e.to, dotted, hops+1); ok {
				return c, true
			}
		case e.name == "":
			if inside, ok := strings.CutPrefix(dotted, e.as+"."); ok && e.as != "" {
				if c, ok := s.lookup(e.to, inside, hops+1); ok {
					return c, true
				}
			}
		case e.as == first:
			name := e.name
			if deeper {
				name += "." + rest
			}
			if c, ok := s.lookup(e.to, name, hops+1); ok {
				return c, true
			}
		}
	}
	return classID{}, false
}
