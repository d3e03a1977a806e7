package iteratewhilemutated_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kvrace/kvrace/rules/checker"
	"github.com/kvrace/kvrace/rules/iteratewhilemutated"
	"github.com/kvrace/kvrace/rules/rule"
)

// TestTurns checks which loops are offered a snapshot: not those of which the count would
// say something else than where an element stands, or which would come to what they have
// removed.
func TestTurns(t *testing.T) {
	const begin = `class Jobs:
    def __init__(self):
        self.jobs = []
        self.ages = []
        self.rows = {}

    def add(self, job):
        self.jobs.append(job)
        self.ages.append(0)
        self.rows[job.rid] = job

    def sweep(self):
        n = 0
`
	for _, tt := range []struct {
		name, loop string
		offered    bool
	}{
		{"counts what stays", "for job in self.jobs:\n if job.over():\n  self.jobs.pop(n)\n else:\n  n += 1", true},
		{"goes on before the count", "for job in self.jobs:\n if job.over():\n  del self.jobs[n]\n  continue\n n += 1", true},
		{"counts all", "for job in self.jobs:\n if job.over():\n  del self.jobs[n]\n n += 1", true},
		{"counts all, and more behind", "for job in self.jobs:\n if job.over():\n  del self.jobs[n]\n n += 1\n job.look()", false},
		{"counts all, and is asked", "for job in self.jobs:\n if job.over():\n  del self.jobs[n]\n n += 1\nreturn n", false},
		{"counts first", "for job in self.jobs:\n n += 1\n if job.over():\n  del self.jobs[n]", false},
		{"counts at times", "for job in self.jobs:\n if job.over():\n  del self.jobs[n]\n elif job.old():\n  n += 1", false},
		{"counts in a loop", "for job in self.jobs:\n if job.over():\n  del self.jobs[n]\n else:\n  while job.old():\n   n += 1", false},
		{"counts down", "for job in self.jobs:\n if job.over():\n  del self.jobs[n]\n  n -= 1\n n += 1", false},
		{"removes beside", "for job in self.jobs:\n if job.over():\n  self.jobs.remove(job)\n  self.ages.pop(n)\n else:\n  n += 1", true},
		{"removes beside, and counts all", "for job in self.jobs:\n if job.over():\n  self.jobs.remove(job)\n  self.ages.pop(n)\n n += 1", true},
		{"the first in each turn", "for job in self.jobs:\n job.end()\n self.jobs.pop(0)", true},
		{"the first at times", "for job in self.jobs:\n if job.over():\n  self.jobs.pop(0)", false},
		{"the last", "for job in self.jobs:\n if job.over():\n  self.jobs.pop()", true},
		{"its own", "for rid in self.rows:\n if self.rows[rid].over():\n  del self.rows[rid]", true},
		{"another", "for rid, row in self.rows.items():\n if row.over():\n  for other in row.others():\n   self.rows.pop(other, None)", true},
		{"another, of values", "for row in self.rows.values():\n if row.over():\n  for other in row.others():\n   self.rows.pop(other, None)", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := begin
			for _, line := range strings.Split(tt.loop, "\n") {
				text += "        " + line + "\n"
			}
			name := filepath.Join(t.TempDir(), "a.py")
			if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			run, err := checker.Run(context.Background(), checker.Options{
				Rules: []*rule.Rule{iteratewhilemutated.Rule}, NoWitness: true, Files: []checker.File{{Name: "a.py", Path: name}},
			})
			if err != nil || len(run.Errors) > 0 {
				t.Fatal(err, run.Errors)
			}
			if len(run.Findings) != 1 {
				t.Fatalf("%d findings\n%s", len(run.Findings), text)
			}
			p := run.Findings[0].Patches
			if has := len(p) > 0 && p[0].Verified; has != tt.offered {
				t.Errorf("a verified patch is offered: %v\n%s", has, text)
			}
		})
	}
}
