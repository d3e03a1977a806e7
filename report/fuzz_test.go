package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"testing"
)

// checkOutput checks what holds for every output of a format.
func checkOutput(t *testing.T, name string, out []byte) {
	t.Helper()
	if i := bytes.IndexFunc(out, func(r rune) bool { return hidden(r) && r != '\n' && r != '\t' }); i >= 0 {
		t.Errorf("%s: hidden character in %q", name, out[max(i-20, 0):min(i+20, len(out))])
	}
	switch name {
	case "json", "sarif", "rdjson", "gitlab", "github-review":
		if !json.Valid(out) {
			t.Errorf("%s: not JSON: %q", name, out)
		}
	case "rdjsonl":
		for line := range bytes.Lines(out) {
			if !json.Valid(line) {
				t.Errorf("%s: not JSON: %q", name, line)
			}
		}
	case "junit":
		d := xml.NewDecoder(bytes.NewReader(out))
		for {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
}

// FuzzFormats checks that no location, however wrong, and no text, however
// hostile, makes a format fail, break its syntax, or hold a character that
// controls how it is shown.
func FuzzFormats(f *testing.F) {
	f.Add("a.py", "x = 1\n", "m", 1, 1, 1, 2, 0, 1)
	f.Add(hostileFile, hostileSource, "\x1b[", 4, 13, 4, 30, 50, 60)
	f.Add("", "", "", 0, 0, 0, 0, 0, 0)
	f.Add("b.py", "\r\r\n\n", "\xff", -3, 9, 900, -1, 5, 2)
	f.Fuzz(func(t *testing.T, file, source, text string, line, column, endLine, endColumn, start, end int) {
		loc := Location{File: file, Line: line, Column: column, EndLine: endLine, EndColumn: endColumn}
		run := &Run{
			Sources: map[string][]byte{file: []byte(source)},
			Findings: []Finding{{
				Rule: text, Name: text, Message: text, Location: loc, Label: text, Fingerprint: text, Component: text,
				Related: []Related{{Location: loc, Role: RoleGuard, Message: text}, {Location: loc, Role: RoleRival, Message: text, Entrypoint: text}},
				Witness: &Witness{Verdict: VerdictFound, Replayed: true, Steps: []Step{{text, file, line, text, map[string]string{text: text}}}},
				Patches: []Patch{{Description: text, Diff: text, Edits: []Edit{{Location: loc, Start: start, End: end, NewText: text}}}},
			}},
			Errors: []Error{{File: file, Line: line, Column: column, Message: text}},
		}
		for _, format := range allFormats() {
			checkOutput(t, format.Name, written(t, format, run))
		}
		for _, width := range []int{1, 40, 100} {
			textOf(t, run, TextOptions{Width: width, Color: true})
		}
	})
}
