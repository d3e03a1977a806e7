package rules_test

import (
	"context"
	"encoding/csv"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kvrace/kvrace/parser/source"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules"
	"github.com/kvrace/kvrace/rules/checker"
)

// treesVar names the environment variable that lists the checkouts at hand, as
// name=path pairs separated like the folders of PATH. The names are those of the
// files in testdata/verdicts.
const treesVar = "KVRACE_TREES"

// treeFolders are the folders of each checkout that are judged, each a program of
// its own. A folder inside of another one shows what is found where less is known.
var treeFolders = map[string][]string{
	"sglang-modal":   {"python/sglang/srt"},
	"sglang-das":     {"python/sglang/srt"},
	"vllm":           {"vllm/distributed/kv_transfer", "vllm/distributed", "vllm/v1/kv_offload"},
	"vllm-ascend":    {"vllm_ascend/distributed/kv_transfer"},
	"atom":           {"atom/kv_transfer"},
	"tpu-inference":  {"tpu_inference/distributed", "tpu_inference/offload"},
	"lmcache-ascend": {"lmcache_ascend/v1"},
}

// A judged is what a verdict is about. Findings of one rule about the same
// containers in the same function share their verdict.
type judged struct{ rule, file, function, containers string }

// verdicts are the values of the column verdict. A true finding is worth the time
// of who maintains the code; a benign one describes the code rightly, but nothing
// does today what it needs to go wrong; a false one is wrong. What is missed was found
// once, and is true.
var verdicts = []string{"true", "benign", "false", "missed"}

// TestVerdicts checks that somebody has judged each finding on the checkouts at
// hand, that none is back which was judged wrong, and that those judged true are there.
func TestVerdicts(t *testing.T) {
	trees := os.Getenv(treesVar)
	if trees == "" {
		t.Skip(treesVar + " is not set")
	}
	for _, pair := range filepath.SplitList(trees) {
		name, root, ok := cutTree(t, pair)
		if !ok {
			continue
		}
		t.Run(name, func(t *testing.T) {
			known := readVerdicts(t, name)
			found := map[string]int{}
			seen := map[judged]bool{}
			for _, folder := range treeFolders[name] {
				earlier := maps.Clone(seen)
				for _, f := range check(t, root, folder) {
					j := judge(t, known, f)
					if !earlier[j] {
						found[known[j]]++
					}
					seen[j] = true
				}
			}
			t.Logf("%d findings are true, %d benign", found["true"], found["benign"])
			for j, v := range known {
				if v == "true" && !seen[j] {
					t.Errorf("judged true and not found: %s %s %s %s", j.rule, j.file, j.function, j.containers)
				}
			}
		})
	}
}

// cutTree splits an element of the variable.
func cutTree(t *testing.T, pair string) (name, root string, ok bool) {
	t.Helper()
	name, root, ok = strings.Cut(pair, "=")
	if !ok || treeFolders[name] == nil {
		t.Errorf("%s: %q is not name=path with a name that has verdicts", treesVar, pair)
		return "", "", false
	}
	return name, root, true
}

// TestVerdictFiles checks the form of the verdicts, with no checkout at hand.
func TestVerdictFiles(t *testing.T) {
	for name := range treeFolders {
		t.Run(name, func(t *testing.T) { readVerdicts(t, name) })
	}
}

func judge(t *testing.T, known map[judged]string, f report.Finding) judged {
	t.Helper()
	j := judged{f.Rule, f.File, f.Function, containers(f)}
	switch known[j] {
	case "":
		t.Errorf("no verdict on line %d, which is:\n%s\n%s", f.Line,
			strings.Join([]string{j.rule, j.file, j.function, j.containers}, "\t"), f.Message)
	case "false":
		t.Errorf("%s:%d: %s is back, judged wrong: %s", f.File, f.Line, f.Rule, f.Message)
	case "missed":
		t.Errorf("%s:%d: %s is found again: its verdict is true", f.File, f.Line, f.Rule)
	}
	return j
}

func containers(f report.Finding) string {
	return strings.Join(slices.Sorted(slices.Values(f.Containers)), ",")
}

// check returns the findings at the default threshold in one folder of a tree.
func check(t *testing.T, root, folder string) []report.Finding {
	t.Helper()
	ctx := context.Background()
	prog, problems := source.Load(ctx, []string{filepath.Join(root, folder)}, source.Options{Root: root, Alone: true})
	for _, p := range problems {
		t.Errorf("load: %v", p.Error())
	}
	if len(prog.Files) == 0 {
		t.Fatalf("no Python in %s", filepath.Join(root, folder))
	}
	opt := checker.Options{Rules: rules.All, MinConfidence: report.Likely, NoPatches: true}
	for _, f := range prog.Files {
		opt.Files = append(opt.Files, checker.File{Name: f.Name, Path: f.Path, Module: f.Module})
	}
	run, err := checker.Run(ctx, opt)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range run.Errors {
		t.Error(e)
	}
	return run.Findings
}

// readVerdicts reads the verdicts on the findings in a tree. The columns are
// rule, file, function, containers, verdict and reason, under one line of titles.
func readVerdicts(t *testing.T, tree string) map[judged]string {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "testdata", "verdicts", tree+".tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma = '\t'
	r.LazyQuotes = true
	r.FieldsPerRecord = 6
	if _, err := r.Read(); err != nil {
		t.Fatalf("%s: %v", tree, err)
	}
	out := map[judged]string{}
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatalf("%s: %v", tree, err)
		}
		line, _ := r.FieldPos(0)
		j := judged{row[0], row[1], row[2], row[3]}
		switch {
		case !slices.Contains(verdicts, row[4]):
			t.Errorf("%s.tsv:%d: %q is no verdict", tree, line, row[4])
		case row[5] == "":
			t.Errorf("%s.tsv:%d: no reason", tree, line)
		case out[j] != "":
			t.Errorf("%s.tsv:%d: a second verdict on %v", tree, line, j)
		}
		out[j] = row[4]
	}
}
