package report

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestJSONIsTheRecord checks that the stream equals what encoding/json makes
// of the record as a whole.
func TestJSONIsTheRecord(t *testing.T) {
	for _, ex := range exampleRuns {
		run := ex.run(t)
		var b bytes.Buffer
		if err := JSON(&b, run); err != nil {
			t.Fatal(err)
		}
		whole := *run
		whole.Findings = []Finding{}
		for _, f := range run.Findings {
			whole.Findings = append(whole.Findings, wholeFinding(f))
		}
		whole.Errors = list(run.Errors)
		want, err := json.Marshal(whole)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(decoded(t, want), decoded(t, b.Bytes())); diff != "" {
			t.Errorf("%s (-want +got):\n%s", ex.name, diff)
		}
	}
}

func decoded(t *testing.T, data []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}
