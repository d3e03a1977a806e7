package iteratewhilemutated_test

import (
	"context"
	"testing"

	"github.com/kvrace/kvrace/rules/checker"
	"github.com/kvrace/kvrace/rules/iteratewhilemutated"
	"github.com/kvrace/kvrace/rules/rule"
)

// TestFocus checks that what a class in the named file does is seen where only a base
// of what runs it keeps its object.
func TestFocus(t *testing.T) {
	const folder = "testdata/kept_by_base_racy/"
	opt := checker.Options{
		Rules: []*rule.Rule{iteratewhilemutated.Rule}, NoPatches: true, NoWitness: true,
		Targets: map[string]bool{"shelf.py": true},
	}
	for _, name := range []string{"keeper.py", "shelf.py", "worker.py"} {
		opt.Files = append(opt.Files, checker.File{Name: name, Path: folder + name})
	}
	run, err := checker.Run(context.Background(), opt)
	if err != nil {
		t.Fatal(err)
	}
	if len(run.Findings) != 1 {
		t.Errorf("%d findings with one file named, want 1", len(run.Findings))
	}
}
