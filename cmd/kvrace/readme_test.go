package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/ruletest"
)

//go:generate go test -run TestExample|TestReadme -update .

// checkExample runs check as released on a folder of testdata, from the top
// folder, and returns what it prints and whether there were findings.
func checkExample(t *testing.T, name string, flags ...string) (stdout string, found bool) {
	t.Helper()
	t.Chdir("../..")
	var out, errs bytes.Buffer
	root := newRoot(&environment{stdin: strings.NewReader(""), stdout: &out, stderr: &errs, backend: production()})
	root.SetArgs(append([]string{"check", "testdata/" + name}, flags...))
	err := root.Execute()
	if err != nil && !errors.Is(err, errFindings) {
		t.Fatalf("check %s: %v\n%s", name, err, errs.String())
	}
	return out.String(), err != nil
}

// TestExample compares the findings in the example connector with those on
// record.
func TestExample(t *testing.T) {
	got, found := checkExample(t, "silentpin", "--format", "compact")
	if !found {
		t.Error("the exit status tells of no findings")
	}
	ruletest.Golden(t, "testdata/silentpin.txt", got)
}

// TestExampleFixed expects nothing in the repaired example.
func TestExampleFixed(t *testing.T) {
	if got, found := checkExample(t, "silentpin_fixed", "--format", "compact", "--confidence", "possible"); found || got != "" {
		t.Errorf("findings in the repaired example:\n%s", got)
	}
}

// readmeWidth is the width of the terminal that the README shows.
const readmeWidth = 150

// TestReadmeFinding compares the finding in the README with the first of its rule that
// check shows on a terminal.
func TestReadmeFinding(t *testing.T) {
	t.Chdir("../..")
	env := &environment{stdout: io.Discard, stderr: io.Discard, backend: production()}
	cmd, flags := &cobra.Command{}, checkFlags{}
	flags.output.register(cmd, "text")
	flags.registerProgram(cmd, env)
	s, err := newSession(cmd, env, &flags, []string{"testdata/silentpin"})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.load(t.Context()); err != nil {
		t.Fatal(err)
	}
	run, err := s.analyze(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := report.Text(&out, run, report.TextOptions{Width: readmeWidth}); err != nil {
		t.Fatal(err)
	}
	_, findings, _ := strings.Cut("\n\n"+out.String(), "\n\nerror[KV101] ")
	finding, _, found := strings.Cut("error[KV101] "+findings, "\n\n")
	if !found {
		t.Fatalf("no finding of KV101:\n%s", out.String())
	}
	ruletest.Section(t, "README.md", "finding", "```text\n"+finding+"\n```\n")
}

// TestReadmeGo compares the version of Go that the README asks for with that of go.mod.
func TestReadmeGo(t *testing.T) {
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindSubmatch(mod)
	if version == nil || !bytes.Contains(readme, fmt.Appendf(nil, "Go %s or newer", version[1])) {
		t.Errorf("the README does not ask for Go %s or newer", version)
	}
}

// TestReadmeFormats compares the table of formats in the README with the
// formats.
func TestReadmeFormats(t *testing.T) {
	var b strings.Builder
	b.WriteString("| format | what it is |\n|---|---|\n")
	for _, f := range report.Formats {
		fmt.Fprintf(&b, "| `%s` | %s |\n", f.Name, f.About)
	}
	ruletest.Section(t, "../../README.md", "formats", b.String())
}
