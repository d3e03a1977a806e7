package rules_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kvrace/kvrace/parser/source"
	"github.com/kvrace/kvrace/rules"
	"github.com/kvrace/kvrace/rules/checker"
)

// TestChecks holds the checks of patches, which leave out what cannot matter, against
// checks that find everything anew: on the fixtures of all rules, each by itself and
// those of each rule as one program, and on the checkouts at hand.
func TestChecks(t *testing.T) {
	folders, err := filepath.Glob("*/testdata")
	if err != nil || len(folders) == 0 {
		t.Fatal("no fixtures", err)
	}
	var patches atomic.Int64
	t.Run("fixtures", func(t *testing.T) {
		for _, folder := range append(folders, "../testdata/silentpin") {
			t.Run(filepath.Base(filepath.Dir(folder)), func(t *testing.T) {
				t.Parallel()
				patches.Add(int64(compareChecks(t, folder, ".")))
				files, err := filepath.Glob(folder + "/*_racy*")
				if err != nil {
					t.Fatal(err)
				}
				for _, f := range files {
					if filepath.Ext(f) != ".diff" {
						patches.Add(int64(compareChecks(t, folder, filepath.Base(f))))
					}
				}
			})
		}
	})
	if n := patches.Load(); n < leastPatches {
		t.Errorf("compared %d patches, there were %d", n, leastPatches)
	}
	if trees := os.Getenv(treesVar); trees != "" && os.Getenv(largeVar) != "" {
		for _, pair := range filepath.SplitList(trees) {
			name, root, _ := cutTree(t, pair)
			for _, folder := range treeFolders[name] {
				t.Run(name+"/"+folder, func(t *testing.T) { compareChecks(t, root, folder) })
			}
		}
	}
}

// leastPatches are how many patches the fixtures have, each in its folder and alone.
const leastPatches = 643

// compareChecks returns the number of patches that it has compared.
func compareChecks(t *testing.T, root, folder string) int {
	ctx := context.Background()
	prog, problems := source.Load(ctx, []string{filepath.Join(root, folder)}, source.Options{Root: root, Alone: true})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	survey, problems := prog.Survey(ctx, 0)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	opt := checker.Options{Rules: rules.All, NoWitness: true, Workers: 1}
	for _, i := range survey.Relevant(ctx, 0, nil).Files {
		opt.Files = append(opt.Files, checker.File{Name: prog.Files[i].Name, Path: prog.Files[i].Path})
	}
	opt.Around = func(ctx context.Context, names []string) []string {
		seeds := []int{} // nil would stand for all files
		for _, name := range names {
			if i, ok := prog.Lookup(name); ok {
				seeds = append(seeds, i)
			}
		}
		var out []string
		for _, i := range survey.Relevant(ctx, 1, seeds).Files {
			out = append(out, prog.Files[i].Name)
		}
		return out
	}
	quick, n := checks(t, opt)
	opt.Thorough = true
	thorough, _ := checks(t, opt)
	t.Logf("%s: %d findings, %d patches", folder, len(quick), n)
	if diff := cmp.Diff(thorough, quick); diff != "" {
		t.Errorf("patches by a thorough check (-), and by a quick one (+):\n%s", diff)
	}
	return n
}

// checks returns a line for each finding, with its patches, and how many these are.
func checks(t *testing.T, opt checker.Options) (lines []string, patches int) {
	t.Helper()
	run, err := checker.Run(context.Background(), opt)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range run.Errors {
		t.Errorf("%s: %s", e.File, e.Message) // perhaps that an answer differs
	}
	for _, f := range run.Findings {
		var w strings.Builder
		fmt.Fprintf(&w, "%s:%d: %s %s", f.File, f.Line, f.Rule, f.Fingerprint)
		for _, p := range f.Patches {
			fmt.Fprintf(&w, "\n%s: %v\n%s", p.Description, p.Verified, p.Diff)
			patches++
		}
		lines = append(lines, w.String())
	}
	return lines, patches
}
