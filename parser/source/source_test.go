package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// writeTree writes the files of a txtar archive into a new folder, makes it
// the working directory, and returns it.
func writeTree(t testing.TB, archive string) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", filepath.Join(dir, "home"))
	t.Setenv("XDG_CONFIG_HOME", "")
	if t, ok := t.(*testing.T); ok {
		t.Chdir(dir)
	}
	return dir
}

func names(p *Program) []string {
	var names []string
	for i := range p.Files {
		names = append(names, p.Files[i].Name)
	}
	return names
}

func messages(problems []Problem) []string {
	var ms []string
	for _, p := range problems {
		ms = append(ms, p.Error())
	}
	return ms
}

func TestLoad(t *testing.T) {
	tests := []struct {
		name     string
		tree     string
		paths    string // blank separated
		opt      Options
		files    string // blank separated names
		targets  string // if not all files
		problems string
	}{
		{
			name:  "tree",
			tree:  "-- b.py --\n-- a/x.py --\n-- a/y.txt --\n-- a/Z.PY --\n",
			paths: ".", files: "a/Z.PY a/x.py b.py",
		},
		{
			name:  "hidden",
			tree:  "-- .h/a.py --\n-- .b.py --\n-- c.py --\n",
			paths: ".", files: "c.py",
		},
		{
			name:  "hidden but named",
			tree:  "-- .h/a.py --\n-- .b.py --\n-- c.txt --\n",
			paths: ".h .b.py c.txt", files: ".b.py .h/a.py c.txt", opt: Options{Alone: true},
		},
		{
			name: "vendored and virtual environments",
			tree: "-- vendor/a.py --\n-- p/third_party/a.py --\n-- e/pyvenv.cfg --\n-- e/lib/a.py --\n" +
				"-- x/site-packages/a.py --\n-- node_modules/a.py --\n-- c.py --\n",
			paths: ".", files: "c.py",
		},
		{
			name:  "vendored but named",
			tree:  "-- vendor/a.py --\n-- c.py --\n",
			paths: "vendor", files: "vendor/a.py", opt: Options{Alone: true},
		},
		{
			name:  "included",
			tree:  "-- vendor/a.py --\n-- vendor/b/c.py --\n-- vendor/d.py --\n-- e.py.in --\n",
			paths: ".", files: "e.py.in vendor/b/c.py", opt: Options{Include: []string{"vendor/b/**", "*.in"}},
		},
		{
			name:  "excluded",
			tree:  "-- a.py --\n-- test/b.py --\n-- c/test_d.py --\n-- c/e.py --\n",
			paths: ".", files: "a.py c/e.py", opt: Options{Exclude: []string{"test/", "**/test_*.py"}},
		},
		{
			name:  "excluded but named",
			tree:  "-- a.py --\n-- b.py --\n",
			paths: "a.py", files: "a.py", opt: Options{Exclude: []string{"*.py"}},
		},
		{
			name:  "gitignore",
			tree:  "-- .git/x --\n-- .gitignore --\n/out\n*_pb2.py\n-- out/a.py --\n-- a_pb2.py --\n-- b/.gitignore --\n!c_pb2.py\n-- b/c_pb2.py --\n-- b/d_pb2.py --\n-- e/out/f.py --\n",
			paths: ".", files: "b/c_pb2.py e/out/f.py",
		},
		{
			name:  "gitignore above the named folder",
			tree:  "-- .git/x --\n-- .gitignore --\ngen\n-- p/gen/a.py --\n-- p/b.py --\n",
			paths: "p", files: "p/b.py", opt: Options{Alone: true},
		},
		{
			name:  "gitignore without a repository",
			tree:  "-- setup.cfg --\n-- .gitignore --\ngen\n-- gen/a.py --\n-- b.py --\n",
			paths: ".", files: "b.py",
		},
		{
			name:  "a repository inside is its own",
			tree:  "-- .git/x --\n-- .gitignore --\nconn.py\n-- sub/.git/x --\n-- sub/conn.py --\n-- conn.py --\n",
			paths: ".", files: "sub/conn.py",
		},
		{
			name:  "user and repository excludes",
			tree:  "-- .git/info/exclude --\na.py\n-- home/.gitconfig --\n[core]\n\texcludesFile = ~/ign\n-- home/ign --\nb.py\nhome\n-- a.py --\n-- b.py --\n-- c.py --\n",
			paths: ".", files: "c.py",
		},
		{
			name:  "ignored but named",
			tree:  "-- .git/x --\n-- .gitignore --\na.py\n-- a.py --\n-- b.py --\n",
			paths: "a.py", files: "a.py b.py", targets: "a.py",
		},
		{
			name:  "program around a file",
			tree:  "-- pyproject.toml --\n-- p/a.py --\n-- q/b.py --\n",
			paths: "p/a.py", files: "p/a.py q/b.py", targets: "p/a.py",
		},
		{
			name:  "program around a file without a project",
			tree:  "-- p/__init__.py --\n-- p/q/__init__.py --\n-- p/q/a.py --\n-- p/r/b.py --\n-- c.py --\n",
			paths: "p/q/a.py", files: "p/__init__.py p/q/__init__.py p/q/a.py p/r/b.py", targets: "p/q/a.py",
		},
		{
			name:  "lone file",
			tree:  "-- a.py --\n-- b.py --\n-- q/c.py --\n",
			paths: "a.py", files: "a.py b.py", targets: "a.py",
		},
		{
			name:  "named twice",
			tree:  "-- a.py --\n",
			paths: "a.py ./a.py .", files: "a.py",
		},
		{
			name:  "nothing there",
			tree:  "-- a.py --\n-- d/x.txt --\n",
			paths: "a.py no.py d", files: "a.py", opt: Options{Alone: true},
			problems: "d:1:1: no Python files\nno.py:1:1: no such file or directory",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			writeTree(t, tt.tree)
			p, problems := Load(context.Background(), strings.Fields(tt.paths), tt.opt)
			if diff := cmp.Diff(strings.Fields(tt.files), names(p)); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
			targets := tt.targets
			if targets == "" {
				targets = tt.files
			}
			if diff := cmp.Diff(strings.Fields(targets), slices.Sorted(maps.Keys(p.Targets))); diff != "" {
				t.Errorf("targets (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.problems, strings.Join(messages(problems), "\n")); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLoadSameForTreeAndList(t *testing.T) {
	writeTree(t, "-- pyproject.toml --\n-- a.py --\n-- p/__init__.py --\n-- p/b.py --\n-- src/q/c.py --\n")
	tree, _ := Load(context.Background(), []string{"."}, Options{Workers: 8})
	list := names(tree)
	slices.Reverse(list)
	listed, _ := Load(context.Background(), list, Options{Workers: 1})
	listed.Named = map[string]bool{} // all are; only what cannot be parsed depends on it
	if diff := cmp.Diff(tree, listed, cmp.AllowUnexported(Program{})); diff != "" {
		t.Errorf("tree and list differ:\n%s", diff)
	}
}

func TestNamesOutsideWorkingDirectory(t *testing.T) {
	dir := writeTree(t, "-- proj/setup.py --\n-- proj/pkg/a.py --\n-- other/x --\n")
	t.Chdir(filepath.Join(dir, "other"))
	p, _ := Load(context.Background(), []string{"../proj/pkg/a.py"}, Options{})
	if diff := cmp.Diff([]string{"pkg/a.py", "setup.py"}, names(p)); diff != "" {
		t.Error(diff)
	}
	p, _ = Load(context.Background(), []string{"../proj/pkg/a.py"}, Options{Root: ".", Alone: true})
	if diff := cmp.Diff([]string{"../proj/pkg/a.py"}, names(p)); diff != "" {
		t.Error(diff)
	}
}

func TestSymbolicLinks(t *testing.T) {
	dir := writeTree(t, "-- a/b.py --\n-- out.py --\n")
	for link, target := range map[string]string{"a/loop": "..", "a/l.py": "../out.py", "self": "self", "d": "a"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Skip(err)
		}
	}
	p, problems := Load(context.Background(), []string{"a"}, Options{Alone: true})
	if got := names(p); !slices.Equal(got, []string{"a/b.py"}) || len(problems) > 0 {
		t.Errorf("walk took %q, problems %v", got, problems)
	}
	p, problems = Load(context.Background(), []string{"a/l.py", "d", "self"}, Options{Alone: true})
	if got := names(p); !slices.Equal(got, []string{"a/l.py", "d/b.py"}) {
		t.Errorf("named links gave %q", got)
	}
	if len(problems) != 1 || problems[0].Name != "self" {
		t.Errorf("problems = %v, want one for self", problems)
	}
}

func TestVanishingFolder(t *testing.T) {
	l := &loader{root: "/"}
	if files := l.walk(context.Background(), "/does-not-exist", true); len(files) > 0 || len(l.problems) != 1 {
		t.Errorf("files %v, problems %v", files, l.problems)
	}
}

func TestCancelledLoad(t *testing.T) {
	writeTree(t, "-- a.py --\n")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, problems := Load(ctx, []string{"."}, Options{}); len(problems) != 1 || !errors.Is(problems[0], context.Canceled) {
		t.Errorf("problems = %v", problems)
	}
}

// scale returns the size of a test: large if KVRACE_LARGE is set, since
// making files takes far longer than finding them.
func scale(small, large int) int {
	if os.Getenv("KVRACE_LARGE") != "" {
		return large
	}
	return small
}

func TestDeepFolders(t *testing.T) {
	dir := writeTree(t, "-- a.py --\n")
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	made := 0
	for range scale(3_000, 10_000) {
		if root.Mkdir("d", 0o777) != nil {
			break
		}
		sub, err := root.OpenRoot("d")
		if err != nil {
			break
		}
		root.Close()
		root = sub
		made++
	}
	root.Close()
	t.Cleanup(func() { os.RemoveAll(filepath.Join(dir, "d")) })
	p, problems := Load(context.Background(), []string{"."}, Options{})
	if got := names(p); !slices.Equal(got, []string{"a.py"}) {
		t.Errorf("files = %q", got)
	}
	if made > 2100 && len(problems) != 1 {
		t.Errorf("%d folders gave %d problems, want 1", made, len(problems))
	}
}

func TestManyFiles(t *testing.T) {
	dir := writeTree(t, "-- pyproject.toml --\n")
	n := scale(5_000, 100_000)
	for i := range n {
		if i%1000 == 0 {
			if err := os.Mkdir(filepath.Join(dir, fmt.Sprint("d", i/1000)), 0o777); err != nil {
				t.Fatal(err)
			}
		}
		name := filepath.Join(dir, fmt.Sprint("d", i/1000), fmt.Sprint("f", i, ".py"))
		if err := os.WriteFile(name, []byte("x\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	start := time.Now()
	p, problems := Load(context.Background(), []string{"."}, Options{})
	s, more := p.Survey(context.Background(), 0)
	if len(p.Files) != n || s.Bytes != 2*int64(n) || len(problems)+len(more) > 0 {
		t.Errorf("%d files, %d bytes, problems %v %v", len(p.Files), s.Bytes, problems, more)
	}
	t.Logf("%d files in %v", n, time.Since(start))
}

func TestRead(t *testing.T) {
	dir := writeTree(t, "-- empty.py --\n-- a.py --\nx = 1\n-- big.py --\n0123456789\n")
	if err := os.WriteFile(filepath.Join(dir, "raw.py"), []byte{0xff, 0xfe, 0}, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "sparse.py"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(dir, "sparse.py"), 1<<30); err != nil {
		t.Fatal(err)
	}
	p, problems := Load(context.Background(), []string{"."}, Options{MaxSize: 8})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if err := os.Remove(filepath.Join(dir, "a.py")); err != nil {
		t.Fatal(err)
	}
	got := make([][]byte, len(p.Files))
	all := []int{0, 1, 2, 3, 4}
	problems = p.ReadAll(context.Background(), all, 3, func(i int, src []byte) { got[i] = src })
	want := []string{
		"a.py:1:1: no such file or directory",
		"big.py:1:1: file too large: 11 bytes, the limit is 8",
		"sparse.py:1:1: file too large: 1073741824 bytes, the limit is 8",
	}
	if diff := cmp.Diff(want, messages(problems)); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	if !bytes.Equal(got[2], nil) || !bytes.Equal(got[3], []byte{0xff, 0xfe, 0}) {
		t.Errorf("read %q", got)
	}
}

// A panic over the bytes of one file costs that file, and no other.
func TestReadPanic(t *testing.T) {
	writeTree(t, "-- a.py --\n-- b.py --\n-- c.py --\n")
	p, _ := Load(context.Background(), []string{"."}, Options{})
	var read atomic.Int32
	problems := p.ReadAll(context.Background(), []int{0, 1, 2}, 2, func(i int, _ []byte) {
		if i == 1 {
			panic("boom")
		}
		read.Add(1)
	})
	want := []string{"b.py:1:1: internal error while reading: boom; please report it"}
	if diff := cmp.Diff(want, messages(problems)); diff != "" || read.Load() != 2 {
		t.Errorf("%d files read, problems (-want +got):\n%s", read.Load(), diff)
	}
}

func TestReadGrowingFile(t *testing.T) {
	// The size that stat tells for these is 0, as if the file grew after it.
	name := "/proc/self/environ"
	t.Setenv("KVRACE_TEST", strings.Repeat("x", 100))
	if _, err := os.Stat(name); err != nil {
		t.Skip(err)
	}
	if b, err := readFile(name, 1<<20); err != nil || len(b) == 0 {
		t.Errorf("read %d bytes, error %v", len(b), err)
	}
	if _, err := readFile(name, 3); !errors.Is(err, ErrTooLarge) {
		t.Errorf("error = %v, want ErrTooLarge", err)
	}
}

func TestModuleNames(t *testing.T) {
	tests := []struct{ name, tree, want string }{
		{"flat", "-- a.py --\n", "a.py=a"},
		{"package", "-- p/__init__.py --\n-- p/a.py --\n", "p/__init__.py=p p/a.py=p.a"},
		{"src layout", "-- src/p/__init__.py --\n-- src/q/a.py --\n", "src/p/__init__.py=p src/q/a.py=q.a"},
		{"import root in a folder", "-- python/p/__init__.py --\n-- python/p/s/a.py --\n-- python/tool.py --\n-- x.py --\n",
			"python/p/__init__.py=p python/p/s/a.py=p.s.a python/tool.py=tool x.py=x"},
		{"gap in the middle", "-- p/__init__.py --\n-- p/s/t/__init__.py --\n-- p/s/t/a.py --\n",
			"p/__init__.py=p p/s/t/__init__.py=p.s.t p/s/t/a.py=p.s.t.a"},
		{"namespace package", "-- p/s/a.py --\n", "p/s/a.py=p.s.a"},
		{"two programs", "-- x/p/__init__.py --\n-- y/p/__init__.py --\n-- y/p/a.py --\n",
			"x/p/__init__.py=p y/p/__init__.py=p y/p/a.py=p.a"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			writeTree(t, "-- pyproject.toml --\n"+tt.tree)
			p, _ := Load(context.Background(), []string{"."}, Options{})
			var got []string
			for i := range p.Files {
				got = append(got, p.Files[i].Name+"="+p.Files[i].Module)
			}
			if diff := cmp.Diff(strings.Fields(tt.want), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestResolve(t *testing.T) {
	writeTree(t, `
-- one/p/__init__.py --
-- one/p/base.py --
-- one/p/a.py --
-- two/p/__init__.py --
-- two/p/base.py --
-- two/p/a.py --
-- two/p/n/conn.py --
-- three/__init__.py --
-- pyproject.toml --
`)
	p, _ := Load(context.Background(), []string{"."}, Options{})
	tests := []struct{ from, module, want string }{
		{"one/p/a.py", "p.base", "one/p/base.py"},
		{"two/p/a.py", "p.base", "two/p/base.py"},
		{"two/p/a.py", "p", "two/p/__init__.py"},
		{"two/p/a.py", "two.p.n.conn", "two/p/n/conn.py"}, // by path
		{"two/p/a.py", "top.p.n.conn", "two/p/n/conn.py"}, // top is above the tree
		{"two/p/a.py", "three.p.n.conn", ""},              // three is known
		{"two/p/a.py", "other.conn", ""},
		{"two/p/a.py", "os", ""},
	}
	for _, tt := range tests {
		from, ok := p.Lookup(tt.from)
		if !ok {
			t.Fatalf("no file %s", tt.from)
		}
		got := ""
		if i := p.Resolve(from, tt.module); i >= 0 {
			got = p.Files[i].Name
		}
		if got != tt.want {
			t.Errorf("%s in %s = %q, want %q", tt.module, tt.from, got, tt.want)
		}
	}
}
