package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A tree can hold a program and a copy of it, as a work tree or what somebody vendors. Each
// file then imports what is beside it, and is found wrong for what was wrong with it alone.
func TestCopies(t *testing.T) {
	dir := t.TempDir()
	write := func(copied string) {
		err := fs.WalkDir(os.DirFS("../../testdata"), "silentpin", func(name string, d fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(name) != ".py" {
				return err
			}
			src, err := os.ReadFile(filepath.Join("../../testdata", name))
			if err != nil {
				return err
			}
			// Relative imports say which copy is meant.
			src = bytes.ReplaceAll(bytes.ReplaceAll(src, []byte("\nfrom .."), []byte("\nfrom silentpin.")), []byte("\nfrom ."), []byte("\nfrom silentpin."))
			to := filepath.Join(dir, copied, "python", name)
			if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
				return err
			}
			return os.WriteFile(to, src, 0o666)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	found := func() (lines []string) {
		for line := range strings.Lines(string(realRun(t, "check", "--isolated", "--no-cache", "--root", dir, "--format", "compact", dir))) {
			lines = append(lines, line)
		}
		return lines
	}
	write("one")
	var want []string
	for _, line := range found() {
		want = append(want, line, strings.ReplaceAll(line, "one/", "two/"))
	}
	slices.Sort(want)
	if len(want) < 6 {
		t.Fatalf("too little is found in one copy: %q", want)
	}
	write("two")
	got := found()
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("a copy beside it changes what is found in a program (- alone, + beside it):\n%s", diff)
	}
}
