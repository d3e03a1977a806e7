package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestIgnoreRules(t *testing.T) {
	tests := []struct {
		rules string
		in    string // left out, blank separated; a trailing slash marks a folder
		out   string // kept
	}{
		{"a.py", "a.py x/a.py", "b.py aa.py"},
		{"/a.py", "a.py", "x/a.py"},
		{"x/a.py", "x/a.py", "a.py y/x/a.py"},
		{"gen/", "gen/ x/gen/", "gen"},
		{"*_pb2.py", "a_pb2.py x/b_pb2.py", "pb2.py"},
		{"a?[bc].py", "axb.py", "ab.py axd.py"},
		{"**/a.py", "a.py x/y/a.py", "b.py"},
		{"x/**", "x/a.py x/y/z.py", "x/ x"},
		{"x/**/z.py", "x/z.py x/y/z.py", "z.py"},
		{"*.py\n!a.py", "b.py", "a.py"},
		{"#a.py\n\\#b.py\n\\!c.py", "#b.py !c.py", "#a.py c.py"},
		{"a.py  \nb\\ ", "a.py b\\ ", "c"},
		{"{a,b}.py", "{a,b}.py", "a.py b.py"},
		{"a[", "", "a[ a"},
		{"\xef\xbb\xbfa.py\r\nb.py\r\n", "a.py b.py", "c.py"},
		{"/", "", "a/ a"},
	}
	for _, tt := range tests {
		f := (*ignoreFile)(nil).with("/r", []byte(tt.rules))
		check := func(list string, want bool) {
			for _, p := range strings.Fields(list) {
				p, isDir := strings.CutSuffix(p, "/")
				p = strings.ReplaceAll(p, `\`, " ")
				if got := f.match("/r/"+p, p[strings.LastIndexByte(p, '/')+1:], isDir); got != want {
					t.Errorf("rules %q: %q left out = %v", tt.rules, p, got)
				}
			}
		}
		check(tt.in, true)
		check(tt.out, false)
	}
}

// TestIgnoreLikeGit compares the decisions on random rules and paths with
// those of git check-ignore.
func TestIgnoreLikeGit(t *testing.T) {
	git := requireGit(t)
	rnd := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"a", "b", "ab", "*", "**", "/", "/", "?", "[ab]", "[!a]", "{a}", `\*`, ".py", "!", "#", " "}
	names := []string{"a", "b", "ab", "a.py", "b.py", "{a}", "*", "#a", "!b", "a b"}
	rounds := 150
	if testing.Short() {
		rounds = 10
	}
	for range rounds {
		dir := t.TempDir()
		run(t, git, dir, nil, "init", "-q")
		rules := randomRules(rnd, pieces)
		var paths []string
		for range 40 {
			parts := make([]string, 1+rnd.IntN(3))
			for i := range parts {
				parts[i] = names[rnd.IntN(len(names))]
			}
			paths = append(paths, strings.Join(parts, "/"))
		}
		if err := os.WriteFile(filepath.Join(dir, ignoreName), []byte(rules), 0o666); err != nil {
			t.Fatal(err)
		}
		in := strings.Join(paths, "\x00") + "\x00"
		out := run(t, git, dir, []byte(in), "check-ignore", "--no-index", "-z", "--stdin")
		ignored := make(map[string]bool)
		for p := range strings.SplitSeq(string(out), "\x00") {
			ignored[p] = true
		}
		f := (*ignoreFile)(nil).with(filepath.ToSlash(dir), []byte(rules))
		for _, p := range paths {
			if got := leftOut(f, filepath.ToSlash(dir), p); got != ignored[p] {
				t.Errorf("rules %q: %q left out = %v, git says %v", rules, p, got, ignored[p])
			}
		}
	}
}

// requireGit returns the path of git. Without it, it skips the test, or fails it if
// the environment says KVRACE_TOOLS=required.
func requireGit(t *testing.T) string {
	t.Helper()
	git, err := exec.LookPath("git")
	if err != nil {
		if os.Getenv("KVRACE_TOOLS") == "required" {
			t.Fatalf("KVRACE_TOOLS=required: %v", err)
		}
		t.Skip(err)
	}
	return git
}

func randomRules(rnd *rand.Rand, pieces []string) string {
	var b strings.Builder
	for range 1 + rnd.IntN(4) {
		for range 1 + rnd.IntN(5) {
			b.WriteString(pieces[rnd.IntN(len(pieces))])
		}
		fmt.Fprintln(&b)
	}
	return b.String()
}

// leftOut decides on a file as the walk does, folder by folder.
func leftOut(f *ignoreFile, dir, p string) bool {
	parts := strings.Split(p, "/")
	for i, name := range parts {
		if f.match(dir+"/"+strings.Join(parts[:i+1], "/"), name, i < len(parts)-1) {
			return true
		}
	}
	return false
}

// run executes git and accepts the exit status 1, which means "none".
func run(t *testing.T, git, dir string, in []byte, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(git, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	cmd.Stdin = bytes.NewReader(in)
	out, err := cmd.Output()
	if err != nil && cmd.ProcessState.ExitCode() != 1 {
		t.Fatalf("git %v: %v", args, err)
	}
	return out
}

// TestWalkAsGit compares the files of a whole walk, with rules in several folders
// and outside of the tree, with those that git lists.
func TestWalkAsGit(t *testing.T) {
	git := requireGit(t)
	rnd := rand.New(rand.NewPCG(3, 4))
	pieces := []string{"a", "b", "c.py", "*", "**", "/", "/", "?", "[ab]", "[!a]", ".py", "!", "!"}
	folders := []string{"", "a", "b", "a/a", "a/b", "b/a", "a/b/a"}
	rounds := 60
	if testing.Short() {
		rounds = 6
	}
	brought := 0
	for range rounds {
		dir := writeTree(t, "")
		run(t, git, dir, nil, "init", "-q")
		write := func(name, text string) {
			name = filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		for _, folder := range folders {
			for _, name := range []string{"a.py", "b.py", "c.py"} {
				write(path.Join(folder, name), "")
			}
			if rnd.IntN(2) == 0 {
				write(path.Join(folder, ignoreName), randomRules(rnd, pieces))
			}
		}
		write(".git/info/exclude", randomRules(rnd, pieces))
		write("home/.config/git/ignore", randomRules(rnd, pieces)+"/home\n")
		if rnd.IntN(2) == 0 {
			write("home/.gitconfig", "[core]\n\texcludesFile = ~/mine\n")
			write("home/mine", randomRules(rnd, pieces)+"/home\n")
		}
		cmd := exec.Command(git, "ls-files", "-z", "--others", "--exclude-standard", "--", "*.py")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_SYSTEM=/dev/null") // HOME is that of the test
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		want := strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 })
		slices.Sort(want)
		p, problems := Load(context.Background(), []string{"."}, Options{})
		problems = slices.DeleteFunc(problems, func(p Problem) bool { return errors.Is(p, ErrNoPython) })
		if got := names(p); !slices.Equal(got, want) || len(problems) > 0 {
			t.Errorf("%s: took %q, git takes %q, problems %v", dir, got, want, problems)
			break
		}
		brought += len(want)
	}
	if brought == 0 || brought == rounds*3*len(folders) {
		t.Errorf("%d files in %d rounds: the rules decide nothing", brought, rounds)
	}
}
