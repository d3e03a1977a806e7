package report

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"math/rand"
	"strings"
	"testing"
)

// sarifLogOf is what the tests read of a log.
type sarifLogOf struct {
	Runs []struct {
		Results     []sarifResult
		Invocations []sarifInvocation
	}
}

func sarifOf(t *testing.T, run *Run) (sarifLogOf, []byte) {
	t.Helper()
	text := written(t, Format{Write: SARIF}, run)
	var log sarifLogOf
	if err := json.Unmarshal(text, &log); err != nil {
		t.Fatal(err)
	}
	return log, text
}

// leftOut returns the notification about results that were left out.
func leftOut(log sarifLogOf) string {
	for _, n := range log.Runs[0].Invocations[0].Notifications {
		if n.Descriptor.ID == "left-out" {
			return n.Message.Text
		}
	}
	return ""
}

func TestSARIFKeepsTheNumberOfResults(t *testing.T) {
	log, _ := sarifOf(t, many(sarifMaxResults+10))
	results := log.Runs[0].Results
	if len(results) != sarifMaxResults {
		t.Fatalf("%d results, want %d", len(results), sarifMaxResults)
	}
	if results[0].Level != "error" || results[len(results)-1].Level != "note" {
		t.Errorf("the results go from %s to %s, want the most severe first", results[0].Level, results[len(results)-1].Level)
	}
	if got := leftOut(log); !strings.HasPrefix(got, "10 more results") {
		t.Errorf("the notification says %q", got)
	}
}

func TestSARIFKeepsTheSize(t *testing.T) {
	run := many(6000)
	random := rand.New(rand.NewSource(1))
	for i := range run.Findings {
		noise := make([]byte, 2000)
		random.Read(noise)
		run.Findings[i].Message = hex.EncodeToString(noise)
	}
	log, text := sarifOf(t, run)
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	zip.Write(text)
	zip.Close()
	if packed.Len() > 10_000_000 {
		t.Errorf("%d bytes compressed, code scanning takes 10 MB", packed.Len())
	}
	if n := len(log.Runs[0].Results); n == 6000 || n < 1000 || leftOut(log) == "" {
		t.Errorf("%d results, notification %q", n, leftOut(log))
	}
}

func TestSARIFKeepsTheNumberOfLocations(t *testing.T) {
	run := exampleRun(t)
	f := &run.Findings[0]
	for range 300 {
		f.Related = append(f.Related, f.Related[0])
	}
	for range 12_000 {
		f.Witness.Steps = append(f.Witness.Steps, f.Witness.Steps[0])
	}
	log, _ := sarifOf(t, run)
	result := log.Runs[0].Results[0]
	if n := len(result.RelatedLocations); n != sarifMaxLocations {
		t.Errorf("%d related locations, want %d", n, sarifMaxLocations)
	}
	steps := 0
	for _, flow := range result.CodeFlows[0].ThreadFlows {
		steps += len(flow.Locations)
	}
	if steps != sarifMaxSteps {
		t.Errorf("%d steps, want %d", steps, sarifMaxSteps)
	}
}

// TestSARIFSchedule checks that the flows of the threads, put together by
// executionOrder, are the schedule.
func TestSARIFSchedule(t *testing.T) {
	run := exampleRun(t)
	log, _ := sarifOf(t, run)
	steps := run.Findings[0].Witness.Steps
	seen := make([]bool, len(steps))
	flows := log.Runs[0].Results[0].CodeFlows[0].ThreadFlows
	if len(flows) != 3 {
		t.Fatalf("%d thread flows, want one for each of 3 entrypoints", len(flows))
	}
	for _, flow := range flows {
		for _, loc := range flow.Locations {
			step := steps[loc.ExecutionOrder-1]
			if seen[loc.ExecutionOrder-1] || flow.ID != step.Entrypoint || loc.Location.Physical.Region.StartLine != step.Line {
				t.Errorf("step %d in flow %s at line %d", loc.ExecutionOrder, flow.ID, loc.Location.Physical.Region.StartLine)
			}
			seen[loc.ExecutionOrder-1] = true
		}
	}
}

func TestSARIFSuppressions(t *testing.T) {
	log, _ := sarifOf(t, suppressedRun(t))
	results := log.Runs[0].Results
	want := []struct{ state, kind string }{{"new", ""}, {"", "inSource"}, {"unchanged", "external"}}
	if len(results) != len(want) {
		t.Fatalf("%d results, want %d", len(results), len(want))
	}
	for i, r := range results {
		kind := ""
		if len(r.Suppressions) > 0 {
			kind = r.Suppressions[0].Kind
		}
		if r.BaselineState != want[i].state || kind != want[i].kind {
			t.Errorf("result %d: baseline state %q, suppressed %q; want %q, %q", i, r.BaselineState, kind, want[i].state, want[i].kind)
		}
	}
}

// TestSARIFColumns checks that columns count UTF-16 units.
func TestSARIFColumns(t *testing.T) {
	log, _ := sarifOf(t, hostileRun(t))
	region := log.Runs[0].Results[0].Locations[0].Physical.Region
	// \t\ts = '漢字'; d.pop(k, '漢')
	if region.StartColumn != 13 || region.EndColumn != 26 {
		t.Errorf("columns %d to %d, want 13 to 26", region.StartColumn, region.EndColumn)
	}
}

func TestSentence(t *testing.T) {
	for in, want := range map[string]string{"": "", "a": "a.", "a.": "a.", "a? ": "a?", "a\n": "a."} {
		if got := sentence(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}
