package parser_test

import (
	"path/filepath"
	"testing"

	"github.com/kvrace/kvrace/parser"
	"github.com/kvrace/kvrace/parser/ast"
)

// knownFiles lists files, by their base name, whose trees differ from
// CPython's, with the reason. None is known.
var knownFiles = map[string]string{}

// knownDifferences lists programs that we treat otherwise than CPython 3.13.0
// on purpose. They were found by comparing generated programs.
var knownDifferences = []struct {
	reason, source string
	accepted       bool // by us
}{
	{
		"CPython reads 01_0 before a keyword, although it refuses 01_0 alone",
		"1 if 01_0else 2\n", false,
	},
	{
		"CPython takes a # in a string for a comment when it copies the source of a field with =",
		"f'{d[\"#\"] = }'\n", true,
	},
	{
		"CPython copies only the part before != of the source of a field with =",
		"f'{3!=x=}'\n", true,
	},
	{
		"CPython copies the source of a field with = wrongly after a line break that ends a format spec",
		"f'{a:1\n{b=}}'\n", true,
	},
	{
		"CPython cannot store a docstring with a lone surrogate, which is no error of syntax",
		"'\\ud834'\n", true,
	},
}

func TestKnownDifferences(t *testing.T) {
	for _, d := range knownDifferences {
		_, err := parser.ParseFile("f.py", []byte(d.source), parser.Options{Version: 13, Mode: parser.Check})
		if accepted := err == nil; accepted != d.accepted {
			t.Errorf("%q: accepted %t, want %t: %v", d.source, accepted, d.accepted, err)
		}
	}
}

// TestKnownDifferencesInPython tells when a difference is gone, as later releases
// of Python 3.13 may have it.
func TestKnownDifferencesInPython(t *testing.T) {
	python := interpreters(t)[0]
	if python.minor != 13 {
		t.Skip("the differences are those of Python 3.13")
	}
	var entries []entry
	for _, d := range knownDifferences {
		m, _ := parser.ParseFile("f.py", []byte(d.source), parser.Options{Version: 13})
		entries = append(entries, entry{d.source, ast.Dump(m, ast.Positions)})
	}
	for i, a := range python.ask(t, "compile", writePrograms(t, entries)) {
		if a.text == hash(entries[i].want) {
			t.Logf("%s: no difference any more: %q", filepath.Base(python.path), entries[i].source)
		}
	}
}
