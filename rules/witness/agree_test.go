package witness_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kvrace/kvrace/rules/witness"
)

// The slice must not change an answer, and the answer must not change from run
// to run.
func TestSliceAgrees(t *testing.T) {
	for _, q := range questions {
		t.Run(q.file, func(t *testing.T) {
			s := load(t, q.file)
			p := q.ask(s)
			part, whole := witness.Search(p, q.bound), witness.SearchWhole(p, q.bound)
			if part.Verdict != whole.Verdict {
				t.Errorf("slice says %s, whole program %s", part.Verdict, whole.Verdict)
			}
			if whole.Verdict == witness.Found {
				if err := witness.Check(p, q.bound, whole); err != nil {
					t.Errorf("schedule of the whole program: %v", err)
				}
			}
			if diff := cmp.Diff(format(part), format(witness.Search(p, q.bound))); diff != "" {
				t.Errorf("second run differs (-first +second):\n%s", diff)
			}
		})
	}
}

// A schedule that was tampered with must not pass.
func TestCheckRefuses(t *testing.T) {
	tamper := map[string]func(r *witness.Result){
		"missing event":  func(r *witness.Result) { r.Trace = slices.Delete(r.Trace, len(r.Trace)/2, len(r.Trace)/2+1) },
		"missing end":    func(r *witness.Result) { r.Trace = r.Trace[:len(r.Trace)/2] },
		"wrong target":   func(r *witness.Result) { r.Trace[len(r.Trace)/2].To++ },
		"wrong state":    func(r *witness.Result) { r.Schedule[len(r.Schedule)-1].State["jobs"] = "present" },
		"no start":       func(r *witness.Result) { r.Trace = r.Trace[1:] },
		"other thread":   func(r *witness.Result) { r.Trace[0].Thread = 9 },
		"another answer": func(r *witness.Result) { r.Verdict = witness.Excluded },
	}
	for name, change := range tamper {
		t.Run(name, func(t *testing.T) {
			s := load(t, "check_racy.py")
			p := hookNeverFails("Table.finish", "jobs")(s)
			r := witness.Search(p, witness.Bound{})
			change(&r)
			if err := witness.Check(p, witness.Bound{}, r); err == nil {
				t.Error("accepted")
			}
		})
	}
}
