// Package ruletest runs rules over fixtures.
//
// A fixture is a Python file below testdata, or a folder of several. A comment
// at the end of a line says what a rule has to report there, as regular
// expressions that match the message:
//
//	self.peers.pop(room, None)  # want "peers"
//
// Whatever is reported and not wanted is an error, and the reverse.
package ruletest

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/checker"
	"github.com/kvrace/kvrace/rules/rule"
)

var update = flag.Bool("update", false, "rewrite golden files")

// Run checks a rule on every fixture in testdata: its findings are exactly the
// wanted ones. The first verified patch of each fixture, if any, is compared
// with the golden file beside it.
func Run(t *testing.T, r *rule.Rule) {
	t.Helper()
	fixtures := Fixtures(t, "testdata")
	if len(fixtures) == 0 {
		t.Fatal("no fixtures in testdata")
	}
	for _, name := range fixtures {
		t.Run(filepath.Base(name), func(t *testing.T) {
			run := Check(t, name, r)
			match(t, name, run)
			golden(t, name, run)
		})
	}
}

// Fixtures returns the fixtures in a folder: Python files and folders.
func Fixtures(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		if e.IsDir() || strings.HasSuffix(e.Name(), ".py") {
			out = append(out, filepath.Join(dir, e.Name()))
		}
	}
	return out
}

// Check runs rules over one fixture.
func Check(t *testing.T, name string, rules ...*rule.Rule) *report.Run {
	t.Helper()
	run, err := checker.Run(context.Background(), checker.Options{Rules: rules, Files: files(t, name)})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range run.Errors {
		t.Errorf("fixture: %v", e)
	}
	return run
}

func files(t *testing.T, name string) []checker.File {
	t.Helper()
	var out []checker.File
	err := filepath.WalkDir(name, func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(p, ".py") {
			return err
		}
		rel, err := filepath.Rel(filepath.Dir(name), p)
		out = append(out, checker.File{Name: filepath.ToSlash(rel), Path: p})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// place is a line of a fixture.
type place struct {
	file string
	line int
}

var wantComment = regexp.MustCompile(`#\s*want\s+(.*)$`)

// match compares the findings with the want comments.
func match(t *testing.T, name string, run *report.Run) {
	t.Helper()
	wants := map[place][]string{}
	for _, f := range files(t, name) {
		src, err := os.ReadFile(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(src), "\n") {
			if m := wantComment.FindStringSubmatch(line); m != nil {
				p := place{f.Name, i + 1}
				wants[p] = append(wants[p], patterns(t, p, m[1])...)
			}
		}
	}
	for _, f := range run.Findings {
		p := place{f.File, f.Line}
		if i := indexMatch(wants[p], f.Message); i >= 0 {
			wants[p] = append(wants[p][:i:i], wants[p][i+1:]...)
			continue
		}
		t.Errorf("%s:%d: unexpected: %s %s", f.File, f.Line, f.Rule, f.Message)
	}
	for _, p := range sortedPlaces(wants) {
		for _, w := range wants[p] {
			t.Errorf("%s:%d: nothing reported that matches %q", p.file, p.line, w)
		}
	}
}

func patterns(t *testing.T, p place, s string) []string {
	t.Helper()
	var out []string
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimSpace(s) {
		q, err := strconv.QuotedPrefix(s)
		if err != nil {
			t.Fatalf("%s:%d: want comment: %v", p.file, p.line, err)
		}
		u, _ := strconv.Unquote(q)
		out = append(out, u)
		s = s[len(q):]
	}
	return out
}

func indexMatch(res []string, message string) int {
	for i, re := range res {
		if regexp.MustCompile(re).MatchString(message) {
			return i
		}
	}
	return -1
}

func sortedPlaces(m map[place][]string) []place {
	var out []place
	for p := range m {
		out = append(out, p)
	}
	sort.Slice(out, func(i, j int) bool {
		if out[i].file != out[j].file {
			return out[i].file < out[j].file
		}
		return out[i].line < out[j].line
	})
	return out
}

// golden compares the patches of a racy fixture with the file beside it.
func golden(t *testing.T, name string, run *report.Run) {
	t.Helper()
	var b strings.Builder
	for _, f := range run.Findings {
		for _, p := range f.Patches {
			state := "not verified"
			if p.Verified {
				state = "verified"
			}
			b.WriteString("# " + f.Rule + ": " + p.Description + " (" + p.Safety.String() + ", " + state + ")\n" + p.Diff)
		}
	}
	file := strings.TrimSuffix(name, ".py") + ".diff"
	if *update {
		if b.Len() == 0 {
			_ = os.Remove(file)
			return
		}
		if err := os.WriteFile(file, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	if got := b.String(); got != string(want) {
		t.Errorf("patches differ from %s:\n%s", file, got)
	}
}
