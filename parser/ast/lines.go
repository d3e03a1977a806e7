package ast

import (
	"bytes"
	"sort"
)

// Lines finds the lines of a source. Like Python, it counts "\n", "\r\n" and a
// lone "\r" as the end of a line. The zero value has no lines.
type Lines struct {
	src     []byte
	starts  []Pos // of the first line and of every lineStep-th after it
	count   int
	returns bool // there are carriage returns
}

// lineStep is how many lines are found with one search. A position takes a scan
// of so many lines, which is fast, and the starts of all lines would take a
// tenth of a byte for each byte of source.
const lineStep = 16

// NewLines returns the lines of src, the first of which starts at offset start.
func NewLines(src []byte, start int) Lines {
	l := Lines{src: src, returns: bytes.IndexByte(src, '\r') >= 0}
	l.count = 1 + l.breaks(Pos(start), Pos(len(src)))
	l.starts = make([]Pos, 0, (l.count+lineStep-1)/lineStep)
	next := Pos(start)
	for n := 0; n < l.count; n++ {
		if n%lineStep == 0 {
			l.starts = append(l.starts, next)
		}
		next = l.next(next)
	}
	return l
}

// Count returns the number of lines.
func (l *Lines) Count() int { return l.count }

// Start returns the offset of the first byte of a line; lines count from 1.
func (l *Lines) Start(line int) Pos {
	n := line - 1
	p := l.starts[n/lineStep]
	for range n % lineStep {
		p = l.next(p)
	}
	return p
}

// Of returns the number of the line of p.
func (l *Lines) Of(p Pos) int {
	n := sort.Search(len(l.starts), func(i int) bool { return l.starts[i] > p })
	if n == 0 {
		return min(l.count, 1)
	}
	return (n-1)*lineStep + 1 + l.breaks(l.starts[n-1], p)
}

// next returns the start of the line after the one that starts at p, or the end
// of the source.
func (l *Lines) next(p Pos) Pos {
	rest := l.src[p:]
	if !l.returns {
		if i := bytes.IndexByte(rest, '\n'); i >= 0 {
			return p + Pos(i) + 1
		}
		return p + Pos(len(rest))
	}
	for i := range rest {
		if endsLine(rest, i) {
			return p + Pos(i) + 1
		}
	}
	return p + Pos(len(rest))
}

// breaks returns the number of lines that end from one offset to another.
func (l *Lines) breaks(from, to Pos) int {
	if !l.returns {
		return bytes.Count(l.src[from:to], []byte{'\n'})
	}
	n := 0
	for i := from; i < to; i++ {
		if endsLine(l.src, int(i)) {
			n++
		}
	}
	return n
}

// endsLine reports whether src[i] is the last byte of a line.
func endsLine(src []byte, i int) bool {
	return src[i] == '\n' || src[i] == '\r' && (i+1 == len(src) || src[i+1] != '\n')
}
