package main

import (
	"context"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kvrace/kvrace/parser/source"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/config"
)

// FuzzCheck takes bytes the whole way to each report with the real analysis, and,
// since that takes ten times as long, with schedules and patches only when it fuzzes
// or large input is wanted. Nothing may panic, and every position must lie in the
// file.
func FuzzCheck(f *testing.F) {
	seeds, err := filepath.Glob("../../rules/*/testdata/*.py")
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range seeds {
		src, err := os.ReadFile(seed)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(src)
	}
	f.Add([]byte("\xef\xbb\xbfclass A(A): pass\r\nimport a\r"))
	f.Add([]byte("def f(: \x00\xff # kvrace: ignore[KV101]"))
	dir := f.TempDir()
	var outputs []output
	if flag.Lookup("test.fuzz").Value.String() != "" || os.Getenv(largeVar) != "" {
		for _, format := range report.Formats {
			outputs = append(outputs, output{format: format}) // some show patches
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		name := filepath.Join(dir, "a.py")
		if err := os.WriteFile(name, src, 0o666); err != nil {
			t.Fatal(err)
		}
		p, problems := source.Load(context.Background(), []string{name}, source.Options{Root: dir, Alone: true})
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		c := config.Default()
		c.Confidence = report.Possible
		s := &session{env: &environment{backend: production(), stderr: io.Discard}, flags: &checkFlags{noReplay: true}, config: c, program: p, outputs: outputs}
		run, err := s.analyze(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range run.Errors {
			if strings.Contains(e.Message, "internal error") {
				t.Error(e)
			}
		}
		for i := range run.Findings {
			checkPlaces(t, &run.Findings[i], src)
		}
		for _, format := range report.Formats {
			if err := format.Write(io.Discard, run); err != nil {
				t.Errorf("%s: %v", format.Name, err)
			}
		}
	})
}

func checkPlaces(t *testing.T, f *report.Finding, src []byte) {
	t.Helper()
	lines := len(src) + 1 // more than there are
	for _, p := range places(f) {
		if p.file != "a.py" || p.first < 1 || p.last > lines {
			t.Errorf("%s rests on %+v", f.Rule, p)
		}
	}
}
