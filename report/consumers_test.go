package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The tests named TestConsumer hand reports to the programs that read them.
// They need those programs, which .ci/consumers installs, and are skipped
// unless KVRACE_CONSUMERS is set; then a missing program is a failure.

// consumer returns a command that runs a program, in dir.
func consumer(t *testing.T, dir, name string, args ...string) *exec.Cmd {
	t.Helper()
	needConsumers(t)
	path, err := exec.LookPath(name)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = dir
	return cmd
}

func needConsumers(t *testing.T) {
	t.Helper()
	if os.Getenv("KVRACE_CONSUMERS") == "" {
		t.Skip("KVRACE_CONSUMERS is not set")
	}
}

// output runs cmd and returns what it prints to standard output.
func output(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s%s", strings.Join(cmd.Args, " "), err, stdout.String(), stderr.String())
	}
	return stdout.String()
}

func writeFile(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
}

// explainedSARIF are the notes of the validator that sarif.go explains.
var explainedSARIF = []string{"SARIF2002", "SARIF2003", "SARIF2006"}

func TestConsumerSARIFMultitool(t *testing.T) {
	for _, ex := range append(exampleRuns, struct {
		name string
		run  func(testing.TB) *Run
	}{"suppressed", suppressedRun}) {
		dir := t.TempDir()
		writeFile(t, filepath.Join(dir, "in.sarif"), written(t, Format{Write: SARIF}, ex.run(t)))
		output(t, consumer(t, dir, "sarif-multitool", "validate", "in.sarif", "--rule-kind", "Sarif;Ghas",
			"--level", "Error;Warning;Note", "--kind", "Fail", "-o", "out.sarif"))
		var log struct {
			Runs []struct {
				Results []struct {
					RuleID  string
					Level   string
					Message struct{ Arguments []string }
				}
			}
		}
		text, err := os.ReadFile(filepath.Join(dir, "out.sarif"))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(bytes.TrimPrefix(text, []byte("\ufeff")), &log); err != nil {
			t.Fatal(err)
		}
		for _, result := range log.Runs[0].Results {
			if result.Level != "note" || !slices.Contains(explainedSARIF, result.RuleID) {
				t.Errorf("%s: %s %s %q", ex.name, result.Level, result.RuleID, result.Message.Arguments)
			}
		}
	}
}

// suppressedRun has one new finding and two that are held back.
func suppressedRun(t testing.TB) *Run {
	run := exampleRun(t)
	run.Compared = true
	run.Suppressed = []Suppressed{
		{Finding: run.Findings[1], Reason: "answered by the caller"},
		{Finding: run.Findings[0], By: SuppressedByBaseline},
	}
	run.Findings = run.Findings[:1]
	return run
}

func TestConsumerXMLLint(t *testing.T) {
	for _, ex := range exampleRuns {
		dir := t.TempDir()
		writeFile(t, filepath.Join(dir, "report.xml"), written(t, Format{Write: JUnit}, ex.run(t)))
		schema, err := filepath.Abs(filepath.Join("testdata", "schema", "JUnit.xsd"))
		if err != nil {
			t.Fatal(err)
		}
		output(t, consumer(t, dir, "xmllint", "--noout", "--schema", schema, "report.xml"))
	}
}

// repository lays out the sources of run and commits them.
func repository(t *testing.T, run *Run) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range run.Sources {
		writeFile(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	git(t, dir, "init", "-q")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "before")
	return dir
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := consumer(t, dir, "git", append([]string{"-c", "user.name=kvrace", "-c", "user.email=kvrace@example.invalid", "-c", "core.autocrlf=false"}, args...)...)
	return output(t, cmd)
}

// TestConsumerGit checks that the patch of the example applies, both ways.
func TestConsumerGit(t *testing.T) {
	needConsumers(t)
	run := exampleRun(t)
	dir := repository(t, run)
	writeFile(t, filepath.Join(dir, "fix.diff"), []byte(run.Findings[0].Patches[0].Diff))
	git(t, dir, "apply", "fix.diff")
	git(t, dir, "apply", "-R", "fix.diff")
	if diff := git(t, dir, "diff"); diff != "" {
		t.Errorf("after applying and reverting:\n%s", diff)
	}
}

