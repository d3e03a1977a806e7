package parser_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kvrace/kvrace/parser"
	"github.com/kvrace/kvrace/parser/ast"
)

var update = flag.Bool("update", false, "rewrite the expected results in testdata")

// entry is one program of a table and what is expected of it.
type entry struct{ source, want string }

// readTable reads a table from testdata: entries are separated by lines of
// "====", a program and what is expected of it by a line of "----".
func readTable(t testing.TB, name string) []entry {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var entries []entry
	for _, text := range strings.Split(string(data), "====\n") {
		source, want, ok := strings.Cut(text, "----\n")
		if !ok {
			t.Fatalf("%s: no ---- in %q", name, text)
		}
		entries = append(entries, entry{source, strings.TrimSuffix(want, "\n")})
	}
	return entries
}

// testTable compares what result returns for each program of a table with what
// is expected.
func testTable(t *testing.T, name string, result func(source string) string) {
	entries := readTable(t, name)
	for i, e := range entries {
		got := result(e.source)
		if got == e.want {
			continue
		}
		entries[i].want = got
		if !*update {
			t.Errorf("%s:\n%s\n got %s\nwant %s", name, e.source, got, e.want)
		}
	}
	if !*update {
		return
	}
	var texts []string
	for _, e := range entries {
		texts = append(texts, e.source+"----\n"+e.want+"\n")
	}
	if err := os.WriteFile(filepath.Join("testdata", name), []byte(strings.Join(texts, "====\n")), 0o666); err != nil {
		t.Fatal(err)
	}
}

func dumpOf(source string) string {
	m, err := parser.ParseFile("f.py", []byte(source), parser.Options{})
	if err != nil {
		return err.Error()
	}
	return ast.Dump(m, ast.Positions)
}

// TestSyntax covers the whole grammar of Python 3.13. TestStoredDumps compares
// the table with CPython.
func TestSyntax(t *testing.T) { testTable(t, "syntax.txt", dumpOf) }

// TestSyntax314 covers what Python 3.14 added.
func TestSyntax314(t *testing.T) { testTable(t, "syntax314.txt", dumpOf) }

// TestInvalid covers programs that are no Python. TestInvalidInPython shows
// that CPython refuses them.
func TestInvalid(t *testing.T) {
	testTable(t, "invalid.txt", func(source string) string {
		opts := parser.Options{Version: 13, Mode: parser.Check}
		m, err := parser.ParseFile("f.py", []byte(source), opts)
		if err == nil {
			return "accepted"
		}
		checkErrors(t, m, err)
		return strings.TrimPrefix(err.(parser.ErrorList)[0].Error(), "f.py:")
	})
}

// checkErrors checks that errors have positions in the file and are in order.
func checkErrors(t testing.TB, m *ast.Module, err error) {
	t.Helper()
	list, ok := err.(parser.ErrorList)
	if !ok || len(list) == 0 {
		t.Fatalf("%s: error is %#v, want a parser.ErrorList", m.Name, err)
	}
	last := parser.Error{Line: 1, Column: 1}
	for _, e := range list {
		if e.Line < 1 || e.Line > m.Lines.Count() || e.Column < 1 {
			t.Errorf("position of %v is outside of the file", e)
		}
		if e.Line < last.Line || e.Line == last.Line && e.Column < last.Column {
			t.Errorf("%v comes after %v", e, last)
		}
		last = e
	}
}

// writePrograms writes the programs of a table to files and returns their
// names.
func writePrograms(t *testing.T, entries []entry) []string {
	dir := t.TempDir()
	var files []string
	for i, e := range entries {
		file := filepath.Join(dir, string(rune('a'+i/26%26))+string(rune('a'+i%26))+".py")
		if err := os.WriteFile(file, []byte(e.source), 0o666); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	return files
}

func TestStoredDumps(t *testing.T) {
	python := interpreters(t)[0]
	tables := []string{"syntax.txt"}
	if python.minor >= 14 {
		tables = append(tables, "syntax314.txt")
	}
	for _, name := range tables {
		entries := readTable(t, name)
		files := writePrograms(t, entries)
		for i, a := range python.ask(t, "parse", files) {
			if a.text != hash(entries[i].want) {
				t.Errorf("%s:\n%s\n%s", name, entries[i].source, firstDifference(entries[i].want, python.dump(t, files[i])))
			}
		}
	}
}

func TestInvalidInPython(t *testing.T) {
	python := interpreters(t)[0]
	entries := readTable(t, "invalid.txt")
	for i, a := range python.ask(t, "compile", writePrograms(t, entries)) {
		if !a.refused && python.minor == 13 {
			t.Errorf("%s accepts\n%s", python.path, entries[i].source)
		}
	}
	t.Logf("%d programs refused by both", len(entries))
}
