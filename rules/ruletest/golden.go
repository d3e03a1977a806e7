package ruletest

import (
	"os"
	"strings"
	"testing"
)

// Golden compares text with the file that has it on record, or rewrites the
// file with -update.
func Golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is not up to date; -update rewrites it as\n%s", file, got)
	}
}

// Section is [Golden] for a part of a document: the lines between the comments
// <!-- NAME --> and <!-- end of NAME -->.
func Section(t *testing.T, file, name, got string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- "+name+" -->\n", "<!-- end of "+name+" -->\n"
	before, rest, ok := strings.Cut(string(text), begin)
	have, after, closed := strings.Cut(rest, end)
	switch {
	case !ok || !closed:
		t.Fatalf("%s has no lines between %q and %q", file, begin, end)
	case *update:
		Golden(t, file, before+begin+got+end+after)
	case have != got:
		t.Errorf("%s: the %s is not up to date; -update rewrites it as\n%s", file, name, got)
	}
}