func TestConsumerReviewdogLocal(t *testing.T) {
	needConsumers(t)
	run := exampleRun(t)
	for _, format := range []string{"rdjson", "rdjsonl"} {
		dir := repository(t, run)
		path := filepath.Join(dir, filepath.FromSlash(fabricFile))
		edited := strings.Replace(fabricSource, "self.routes.pop(ticket, None)", "self.routes.pop(ticket, None)  # STOP", 1)
		writeFile(t, path, []byte(edited))
		cmd := consumer(t, dir, "reviewdog", "-f="+format, "-reporter=local", "-diff=git diff", "-filter-mode=added")
		cmd.Stdin = bytes.NewReader(written(t, formatNamed(t, format), run))
		got := output(t, cmd)
		if !strings.Contains(got, "relay/fabric/conn.py:32:21") || !strings.Contains(got, "KV101") && !strings.Contains(got, "routes[ticket] is removed") {
			t.Errorf("%s: the finding on the changed line is missing:\n%s", format, got)
		}
		if strings.Contains(got, "conn.py:50") {
			t.Errorf("%s: a finding on a line that did not change is shown:\n%s", format, got)
		}
	}
}

func formatNamed(t testing.TB, name string) Format {
	t.Helper()
	i := slices.IndexFunc(Formats, func(f Format) bool { return f.Name == name })
	if i < 0 {
		t.Fatalf("no format %s", name)
	}
	return Formats[i]
}

// TestConsumerReviewdogSuggestion checks that the suggestion reviewdog hands
// on, applied to the source, gives what the patch gives.
func TestConsumerReviewdogSuggestion(t *testing.T) {
	needConsumers(t)
	for _, ex := range exampleRuns[:2] {
		run := ex.run(t)
		cmd := consumer(t, t.TempDir(), "reviewdog", "-f=rdjson", "-reporter=rdjsonl", "-diff=true", "-filter-mode=nofilter")
		cmd.Stdin = bytes.NewReader(written(t, formatNamed(t, "rdjson"), run))
		first, _, _ := strings.Cut(output(t, cmd), "\n")
		var d rdfDiagnostic
		if err := json.Unmarshal([]byte(first), &d); err != nil {
			t.Fatalf("%s: %v in %q", ex.name, err, first)
		}
		f := run.Findings[0]
		if len(d.Suggestions) != 1 {
			t.Fatalf("%s: %d suggestions, want 1", ex.name, len(d.Suggestions))
		}
		source := run.Sources[f.File]
		edit := f.Patches[0].Edits[0]
		want := string(source[:edit.Start]) + edit.NewText + string(source[edit.End:])
		if got := suggested(source, d.Suggestions[0]); got != want {
			t.Errorf("%s: got\n%q\nwant\n%q", ex.name, got, want)
		}
	}
}

// suggested applies a suggestion.
func suggested(source []byte, s rdfSuggestion) string {
	starts := lineStarts(source)
	at := func(p rdfPosition) int {
		offset := starts[p.Line-1] + p.Column - 1
		if p.Line == 1 && bytes.HasPrefix(source, []byte("\ufeff")) {
			offset += len("\ufeff")
		}
		return offset
	}
	return string(source[:at(s.Range.Start)]) + s.Text + string(source[at(*s.Range.End):])
}

func TestConsumerReviewdogReadsSARIF(t *testing.T) {
	needConsumers(t)
	cmd := consumer(t, t.TempDir(), "reviewdog", "-f=sarif", "-reporter=rdjsonl", "-diff=true", "-filter-mode=nofilter")
	cmd.Stdin = bytes.NewReader(written(t, formatNamed(t, "sarif"), exampleRun(t)))
	got := output(t, cmd)
	for _, want := range []string{`"relay/fabric/conn.py"`, fmt.Sprintf(`"line":%d`, 32), "KV101"} {
		if !strings.Contains(strings.ReplaceAll(got, " ", ""), want) {
			t.Errorf("reviewdog does not find %s in our SARIF:\n%s", want, got)
		}
	}
}
