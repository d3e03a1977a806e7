package source

import (
	"bytes"
	"slices"
	"strings"
)

// An outline is what a look at the bytes of a file tells about it.
type outline struct {
	classes []classOutline
	outside []piece // code outside of classes
	module  Signals // of that
	edges   []edge
}

// A piece is a range of the bytes of a file.
type piece struct{ from, to int }

// A classOutline is one class statement.
type classOutline struct {
	piece
	name    string
	bases   []string // dotted names, as written
	signals Signals
}

// An edge is a name that a file takes from another one.
type edge struct {
	to int
	// name is what is taken: a name of the file, "*", or "" for the module
	// itself.
	name string
	// as is what it is called here; "" if nobody can tell.
	as string
}

// outlineOf looks at the bytes of file i. Words are names that the configuration
// has something to tell about.
func (p *Program) outlineOf(i int, src []byte, words []string) outline {
	o := outline{classes: classesOf(src), edges: p.edges(i, Imports(src))}
	at := 0 // the end of the last class that is in no other
	for n := range o.classes {
		c := &o.classes[n]
		c.signals = SignalsOf(src[c.from:c.to], words)
		if c.from >= at {
			o.outside = append(o.outside, piece{at, c.from})
			at = c.to
		}
	}
	o.outside = append(o.outside, piece{at, len(src)})
	for _, code := range o.outside {
		o.module |= SignalsOf(src[code.from:code.to], words)
	}
	return o
}

// signalled reports whether a rule can fire because of some code of the file.
func (o *outline) signalled() bool {
	return o.module.Decisive() || slices.ContainsFunc(o.classes, func(c classOutline) bool { return c.signals.Decisive() })
}

// classesOf returns the class statements of a file in the order of their place.
// Like Imports it does not parse. A class ends before the next line that starts no
// further right than its statement; text in a string can do that, too, and what
// follows then counts as code outside of classes.
func classesOf(src []byte) []classOutline {
	var classes []classOutline
	word := []byte("class ")
	for at := 0; ; {
		hit := bytes.Index(src[at:], word)
		if hit < 0 {
			return classes
		}
		hit += at
		at = hit + len(word)
		start := bytes.LastIndexByte(src[:hit], '\n') + 1
		if len(bytes.Trim(src[start:hit], " \t\f\r;\xef\xbb\xbf")) > 0 {
			continue
		}
		c := cursor{src: src, at: at}
		name := c.dotted()
		if name == "" {
			continue
		}
		bases := c.bases()
		classes = append(classes, classOutline{name: name, bases: bases, piece: piece{hit, blockEnd(src, c.at, hit-start)}})
	}
}

// blockEnd returns where the block ends whose statement has the given
// indentation and stands before at.
func blockEnd(src []byte, at, indent int) int {
	for {
		n := bytes.IndexByte(src[at:], '\n')
		if n < 0 {
			return len(src)
		}
		at += n + 1
		i := at
		for i < len(src) && i-at <= indent && (src[i] == ' ' || src[i] == '\t' || src[i] == '\f') {
			i++
		}
		if i-at > indent || i == len(src) {
			continue
		}
		switch src[i] {
		case '\n', '\r', '#', ')', ']', '}', ' ', '\t':
		default:
			return at
		}
	}
}

// edges returns what the imports of file from take from files of the program.
func (p *Program) edges(from int, imports []Import) []edge {
	var edges []edge
	add := func(to int, name, as string) {
		if to >= 0 && to != from {
			edges = append(edges, edge{to, name, as})
		}
	}
	for _, imp := range imports {
		module := imp.module(p, from)
		if imp.Names == nil {
			switch {
			case imp.Bound == nil:
				add(module, "", "")
			case strings.HasPrefix(imp.Module, imp.Bound[0]+"."):
				add(module, "", imp.Module)
			default:
				add(module, "", imp.Bound[0])
			}
			continue
		}
		for n, name := range imp.Names {
			if p.maybeModule(name) {
				add(imp.submodule(p, from, name), "", imp.Bound[n])
			}
			add(module, name, imp.Bound[n])
		}
	}
	return edges
}

// usesOf returns the names among those that the edges of a file are called by
// which occur in code of it other than imports, dotted ones by their first part.
func usesOf(code []byte, edges []edge) map[string]bool {
	names := make(map[string]bool, len(edges))
	for _, e := range edges {
		first, _, _ := strings.Cut(e.as, ".")
		names[first] = true
	}
	used := make(map[string]bool)
	for at := 0; at < len(code); {
		if !isWord(code[at]) {
			at++
			continue
		}
		start := at
		for at < len(code) && isWord(code[at]) {
			at++
		}
		if string(code[start:at]) == "import" {
			c := cursor{src: code, at: at}
			c.names()
			at = c.at
			continue
		}
		if names[string(code[start:at])] {
			used[string(code[start:at])] = true
		}
	}
	return used
}
