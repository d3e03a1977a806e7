package main

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite golden files and the finding in the README")

// checkOutput runs check as released, from the top folder, and returns what it
// prints and whether there were findings.
func checkOutput(t *testing.T, args ...string) (stdout string, found bool) {
	t.Helper()
	t.Chdir("../..")
	var out, errs bytes.Buffer
	root := newRoot(&environment{stdin: strings.NewReader(""), stdout: &out, stderr: &errs, backend: production()})
	root.SetArgs(append([]string{"check"}, args...))
	err := root.Execute()
	if err != nil && err != errFindings {
		t.Fatalf("check %s: %v\n%s", strings.Join(args, " "), err, errs.String())
	}
	return out.String(), err != nil
}

// TestSilentPin compares the findings in the example connector with those on
// record.
func TestSilentPin(t *testing.T) {
	got, found := checkOutput(t, "--format", "compact", "testdata/silentpin")
	if !found {
		t.Error("the exit status tells of no findings")
	}
	const golden = "testdata/silentpin.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("findings differ from %s, which -update rewrites:\n%s", golden, got)
	}
}

// TestSilentPinFixed expects nothing in the repaired example.
func TestSilentPinFixed(t *testing.T) {
	if got, found := checkOutput(t, "--confidence", "possible", "--format", "compact", "testdata/silentpin_fixed"); found || got != "" {
		t.Errorf("findings in the repaired example:\n%s", got)
	}
}
