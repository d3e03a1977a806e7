package patch_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/kvrace/kvrace/rules/patch"
)

func readFile(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// wantEntries checks that dir holds the files of the names and no others, in
// particular no temporary ones.
func wantEntries(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != strings.Join(names, " ") {
		t.Errorf("%s holds %q, want %q", dir, got, names)
	}
}

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f.py")
	writeFile(t, path, []byte("old"))
	for _, mode := range []fs.FileMode{0o755, 0o600, 0o666} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		old := readFile(t, path)
		if err := patch.WriteFile(path, []byte(old), []byte(old+"+")); err != nil {
			t.Fatal(err)
		}
		if got := readFile(t, path); got != old+"+" {
			t.Errorf("got %q", got)
		}
		if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode() != mode {
			t.Errorf("got mode %v, error %v, want %v", info.Mode(), err, mode)
		}
	}
	wantEntries(t, dir, "f.py")
}

func TestWriteFileChanged(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f.py")
	writeFile(t, path, []byte("newer"))
	err := patch.WriteFile(path, []byte("old"), []byte("new"))
	if !errors.Is(err, patch.ErrChanged) || !strings.Contains(err.Error(), path) {
		t.Errorf("got error %v, want ErrChanged and the path", err)
	}
	if got := readFile(t, path); got != "newer" {
		t.Errorf("got %q", got)
	}
	wantEntries(t, dir, "f.py")
}

func TestWriteFileSymlink(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "real", "f.py")
	writeFile(t, target, []byte("old"))
	link := filepath.Join(dir, "link.py")
	chain := filepath.Join(dir, "chain.py")
	for name, to := range map[string]string{link: filepath.Join("real", "f.py"), chain: "link.py"} {
		if err := os.Symlink(to, name); err != nil {
			t.Skip(err)
		}
	}
	if err := patch.WriteFile(chain, []byte("old"), []byte("new")); err != nil {
		t.Fatal(err)
	}
	if got := readFile(t, target); got != "new" {
		t.Errorf("got %q", got)
	}
	for _, name := range []string{link, chain} {
		if info, err := os.Lstat(name); err != nil || info.Mode()&fs.ModeSymlink == 0 {
			t.Errorf("%s is no longer a symbolic link: %v", name, err)
		}
	}
	wantEntries(t, dir, "chain.py", "link.py", "real")
	wantEntries(t, filepath.Join(dir, "real"), "f.py")
}

func TestWriteFileRefuses(t *testing.T) {
	dir := t.TempDir()
	if err := patch.WriteFile(filepath.Join(dir, "none.py"), nil, []byte("new")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing file: got error %v", err)
	}
	if err := patch.WriteFile(dir, nil, []byte("new")); err == nil {
		t.Error("directory: got no error")
	}
	wantEntries(t, dir)
}

func TestWriteFileReadOnly(t *testing.T) {
	if os.Geteuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("modes do not bind this user")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "f.py")
	writeFile(t, path, []byte("old"))
	for name, mode := range map[string]fs.FileMode{path: 0o444, dir: 0o555} {
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
		err := patch.WriteFile(path, []byte("old"), []byte("new"))
		if err2 := os.Chmod(name, 0o755); err2 != nil {
			t.Fatal(err2)
		}
		if !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%s read-only: got error %v", name, err)
		}
		if got := readFile(t, path); got != "old" {
			t.Errorf("%s read-only: got %q", name, got)
		}
		wantEntries(t, dir, "f.py")
	}
}

// TestWriteFiles checks that one file that cannot be written keeps all as
// they are.
func TestWriteFiles(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.py"), filepath.Join(dir, "b.py")
	writeFile(t, a, []byte("a"))
	writeFile(t, b, []byte("b"))
	first := patch.Replacement{Name: a, Old: []byte("a"), New: []byte("A")}
	for _, second := range []patch.Replacement{
		{Name: b, Old: []byte("x"), New: []byte("B")},
		{Name: filepath.Join(dir, "c.py"), New: []byte("C")},
		first,
	} {
		if err := patch.WriteFiles(first, second); err == nil {
			t.Errorf("%s: got no error", second.Name)
		}
		if got := readFile(t, a) + readFile(t, b); got != "ab" {
			t.Errorf("%s: got %q", second.Name, got)
		}
		wantEntries(t, dir, "a.py", "b.py")
	}
	if err := patch.WriteFiles(first, patch.Replacement{Name: b, Old: []byte("b"), New: []byte("B")}); err != nil {
		t.Error(err)
	}
	if got := readFile(t, a) + readFile(t, b); got != "AB" {
		t.Errorf("got %q", got)
	}
	wantEntries(t, dir, "a.py", "b.py")
}
