package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	// A caseRunner starts its own program again.
	if len(os.Args) > 1 && os.Args[1] == "findings" {
		main()
		return
	}
	os.Exit(m.Run())
}

// fixes are faults that were repaired in the histories of projects that share the kinds
// of defects of this one; reposVar lists repositories at hand, as NAME=GITDIR pairs
// separated like the folders of PATH.
const (
	fixes    = "../../testdata/fixes.jsonl"
	reposVar = "KVRACE_REPOS"
)

// TestFixes runs the rules before and after each of the fixes: those that are not noted
// as missed are met, and no other.
func TestFixes(t *testing.T) {
	if os.Getenv(reposVar) == "" {
		t.Skip(reposVar + " is not set")
	}
	r := caseRunner{repos: map[string]string{}, keep: t.TempDir(), timeout: 5 * time.Minute}
	for _, pair := range filepath.SplitList(os.Getenv(reposVar)) {
		name, dir, ok := strings.Cut(pair, "=")
		if !ok {
			t.Fatalf("%s: %q is not NAME=GITDIR", reposVar, pair)
		}
		r.repos[name] = dir
	}
	all, err := readCases(fixes)
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		d := &all[i]
		if r.repos[d.Repo] == "" {
			continue
		}
		t.Run(d.ID, func(t *testing.T) {
			var out bytes.Buffer
			if met := r.run(&out, d); met != (d.Missed == "") || strings.HasPrefix(out.String(), "ERROR") {
				t.Errorf("met is %v, noted as missed: %q\n%s", met, d.Missed, out.String())
			}
		})
	}
}

// TestFixFile checks the form of the fixes, with no repository at hand.
func TestFixFile(t *testing.T) {
	all, err := readCases(fixes)
	if err != nil {
		t.Fatal(err)
	}
	commit := regexp.MustCompile(`^[0-9a-f]{40}$`)
	seen := map[string]bool{}
	for _, d := range all {
		if seen[d.ID] {
			t.Errorf("%s is there twice", d.ID)
		}
		seen[d.ID] = true
		if !commit.MatchString(d.Parent) || !commit.MatchString(d.Fix) || d.Parent == d.Fix {
			t.Errorf("%s: parent %q, fix %q", d.ID, d.Parent, d.Fix)
		}
		if d.Site.File == "" || d.Site.Function == "" || len(d.Paths) == 0 || len(d.Rules) == 0 {
			t.Errorf("%s has no site, paths or rules", d.ID)
		}
	}
}

// TestCases runs cases on a repository with one repair.
func TestCases(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		if os.Getenv("KVRACE_TOOLS") == "required" {
			t.Fatalf("KVRACE_TOOLS=required: %v", err)
		}
		t.Skip(err)
	}
	repo := t.TempDir()
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = repo
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("git %v: %v", args, err)
		}
		return strings.TrimSpace(string(out))
	}
	fixtures := filepath.Join("..", "..", "rules", "maskedmissing", "testdata")
	commit := func(fixture string) string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(fixtures, fixture))
		if err != nil {
			t.Fatal(err)
		}
		if err := write(filepath.Join(repo, "pkg", "relay.py"), text); err != nil {
			t.Fatal(err)
		}
		run("add", ".")
		run("-c", "user.name=T", "-c", "user.email=t@example.org", "commit", "-q", "-m", fixture)
		return run("rev-parse", "HEAD")
	}
	run("init", "-q")
	racy, safe := commit("get_default_racy.py"), commit("get_default_safe.py")

	r := caseRunner{repos: map[string]string{"one": repo}, keep: t.TempDir(), timeout: time.Minute}
	d := defect{ID: "d", Repo: "one", Parent: racy, Fix: safe, Rules: []string{"KV110"}}
	d.Site = site{File: "pkg/relay.py"}
	found, _, err := r.at(&d, racy)
	if err != nil || len(found) == 0 {
		t.Fatalf("%d findings, %v", len(found), err)
	}
	d.Site.Class, d.Site.Function, _ = strings.Cut(found[0].Function, ".")
	stays, missed, broken := d, d, d
	stays.Fix = racy
	missed.Site.Function = "other"
	broken.Parent = "nothing"
	for _, tt := range []struct {
		d    defect
		want string
	}{{d, "met "}, {stays, "stays "}, {missed, "missed "}, {broken, "ERROR "}} {
		var out bytes.Buffer
		if met := r.run(&out, &tt.d); met != (tt.want == "met ") || !strings.HasPrefix(out.String(), tt.want) {
			t.Errorf("met is %v, want %s:\n%s", met, tt.want, out.String())
		}
	}
}
