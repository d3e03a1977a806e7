package patch_test

import (
	"bytes"
	"errors"
	"regexp"
	"slices"
	"testing"

	"github.com/kvrace/kvrace/rules/patch"
)

// The analyzed language of this test: each word BUGx is a finding with the
// fingerprint BUGx, and a file with a "(" does not parse.
var bug = regexp.MustCompile(`BUG\w`)

func TestCheck(t *testing.T) {
	files := map[string][]byte{"a.py": []byte("BUG1 ok\n"), "b.py": []byte("BUG2 ok\n")}
	reparse := func(name string, src []byte) error {
		if bytes.ContainsRune(src, '(') {
			return errors.New(name + ":1:1: open")
		}
		return nil
	}
	analyze := func(overlay map[string][]byte) ([]string, error) {
		var found []string
		for name, src := range files {
			if patched, ok := overlay[name]; ok {
				src = patched
			}
			if bytes.ContainsRune(src, '!') {
				return nil, errors.New("bound reached")
			}
			found = append(found, bug.FindAllString(string(src), -1)...)
		}
		return found, nil
	}
	before := map[string]bool{"BUG1": true, "BUG2": true}
	edit := func(file string, start, end int, text string) patch.Edit {
		return patch.Edit{File: file, Start: start, End: end, New: text}
	}
	tests := []struct {
		name   string
		edits  []patch.Edit
		reason string
		files  []string
	}{
		{"gone", []patch.Edit{edit("a.py", 0, 5, "")}, "", []string{"a.py"}},
		{"gone, and another too", []patch.Edit{edit("b.py", 0, 4, "X"), edit("a.py", 0, 4, "X")}, "", []string{"a.py", "b.py"}},
		{"unchanged file left out", []patch.Edit{edit("a.py", 0, 5, ""), edit("b.py", 0, 4, "BUG2")}, "", []string{"a.py"}},
		{"remains", []patch.Edit{edit("a.py", 5, 7, "no")}, "the finding remains", []string{"a.py"}},
		{"moved to another file", []patch.Edit{edit("a.py", 0, 4, "X"), edit("b.py", 0, 0, "BUG1 ")}, "the finding remains", []string{"a.py", "b.py"}},
		{"new", []patch.Edit{edit("a.py", 0, 4, "BUG9 BUG8 BUG9")}, "there are new findings: BUG8, BUG9", []string{"a.py"}},
		{"remains and new", []patch.Edit{edit("a.py", 5, 7, "BUG3")}, "the finding remains, and there are new ones: BUG3", []string{"a.py"}},
		{"does not parse", []patch.Edit{edit("a.py", 0, 5, "(")}, "parse: a.py:1:1: open", []string{"a.py"}},
		{"not analyzed", []patch.Edit{edit("a.py", 0, 5, "!")}, "analyze: bound reached", []string{"a.py"}},
		{"overlap", []patch.Edit{edit("a.py", 0, 5, ""), edit("a.py", 2, 3, "")}, "apply: a.py: edits of bytes 0 to 5 and 2 to 3 overlap", nil},
		{"no edit", nil, "the edits change nothing", nil},
		{"no change", []patch.Edit{edit("a.py", 0, 4, "BUG1")}, "the edits change nothing", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := patch.Check(files, tt.edits, reparse, analyze, "BUG1", before)
			if r.Verified != (tt.reason == "") || r.Reason() != tt.reason {
				t.Errorf("got verified %t, reason %q, want reason %q", r.Verified, r.Reason(), tt.reason)
			}
			var names []string
			for name := range r.Files {
				names = append(names, name)
			}
			slices.Sort(names)
			if !slices.Equal(names, tt.files) {
				t.Errorf("got changed files %q, want %q", names, tt.files)
			}
		})
	}
}

func TestDiff(t *testing.T) {
	files := map[string][]byte{"a": []byte("1\n"), "b": []byte("1\n"), "c": []byte("1\n")}
	changed := map[string][]byte{"c": []byte("2\n"), "a": []byte("2\n")}
	const want = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+2\n--- a/c\n+++ b/c\n@@ -1 +1 @@\n-1\n+2\n"
	if got := patch.Diff(files, changed); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
