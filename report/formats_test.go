package report

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares got with the file testdata/name.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

func TestFormats(t *testing.T) {
	for _, f := range Formats {
		for _, ex := range exampleRuns {
			t.Run(f.Name+"/"+ex.name, func(t *testing.T) {
				golden(t, ex.name+"."+f.Name, written(t, f, ex.run(t)))
			})
		}
	}
}

func TestFormatsAreSorted(t *testing.T) {
	if !slices.IsSortedFunc(Formats, func(a, b Format) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("Formats is not sorted by name")
	}
}

// TestFormatsAreSafe checks that no control character of a hostile run gets
// through: a terminal, a log or a browser may show the output.
func TestFormatsAreSafe(t *testing.T) {
	for _, f := range Formats {
		got := string(written(t, f, hostileRun(t)))
		for _, bad := range []string{"\x1b", "\a", "\xff", "\u202e", "\u2028"} {
			if strings.Contains(got, bad) {
				t.Errorf("%s: output holds %q", f.Name, bad)
			}
		}
	}
}

func TestFormatsRepeat(t *testing.T) {
	for _, f := range Formats {
		first := written(t, f, exampleRun(t))
		for range 5 {
			if !bytes.Equal(first, written(t, f, exampleRun(t))) {
				t.Errorf("%s: output differs from call to call", f.Name)
			}
		}
	}
}

// A failingWriter refuses everything after its first bytes.
type failingWriter struct{ room int }

var errFull = errors.New("no room")

func (w *failingWriter) Write(p []byte) (int, error) {
	if len(p) > w.room {
		return w.room, errFull
	}
	w.room -= len(p)
	return len(p), nil
}

func TestFormatsReturnWriteErrors(t *testing.T) {
	for _, f := range Formats {
		if err := f.Write(&failingWriter{}, exampleRun(t)); !errors.Is(err, errFull) {
			t.Errorf("%s: error %v, want %v", f.Name, err, errFull)
		}
	}
	if err := Text(io.Discard, exampleRun(t), TextOptions{}); err != nil {
		t.Error(err)
	}
}
