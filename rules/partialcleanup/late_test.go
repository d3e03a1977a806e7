package partialcleanup_test

import (
	"strings"
	"testing"

	"github.com/kvrace/kvrace/rules/partialcleanup"
	"github.com/kvrace/kvrace/rules/ruletest"
	"github.com/kvrace/kvrace/rules/statusresurrection"
)

// TestLate checks that an insert which comes after the removal is ignored, where the
// removal alone would let the entry come back, and only there.
func TestLate(t *testing.T) {
	for file, late := range map[string]bool{"asked_late_racy.py": true, "asked_first_racy.py": false} {
		run := ruletest.Check(t, "testdata/"+file, partialcleanup.Rule, statusresurrection.Rule)
		if len(run.Findings) != 1 || len(run.Findings[0].Patches) == 0 {
			t.Errorf("%s: %d findings, want one with a patch", file, len(run.Findings))
			continue
		}
		p := run.Findings[0].Patches[0]
		if !p.Verified || strings.Contains(p.Description, "ignore what comes") != late {
			t.Errorf("%s: %s, verified %v", file, p.Description, p.Verified)
		}
	}
}
