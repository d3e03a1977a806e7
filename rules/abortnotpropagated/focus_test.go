package abortnotpropagated_test

import (
	"context"
	"testing"

	"github.com/kvrace/kvrace/rules/abortnotpropagated"
	"github.com/kvrace/kvrace/rules/checker"
	"github.com/kvrace/kvrace/rules/rule"
)

// TestFocus checks that a class is compared with its siblings also when only its
// own file is named.
func TestFocus(t *testing.T) {
	const folder = "testdata/forwards_to_noop_racy/"
	opt := checker.Options{
		Rules: []*rule.Rule{abortnotpropagated.Rule}, NoPatches: true, NoWitness: true,
		Targets: map[string]bool{"standin.py": true},
	}
	for _, name := range []string{"network.py", "receiver.py", "standin.py"} {
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
