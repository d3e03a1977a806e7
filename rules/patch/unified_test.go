package patch_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kvrace/kvrace/rules/patch"
)

func TestUnified(t *testing.T) {
	tests := []struct {
		name     string
		old, new string
		want     string // without the two header lines
	}{
		{"equal", "a\n", "a\n", ""},
		{"both empty", "", "", ""},
		{"from empty", "", "a\nb\n", "@@ -0,0 +1,2 @@\n+a\n+b\n"},
		{"to empty", "a\n", "", "@@ -1 +0,0 @@\n-a\n"},
		{"one line", "a\n", "b\n", "@@ -1 +1 @@\n-a\n+b\n"},
		{"context", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nX\n6\n7\n8\n9\n",
			"@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+X\n 6\n 7\n 8\n"},
		{"contexts touch", "a\n1\n2\n3\n4\n5\n6\nb\n", "A\n1\n2\n3\n4\n5\n6\nB\n",
			"@@ -1,8 +1,8 @@\n-a\n+A\n 1\n 2\n 3\n 4\n 5\n 6\n-b\n+B\n"},
		{"two hunks", "a\n1\n2\n3\n4\n5\n6\n7\nb\n", "A\n1\n2\n3\n4\n5\n6\n7\nB\n",
			"@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-b\n+B\n"},
		{"newline at the end removed", "a\nb\n", "a\nb", "@@ -1,2 +1,2 @@\n a\n-b\n+b\n\\ No newline at end of file\n"},
		{"newline at the end added", "a\nb", "a\nb\n", "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n"},
		{"no newline on both sides", "a\nb", "c\nb", "@@ -1,2 +1,2 @@\n-a\n+c\n b\n\\ No newline at end of file\n"},
		{"CRLF", "a\r\nb\r\n", "a\r\nc\r\n", "@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n"},
		{"lone CR is no line end", "a\rb\n", "a\rc\n", "@@ -1 +1 @@\n-a\rb\n+a\rc\n"},
		{"invalid UTF-8", "\xff\n", "\xfe\n", "@@ -1 +1 @@\n-\xff\n+\xfe\n"},
		{"deletions before insertions", "a\nb\nc\n", "x\ny\n", "@@ -1,3 +1,2 @@\n-a\n-b\n-c\n+x\n+y\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want := tt.want
			if want != "" {
				want = "--- a/f.py\n+++ b/f.py\n" + want
			}
			if got := patch.Unified("f.py", "f.py", []byte(tt.old), []byte(tt.new)); got != want {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

func TestUnifiedNames(t *testing.T) {
	tests := []struct{ name, want string }{
		{"plain.py", "a/plain.py"},
		{"with blank.py", "a/with blank.py\t"},
		{`q"u.py`, `"a/q\"u.py"`},
		{`back\slash.py`, `"a/back\\slash.py"`},
		{"tab\tnl\nbell\a.py", `"a/tab\tnl\nbell\a.py"`},
		{"\x01\x7f.py", `"a/\001\177.py"`},
		{"ü.py", `"a/\303\274.py"`},
		{"\xff blank.py", "\"a/\\377 blank.py\"\t"},
		{"/dev/null", "/dev/null"},
	}
	for _, tt := range tests {
		got, _, _ := strings.Cut(patch.Unified(tt.name, "new.py", nil, []byte("x\n")), "\n")
		if got != "--- "+tt.want {
			t.Errorf("%q: got %q, want %q", tt.name, got, "--- "+tt.want)
		}
	}
}

// TestUnifiedLarge checks that files without common lines, for which the
// comparison is quadratic, and files of very many lines end soon.
func TestUnifiedLarge(t *testing.T) {
	var a, b strings.Builder
	for i := range 1_200_000 {
		fmt.Fprintf(&a, "old %d\n", i)
		fmt.Fprintf(&b, "new %d\n", i)
	}
	got := patch.Unified("f", "f", []byte(a.String()), []byte(b.String()))
	if want := "@@ -1,1200000 +1,1200000 @@\n"; !strings.Contains(got, want) {
		t.Errorf("got %.100q, want a hunk %q", got, want)
	}
}

// requireTool skips the test when a program is missing, or fails it when the
// environment says KVRACE_TOOLS=required.
func requireTool(t *testing.T, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		if os.Getenv("KVRACE_TOOLS") == "required" {
			t.Fatalf("KVRACE_TOOLS=required: %v", err)
		}
		t.Skip(err)
	}
}

// run runs a program in dir with a patch as its standard input.
func run(t *testing.T, dir, diff, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Stdin = strings.NewReader(diff)
	// A repository or a configuration around the test must not matter.
	cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir),
		"GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s\nof the patch\n%s", name, strings.Join(args, " "), err, out, diff)
	}
}

func writeFile(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
}

// wantFile checks the content of a file. A file that is wanted empty may be
// missing, since patch removes such files.
func wantFile(t *testing.T, path string, want []byte, diff string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil && len(want) > 0 {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Fatalf("got %q, want %q of the patch\n%s", got, want, diff)
	}
}

