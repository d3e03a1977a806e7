package patch

import (
	"slices"
	"strings"
	"testing"
)

// TestLinesInStrings marks each line that starts inside a string by a leading
// "|", which is not part of the source.
func TestLinesInStrings(t *testing.T) {
	tests := []string{
		"a\nb\n",
		"'''a\n|b\n|c''' + \\\nd",
		`"""a"` + "\n|\"b\"\n|\"\"\"\nc",
		"'a' # '''\nb",
		"# it's\nb",
		"'it\\'s \\\n|x'\ny",
		"'a\\\r\n|x'\ny",
		"'open\nx",
		"''\nx",
		"('a'\n'b'\n)",
		`r'\'` + "\nx'",
		`rb'''\'''` + "\n|x'''\ny",
		`'''\\'''` + "\nx",
		"print'''\n|x'''\ny",
		"f'{a}'\nx",
		"f'''{\n|a}\n|'''\nx",
		// Quotes of the literal inside a field: Python 3.12.
		`f"{d["#"]}"` + "\nx",
		`f"""{f'''` + "\n|{x}\n|''' + y\n|}" + `"""` + "\nx",
		`f'{"'''"}'` + "\nx",
		`f'{x:{"'"}>{w}}'` + "\nx",
		`f'{x:"}'` + "\nx",
		`f'{x!r:#}'` + "\nx",
		`f'{x:%H:%M}' '` + "\nx",
		`f'{ {1: "}"}[1] }'` + "\nx",
		`f'{{"{x}'` + "\nx",
		`f'\{x["'"]}'` + "\nx",
		`f'\N{QUOTATION MARK}{x}'` + "\nx",
		`fr'\N{x["'"]}'` + "\nx",
		`rf'\\{x}'` + "\nx",
		`t'{"'"}'` + "\nx",
		"f'''{a # '''\n|}'''\nx",
		"f'''{x:\n|}'''\nx",
		"f'''{",
		"'''\\",
	}
	for _, marked := range tests {
		var src strings.Builder
		var want []int
		for line := range strings.Lines(marked) {
			text, inside := strings.CutPrefix(line, "|")
			if inside {
				want = append(want, src.Len())
			}
			src.WriteString(text)
		}
		var got []int
		for p := range linesInStrings([]byte(src.String()), 0, src.Len()) {
			got = append(got, p)
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s\ngot lines at %v, want %v", marked, got, want)
		}
	}
}

func FuzzLinesInStrings(f *testing.F) {
	f.Add([]byte("f'''{x:{y}}\n{'}'}''' \\\n# '"))
	f.Add([]byte("fr'\\{ \\N{ \\\r\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		for p := range linesInStrings(src, 0, len(src)) {
			if p <= 0 || p >= len(src) || !endsLine(src, p-1) {
				t.Errorf("%d is not the start of a line", p)
			}
		}
	})
}
