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

func allFormats() []Format { return slices.Concat(Formats, AuditFormats, MapFormats) }

func TestFormats(t *testing.T) {
	testGolden(t, "", Formats)
}

func TestFormatsAreSorted(t *testing.T) {
	for i, formats := range [][]Format{Formats, AuditFormats, MapFormats} {
		if !slices.IsSortedFunc(formats, func(a, b Format) int { return strings.Compare(a.Name, b.Name) }) {
			t.Errorf("list %d is not sorted by name", i)
		}
	}
}

// TestFormatsAreSafe checks that no control character of a hostile run gets
// through: a terminal, a log or a browser may show the output.
func TestFormatsAreSafe(t *testing.T) {
	for _, f := range allFormats() {
		got := string(written(t, f, hostileRun(t)))
		for _, bad := range []string{"\x1b", "\a", "\xff", "\u202e", "\u2028"} {
			if strings.Contains(got, bad) {
				t.Errorf("%s: output holds %q", f.Name, bad)
			}
		}
	}
}

func TestFormatsRepeat(t *testing.T) {
	for _, f := range allFormats() {
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
	for _, f := range allFormats() {
		if err := f.Write(&failingWriter{}, exampleRun(t)); !errors.Is(err, errFull) {
			t.Errorf("%s: error %v, want %v", f.Name, err, errFull)
		}
	}
	if err := Text(io.Discard, exampleRun(t), TextOptions{}); err != nil {
		t.Error(err)
	}
}
