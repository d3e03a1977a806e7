package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// printed returns what a benchmark prints.
func printed(t *testing.T, run func(args []string) error, args ...string) string {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	text := make(chan string)
	go func() {
		out, _ := io.ReadAll(r)
		text <- string(out)
	}()
	stdout := os.Stdout
	os.Stdout = w
	err = run(args)
	os.Stdout = stdout
	w.Close()
	out := <-text
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return out
}

// tinyTree is a folder with eight files, of which each has a finding.
func tinyTree(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "rules", "maskedmissing", "testdata", "get_default_racy.py"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		if err := write(filepath.Join(dir, "pkg", name+".py"), text); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// wantPrinted fails unless each word is printed.
func wantPrinted(t *testing.T, out string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(out, w) {
			t.Errorf("%q is not in\n%s", w, out)
		}
	}
}

func TestFacts(t *testing.T) {
	out := printed(t, factsBenchmark, "-rounds", "2", tinyTree(t))
	wantPrinted(t, out, append([]string{"8 files, 2 rounds"}, factStages[:]...)...)
}

func TestFindings(t *testing.T) {
	out := printed(t, listFindings, "-rules", "KV110", "-target", "pkg/a.py", tinyTree(t))
	wantPrinted(t, out, `"rule":"KV110"`, `"file":"pkg/a.py"`)
	if strings.Contains(out, "pkg/b.py") {
		t.Errorf("pkg/b.py is no target:\n%s", out)
	}
}

func TestParser(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		if os.Getenv("KVRACE_TOOLS") == "required" {
			t.Fatalf("KVRACE_TOOLS=required: %v", err)
		}
		t.Skip(err)
	}
	out := printed(t, parserBenchmark, "-rounds", "1", "-python", python, tinyTree(t))
	wantPrinted(t, out, "8 files", "median ratio", "bytes for each byte of source")
}

// A contender that is not there is named and does not end the others.
func TestPeers(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none")
	out := printed(t, peersBenchmark, "-rounds", "1", "-only", "kvrace,ripgrep,ast-grep,start", "-rg", none, "-ast-grep", none, tinyTree(t))
	wantPrinted(t, out, "8 files", "ripgrep is not installed", "ast-grep is not installed", "kvrace / kvrace = 1 ", "kvrace / start")
	if strings.Contains(out, "pylint") {
		t.Errorf("pylint was not asked for:\n%s", out)
	}
	if err := peersBenchmark([]string{"-only", "nobody", tinyTree(t)}); err == nil {
		t.Error("nothing to measure is no error")
	}
}

func TestSizes(t *testing.T) {
	out := printed(t, sizesBenchmark, "-rounds", "1", "-rule", "KV110", tinyTree(t))
	wantPrinted(t, out, "1/8, ", "1/4, ", "1/2, ", "whole, ", "twice, ")
}

func TestUsage(t *testing.T) {
	for _, b := range benchmarks {
		if err := b.run(nil); err == nil {
			t.Errorf("%s without arguments is no error", b.name)
		}
	}
	if !slices.IsSortedFunc(benchmarks, func(a, b benchmark) int { return strings.Compare(a.name, b.name) }) {
		t.Error("the benchmarks are not sorted")
	}
}
