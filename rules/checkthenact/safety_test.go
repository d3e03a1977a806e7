package checkthenact_test

import (
	"context"
	"strings"
	"testing"

	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/checker"
	"github.com/kvrace/kvrace/rules/checkthenact"
	"github.com/kvrace/kvrace/rules/rule"
)

const ranks = `
import threading


class Ranks:
    def __init__(self, link):
        self.link = link
        self.rank = {}
        threading.Thread(target=self.listen, daemon=True).start()

    def begin(self, job):
        self.rank[job] = 0

    def listen(self):
        while True:
            job, rank = self.link.recv()
            if job in self.rank:
                USE

    def forget(self, job):
        self.rank.pop(job, None)
`

// TestSafety holds that a patch which lets a store come after the removal asks for review:
// the exception had kept it away.
func TestSafety(t *testing.T) {
	for use, want := range map[string]report.Safety{
		"self.link.show(self.rank[job])":                report.SafetySafe,
		"self.rank[job] = max(self.rank[job], rank)":    report.SafetyReview,
		"self.rank[job] = self.rank[job] + rank":        report.SafetyReview,
		"self.link.rank = max(self.rank[job], rank, 3)": report.SafetySafe,
	} {
		run, err := checker.Run(context.Background(), checker.Options{
			Rules: []*rule.Rule{checkthenact.Rule}, NoWitness: true, Files: []checker.File{{Name: "ranks.py"}},
			Overlay: map[string][]byte{"ranks.py": []byte(strings.ReplaceAll(ranks, "USE", use))},
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(run.Findings) != 1 || len(run.Findings[0].Patches) != 1 {
			t.Errorf("%s: %d findings, want one with a patch", use, len(run.Findings))
			continue
		}
		if got := run.Findings[0].Patches[0].Safety; got != want {
			t.Errorf("%s: the patch is %s, want %s", use, got, want)
		}
	}
}
