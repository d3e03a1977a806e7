package checker

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	facts "github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/parser/facts/syntax"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/rule"
)

// fragile is a fact that panics for files with the word boom.
var fragile = &analysis.Analyzer{
	Name: "fragile", Doc: "panic", Requires: []*analysis.Analyzer{facts.Analyzer}, ResultType: reflect.TypeFor[int](),
	Run: func(pass *analysis.Pass) (any, error) {
		for _, m := range pass.ResultOf[facts.Analyzer].(*facts.Program).Modules {
			if bytes.Contains(m.AST.Source, []byte("boom")) {
				panic("cannot bear " + m.File)
			}
		}
		return 0, nil
	},
}

// perFile is a rule that finds something in each file.
var perFile = &rule.Rule{ID: "KV999", Name: "per-file", Doc: "Package perfile: x.\n\ny", Analyzer: &analysis.Analyzer{
	Name: "perfile", Doc: "find", Requires: []*analysis.Analyzer{fragile, facts.Analyzer}, ResultType: rule.FindingsType,
	Run: func(pass *analysis.Pass) (any, error) {
		var out []rule.Finding
		for _, m := range pass.ResultOf[facts.Analyzer].(*facts.Program).Modules {
			out = append(out, rule.Finding{Place: rule.At(m, m.AST.Body[0]), Message: "found"})
		}
		return out, nil
	},
}}

func TestPanicLeavesOutFile(t *testing.T) {
	tests := []struct {
		bad  []int // of 20 files
		fail bool
	}{
		{bad: []int{}}, {bad: []int{0}}, {bad: []int{19}}, {bad: []int{7, 8}}, {bad: []int{0, 10, 19}}, {bad: []int{1, 2, 3, 4, 5, 6, 7}, fail: true},
	}
	for _, tt := range tests {
		opt := Options{Rules: []*rule.Rule{perFile}, Overlay: map[string][]byte{}}
		var names []string
		for i := range 20 {
			name := fmt.Sprintf("f%02d.py", i)
			src := "x = 1\n"
			if slices.Contains(tt.bad, i) {
				src = "boom = 1\n"
				names = append(names, name)
			}
			opt.Files = append(opt.Files, File{Name: name})
			opt.Overlay[name] = []byte(src)
		}
		run, err := Run(context.Background(), opt)
		if tt.fail != (err != nil) {
			t.Errorf("%v: error %v", tt.bad, err)
		}
		if err != nil {
			continue
		}
		if got := len(run.Findings); got != 20-len(tt.bad) {
			t.Errorf("%v: %d findings", tt.bad, got)
		}
		var left []string
		for _, e := range run.Errors {
			left = append(left, e.File)
			if !strings.Contains(e.Message, "cannot bear "+e.File) || !strings.Contains(e.Message, "please report it") {
				t.Errorf("%v: the error is %q", tt.bad, e.Message)
			}
		}
		slices.Sort(left)
		if !slices.Equal(left, names) {
			t.Errorf("%v: left out %v", tt.bad, run.Errors)
		}
	}
}

func TestPanicWithoutCulprit(t *testing.T) {
	always := &rule.Rule{ID: "KV998", Doc: "Package x: x.\n\ny", Analyzer: &analysis.Analyzer{
		Name: "always", Doc: "panic", Requires: []*analysis.Analyzer{syntax.Analyzer}, ResultType: rule.FindingsType,
		Run: func(*analysis.Pass) (any, error) { panic("always") },
	}}
	opt := Options{Rules: []*rule.Rule{always}, Files: []File{{Name: "a.py"}, {Name: "b.py"}}, Overlay: map[string][]byte{"a.py": nil, "b.py": nil}}
	if _, err := Run(context.Background(), opt); err == nil {
		t.Error("no error")
	}
}

func TestGuard(t *testing.T) {
	var f failures
	f.guard("a.py", "working", func() { panic("boom") })
	want := []report.Error{{File: "a.py", Message: "internal error while working: boom; please report it"}}
	if !reflect.DeepEqual(f.errs, want) {
		t.Errorf("errors %v", f.errs)
	}
}
