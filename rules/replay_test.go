package rules_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules"
	"github.com/kvrace/kvrace/rules/checker"
	"github.com/kvrace/kvrace/rules/witness/replay"
)

// What the racy fixtures reach. A change may raise these numbers; one that lowers
// them has to say why.
const (
	leastReplayed  = 457 // findings whose schedule shows what is wrong when it is executed
	leastConfirmed = 450 // those of which the patched code passes as well: all but the unfixed ones
)

// execution collects the programs that a check executes, with what became of
// them in the embedded interpreter.
type execution struct {
	mu       sync.Mutex
	names    []string
	programs []string
	outcomes []replay.Outcome
}

func (x *execution) run(name string) func(context.Context, []string) ([]replay.Outcome, error) {
	return func(_ context.Context, programs []string) ([]replay.Outcome, error) {
		var out []replay.Outcome
		for _, p := range programs {
			out = append(out, executeInTime(p))
		}
		x.mu.Lock()
		defer x.mu.Unlock()
		for i, p := range programs {
			x.names = append(x.names, name)
			x.programs, x.outcomes = append(x.programs, p), append(x.outcomes, out[i])
		}
		return out, nil
	}
}

// executeInTime executes a program in this process, which a program that does
// not end would block.
func executeInTime(program string) replay.Outcome {
	done := make(chan replay.Outcome, 1)
	go func() { done <- replay.Execute(program) }()
	select {
	case o := <-done:
		return o
	case <-time.After(20 * time.Second):
		return replay.Outcome{Err: replay.Unended}
	}
}

// TestReplay executes the schedules of the racy fixtures, and compares the
// embedded interpreter with CPython: the same program has the same verdict and
// the same log in both.
func TestReplay(t *testing.T) {
	files, err := filepath.Glob("*/testdata/*_racy.py")
	if err != nil {
		t.Fatal(err)
	}
	unfixed, err := filepath.Glob("*/testdata/*_unfixed.py") // racy, and must not get a patch
	if err != nil {
		t.Fatal(err)
	}
	files = append(files, unfixed...)
	if only := os.Getenv("KVRACE_FIXTURE"); only != "" {
		files = slices.DeleteFunc(files, func(f string) bool { return !strings.Contains(f, only) })
	}
	var x execution
	var mu sync.Mutex
	found, replayed, confirmed, all := 0, 0, 0, 0
	t.Run("fixtures", func(t *testing.T) {
		for _, f := range files {
			t.Run(filepath.ToSlash(f), func(t *testing.T) {
				t.Parallel()
				run, err := checker.Run(context.Background(), checker.Options{
					Rules: rules.All, Files: []checker.File{{Name: filepath.Base(f), Path: f}}, Replay: x.run(f),
				})
				if err != nil {
					t.Fatal(err)
				}
				mu.Lock()
				defer mu.Unlock()
				for _, fd := range run.Findings {
					all++
					if fd.Witness == nil || fd.Witness.Verdict != report.VerdictFound {
						continue
					}
					found++
					if fd.Witness.Replayed {
						replayed++
					}
					if fd.Confidence == report.Confirmed {
						confirmed++
					}
					t.Logf("%s %s, replayed %v %s", fd.Rule, fd.Confidence, fd.Witness.Replayed, fd.Witness.Reason)
					keep(t, f, &fd)
				}
			})
		}
	})
	t.Logf("%d findings, %d with a schedule, %d replayed, %d confirmed", all, found, replayed, confirmed)
	if len(files) > 100 && (replayed < leastReplayed || confirmed < leastConfirmed) {
		t.Errorf("%d of %d schedules are replayed and %d confirmed, at least %d and %d were", replayed, found, confirmed, leastReplayed, leastConfirmed)
	}
	compareWithPython(t, &x)
}

// TestUnended holds that a run tells of replays that were stopped, and confirms nothing.
func TestUnended(t *testing.T) {
	const fixture = "conditionalcleanup/testdata/early_return_racy.py"
	programs := 0
	run, err := checker.Run(context.Background(), checker.Options{
		Rules: rules.All, Files: []checker.File{{Name: "a.py", Path: fixture}},
		Replay: func(_ context.Context, sources []string) ([]replay.Outcome, error) {
			programs = len(sources)
			return slices.Repeat([]replay.Outcome{{Err: replay.Unended}}, programs), nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if programs == 0 || run.Stats.Unended != programs {
		t.Errorf("%d of %d programs are told of", run.Stats.Unended, programs)
	}
	for _, f := range run.Findings {
		if f.Confidence == report.Confirmed {
			t.Errorf("%s is confirmed", f.Rule)
		}
	}
}

// keep writes the reproducers of a finding into the folder that KVRACE_REPRO
// names, for whoever wants to read them.
func keep(t *testing.T, fixture string, f *report.Finding) {
	dir := os.Getenv("KVRACE_REPRO")
	if dir == "" {
		return
	}
	base := filepath.Join(dir, f.Rule+"_"+strings.TrimSuffix(filepath.Base(fixture), ".py"))
	for name, text := range map[string]string{base + ".py": f.Reproducer, base + "_patched.py": f.PatchedReproducer} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Error(err)
		}
	}
}

// compareWithPython executes all programs under CPython.
func compareWithPython(t *testing.T, x *execution) {
	python, err := exec.LookPath("python3")
	if err != nil {
		if os.Getenv("KVRACE_TOOLS") == "required" {
			t.Fatalf("KVRACE_TOOLS=required: %v", err)
		}
		t.Skip(err)
	}
	interpreters := []string{python}
	if p := os.Getenv("KVRACE_PYTHON"); p != "" {
		interpreters = append(interpreters, p)
	}
	input, err := json.Marshal(x.programs)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range interpreters {
		var stderr bytes.Buffer
		cmd := exec.Command(p, filepath.FromSlash("witness/replay/testdata/run.py"))
		cmd.Stdin, cmd.Stderr = bytes.NewReader(input), &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v\n%s", p, err, stderr.String())
		}
		var answers []replay.Outcome
		if err := json.Unmarshal(out, &answers); err != nil {
			t.Fatal(err)
		}
		for i, got := range answers {
			ours := x.outcomes[i]
			switch {
			case ours.Err != "": // refused, whatever CPython makes of it
			case got.Wrong != ours.Wrong:
				t.Errorf("%s: %s says %q, the embedded interpreter %q", x.names[i], p, got.Wrong, ours.Wrong)
			default:
				if diff := cmp.Diff(ours.Log, got.Log); diff != "" {
					t.Errorf("%s: log of %s differs (-embedded +python):\n%s", x.names[i], p, diff)
				}
			}
		}
	}
}
