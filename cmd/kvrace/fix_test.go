package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kvrace/kvrace/report"
)

// TestFixKeepsPrograms repairs copies of all fixtures and example programs
// with the real analysis: the result parses, has no new finding, and repairing
// it again changes nothing.
func TestFixKeepsPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("analyzes everything four times")
	}
	fixtures, err := filepath.Glob("../../rules/*/testdata/*.py")
	if err != nil {
		t.Fatal(err)
	}
	trees, err := filepath.Glob("../../testdata/*")
	if err != nil {
		t.Fatal(err)
	}
	folders, err := filepath.Glob("../../rules/*/testdata/*_*")
	if err != nil {
		t.Fatal(err)
	}
	folders = slices.DeleteFunc(folders, func(name string) bool { return filepath.Ext(name) != "" })
	for _, from := range slices.Concat(fixtures, folders, trees) {
		t.Run(filepath.ToSlash(from[len("../../"):]), func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "tree")
			copyPython(t, from, dir)
			if len(pythonFiles(t, dir)) == 0 {
				t.Skip("no Python files")
			}
			before := realFindings(t, dir)
			realRun(t, "check", "--isolated", "--quiet", "--fix=review", dir)
			fixed := contents(t, dir)
			parseWithPython(t, dir)
			for fingerprint, f := range realFindings(t, dir) {
				if _, ok := before[fingerprint]; !ok {
					t.Errorf("new finding: %s:%d %s %s", f.File, f.Line, f.Rule, f.Message)
				}
			}
			realRun(t, "check", "--isolated", "--quiet", "--fix=review", dir)
			for name, src := range contents(t, dir) {
				if src != fixed[name] {
					t.Errorf("repairing %s again changed it", name)
				}
			}
		})
	}
}

// realRun executes a command line with the real analysis and returns what it
// printed.
func realRun(t *testing.T, args ...string) []byte {
	t.Helper()
	var stdout, stderr bytes.Buffer
	env := &environment{stdin: strings.NewReader(""), stdout: &stdout, stderr: &stderr, backend: production()}
	root := newRoot(env)
	root.SetArgs(args)
	err := root.ExecuteContext(context.Background())
	if err != nil && !errors.Is(err, errFindings) {
		t.Fatalf("kvrace %v: %v\n%s", args, err, stderr.Bytes())
	}
	return stdout.Bytes()
}

// realFindings returns the findings in a tree by fingerprint.
func realFindings(t *testing.T, dir string) map[string]report.Finding {
	t.Helper()
	var run report.Run
	if err := json.Unmarshal(realRun(t, "check", "--isolated", "--confidence=possible", "--format=json", dir), &run); err != nil {
		t.Fatal(err)
	}
	found := make(map[string]report.Finding)
	for _, f := range run.Findings {
		found[f.Fingerprint] = f
	}
	return found
}

// copyPython copies a file or a tree into a new folder.
func copyPython(t *testing.T, from, to string) {
	t.Helper()
	info, err := os.Stat(from)
	if err != nil {
		t.Fatal(err)
	}
	if info.IsDir() {
		err = os.CopyFS(to, os.DirFS(from))
	} else if err = os.MkdirAll(to, 0o777); err == nil {
		var src []byte
		if src, err = os.ReadFile(from); err == nil {
			err = os.WriteFile(filepath.Join(to, filepath.Base(from)), src, 0o666)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

func pythonFiles(t *testing.T, dir string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(name, ".py") {
			files = append(files, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	for _, name := range pythonFiles(t, dir) {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = string(src)
	}
	return all
}

// parseWithPython lets CPython parse the files.
func parseWithPython(t *testing.T, dir string) {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		if os.Getenv("KVRACE_TOOLS") == "required" {
			t.Fatal(err)
		}
		return // the parser of the analysis has accepted them
	}
	args := append([]string{"-c", "import ast, sys\nfor f in sys.argv[1:]: ast.parse(open(f, 'rb').read(), f)"}, pythonFiles(t, dir)...)
	if out, err := exec.Command(python, args...).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
