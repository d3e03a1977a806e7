//go:build unix

package source

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
)

func TestPipesAndDevices(t *testing.T) {
	dir := writeTree(t, "-- a.py --\n")
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe.py"), 0o666); err != nil {
		t.Skip(err)
	}
	p, problems := Load(context.Background(), []string{"."}, Options{})
	if got := names(p); !slices.Equal(got, []string{"a.py"}) || len(problems) > 0 {
		t.Errorf("files %q, problems %v", got, problems)
	}
	_, problems = Load(context.Background(), []string{"a.py", "pipe.py", "/dev/null"}, Options{Alone: true})
	want := []string{"/dev/null:1:1: not a regular file", "pipe.py:1:1: not a regular file"}
	if got := messages(problems); !slices.Equal(got, want) {
		t.Errorf("problems %q, want %q", got, want)
	}
	// The pipe may take the place of a file after the walk.
	if _, err := readFile(filepath.Join(dir, "pipe.py"), 100); !errors.Is(err, ErrNotRegular) {
		t.Errorf("reading a pipe: %v", err)
	}
}
