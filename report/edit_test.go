package report

import "testing"

func TestMergedLines(t *testing.T) {
	const file = "a.py"
	tests := []struct {
		name, src   string
		edits       [][2]string // old (first place), new
		first, last int
		want        string
	}{
		{"within a line", "a\nb c\nd\n", [][2]string{{"b", "x"}}, 2, 2, "x c\n"},
		{"two edits", "a\nb c\nd\ne\n", [][2]string{{"c", "x"}, {"d", "y"}}, 2, 3, "b x\ny\n"},
		{"line deleted", "a\nb\nc\n", [][2]string{{"b\n", ""}}, 2, 2, ""},
		{"last line deleted", "a\nb\n", [][2]string{{"b\n", ""}}, 2, 2, ""},
		{"line replaced", "a\nb\nc\n", [][2]string{{"b\n", "x\ny\n"}}, 2, 2, "x\ny\n"},
		{"lines joined", "a\nb\nc\n", [][2]string{{"b\n", "x"}}, 2, 3, "xc\n"},
		{"no end of line", "a\nb", [][2]string{{"b", "x"}}, 2, 2, "x\n"},
		{"CRLF", "a\r\nb\r\nc\r\n", [][2]string{{"b", "x\r\ny"}}, 2, 2, "x\r\ny\r\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			src := newSources(&Run{Sources: map[string][]byte{file: []byte(tt.src)}})
			var patch Patch
			for _, e := range tt.edits {
				patch.Edits = append(patch.Edits, replace(t, file, tt.src, e[0], 1, e[1]))
			}
			got, ok := src.mergedLines(patch)
			if !ok || got.Line != tt.first || got.EndLine != tt.last || got.text != tt.want {
				t.Errorf("got lines %d to %d, %q, %t; want %d to %d, %q", got.Line, got.EndLine, got.text, ok, tt.first, tt.last, tt.want)
			}
		})
	}
}

func TestMergedRefuses(t *testing.T) {
	src := newSources(&Run{Sources: map[string][]byte{"a.py": []byte("abc"), "b.py": []byte("abc")}})
	edit := func(file string, start, end int) Edit {
		return Edit{Location: Location{File: file, Line: 1, EndLine: 1}, Start: start, End: end}
	}
	for name, edits := range map[string][]Edit{
		"none":       nil,
		"unknown":    {edit("c.py", 0, 1)},
		"two files":  {edit("a.py", 0, 1), edit("b.py", 1, 2)},
		"too far":    {edit("a.py", 1, 9)},
		"before":     {edit("a.py", -1, 1)},
		"reversed":   {edit("a.py", 2, 1)},
		"overlapped": {edit("a.py", 0, 2), edit("a.py", 1, 3)},
		"no line":    {{Location: Location{File: "a.py"}, End: 1}},
	} {
		if _, ok := src.merged(Patch{Edits: edits}); ok {
			t.Errorf("%s: merged", name)
		}
	}
	if _, ok := src.merged(Patch{Edits: []Edit{edit("a.py", 0, 1), edit("a.py", 1, 2)}}); !ok {
		t.Error("two edits side by side: not merged")
	}
}
