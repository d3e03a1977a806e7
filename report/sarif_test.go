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

func sarifOf(t *testing.T, run *Run, limits sarifLimits) (sarifLogOf, []byte) {
	t.Helper()
	var b bytes.Buffer
	if err := writeSARIF(&b, run, limits); err != nil {
		t.Fatal(err)
	}
	var log sarifLogOf
	if err := json.Unmarshal(b.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	return log, b.Bytes()
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
	limits := codeScanning
	limits.results = 50
	log, _ := sarifOf(t, many(60), limits)
	results := log.Runs[0].Results
	if len(results) != 50 {
		t.Fatalf("%d results, want 50", len(results))
	}
	if results[0].Level != "error" || results[len(results)-1].Level != "note" {
		t.Errorf("the results go from %s to %s, want the most severe first", results[0].Level, results[len(results)-1].Level)
	}
	if got := leftOut(log); !strings.HasPrefix(got, "10 more results") {
		t.Errorf("the notification says %q", got)
	}
}

func TestSARIFKeepsTheSize(t *testing.T) {
	run := many(600)
	random := rand.New(rand.NewSource(1))
	for i := range run.Findings {
		noise := make([]byte, 2000)
		random.Read(noise)
		run.Findings[i].Message = hex.EncodeToString(noise)
	}
	limits := codeScanning
	limits.bytes = 950_000
	log, text := sarifOf(t, run, limits)
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	zip.Write(text)
	zip.Close()
	if packed.Len() > 1_000_000 {
		t.Errorf("%d bytes compressed, want at most the limit and a twentieth", packed.Len())
	}
	if n := len(log.Runs[0].Results); n == 600 || n < 100 || leftOut(log) == "" {
		t.Errorf("%d results, notification %q", n, leftOut(log))
	}
}

func TestSARIFKeepsTheNumberOfLocations(t *testing.T) {
	run := exampleRun(t)
	limits := codeScanning
	limits.locations, limits.steps = 3, 2
	log, _ := sarifOf(t, run, limits)
	result := log.Runs[0].Results[0]
	if n := len(result.RelatedLocations); n != 3 {
		t.Errorf("%d related locations, want 3", n)
	}
	steps := 0
	for _, flow := range result.CodeFlows[0].ThreadFlows {
		steps += len(flow.Locations)
	}
	if steps != 2 {
		t.Errorf("%d steps, want 2", steps)
	}
}

// TestSARIFSchedule checks that the flows of the threads, put together by
// executionOrder, are the schedule.
func TestSARIFSchedule(t *testing.T) {
	run := exampleRun(t)
	log, _ := sarifOf(t, run, codeScanning)
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
	log, _ := sarifOf(t, suppressedRun(t), codeScanning)
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
	log, _ := sarifOf(t, hostileRun(t), codeScanning)
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
