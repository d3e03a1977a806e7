package patch_test

import (
	"strings"
	"testing"

	"github.com/kvrace/kvrace/rules/patch"
)

func TestApply(t *testing.T) {
	const src = "0123456789"
	tests := []struct {
		name  string
		edits []patch.Edit
		want  string // result, or "error: " and a part of the error
	}{
		{"none", nil, src},
		{"replace", []patch.Edit{{Start: 2, End: 4, New: "xyz"}}, "01xyz456789"},
		{"delete all", []patch.Edit{{Start: 0, End: 10}}, ""},
		{"insert at both ends", []patch.Edit{{New: "<"}, {Start: 10, End: 10, New: ">"}}, "<0123456789>"},
		{"insertions keep their order", []patch.Edit{{Start: 3, End: 3, New: "a"}, {Start: 3, End: 3, New: "b"}}, "012ab3456789"},
		{"insert before a replaced range", []patch.Edit{{Start: 3, End: 3, New: "a"}, {Start: 3, End: 4, New: "b"}}, "012ab456789"},
		{"adjacent", []patch.Edit{{Start: 0, End: 2, New: "a"}, {Start: 2, End: 4, New: "b"}}, "ab456789"},
		{"overlap", []patch.Edit{{Start: 0, End: 3}, {Start: 2, End: 4}}, "error: overlap"},
		{"insert inside a replaced range", []patch.Edit{{Start: 0, End: 3}, {Start: 1, End: 1}}, "error: overlap"},
		{"unsorted", []patch.Edit{{Start: 5, End: 6}, {Start: 2, End: 3}}, "error: not sorted"},
		{"negative start", []patch.Edit{{Start: -1, End: 0}}, "error: outside"},
		{"end before start", []patch.Edit{{Start: 3, End: 2}}, "error: outside"},
		{"past the end", []patch.Edit{{Start: 3, End: 11}}, "error: outside"},
		{"two files", []patch.Edit{{File: "a"}, {File: "b"}}, "error: two files"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, err := patch.Apply([]byte(src), tt.edits)
			if part, isErr := strings.CutPrefix(tt.want, "error: "); isErr {
				if err == nil || !strings.Contains(err.Error(), part) {
					t.Errorf("got %q, error %v, want an error with %q", out, err, part)
				}
			} else if err != nil || string(out) != tt.want {
				t.Errorf("got %q, error %v, want %q", out, err, tt.want)
			}
		})
	}
}

func TestApplyAll(t *testing.T) {
	files := map[string][]byte{"a": []byte("aaa"), "b": []byte("bbb"), "c": []byte("ccc")}
	edits := []patch.Edit{
		{File: "b", Start: 2, End: 3, New: "2"},
		{File: "a", Start: 0, End: 1, New: "1"},
		{File: "b", Start: 0, End: 1, New: "0"},
	}
	got, err := patch.ApplyAll(files, edits)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || string(got["a"]) != "1aa" || string(got["b"]) != "0b2" {
		t.Errorf("got %q", got)
	}
	if string(files["a"]) != "aaa" || string(files["b"]) != "bbb" || edits[0].Start != 2 {
		t.Error("the arguments were changed")
	}
	if _, err := patch.ApplyAll(files, []patch.Edit{{File: "d"}}); err == nil || !strings.Contains(err.Error(), "d: ") {
		t.Errorf("edit of an unknown file: got error %v", err)
	}
	edits = append(edits, patch.Edit{File: "a", Start: 0, End: 2})
	if _, err := patch.ApplyAll(files, edits); err == nil {
		t.Error("overlapping edits: got no error")
	}
}
