package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// JSON writes run as one JSON object, version [SchemaVersion]. Lists are
// never null. The findings are encoded one by one, so that a long report needs
// no more memory than a short one.
func JSON(w io.Writer, run *Run) error {
	j := &jsonWriter{w: bufio.NewWriter(w)}
	j.member("{\n  ", "version", SchemaVersion)
	j.member(",\n  ", "tool", run.Tool)
	j.array("findings", len(run.Findings), func(i int) any { return wholeFinding(run.Findings[i]) })
	j.array("errors", len(run.Errors), func(i int) any { return run.Errors[i] })
	j.member(",\n  ", "stats", run.Stats)
	j.text("\n}\n")
	if j.err != nil {
		return fmt.Errorf("write JSON: %w", j.err)
	}
	return j.w.Flush()
}

// A jsonWriter writes the members of one object and keeps the first error.
type jsonWriter struct {
	w   *bufio.Writer
	buf bytes.Buffer
	err error
}

func (j *jsonWriter) text(s string) {
	if j.err == nil {
		_, j.err = j.w.WriteString(s)
	}
}

// value writes v, its further lines indented by prefix.
func (j *jsonWriter) value(v any, prefix string) {
	if j.err != nil {
		return
	}
	j.buf.Reset()
	enc := json.NewEncoder(&j.buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent(prefix, "  ")
	if j.err = enc.Encode(v); j.err == nil {
		_, j.err = j.w.Write(bytes.TrimSuffix(j.buf.Bytes(), []byte("\n")))
	}
}

func (j *jsonWriter) member(before, name string, v any) {
	j.text(before + `"` + name + `": `)
	j.value(v, "  ")
}

func (j *jsonWriter) array(name string, n int, at func(int) any) {
	j.text(",\n  \"" + name + "\": [")
	for i := range n {
		if i > 0 {
			j.text(",")
		}
		j.text("\n    ")
		j.value(at(i), "    ")
	}
	if n > 0 {
		j.text("\n  ")
	}
	j.text("]")
}

// wholeFinding returns f with empty lists in place of nil ones.
func wholeFinding(f Finding) Finding {
	f.Containers = list(f.Containers)
	f.Related = list(f.Related)
	f.Patches = list(f.Patches)
	if f.Witness != nil {
		w := *f.Witness
		w.Steps = append([]Step{}, w.Steps...)
		for i := range w.Steps {
			if w.Steps[i].State == nil {
				w.Steps[i].State = map[string]string{}
			}
		}
		f.Witness = &w
	}
	return f
}

// list returns s, or an empty slice for nil.
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
