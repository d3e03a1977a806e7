package parser_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/kvrace/kvrace/parser"
	"github.com/kvrace/kvrace/parser/ast"
)

// The differential tests compare our trees with those of CPython. They need
// Python 3.13 or newer, because older versions give the parts of f-strings
// other positions.
//
// KVRACE_PYTHON lists the interpreters, separated like PATH; when it is set,
// an interpreter that does not run is an error. When it is not, the tests use
// python3, and are skipped if that is missing or too old.
//
// KVRACE_TREES lists directories whose files are compared as well.

// interpreter is one CPython.
type interpreter struct {
	path    string
	minor   int
	library string // directory of the standard library
}

const oldestCompared = 13 // the oldest minor version whose positions are compared

// interpreters returns those that are installed, the newest first. The newest
// one is at least Python 3.13.
func interpreters(t testing.TB) []interpreter {
	list, required := os.LookupEnv("KVRACE_PYTHON")
	if !required {
		list = "python3"
	}
	var found []interpreter
	for _, path := range filepath.SplitList(list) {
		p := interpreter{path: path}
		out, err := exec.Command(path, "-c", "import sys, sysconfig; print(sys.version_info[1]); print(sysconfig.get_path('stdlib'))").Output()
		if err == nil {
			_, err = fmt.Fscanln(bytes.NewReader(out), &p.minor)
		}
		if err != nil {
			if required {
				t.Fatalf("KVRACE_PYTHON: %s: %v", path, err)
			}
			t.Skipf("no Python: %v", err)
		}
		_, library, _ := strings.Cut(string(out), "\n")
		p.library = strings.TrimSpace(library)
		found = append(found, p)
	}
	sort.SliceStable(found, func(i, j int) bool { return found[i].minor > found[j].minor })
	if len(found) == 0 || found[0].minor < oldestCompared {
		if required {
			t.Fatalf("KVRACE_PYTHON: no interpreter is Python 3.%d or newer", oldestCompared)
		}
		t.Skipf("python3 is older than 3.%d", oldestCompared)
	}
	return found
}

// answer is what an interpreter makes of one file.
type answer struct {
	refused bool
	text    string // the SHA-256 of the dump, or the error
}

// ask runs testdata/dump.py on files; mode is "parse" or "compile".
func (p interpreter) ask(t testing.TB, mode string, files []string) []answer {
	t.Helper()
	cmd := exec.Command(p.path, "-W", "ignore", filepath.Join("testdata", "dump.py"), mode)
	cmd.Stdin = strings.NewReader(strings.Join(files, "\n"))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", p.path, err)
	}
	answers := make([]answer, 0, len(files))
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		word, text, _ := strings.Cut(lines.Text(), " ")
		answers = append(answers, answer{word == "refused", text})
	}
	if len(answers) != len(files) {
		t.Fatalf("%s: %d answers for %d files", p.path, len(answers), len(files))
	}
	return answers
}

// dump returns what CPython prints for one file.
func (p interpreter) dump(t testing.TB, file string) string {
	t.Helper()
	cmd := exec.Command(p.path, "-W", "ignore", filepath.Join("testdata", "dump.py"), "text")
	cmd.Stdin = strings.NewReader(file)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %s: %v", p.path, file, err)
	}
	return strings.TrimSuffix(string(out), "\n")
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// pythonFiles returns the Python files below dir, without installed packages.
func pythonFiles(t testing.TB, dir string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == "site-packages" {
			return filepath.SkipDir
		}
		if d.Type().IsRegular() && strings.HasSuffix(path, ".py") {
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestSameTrees compares the trees of the standard library of each interpreter,
// of the trees in KVRACE_TREES and of the fixtures of this module.
func TestSameTrees(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute for each standard library")
	}
	pythons := interpreters(t)
	trees := []string{filepath.Join("..", "testdata"), filepath.Join("..", "rules"), "testdata"}
	for _, p := range pythons {
		trees = append(trees, p.library)
	}
	trees = append(trees, filepath.SplitList(os.Getenv("KVRACE_TREES"))...)
	for _, tree := range trees {
		if _, err := os.Stat(tree); err != nil {
			continue
		}
		t.Run(tree, func(t *testing.T) { compareTree(t, pythons, tree) })
	}
}

// compareTree compares each file with the newest interpreter that accepts it.
func compareTree(t *testing.T, pythons []interpreter, tree string) {
	files := pythonFiles(t, tree)
	if len(files) == 0 {
		t.Skip("no Python files")
	}
	counts := map[string]int{}
	for _, p := range pythons {
		var refused []string
		for i, a := range p.ask(t, "parse", files) {
			if a.refused {
				refused = append(refused, files[i])
				continue
			}
			counts[compareFile(t, p, files[i], a)]++
		}
		files = refused
		if len(files) == 0 {
			break
		}
	}
	for _, file := range files {
		counts[checkRefused(t, pythons[0], file)]++
	}
	t.Logf("same trees %d, different %d, wrongly refused %d, wrongly accepted %d, refused by both %d",
		counts["same"], counts["different"], counts["refused"], counts["accepted"], counts["both"])
}

// compareFile compares our tree of a file that p accepts with that of p. The
// positions of an old interpreter are not comparable.
func compareFile(t *testing.T, p interpreter, file string, a answer) string {
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	m, err := parser.ParseFile(file, src, parser.Options{Version: version(p)})
	if err != nil {
		t.Errorf("refused: %v", err)
		return "refused"
	}
	if p.minor < oldestCompared || hash(ast.Dump(m, ast.Positions)) == a.text {
		return "same"
	}
	if reason, ok := knownFiles[filepath.Base(file)]; ok {
		t.Logf("%s: known difference: %s", file, reason)
		return "same"
	}
	t.Errorf("%s: different tree\n%s", file, firstDifference(ast.Dump(m, ast.Positions), p.dump(t, file)))
	return "different"
}

// checkRefused checks that we refuse a file that no interpreter accepts.
func checkRefused(t *testing.T, p interpreter, file string) string {
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	m, err := parser.ParseFile(file, src, parser.Options{Version: version(p)})
	if err == nil {
		t.Errorf("%s: accepted, but %s refuses it", file, p.path)
		return "accepted"
	}
	checkErrors(t, m, err)
	return "both"
}

func version(p interpreter) parser.Version {
	return min(parser.Newest, max(parser.Oldest, parser.Version(p.minor)))
}

// firstDifference shows where two dumps begin to differ.
func firstDifference(got, want string) string {
	i := 0
	for i < len(got) && i < len(want) && got[i] == want[i] {
		i++
	}
	from := max(0, i-200)
	return fmt.Sprintf("got  ...%s\nwant ...%s", got[from:min(len(got), i+200)], want[from:min(len(want), i+200)])
}
