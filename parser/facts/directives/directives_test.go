package directives

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kvrace/kvrace/parser"
	"github.com/kvrace/kvrace/parser/ast"
)

func TestIn(t *testing.T) {
	tests := []struct {
		src  string
		want string // one line per directive: line, target, kind, args, reason or problem
	}{
		{"x = 1  # kvrace: ignore[KV101] done by close", "1 1 1 [KV101] done by close"},
		{"x = 1  #kvrace:ignore[KV101,KV2]  why # noqa", "1 1 1 [KV101 KV2] why"},
		{"x = 1  # noqa # kvrace: ignore[KV101] why", "1 1 1 [KV101] why"},
		{"\n  # kvrace: ignore[KV101] why\n\n  # more\n  x = 1\n", "2 5 1 [KV101] why"},
		{"# kvrace: ignore-file[ALL] generated", "1 1 2 [ALL] generated"},
		{"# kvrace: ignore[KV101]", "1 1 1 [KV101] "},
		{"# kvrace: thread(worker)\ndef f(): ...", "1 2 3 [worker] "},
		{"self.d = {}  # kvrace: guarded-by(self.lock) always", "1 1 4 [self.lock] always"},
		{"self.d = {}  # kvrace: confined", "1 1 5 [] "},
		{"# kvrace: terminal(DONE, FAILED)", "1 1 6 [DONE FAILED] "},
		{"# kvrace: ignore KV101 why", "1 1 0 [] ignore needs rules in brackets"},
		{"# kvrace: ignore[] why", "1 1 0 [] ignore needs rules in brackets"},
		{"# kvrace: ignore[KV101 why", "1 1 0 [] ignore needs rules in brackets"},
		{"# kvrace: ingore[KV101] why", "1 1 0 [] unknown comment ingore"},
		{"# kvrace:", "1 1 0 [] unknown comment after kvrace:"},
		{"s = '# kvrace: confined'", ""},
		{"s = r'''\n# kvrace: confined\n''' # kvrace: confined", "3 3 5 [] "},
		{"s = 'it\\'s # kvrace: confined'  # kvrace: confined", "1 1 5 [] "},
		{"s = 'open\n# kvrace: confined\r\n", "2 2 5 [] "},
		{"see kvrace: confined", ""},
		{"# about kvrace: confined", ""},
	}
	for _, tt := range tests {
		var got []string
		for _, d := range In(module(t, tt.src)) {
			text := d.Reason
			if d.Kind == Invalid {
				text = d.Problem
			}
			got = append(got, fmt.Sprint(d.Line, d.Target(), " ", int(d.Kind), " ", d.Args, " ", text))
		}
		if diff := cmp.Diff(tt.want, strings.Join(got, "\n")); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.src, diff)
		}
	}
}

// module parses a file, whatever errors it has.
func module(t *testing.T, src string) *ast.Module {
	t.Helper()
	m, err := parser.ParseFile("a.py", []byte(src), parser.Options{})
	if m == nil {
		t.Skip(err)
	}
	return m
}

func FuzzIn(f *testing.F) {
	f.Add("x = 1  # kvrace: ignore[KV101] done by close")
	f.Add("'''\r# kvrace: thread(a)\r\n\"\\")
	f.Fuzz(func(t *testing.T, text string) {
		m := module(t, text)
		src := m.Source
		for _, d := range In(m) {
			if d.Start < 0 || d.End > len(src) || d.Start >= d.End || src[d.Start] != '#' {
				t.Fatalf("directive at %d to %d of %q", d.Start, d.End, src)
			}
			if start, end := d.Removal(src); start > d.Start || end < d.End || end > len(src) {
				t.Fatalf("removal %d to %d of %q", start, end, src)
			}
		}
	})
}