// TestUnifiedTools applies diffs of random edits by the real tools, forwards
// and backwards.
func TestUnifiedTools(t *testing.T) {
	requireTool(t, "git")
	requireTool(t, "patch")
	names := []string{"f.py", "dir/with blank.py", `q"uote\.py`, "ü.py", "tab\t.py", " lead.py", "\x01 \xff.py"}
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 70 {
		name := names[i%len(names)]
		old := randomFile(r)
		new := randomEdits(t, r, old)
		diff := patch.Unified(name, name, old, new)
		if diff == "" {
			continue
		}
		dir := t.TempDir()
		path := filepath.Join(dir, filepath.FromSlash(name))
		writeFile(t, path, old)
		run(t, dir, diff, "git", "apply", "--check", "-")
		run(t, dir, diff, "git", "apply", "-")
		wantFile(t, path, new, diff)
		if len(new) > 0 {
			run(t, dir, diff, "git", "apply", "-R", "-")
			wantFile(t, path, old, diff)
		}
		writeFile(t, path, old)
		run(t, dir, diff, "patch", "-p1", "--binary", "--no-backup-if-mismatch", "--fuzz=0")
		wantFile(t, path, new, diff)
	}
}

// TestUnifiedManyFiles applies one diff of several files, with one created
// and one deleted.
func TestUnifiedManyFiles(t *testing.T) {
	requireTool(t, "git")
	diff := patch.Unified("a.py", "a.py", []byte("1\n"), []byte("2\n")) +
		patch.Unified("/dev/null", "new.py", nil, []byte("n\n")) +
		patch.Unified("old.py", "/dev/null", []byte("o\n"), nil) +
		patch.Unified("d e/b.py", "d e/b.py", []byte("x"), []byte("y"))
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "a.py"), []byte("1\n"))
	writeFile(t, filepath.Join(dir, "old.py"), []byte("o\n"))
	writeFile(t, filepath.Join(dir, "d e", "b.py"), []byte("x"))
	run(t, dir, diff, "git", "apply", "-")
	wantFile(t, filepath.Join(dir, "a.py"), []byte("2\n"), diff)
	wantFile(t, filepath.Join(dir, "new.py"), []byte("n\n"), diff)
	wantFile(t, filepath.Join(dir, "d e", "b.py"), []byte("y"), diff)
	if _, err := os.Stat(filepath.Join(dir, "old.py")); !os.IsNotExist(err) {
		t.Errorf("old.py: got %v, want it gone", err)
	}
}

// TestUnifiedHeadersLikeGit compares the header lines with those of git diff.
func TestUnifiedHeadersLikeGit(t *testing.T) {
	requireTool(t, "git")
	for _, name := range []string{"f.py", "a b.py", `q"\.py`, "ü ß.py", "\t\n\v\f\r\a\b.py", "\x1f\x7f\x80.py", "'$.py"} {
		dir := t.TempDir()
		writeFile(t, filepath.Join(dir, "a", name), []byte("1\n"))
		writeFile(t, filepath.Join(dir, "b", name), []byte("2\n"))
		cmd := exec.Command("git", "diff", "--no-index", "--no-prefix", "a/"+name, "b/"+name)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir),
			"GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
		out, _ := cmd.Output() // git diff exits 1 when there are differences
		_, want, ok := strings.Cut(string(out), "\n--- ")
		if got := patch.Unified(name, name, []byte("1\n"), []byte("2\n")); !ok || got != "--- "+want {
			t.Errorf("%q: got\n%s\nwant\n%s", name, got, out)
		}
	}
}

// randomFile returns lines that often repeat, with one style of line end, and
// often no line end after the last line.
func randomFile(r *rand.Rand) []byte {
	eol := []string{"\n", "\n", "\r\n"}[r.IntN(3)]
	var w bytes.Buffer
	for range r.IntN(60) {
		w.WriteString(randomLine(r))
		w.WriteString(eol)
	}
	if r.IntN(4) == 0 {
		return bytes.TrimSuffix(w.Bytes(), []byte(eol))
	}
	return w.Bytes()
}

func randomLine(r *rand.Rand) string {
	return []string{"", "    pass", "--- x", "+++ y", "@@ -1 +1 @@", `\ z`, "\xff\xfe", "\ta\rb", "def f(x):", "ü = 1"}[r.IntN(10)] +
		strings.Repeat(" ", r.IntN(3))
}

// randomEdits returns src after a few edits at random offsets.
func randomEdits(t *testing.T, r *rand.Rand, src []byte) []byte {
	t.Helper()
	if r.IntN(20) == 0 {
		return nil
	}
	var edits []patch.Edit
	for at := 0; at <= len(src) && len(edits) < 5; at++ {
		at += r.IntN(len(src)/2 + 1)
		end := min(at+r.IntN(40), len(src))
		if at > end {
			break
		}
		text := ""
		for range r.IntN(3) {
			text += randomLine(r) + "\n"
		}
		edits = append(edits, patch.Edit{Start: at, End: end, New: text})
		at = end
	}
	out, err := patch.Apply(src, edits)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
