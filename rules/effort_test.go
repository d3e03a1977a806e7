package rules_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules"
	"github.com/kvrace/kvrace/rules/checker"
)

// branching is a class whose thread has many branches on its containers.
func branching(class string, branches int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "import threading\n\nclass %s:\n    def __init__(self):\n        self.jobs = {}\n        self.state = {}\n", class)
	b.WriteString("        threading.Thread(target=self.loop).start()\n\n    def add(self, k):\n        self.jobs[k] = 1\n\n    def loop(self):\n        while True:\n            k = self.take()\n")
	for i := range branches {
		fmt.Fprintf(&b, "            if k in self.jobs and self.state.get(k) == %d:\n                self.jobs.pop(k)\n                self.state[k] = %d\n", i, i+1)
	}
	return b.String()
}

// What is too much work is told, the same for any number of workers, and costs the
// findings of nothing else.
func TestWorkIsBounded(t *testing.T) {
	files := map[string]string{"large.py": branching("Large", 60), "small.py": branching("Small", 3)}
	opt := checker.Options{Rules: rules.All, NoPatches: true, NoWitness: true, Overlay: map[string][]byte{}}
	for name, src := range files {
		opt.Files = append(opt.Files, checker.File{Name: name})
		opt.Overlay[name] = []byte(src)
	}
	slices.SortFunc(opt.Files, func(a, b checker.File) int { return strings.Compare(a.Name, b.Name) })
	check := func(work int64, workers int) *report.Run {
		opt.MaxWork, opt.Workers = work, workers
		run, err := checker.Run(context.Background(), opt)
		if err != nil {
			t.Fatal(err)
		}
		return run
	}
	in := func(run *report.Run, file string) []report.Finding {
		return slices.DeleteFunc(slices.Clone(run.Findings), func(f report.Finding) bool { return f.File != file })
	}
	whole := check(0, 1)
	if len(whole.Errors) > 0 || len(in(whole, "large.py")) == 0 || len(in(whole, "small.py")) == 0 {
		t.Fatalf("with the default bound: %d findings, errors %v", len(whole.Findings), whole.Errors)
	}
	const want = "Large.loop has too many branches and accesses: KV"
	for _, work := range []int64{600_000, 200_000} {
		one := check(work, 1)
		if len(one.Errors) != 1 || one.Errors[0].File != "large.py" || one.Errors[0].Line != 12 || one.Errors[0].Column != 5 || !strings.HasPrefix(one.Errors[0].Message, want) {
			t.Errorf("%d steps: errors %v, want %q", work, one.Errors, want)
		}
		if got := len(in(one, "large.py")); got >= len(in(whole, "large.py")) {
			t.Errorf("%d steps: %d findings that are not decided", work, got)
		}
		if diff := cmp.Diff(in(whole, "small.py"), in(one, "small.py")); diff != "" {
			t.Errorf("%d steps: the findings in another class differ:\n%s", work, diff)
		}
		for _, workers := range []int{2, 8} {
			many := check(work, workers)
			if diff := cmp.Diff(one.Findings, many.Findings) + cmp.Diff(one.Errors, many.Errors); diff != "" {
				t.Errorf("%d steps: another result with %d workers:\n%s", work, workers, diff)
			}
		}
	}
}

// threads is a class whose threads all have the same race.
func threads(n int) string {
	var b strings.Builder
	b.WriteString("import threading\n\nclass Worker:\n    def __init__(self):\n        self.jobs = {}\n        self.state = {}\n")
	for i := range n {
		fmt.Fprintf(&b, "        threading.Thread(target=self.loop%d).start()\n", i)
	}
	for i := range n {
		fmt.Fprintf(&b, "\n    def loop%d(self):\n        while True:\n            k = take()\n            if k in self.jobs:\n                self.state[k] = %d\n                self.jobs.pop(k)\n", i, i)
	}
	return b.String()
}

// Findings for which there is no work left are reported without schedules and
// patches, and so it is told.
func TestExaminedIsBounded(t *testing.T) {
	opt := checker.Options{Rules: rules.All, Overlay: map[string][]byte{"a.py": []byte(threads(4))}, Files: []checker.File{{Name: "a.py"}}}
	check := func(steps int64) (run *report.Run, examined int) {
		opt.MaxExamined = steps
		run, err := checker.Run(context.Background(), opt)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range run.Findings {
			if f.Witness != nil || len(f.Patches) > 0 {
				examined++
			}
		}
		return run, examined
	}
	whole, n := check(0)
	if len(whole.Errors) > 0 || n != len(whole.Findings) || n < 3 {
		t.Fatalf("%d of %d findings examined, errors %v", n, len(whole.Findings), whole.Errors)
	}
	for steps := int64(16); ; steps *= 2 {
		part, n := check(steps)
		if n == 0 {
			continue
		}
		if n == len(whole.Findings) {
			t.Fatalf("%d steps are enough for all findings, half of it for none", steps)
		}
		first := whole.Findings[n]
		want := fmt.Sprintf("too many findings: for %d, this one and those after it, ", len(whole.Findings)-n)
		if len(part.Errors) != 1 || len(part.Findings) != len(whole.Findings) || part.Errors[0].File != first.File ||
			part.Errors[0].Line != first.Line || part.Errors[0].Column != first.Column || !strings.HasPrefix(part.Errors[0].Message, want) {
			t.Errorf("%d findings, errors %v; want %d, one error at %s:%d: %s", len(part.Findings), part.Errors, len(whole.Findings), first.File, first.Line, want)
		}
		break
	}
}

// The check of a patch counts with what rules have cost, beside the least that each
// finding counts for.
func TestChecksAreExamined(t *testing.T) {
	src := threads(2) + strings.Repeat("            if k in self.jobs:\n                self.jobs.pop(k)\n", 30)
	opt := checker.Options{Rules: rules.All, Overlay: map[string][]byte{"a.py": []byte(src)}, Files: []checker.File{{Name: "a.py"}}}
	check := func() *report.Run {
		run, err := checker.Run(context.Background(), opt)
		if err != nil {
			t.Fatal(err)
		}
		return run
	}
	whole := check()
	for _, f := range whole.Findings {
		if len(f.Patches) == 0 {
			t.Fatalf("no patch for %s at line %d", f.Rule, f.Line)
		}
	}
	opt.MaxExamined = int64(3000 * len(whole.Findings))
	if run := check(); len(run.Errors) != 1 || !strings.HasPrefix(run.Errors[0].Message, "too many findings: ") {
		t.Errorf("errors %v; want that there are too many findings", run.Errors)
	}
	opt.NoPatches = true
	if run := check(); len(run.Errors) != 0 {
		t.Errorf("errors %v without patches; want none", run.Errors)
	}
	opt.MaxExamined--
	if run := check(); len(run.Errors) != 1 {
		t.Errorf("errors %v without patches and with one step less; want one", run.Errors)
	}
}
