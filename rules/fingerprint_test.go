package rules_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/kvrace/kvrace/rules"
	"github.com/kvrace/kvrace/rules/checker"
	"github.com/kvrace/kvrace/rules/ruletest"
)

// TestFingerprints holds the identity of findings against what people do to their
// files: a formatter rewrites them, functions are put between others, folders are
// renamed. On all fixtures the fingerprints stay, and they are unique.
func TestFingerprints(t *testing.T) {
	if testing.Short() {
		t.Skip("analyzes everything six times")
	}
	rewrites := []struct {
		name    string
		rewrite func(t *testing.T, dir string)
	}{
		{"formatted anew", unparse},
		{"indented by three", func(t *testing.T, dir string) { eachFile(t, dir, reindent) }},
		{"with comments and blank lines", func(t *testing.T, dir string) { eachFile(t, dir, space) }},
		{"with a function before each", func(t *testing.T, dir string) { eachFile(t, dir, insert) }},
		{"with calls over several lines", func(t *testing.T, dir string) { eachFile(t, dir, spread) }},
	}
	fixtures := []string{filepath.FromSlash("../testdata/silentpin")}
	dirs, err := filepath.Glob("*/testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range dirs {
		for _, f := range ruletest.Fixtures(t, d) {
			if strings.Contains(filepath.Base(f), "_racy") {
				fixtures = append(fixtures, f)
			}
		}
	}
	found := 0
	for _, fixture := range fixtures {
		before := fingerprintsOf(t, fixture)
		found += len(before)
		for _, r := range rewrites {
			dir := filepath.Join(t.TempDir(), filepath.Base(fixture))
			copyTo(t, fixture, dir)
			r.rewrite(t, dir)
			after := fingerprintsOf(t, dir)
			for id, what := range before {
				if _, ok := after[id]; !ok {
					t.Errorf("%s %s: %s is gone", fixture, r.name, what)
				}
			}
			for id, what := range after {
				if _, ok := before[id]; !ok {
					t.Errorf("%s %s: %s is new", fixture, r.name, what)
				}
			}
		}
	}
	t.Logf("%d findings", found)
	if found < 150 {
		t.Errorf("only %d findings were looked at", found)
	}
}

// fingerprintsOf returns what is found in a fixture, by fingerprint.
func fingerprintsOf(t *testing.T, fixture string) map[string]string {
	t.Helper()
	var files []checker.File
	for _, p := range pythonFiles(t, fixture) {
		rel, err := filepath.Rel(fixture, p)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, checker.File{Name: filepath.ToSlash(filepath.Join("pkg", rel)), Path: p})
		if rel == "." {
			files[0].Name = "pkg/" + filepath.Base(p)
		}
	}
	run, err := checker.Run(context.Background(), checker.Options{Rules: rules.All, Files: files, NoPatches: true, NoWitness: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range run.Errors {
		t.Fatalf("%s: %v", fixture, e)
	}
	out := map[string]string{}
	for _, f := range run.Findings {
		if was, twice := out[f.Fingerprint]; twice {
			t.Errorf("%s: %s has the fingerprint of %s", fixture, f.Message, was)
		}
		out[f.Fingerprint] = f.Rule + " " + f.Message
	}
	return out
}

func pythonFiles(t *testing.T, root string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(root, func(p string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(p, ".py") {
			out = append(out, p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// copyTo copies a file or folder to a name; a file keeps its own name in a folder.
func copyTo(t *testing.T, from, to string) {
	t.Helper()
	for _, p := range pythonFiles(t, from) {
		rel, err := filepath.Rel(from, p)
		if err != nil {
			t.Fatal(err)
		}
		src, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		dest := filepath.Join(to, rel)
		if rel == "." {
			dest = filepath.Join(to, filepath.Base(p))
		}
		if err := os.MkdirAll(filepath.Dir(dest), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(dest, src, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func eachFile(t *testing.T, dir string, change func(string) string) {
	t.Helper()
	for _, p := range pythonFiles(t, dir) {
		src, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(change(string(src))), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// unparse writes the files as CPython writes trees: quotes, line breaks,
// parentheses and blank lines are its own, comments are gone.
func unparse(t *testing.T, dir string) {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		if os.Getenv("KVRACE_TOOLS") == "required" {
			t.Fatal(err)
		}
		return
	}
	script := "import ast, sys\nfor f in sys.argv[1:]:\n    t = ast.unparse(ast.parse(open(f).read()))\n    open(f, 'w').write(t + '\\n')\n"
	args := append([]string{"-c", script}, pythonFiles(t, dir)...)
	if out, err := exec.Command(python, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// reindent turns four blanks into three. Docstrings change with the code.
func reindent(src string) string {
	var b strings.Builder
	for line := range strings.Lines(src) {
		text := strings.TrimLeft(line, " ")
		n := len(line) - len(text)
		b.WriteString(strings.Repeat(" ", n/4*3+n%4) + text)
	}
	return b.String()
}

var heads = regexp.MustCompile(`(?m)^( *)(@|async def |def )`)

// space puts a comment and an empty line before each function.
func space(src string) string { return heads.ReplaceAllString(src, "\n$1# The next one.\n\n$1$2") }

// insert puts a function before each other one.
func insert(src string) string {
	out := strings.Builder{}
	decorated := false
	n := 0
	for line := range strings.Lines(src) {
		if heads.MatchString(line) && !decorated {
			indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
			n++
			out.WriteString(indent + "def unrelated_" + strings.Repeat("x", n) + "(*args):\n" + indent + "    return len(args)\n\n")
		}
		decorated = strings.HasPrefix(strings.TrimLeft(line, " "), "@")
		out.WriteString(line)
	}
	return out.String()
}

var opened = regexp.MustCompile(`\b(pop|get|setdefault|put|append|add|discard|Thread)\((\w)`)

// spread begins the arguments of calls on a line of their own.
func spread(src string) string { return opened.ReplaceAllString(src, "$1(\n$2") }
