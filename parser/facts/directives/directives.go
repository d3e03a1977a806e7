// Package directives reads the comments by which a program speaks to kvrace.
//
// Suppressions, whose reason is required (see rules/suppress):
//
//	x.pop(k)  # kvrace: ignore[KV101] the peer concludes it, see close
//	# kvrace: ignore-file[KV2] generated
//
// A suppression stands on a line of the finding, or alone on the line above.
//
// Comments that teach the analysis what it cannot see:
//
//	# kvrace: thread(NAME)        the function runs on the thread NAME
//	# kvrace: guarded-by(LOCK)    the attribute is only touched under LOCK
//	# kvrace: confined            the attribute belongs to one thread
//	# kvrace: terminal(VALUE...)  these status values end a request, others of their class do not
//
// They stand on a line of what they speak of, or alone above it: the def of a
// function, the assignment of an attribute or module variable, the class of the
// statuses. Package taught joins them with the program.
package directives

import (
	"bytes"
	"strings"

	"github.com/kvrace/kvrace/parser/ast"
)

// A Kind is what a directive says.
type Kind int

// The kinds.
const (
	Invalid    Kind = iota // see Directive.Problem
	Ignore                 // suppresses findings of one line
	IgnoreFile             // suppresses findings of the file
	Thread                 // names the thread of a function
	GuardedBy              // names the lock of an attribute
	Confined               // says that one thread owns an attribute
	Terminal               // lists terminal values
)

// syntax says how each directive is written, by its word.
var syntax = map[string]struct {
	kind    Kind
	bracket byte // that must follow the word; 0 for none
	what    string
}{
	"ignore":      {Ignore, '[', "rules in brackets"},
	"ignore-file": {IgnoreFile, '[', "rules in brackets"},
	"thread":      {Thread, '(', "a name in parentheses"},
	"guarded-by":  {GuardedBy, '(', "a lock in parentheses"},
	"confined":    {Confined, 0, ""},
	"terminal":    {Terminal, '(', "values in parentheses"},
}

// A Directive is one comment that begins with "kvrace:". Line and columns
// count from 1, columns in bytes; EndColumn is exclusive.
type Directive struct {
	Kind                    Kind
	Line, Column, EndColumn int
	Start, End              int // offsets in bytes

	// Alone reports whether nothing but the comment stands on its line. The
	// directive then speaks of Next.
	Alone bool
	// Next is the first line after Line that holds more than a comment.
	Next int

	Args    []string // rules, thread, lock or values
	Reason  string   // rest of the comment
	Problem string   // why the directive is Invalid
}

// Target returns the line that the directive speaks of.
func (d *Directive) Target() int {
	if d.Alone {
		return d.Next
	}
	return d.Line
}

var marker = []byte("kvrace:")

// Mentioned reports whether a file can hold a directive, at the cost of one
// search.
func Mentioned(src []byte) bool { return bytes.Contains(src, marker) }

// In returns the directives among the comments of a module, in order of their
// place. Offsets refer to Module.Source.
func In(m *ast.Module) []Directive {
	var ds []Directive
	for _, c := range m.Comments {
		for _, part := range parts(m.Source, span{int(c.Start), int(c.Stop)}) {
			d := parse(string(m.Source[part.start:part.end]))
			d.Start, d.End = part.start, part.end
			d.Line, d.Column = m.Position(ast.Pos(part.start))
			d.EndColumn = d.Column + part.end - part.start
			d.Alone = len(bytes.TrimSpace(m.Source[m.Lines.Start(d.Line):c.Start])) == 0
			d.Next = nextCode(m, d.Line)
			ds = append(ds, d)
		}
	}
	return ds
}

// parts cuts a comment at each # and returns the parts that are
// directives.
func parts(src []byte, c span) []span {
	var found []span
	for start := c.start; start < c.end; {
		end := c.end
		if i := bytes.IndexByte(src[start+1:c.end], '#'); i >= 0 {
			end = start + 1 + i
		}
		text := bytes.TrimRight(src[start:end], " \t\f")
		if bytes.HasPrefix(bytes.TrimLeft(text[1:], " \t"), marker) {
			found = append(found, span{start, start + len(text)})
		}
		start = end
	}
	return found
}

// parse reads a directive from its # on.
func parse(text string) Directive {
	_, text, _ = strings.Cut(text, string(marker))
	text = strings.TrimSpace(text)
	end := strings.IndexAny(text, "[( \t")
	if end < 0 {
		end = len(text)
	}
	word, rest := text[:end], text[end:]
	form, ok := syntax[word]
	if !ok {
		return Directive{Problem: "unknown comment " + quote(word)}
	}
	if form.bracket == 0 {
		return Directive{Kind: form.kind, Reason: strings.TrimSpace(rest)}
	}
	closing := map[byte]string{'[': "]", '(': ")"}[form.bracket]
	list, reason, closed := strings.Cut(rest, closing)
	if list == "" || list[0] != form.bracket || !closed {
		return Directive{Problem: word + " needs " + form.what}
	}
	d := Directive{Kind: form.kind, Reason: strings.TrimSpace(reason)}
	for arg := range strings.SplitSeq(list[1:], ",") {
		if arg = strings.TrimSpace(arg); arg != "" {
			d.Args = append(d.Args, arg)
		}
	}
	if len(d.Args) == 0 {
		return Directive{Problem: word + " needs " + form.what}
	}
	return d
}

func quote(word string) string {
	if word == "" {
		return "after kvrace:"
	}
	return word
}

// Removal returns the range of bytes to delete so that the directive is gone:
// with the blanks before it, and with its line if it is alone there.
func (d *Directive) Removal(src []byte) (start, end int) {
	start, end = d.Start, d.End
	for start > 0 && (src[start-1] == ' ' || src[start-1] == '\t') {
		start--
	}
	if !d.Alone || end < len(src) && src[end] != '\r' && src[end] != '\n' {
		return start, end
	}
	if bytes.HasPrefix(src[end:], []byte("\r\n")) {
		return start, end + 2
	}
	return start, min(end+1, len(src))
}

// A span is a range of bytes.
type span struct{ start, end int }

// nextCode returns the first line after the given one that holds more than
// blanks and a comment, or the line itself if there is none.
func nextCode(m *ast.Module, line int) int {
	for n := line + 1; n <= m.Lines.Count(); n++ {
		end := len(m.Source)
		if n < m.Lines.Count() {
			end = int(m.Lines.Start(n + 1))
		}
		text := bytes.TrimSpace(m.Source[m.Lines.Start(n):end])
		if len(text) > 0 && text[0] != '#' {
			return n
		}
	}
	return line
}

// String returns the word of the directive.
func (k Kind) String() string {
	for word, form := range syntax {
		if form.kind == k {
			return word
		}
	}
	return "invalid"
}
