package rules

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kvrace/kvrace/rules/checker"
	"github.com/kvrace/kvrace/rules/why"
)

// TestWhyAgrees holds the conditions by which --why explains that a rule is silent
// against the findings on the fixtures: where a rule reports, none of its
// conditions fails. On the lines where it reports nothing, an account is made all
// the same, and for each rule it ends with a reason.
func TestWhyAgrees(t *testing.T) {
	folders, err := filepath.Glob("*/testdata/*")
	if err != nil {
		t.Fatal(err)
	}
	folders = append(folders, "../testdata/silentpin", "../testdata/silentpin_fixed")
	found, silent, early := 0, 0, 0
	for _, fixture := range folders {
		files := fixtureFiles(t, fixture)
		if len(files) == 0 {
			continue
		}
		opt := checker.Options{Rules: All, Files: files, NoPatches: true, NoWitness: true}
		run, err := checker.Run(context.Background(), opt)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range run.Findings {
			a, err := checker.Why(context.Background(), opt, f.File, f.Line)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range a.Rules {
				last, ends := lastStep(&r)
				switch {
				case r.Rule.ID != f.Rule:
					silent++
					if ends {
						early++
					}
					if !ends && r.Rest == "" {
						t.Errorf("%s:%d: nothing is said about %s", f.File, f.Line, r.Rule.ID)
					}
				case len(r.At) == 0:
					t.Errorf("%s:%d: %s reports here, and the account does not know", f.File, f.Line, f.Rule)
				case ends:
					t.Errorf("%s: %s:%d: %s reports, although %q", fixture, f.File, f.Line, f.Rule, last)
				default:
					found++
				}
			}
		}
	}
	t.Logf("%d findings agree; of %d other accounts %d end at a condition", found, silent, early)
	if found < 200 {
		t.Errorf("only %d findings were looked at", found)
	}
}

func lastStep(r *why.RuleAccount) (string, bool) {
	if n := len(r.Steps); n > 0 {
		return r.Steps[n-1].Text, !r.Steps[n-1].Holds
	}
	return "", false
}

func fixtureFiles(t *testing.T, name string) []checker.File {
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
