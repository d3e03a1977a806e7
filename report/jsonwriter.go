package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// A jsonWriter writes indented JSON piece by piece and keeps the first error.
// Characters that a terminal must not see are written as \u escapes, which
// mean the same to a JSON reader.
type jsonWriter struct {
	w      *bufio.Writer
	buf    bytes.Buffer
	indent string // of the members of the innermost object or array
	first  bool   // whether that one is empty so far
	err    error
}

func newJSONWriter(w io.Writer) *jsonWriter { return &jsonWriter{w: bufio.NewWriterSize(w, 1<<16)} }

func (j *jsonWriter) text(s string) {
	if j.err == nil {
		_, j.err = j.w.WriteString(s)
	}
}

// open begins an object or an array.
func (j *jsonWriter) open(bracket string) {
	j.text(bracket)
	j.indent += "  "
	j.first = true
}

// close ends what open began.
func (j *jsonWriter) close(bracket string) {
	j.indent = strings.TrimSuffix(j.indent, "  ")
	if !j.first {
		j.text("\n" + j.indent)
	}
	j.text(bracket)
	j.first = false
}

// next begins the line of a member or an element.
func (j *jsonWriter) next() {
	if !j.first {
		j.text(",")
	}
	j.first = false
	j.text("\n" + j.indent)
}

// name begins a member.
func (j *jsonWriter) name(name string) {
	j.next()
	j.text(`"` + name + `": `)
}

func (j *jsonWriter) member(name string, v any) {
	j.name(name)
	j.value(v)
}

func (j *jsonWriter) element(v any) {
	j.next()
	j.value(v)
}

// array writes a member that holds n elements.
func (j *jsonWriter) array(name string, n int, at func(int) any) {
	j.name(name)
	j.open("[")
	for i := range n {
		j.element(at(i))
	}
	j.close("]")
}

func (j *jsonWriter) value(v any) {
	if j.err != nil {
		return
	}
	j.buf.Reset()
	enc := json.NewEncoder(&j.buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent(j.indent, "  ")
	if j.err = enc.Encode(v); j.err == nil {
		_, j.err = j.w.Write(escapeJSON(bytes.TrimSuffix(j.buf.Bytes(), []byte("\n"))))
	}
}

// flush ends the text with a newline and returns the first error.
func (j *jsonWriter) flush() error {
	j.text("\n")
	if j.err != nil {
		return j.err
	}
	return j.w.Flush()
}

// escapeJSON replaces invisible characters of encoded JSON, which can only
// stand in its strings, by their escapes.
func escapeJSON(data []byte) []byte {
	if !bytes.ContainsFunc(data, func(r rune) bool { return r != '\n' && hidden(r) }) {
		return data
	}
	var b bytes.Buffer
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		switch {
		case r == '\n' || !hidden(r):
			b.Write(data[:size])
		case r > 0xffff:
			hi, lo := surrogates(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, hi, lo)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		data = data[size:]
	}
	return b.Bytes()
}
