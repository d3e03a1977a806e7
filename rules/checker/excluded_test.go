package checker

import (
	"context"
	"testing"

	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules"
)

// TestExcluded looks at which findings a search refutes, and that none is whose program does
// more than the model.
func TestExcluded(t *testing.T) {
	for _, tc := range []struct {
		file, rule string
		want       report.Verdict
		reason     string
	}{
		{"known_still.py", "KV106", report.VerdictExcluded, ""},
		{"first_word.py", "KV105", report.VerdictExcluded, ""},
		{"taken_once.py", "KV201", report.VerdictExcluded, ""},
		{"own_lock.py", "KV201", report.VerdictFound, ""},
		{"some_end.py", "KV202", report.VerdictFound, ""},
		{"one_number.py", "KV201", report.VerdictBound, "whether it is the same entry in one_number.py:19 is not known"},
		{"other_name.py", "KV201", report.VerdictBound, "whether it is the same entry in other_name.py:35 is not known"},
		{"filled_anew.py", "KV201", report.VerdictBound, "what is stored in filled_anew.py:41 is not known"},
	} {
		t.Run(tc.file, func(t *testing.T) {
			for _, least := range []report.Confidence{report.Possible, report.Likely} {
				run, err := Run(context.Background(), Options{
					Rules: rules.All, NoPatches: true, MinConfidence: least,
					Files: []File{{Name: tc.file, Path: "testdata/excluded/" + tc.file}},
				})
				if err != nil {
					t.Fatal(err)
				}
				n := 0
				for _, f := range run.Findings {
					if f.Rule != tc.rule {
						continue
					}
					n++
					if f.Witness == nil || f.Witness.Verdict != tc.want {
						t.Errorf("line %d: %+v, want the verdict %s", f.Line, f.Witness, tc.want)
						continue
					}
					if tc.reason != "" && f.Witness.Reason != tc.reason {
						t.Errorf("line %d: %s, want %s", f.Line, f.Witness.Reason, tc.reason)
					}
					if excluded := tc.want == report.VerdictExcluded; excluded != (f.Confidence == report.Possible) {
						t.Errorf("line %d: it is %s", f.Line, f.Confidence)
					}
				}
				if left := least == report.Likely && tc.want == report.VerdictExcluded; left != (n == 0) {
					t.Errorf("%d findings of %s that are at least %s", n, tc.rule, least)
				}
			}
		})
	}
}
