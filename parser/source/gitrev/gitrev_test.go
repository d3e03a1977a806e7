package gitrev

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// newRepo makes a repository with one commit of the files.
func newRepo(t *testing.T, files map[string]string) *Repo {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		if os.Getenv("KVRACE_TOOLS") == "required" {
			t.Fatalf("KVRACE_TOOLS=required: %v", err)
		}
		t.Skip(err)
	}
	for _, v := range []string{"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"} {
		t.Setenv(v, os.DevNull)
	}
	dir := t.TempDir()
	write(t, dir, files)
	command(t, dir, "init", "-q")
	command(t, dir, "add", "-A")
	command(t, dir, "-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-qm", "one")
	r, err := Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func command(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

const moved = "def f():\n    return 1\n\n\ndef g():\n    return 2\n"

func TestChanges(t *testing.T) {
	r := newRepo(t, map[string]string{
		"same.py": "x\n", "edit.py": "1\n2\n3\n4\n5\n", "cut.py": "1\n2\n3\n", "gone.py": "x = 1\n",
		"old name.py": moved, "d/\u00e4 b.py": "1\n", ".gitignore": "ignored.py\n",
	})
	ctx := context.Background()
	base, err := r.MergeBase(ctx, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	write(t, r.Top, map[string]string{
		"edit.py": "1\ntwo\n3\n4\n5\n6\n7\n", "cut.py": "1\n3\n", "new.py": "y\n", "ignored.py": "z\n",
		"new name.py": moved + "# end\n", "d/\u00e4 b.py": "2\n",
	})
	for _, name := range []string{"gone.py", "old name.py"} {
		if err := os.Remove(filepath.Join(r.Top, name)); err != nil {
			t.Fatal(err)
		}
	}
	command(t, r.Top, "add", "new name.py", "old name.py")
	got, err := r.Changes(ctx, base)
	if err != nil {
		t.Fatal(err)
	}
	want := []Change{
		{Old: "cut.py", New: "cut.py", Lines: []Range{{1, 2}}},
		{Old: "d/\u00e4 b.py", New: "d/\u00e4 b.py", Lines: []Range{{1, 1}}},
		{Old: "edit.py", New: "edit.py", Lines: []Range{{2, 2}, {6, 7}}},
		{Old: "gone.py"},
		{Old: "old name.py", New: "new name.py", Lines: []Range{{7, 7}}},
		{New: "new.py", Lines: []Range{{1, allLines}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	contents, err := r.Contents(ctx, base, []string{"old name.py", "nope.py", "d/\u00e4 b.py", "d", "gone.py", "a\nb"})
	if err != nil {
		t.Fatal(err)
	}
	wantContents := map[string][]byte{"old name.py": []byte(moved), "d/\u00e4 b.py": []byte("1\n"), "gone.py": []byte("x = 1\n")}
	if diff := cmp.Diff(wantContents, contents); diff != "" {
		t.Errorf("contents (-want +got):\n%s", diff)
	}
}

func TestErrors(t *testing.T) {
	r := newRepo(t, map[string]string{"a.py": ""})
	ctx := context.Background()
	if _, err := r.MergeBase(ctx, "nope"); !errors.Is(err, ErrUnknownRevision) {
		t.Errorf("unknown revision: %v", err)
	}
	if _, err := r.MergeBase(ctx, "--output=x"); !errors.Is(err, ErrUnknownRevision) {
		t.Errorf("option as revision: %v", err)
	}
	command(t, r.Top, "checkout", "-q", "--orphan", "other")
	command(t, r.Top, "-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-qm", "two", "--allow-empty")
	if _, err := r.MergeBase(ctx, "HEAD@{1}"); err == nil {
		t.Error("no error for a revision that never was")
	}
	outside := t.TempDir()
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(outside))
	if _, err := Open(ctx, outside); !errors.Is(err, ErrNoRepository) {
		t.Errorf("no repository: %v", err)
	}
	t.Setenv("PATH", "")
	if _, err := Open(ctx, r.Top); !errors.Is(err, ErrNoGit) {
		t.Errorf("no git: %v", err)
	}
}

func TestOpenInHook(t *testing.T) {
	r := newRepo(t, map[string]string{"sub/a.py": ""})
	t.Setenv("GIT_DIR", ".git")
	t.Setenv("GIT_INDEX_FILE", ".git/index")
	got, err := Open(context.Background(), filepath.Join(r.Top, "sub"))
	if err != nil || got.Top != r.Top {
		t.Errorf("opened %v, %v, want %s", got, err, r.Top)
	}
}

func TestNoMergeBase(t *testing.T) {
	r := newRepo(t, map[string]string{"a.py": ""})
	command(t, r.Top, "branch", "one")
	command(t, r.Top, "checkout", "-q", "--orphan", "other")
	command(t, r.Top, "-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-qm", "two", "--allow-empty")
	if _, err := r.MergeBase(context.Background(), "one"); !errors.Is(err, ErrNoMergeBase) {
		t.Errorf("unrelated histories: %v", err)
	}
}

func TestHunkLines(t *testing.T) {
	tests := []struct {
		header string
		want   Range
	}{
		{"@@ -1 +1 @@ def f():", Range{1, 1}},
		{"@@ -3,2 +4,3 @@", Range{4, 6}},
		{"@@ -3,2 +2,0 @@", Range{2, 3}},
		{"@@ -1,2 +0,0 @@", Range{1, 1}},
	}
	for _, tt := range tests {
		got, err := hunkLines(tt.header)
		if err != nil || got != tt.want {
			t.Errorf("%s: %v, %v", tt.header, got, err)
		}
	}
	if _, err := hunkLines("@@ nonsense"); err == nil {
		t.Error("no error for nonsense")
	}
}

func TestParseStatusCutOff(t *testing.T) {
	if _, err := parseStatus([]byte("R100\x00a.py\x00")); err == nil || !strings.Contains(err.Error(), "cut off") {
		t.Errorf("error = %v", err)
	}
}
