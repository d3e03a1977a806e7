package rules_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kvrace/kvrace/parser/source"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules"
	"github.com/kvrace/kvrace/rules/checker"
)

// largeVar names the environment variable that makes tests take larger input.
const largeVar = "KVRACE_LARGE"

// wholeTree is the folder for a checkout as it is, with the tests of all of it. What
// tests call tells something about the program, which kvrace leaves out: they are
// not in the comparison either.
const wholeTree = "."

// largeFolders are compared, beside those with verdicts, if largeVar is set: they
// take minutes.
var largeFolders = map[string][]string{
	"sglang-modal": {wholeTree, "python/sglang/srt/managers", "python/sglang/srt/mem_cache", "python/sglang/srt/lora"},
	"sglang-das":   {wholeTree, "python/sglang/srt/mem_cache"},
	"vllm":         {wholeTree, "vllm/distributed", "vllm/v1/core", "vllm/v1/engine"},
	"vllm-ascend":  {"vllm_ascend/distributed"},
	"atom":         {"atom"},
}

// TestPrefilter checks on the checkouts at hand that the choice of files by their
// bytes loses nothing, and adds nothing: the findings are those of an analysis of
// all files.
func TestPrefilter(t *testing.T) {
	trees := os.Getenv(treesVar)
	if trees == "" {
		t.Skip(treesVar + " is not set")
	}
	for _, pair := range filepath.SplitList(trees) {
		name, root, _ := cutTree(t, pair)
		folders := treeFolders[name]
		if os.Getenv(largeVar) != "" {
			folders = slices.Concat(folders, largeFolders[name])
		}
		for _, folder := range folders {
			t.Run(name+"/"+folder, func(t *testing.T) { comparePrefilter(t, root, folder) })
		}
	}
}

// TestPrefilterFixtures does the same with the fixtures of all rules, one after
// the other and as one program.
func TestPrefilterFixtures(t *testing.T) {
	folders, err := filepath.Glob("*/testdata")
	if err != nil || len(folders) == 0 {
		t.Fatal("no fixtures", err)
	}
	for _, folder := range folders {
		t.Run(filepath.Dir(folder), func(t *testing.T) { comparePrefilter(t, folder, "") })
	}
}

// missed are the fixtures whose findings are lost where nobody names their files: none of
// their classes removes, starts or gives back anything.
var missed = []string{"forwards_to_noop_racy/standin.py:"}

func comparePrefilter(t *testing.T, root, folder string) {
	ctx := context.Background()
	prog, problems := source.Load(ctx, []string{filepath.Join(root, folder)}, source.Options{Root: root, Alone: true})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	survey, problems := prog.Survey(ctx, 0)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	selection := survey.Relevant(ctx, 0, nil)
	all := checker.Options{Rules: rules.All, NoPatches: true, NoWitness: true}
	some := all
	some.Core = make(map[string]bool)
	for _, i := range selection.Core {
		some.Core[prog.Files[i].Name] = true
	}
	for i, f := range prog.Files {
		file := checker.File{Name: f.Name, Path: f.Path, Module: f.Module}
		_, chosen := slices.BinarySearch(selection.Files, i)
		if chosen {
			some.Files = append(some.Files, file)
		}
		if chosen || folder != wholeTree || !source.IsTest(f.Name) {
			all.Files = append(all.Files, file)
		}
	}
	t.Logf("%d of %d files, findings can be about %d", len(some.Files), len(all.Files), len(some.Core))
	want, got := summaries(t, all), summaries(t, some)
	want = slices.DeleteFunc(want, func(line string) bool {
		return slices.ContainsFunc(missed, func(name string) bool { return strings.HasPrefix(line, name) }) && !slices.Contains(got, line)
	})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("findings in all files (-), and in those that matter (+):\n%s", diff)
	}
}

// summaries returns a line for each finding.
func summaries(t *testing.T, opt checker.Options) []string {
	t.Helper()
	run, err := checker.Run(context.Background(), opt)
	if err != nil {
		t.Fatal(err)
	}
	return lines(run)
}

func lines(run *report.Run) []string {
	var out []string
	for _, f := range run.Findings {
		out = append(out, fmt.Sprintf("%s:%d: %s %s %s", f.File, f.Line, f.Rule, f.Fingerprint, f.Message))
	}
	return out
}
