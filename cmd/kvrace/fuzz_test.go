package main

import (
	"bytes"
	"context"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kvrace/kvrace/parser/source"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/config"
)

// longServe has a hook with a loop and few steps, which waits for what a thread with more
// steps than it notes.
const longServe = `
import threading

class Ledger:
    def __init__(self, wire):
        self.wire = wire
        self.lock = threading.Lock()
        self.late = {}
        self.over = set()
        threading.Thread(target=self.serve).start()

    def serve(self):
        while True:
            note = self.wire.receive()
            if note.kind == "hello":
                self.wire.answer(note)
                continue
            if note.kind == "ping":
                self.wire.answer(note)
                continue
            with self.lock:
                if self.late.pop(note.key, None) is not None:
                    self.over.add(note.key)

    def add(self, key):
        with self.lock:
            self.late[key] = 1

    def take_over(self):
        done, self.over = self.over, set()
        for key in done:
            key.tell()
        return done
`

// FuzzCheck takes bytes the whole way to a report with the real analysis, without
// schedules and patches. Nothing may panic, and every position must lie in the file. The
// least input that shows something new is not worth a search of a minute: run it with
// -fuzzminimizetime 10x.
func FuzzCheck(f *testing.F) {
	analyze := analyzer(f, nil)
	for i, src := range fixtures(f) {
		f.Add(src, byte(i))
	}
	f.Add([]byte("\xef\xbb\xbfclass A(A): pass\r\nimport a\r"), byte(0))
	f.Add([]byte("def f(: \x00\xff # kvrace: ignore[KV101]"), byte(1))
	f.Add([]byte(longServe), byte(2))
	f.Fuzz(func(t *testing.T, src []byte, format byte) {
		run := analyze(t, src)
		form := report.Formats[int(format)%len(report.Formats)]
		if err := form.Write(io.Discard, run); err != nil {
			t.Errorf("%s: %v", form.Name, err)
		}
	})
}

// FuzzPatches is FuzzCheck with schedules and patches, which take much longer. Nothing is
// replayed: that takes a process each.
func FuzzPatches(f *testing.F) {
	shown := slices.IndexFunc(report.Formats, report.Format.ShowsPatches)
	analyze := analyzer(f, []output{{format: report.Formats[shown]}})
	all := flag.Lookup("test.fuzz").Value.String() != "" || os.Getenv(largeVar) != ""
	for i, src := range fixtures(f) {
		if all || i%9 == 0 {
			f.Add(src)
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		for _, found := range analyze(t, src).Findings {
			for _, p := range found.Patches {
				for _, e := range p.Edits {
					if e.Start < 0 || e.Start > e.End || e.End > len(src) {
						t.Errorf("an edit for %s takes the place of %d to %d of %d bytes", found.Rule, e.Start, e.End, len(src))
					}
				}
			}
		}
	})
}

// fixtures returns the sources of all rules.
func fixtures(f *testing.F) [][]byte {
	names, err := filepath.Glob("../../rules/*/testdata/*.py")
	if err != nil {
		f.Fatal(err)
	}
	var out [][]byte
	for _, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		out = append(out, src)
	}
	return out
}

// analyzer returns what analyzes one source and looks at its run. It takes a millisecond
// for outputs without patches, so that what is the same for all sources counts: the file
// is never written, and the pages of the rules are short.
func analyzer(f *testing.F, outputs []output) func(t testing.TB, src []byte) *report.Run {
	shared := production()
	for i := range shared.rules {
		shared.rules[i].Doc = "## What it does\n\nIt finds something.\n"
	}
	dir := f.TempDir()
	path := filepath.Join(dir, "a.py")
	p, problems := source.Load(context.Background(), []string{path}, source.Options{Root: dir, Alone: true, Unsaved: []string{path}})
	if len(problems) > 0 {
		f.Fatal(problems)
	}
	c := config.Default()
	c.Confidence = report.Possible
	analyze := func(t testing.TB, src []byte) *report.Run {
		s := &session{
			env: &environment{backend: shared, stderr: io.Discard}, config: c, program: p, outputs: outputs,
			flags: &checkFlags{workers: 1, noReplay: true, cache: cacheFlags{none: true}},
		}
		run, err := s.analyze(context.Background(), map[string][]byte{"a.py": src})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range run.Errors {
			if strings.Contains(e.Message, "internal error") {
				t.Error(e)
			}
		}
		for i := range run.Findings {
			checkPlaces(t, &run.Findings[i], run.Sources["a.py"])
		}
		return run
	}
	racy := []byte(worker + "    def loop(self):\n        for k in self.jobs:\n            self.state.pop(k)\n    def add(self, k):\n        self.jobs[k] = 1\n")
	found := analyze(f, racy).Findings
	if len(found) == 0 || outputs != nil && (len(found[0].Patches) == 0 || found[0].Witness == nil) {
		f.Fatal("nothing is found in a race, or no patch and no schedule for it")
	}
	return analyze
}

// checkPlaces looks for places of a finding that are not in the source of its file.
func checkPlaces(t testing.TB, f *report.Finding, src []byte) {
	t.Helper()
	lines := bytes.Count(src, []byte("\n")) + bytes.Count(src, []byte("\r")) + 1
	for _, p := range places(f) {
		if p.file != "a.py" || p.first < 1 || p.last > lines {
			t.Errorf("%s rests on %+v, of %d lines", f.Rule, p, lines)
		}
	}
}
