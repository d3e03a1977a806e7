package report

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// many returns a run of n findings, of each severity in turn.
func many(n int) *Run {
	run := &Run{Version: SchemaVersion, Tool: Tool{Name: "kvrace", Version: "0.1.0"}, Stats: Stats{Files: n}}
	for i := range n {
		run.Findings = append(run.Findings, Finding{
			Rule: "KV101", Name: "conditional-cleanup", Severity: Severity(i % 3), Message: fmt.Sprintf("finding %d", i),
			Location:    Location{File: fmt.Sprintf("d/f%d.py", i), Line: 1, Column: 1, EndLine: 1, EndColumn: 2},
			Fingerprint: fmt.Sprintf("%016x", i),
		})
	}
	return run
}

func TestGitHubShowsTenOfEachLevel(t *testing.T) {
	got := string(written(t, Format{Write: GitHub}, many(60)))
	for _, level := range []string{"error", "warning", "notice"} {
		if n := strings.Count(got, "::"+level+" "); n != 10 {
			t.Errorf("%d commands of level %s, want 10", n, level)
		}
	}
	if !strings.Contains(got, "kvrace: 30 findings beyond the 10 of a level that GitHub shows:\n") {
		t.Errorf("the number of the rest is missing in\n%s", got)
	}
	if n := strings.Count(got, "kvrace: d/f"); n != 30 {
		t.Errorf("%d plain lines, want 30", n)
	}
}

// TestGitHubHoldsNoForeignCommand reads the log as the runner does.
func TestGitHubHoldsNoForeignCommand(t *testing.T) {
	for line := range strings.Lines(string(written(t, Format{Write: GitHub}, hostileRun(t)))) {
		line = strings.TrimSpace(line)
		if strings.Contains(line, "##[") {
			t.Errorf("command of the older form in %q", line)
		}
		if !strings.HasPrefix(line, "::") {
			if !strings.HasPrefix(line, "kvrace: ") {
				t.Errorf("plain line %q starts with foreign text", line)
			}
			continue
		}
		head, _, _ := strings.Cut(line[2:], "::")
		name, props, _ := strings.Cut(head, " ")
		if name != "warning" {
			t.Errorf("command %q in %q", name, line)
		}
		for prop := range strings.SplitSeq(props, ",") {
			key, _, ok := strings.Cut(prop, "=")
			if !ok || !strings.Contains("file line endLine col endColumn title", key) {
				t.Errorf("property %q in %q", prop, line)
			}
		}
	}
}

func TestGitHubSummaryKeepsTheLimit(t *testing.T) {
	run := many(3000)
	for i := range run.Findings {
		run.Findings[i].Consequence = strings.Repeat("x", 500)
	}
	got := written(t, Format{Write: GitHubSummary}, run)
	if len(got) > 1<<20 {
		t.Errorf("%d bytes are more than GitHub takes", len(got))
	}
	if !strings.Contains(string(got), "are left out, GitHub limits this page.") {
		t.Error("nothing says that findings were left out")
	}
}

func reviewOf(t *testing.T, run *Run) reviewBody {
	t.Helper()
	var review reviewBody
	if err := json.Unmarshal(written(t, Format{Write: GitHubReview}, run), &review); err != nil {
		t.Fatal(err)
	}
	return review
}

func TestReviewSuggests(t *testing.T) {
	run := exampleRun(t)
	run.Changed = map[string][]LineRange{fabricFile: {{30, 35}}}
	review := reviewOf(t, run)
	if len(review.Comments) != 1 {
		t.Fatalf("%d comments, want 1: only one finding has a line in the diff", len(review.Comments))
	}
	c := review.Comments[0]
	if c.Line != 32 || c.StartLine != 0 || !strings.HasSuffix(c.Body, "```suggestion\n                        self.routes.pop(ticket, None)\n```") {
		t.Errorf("got %+v", c)
	}
	if !strings.Contains(review.Body, "conn.py:50") {
		t.Errorf("the other finding is not in the body: %s", review.Body)
	}
}

// TestReviewAnchorsAtTheWitness checks a finding whose main line is not part
// of the diff, while a step of its schedule is.
func TestReviewAnchorsAtTheWitness(t *testing.T) {
	run := exampleRun(t)
	run.Findings = run.Findings[:1]
	run.Changed = map[string][]LineRange{fabricFile: {{17, 19}}}
	review := reviewOf(t, run)
	if len(review.Comments) != 1 || review.Comments[0].Line != 18 {
		t.Fatalf("got %+v, want one comment on line 18", review.Comments)
	}
	if body := review.Comments[0].Body; strings.Contains(body, "```suggestion") || !strings.Contains(body, "```diff") {
		t.Errorf("a patch of other lines must be a diff, not a suggestion:\n%s", body)
	}
}

func TestReviewKeepsTheLimit(t *testing.T) {
	review := reviewOf(t, many(200))
	if len(review.Comments) != maxComments || !strings.Contains(review.Body, "142 more") {
		t.Errorf("%d comments, body %s", len(review.Comments), review.Body)
	}
}
