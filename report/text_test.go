package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

func textOf(t testing.TB, run *Run, opt TextOptions) string {
	t.Helper()
	var b bytes.Buffer
	if err := Text(&b, run, opt); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTextWidths(t *testing.T) {
	for _, w := range []int{40, 80, 120} {
		t.Run(fmt.Sprint(w), func(t *testing.T) {
			golden(t, fmt.Sprintf("example.text-%d", w), []byte(textOf(t, exampleRun(t), TextOptions{Width: w})))
		})
	}
}

func TestTextColor(t *testing.T) {
	got := textOf(t, exampleRun(t), TextOptions{Color: true, Link: FileLink("/tree")})
	golden(t, "example.text-color", []byte(strings.ReplaceAll(got, "\x1b", "ESC")))
}

func TestTextColorOnlyAddsColor(t *testing.T) {
	plain := textOf(t, exampleRun(t), TextOptions{})
	var b strings.Builder
	for i, part := range strings.Split(textOf(t, exampleRun(t), TextOptions{Color: true}), "\x1b[") {
		if i > 0 {
			_, part, _ = strings.Cut(part, "m")
		}
		b.WriteString(part)
	}
	if b.String() != plain {
		t.Errorf("without its escapes, the coloured text is\n%s\nwant\n%s", b.String(), plain)
	}
}

// TestTextLinksOnlyAddLinks checks that hyperlinks have no width.
func TestTextLinksOnlyAddLinks(t *testing.T) {
	plain := textOf(t, exampleRun(t), TextOptions{Width: 80})
	linked := textOf(t, exampleRun(t), TextOptions{Width: 80, Link: FileLink("/tree")})
	if !strings.Contains(linked, "file:///tree/relay/fabric/conn.py#L32") {
		t.Error("no link to the main location")
	}
	if got := linkMarks.ReplaceAllString(linked, ""); got != plain {
		t.Errorf("without its links, the text is\n%s\nwant\n%s", got, plain)
	}
}

func TestFileLink(t *testing.T) {
	link := FileLink("/a b")
	if got, want := link(Location{File: "c/ü%.py", Line: 3}), "file:///a%20b/c/%C3%BC%25.py#L3"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestTextEmptyFields checks that what is not known leaves no trace.
func TestTextEmptyFields(t *testing.T) {
	run := &Run{Findings: []Finding{{
		Rule: "KV201", Name: "check-then-act", Message: "m",
		Location: Location{File: "a.py", Line: 1, Column: 1, EndLine: 1, EndColumn: 2},
	}}}
	want := `error[KV201] check-then-act: m
  --> a.py:1:1
  explain: kvrace explain KV201

1 error in 1 file (1 possible)
0 files, 0 bytes analyzed
`
	if got := textOf(t, run, TextOptions{}); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// carets returns the frame of one range of one line.
func carets(t *testing.T, line string, column, endColumn int, opt TextOptions) string {
	t.Helper()
	run := &Run{
		Sources: map[string][]byte{"a.py": []byte(line)},
		Findings: []Finding{{
			Location: Location{File: "a.py", Line: 1, Column: column, EndLine: 1, EndColumn: endColumn},
			Label:    "here",
		}},
	}
	lines := strings.Split(textOf(t, run, opt), "\n")
	return strings.Join(lines[2:4], "\n")
}

func TestCaretsAlign(t *testing.T) {
	tests := []struct {
		name, line, text, want string
	}{
		{"ascii", "abc d", "d", "    1 | abc d\n      |     ^ here"},
		{"tab", "\tx\ty", "y", "    1 |     x   y\n      |         ^ here"},
		{"wide", "漢字 = 漢", "= 漢", "    1 | 漢字 = 漢\n      |      ^^^^ here"},
		{"combining", "e\u0301e\u0301 z", "z", "    1 | e\u0301e\u0301 z\n      |    ^ here"},
		{"emoji", "'👩\u200d💻' z", "z", "    1 | '👩\u200d💻' z\n      |      ^ here"},
		{"escape", "'\x1b[0m' z", "z", "    1 | '\\x1b[0m' z\n      |           ^ here"},
		{"byte", "'\xff' z", "z", "    1 | '\\xff' z\n      |        ^ here"},
		{"bidi", "'\u202e' z", "z", "    1 | '\\u202e' z\n      |          ^ here"},
		{"mark", "\ufeffx", "x", "    1 | x\n      | ^ here"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			column := strings.Index(strings.TrimPrefix(tt.line, "\ufeff"), tt.text) + 1
			if got := carets(t, tt.line, column, column+len(tt.text), TextOptions{}); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func TestCaretsOutsideTheLine(t *testing.T) {
	for _, columns := range [][2]int{{0, 0}, {9, 12}, {3, 1}, {-4, 2}} {
		if got := carets(t, "abc", columns[0], columns[1], TextOptions{}); !strings.Contains(got, "^") {
			t.Errorf("columns %v: no caret in\n%s", columns, got)
		}
	}
}

func TestLongLineIsCut(t *testing.T) {
	line := strings.Repeat("a", 5000) + "XYZ" + strings.Repeat("b", 5000)
	got := carets(t, line, 5001, 5004, TextOptions{Width: 60})
	rows := strings.Split(got, "\n")
	at := strings.Index(rows[0], "XYZ")
	if at < 0 || strings.Index(rows[1], "^^^") != at || len(rows[0]) > 60 {
		t.Errorf("got\n%s", got)
	}
}

// TestRangeOfManyLines checks that a long range shows its start and its end.
func TestRangeOfManyLines(t *testing.T) {
	src := "f(\n  a,\n  b,\n  c,\n  d,\n)\n"
	run := &Run{
		Sources:  map[string][]byte{"a.py": []byte(src)},
		Findings: []Finding{{Location: Location{File: "a.py", Line: 1, Column: 1, EndLine: 6, EndColumn: 2}, Label: "all"}},
	}
	want := `    1 | f(
      | ^^
    2 |   a,
      |   ^^
    3 |   b,
      |   ^^
    6 | )
      | ^ all
`
	if got := textOf(t, run, TextOptions{}); !strings.Contains(got, want) {
		t.Errorf("got\n%s\nwant it to hold\n%s", got, want)
	}
}

func TestShortFingerprints(t *testing.T) {
	got := shortFingerprints([]Finding{{Fingerprint: "aaaaaaaa11"}, {Fingerprint: "aaaaaaaa12"}, {Fingerprint: "b"}, {Fingerprint: "cccccccccc"}, {Fingerprint: ""}})
	for fp, want := range map[string]string{"aaaaaaaa11": "aaaaaaaa11", "b": "b", "cccccccccc": "cccccccc", "": ""} {
		if got[fp] != want {
			t.Errorf("%q: got %q, want %q", fp, got[fp], want)
		}
	}
}

func TestDistinct(t *testing.T) {
	got := distinct([]string{"A.run", "B.run", "C.poll", "run"}, ".")
	for name, want := range map[string]string{"A.run": "A.run", "B.run": "B.run", "C.poll": "poll", "run": "run"} {
		if got[name] != want {
			t.Errorf("%s: got %s, want %s", name, got[name], want)
		}
	}
}
