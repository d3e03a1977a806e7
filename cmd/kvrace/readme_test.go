package main

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

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

// TestReadmeFinding compares the finding in the README with what check prints.
func TestReadmeFinding(t *testing.T) {
	got, _ := checkExample(t, "silentpin", "--select", "KV101")
	finding, _, _ := strings.Cut(got, "\n\n")
	ruletest.Section(t, "README.md", "finding", "```text\n"+finding+"\n```\n")
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
