package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/kvrace/kvrace/report"
)

// largeVar names the environment variable that makes tests take input of full
// size.
const largeVar = "KVRACE_LARGE"

// hostile is how long one hostile input may take, on a busy machine.
const hostile = 2 * time.Minute

// scaled returns the size of an input.
func scaled(small, large int) int {
	if os.Getenv(largeVar) != "" {
		return large
	}
	return small
}

// largeOr returns what is wanted of an input of full size, or of a smaller one.
func largeOr(small, large string) string {
	if os.Getenv(largeVar) != "" {
		return large
	}
	return small
}

// checkBounded checks a tree with the real analysis, and fails if that takes too
// long. It returns what is printed.
func checkBounded(t *testing.T, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	env := &environment{stdin: strings.NewReader(""), stdout: &out, stderr: &errs, backend: production()}
	root := newRoot(env)
	root.SetArgs(append([]string{"check", "--isolated", "--no-cache", "--format", "text"}, args...))
	ctx, cancel := context.WithTimeout(context.Background(), hostile)
	defer cancel()
	start := time.Now()
	var memory, after runtime.MemStats
	runtime.ReadMemStats(&memory)
	done := make(chan error, 1)
	go func() { done <- root.ExecuteContext(ctx) }()
	select {
	case err := <-done:
		if err != nil && !errors.Is(err, errFindings) && !errors.Is(err, errReported) {
			t.Errorf("check: %v", err)
		}
	case <-time.After(hostile):
		t.Fatalf("not done after %v", hostile)
	}
	runtime.ReadMemStats(&after)
	t.Logf("%v, %d MB allocated, %d MB from the system", time.Since(start).Round(time.Millisecond), (after.TotalAlloc-memory.TotalAlloc)>>20, after.Sys>>20)
	return out.String(), errs.String()
}

// worker is a class with a container that a thread works on, and room for methods.
const worker = `import threading

class Worker:
    def __init__(self):
        self.jobs = {}
        self.state = {}
        threading.Thread(target=self.loop).start()

    def poll(self, k):
        return self.state.get(k)

`

func TestHostilePrograms(t *testing.T) {
	tests := []struct {
		name string
		src  func() string
		want string // in what is printed, errors included
	}{
		{"classes in a cycle", func() string {
			return "import threading\n" +
				"class A(C):\n    def f(self, k):\n        self.a.pop(k)\n" +
				"class B(A):\n    def __init__(self):\n        self.a = {}\n        threading.Thread(target=self.f).start()\n" +
				"class C(B):\n    def g(self, k):\n        self.a[k] = 1\n"
		}, "analyzed"},
		{"a long line of bases", func() string {
			var b strings.Builder
			b.WriteString(worker + "    def loop(self):\n        self.jobs.pop(1)\n\n")
			last := "Worker"
			for i := range scaled(500, 2_000) {
				fmt.Fprintf(&b, "class W%d(%s):\n    def m%d(self, k):\n        self.jobs.pop(k)\n", i, last, i)
				last = fmt.Sprint("W", i)
			}
			return b.String()
		}, "analyzed"},
		{"methods that call each other", func() string {
			var b strings.Builder
			b.WriteString(worker + "    def loop(self):\n        self.m0(1)\n\n")
			n := 2_000
			for i := range n {
				fmt.Fprintf(&b, "    def m%d(self, k):\n        if k in self.jobs:\n            self.m%d(k)\n        self.jobs.pop(k, None)\n        self.m%d(k)\n        self.m%d(k)\n\n",
					i, (i+1)%n, (i*7+3)%n, (i*13+5)%n)
			}
			return b.String()
		}, "only in part"},
		{"a function of branches", func() string {
			var b strings.Builder
			b.WriteString(worker + "    def loop(self):\n        while True:\n            k = self.take()\n")
			for i := range scaled(120, 50_000) {
				fmt.Fprintf(&b, "            if k in self.jobs and self.state.get(k) == %d:\n                self.jobs.pop(k)\n                self.state[k] = %d\n", i, i+1)
			}
			return b.String()
		}, largeOr("analyzed", "a.py:12:5: Worker.loop has too many branches and accesses: KV")},
		{"containers", func() string {
			var b strings.Builder
			b.WriteString("import threading\n\nclass Worker:\n    def __init__(self):\n        threading.Thread(target=self.loop).start()\n")
			n := scaled(100, 10_000)
			for i := range n {
				fmt.Fprintf(&b, "        self.c%d = {}\n", i)
			}
			b.WriteString("    def loop(self):\n        while True:\n            k = take()\n")
			for i := range n {
				fmt.Fprintf(&b, "            self.c%d.pop(k, None)\n", i)
			}
			for i := range n {
				fmt.Fprintf(&b, "    def put%d(self, k):\n        self.c%d[k] = 1\n", i, i)
			}
			return b.String()
		}, "analyzed"},
		{"threads", func() string {
			var b strings.Builder
			b.WriteString("import threading\n\nclass Worker:\n    def __init__(self):\n        self.jobs = {}\n        self.state = {}\n")
			n := scaled(70, 300)
			for i := range n {
				fmt.Fprintf(&b, "        threading.Thread(target=self.loop%d).start()\n", i)
			}
			for i := range n {
				fmt.Fprintf(&b, "    def loop%d(self):\n        while True:\n            k = take()\n            if k in self.jobs:\n                self.state[k] = %d\n                self.jobs.pop(k)\n", i, i)
			}
			return b.String()
		}, "KV201"},
		{"classes that hold each other", func() string {
			var b strings.Builder
			b.WriteString("import threading\n")
			n := scaled(7, 8) // with methods of the same names, most of what each class runs is cut off
			for i := range n {
				fmt.Fprintf(&b, "\nclass C%d:\n    def __init__(self", i)
				for j := range n {
					if j != i {
						fmt.Fprintf(&b, ", c%d: 'C%d'", j, j)
					}
				}
				b.WriteString("):\n        self.d = {}\n        threading.Thread(target=self.run).start()\n")
				for j := range n {
					if j != i {
						fmt.Fprintf(&b, "        self.c%d = c%d\n", j, j)
					}
				}
				b.WriteString("    def run(self):\n        while True:\n            self.step('k')\n" +
					"    def step(self, k):\n        if k in self.d:\n")
				for j := i + 1; j < i+4; j++ {
					fmt.Fprintf(&b, "            self.c%d.step(k)\n", j%n)
				}
				b.WriteString("            x = self.d[k]\n            del self.d[k]\n            return x\n        self.d[k] = 1\n")
			}
			return b.String()
		}, "KV201"},
		{"a chain of elif", func() string {
			var b strings.Builder
			b.WriteString(worker + "    def loop(self):\n        while True:\n            k = self.take()\n            if k is None:\n                continue\n")
			for i := range scaled(150, 800) {
				fmt.Fprintf(&b, "            elif k in self.jobs and self.state.get(k) == %d:\n                self.jobs.pop(k)\n                self.state[k] = %d\n", i, i+1)
			}
			return b.String()
		}, "KV101"},
		{"imports in a cycle", func() string {
			return "from a import *\nfrom a import x as y, y as x\nimport a.b.c as a\nclass A(x.y.z, a): \n    def f(self, k):\n        self.d.pop(k)\n"
		}, "analyzed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "a.py"), []byte(tt.src()), 0o666); err != nil {
				t.Fatal(err)
			}
			stdout, stderr := checkBounded(t, dir)
			if !strings.Contains(stdout+stderr, tt.want) {
				t.Errorf("%q is not in the output, which ends with %q; errors %q", tt.want, last(stdout), stderr)
			}
			if strings.Contains(stderr, "internal error") {
				t.Error(stderr)
			}
		})
	}
}

// last returns the end of a text.
func last(s string) string { return s[max(0, len(s)-200):] }

func TestHostileTree(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("racy.py", worker+"    def loop(self):\n        for k in self.jobs:\n            self.state.pop(k)\n    def add(self, k):\n        self.jobs[k] = 1\n")
	write("bytes.py", "\xff\xfe\x00 self.d.pop(k)\n")
	write("sparse.py", "")
	if err := os.Truncate(filepath.Join(dir, "sparse.py"), 1<<30); err != nil {
		t.Fatal(err)
	}
	for i := range scaled(300, 100_000) {
		write(fmt.Sprintf("tiny%d/t%d.py", i/1000, i), "x.pop(k)\n")
	}
	write("deep"+strings.Repeat("/d", 900)+"/deep.py", "self.d.pop(k)\n")
	makeSpecial(t, filepath.Join(dir, "pipe.py"))
	if err := os.Symlink("..", filepath.Join(dir, "deep", "loop")); err != nil {
		t.Log(err)
	}
	growing, err := os.Create(filepath.Join(dir, "growing.py"))
	if err != nil {
		t.Fatal(err)
	}
	stop := make(chan bool)
	stopped := make(chan bool)
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
				io.WriteString(growing, "self.d.pop(k)\n")
			}
		}
	}()
	stdout, stderr := checkBounded(t, dir)
	close(stop)
	<-stopped
	growing.Close()
	if !strings.Contains(stdout, "KV202") {
		t.Errorf("the finding is not there: %q", last(stdout))
	}
	if !strings.Contains(stderr, "sparse.py:1:1: file too large") || !strings.Contains(stderr, "bytes.py:1:1") {
		t.Errorf("errors %q", stderr)
	}
}

// TestDeepFolders has more folders in each other than a path has room for.
func TestDeepFolders(t *testing.T) {
	dir := t.TempDir()
	deepest := makeDeep(t, dir, 10_000)
	racy := []byte(worker + "    def loop(self):\n        for k in self.jobs:\n            self.state.pop(k)\n    def add(self, k):\n        self.jobs[k] = 1\n")
	names := []string{"d/a.py", "d/d/d/d/a.py", "first.py", "last.py"}
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), racy, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := deepest.WriteFile("a.py", racy, 0o666); err != nil {
		t.Fatal(err)
	}
	stdout, stderr := checkBounded(t, dir)
	for _, name := range names {
		if !strings.Contains(stdout, name+":13:") {
			t.Errorf("there is no finding in %s: %q", name, last(stdout))
		}
	}
	if runtime.GOOS == "windows" {
		return // a path has room for more there
	}
	first, rest, _ := strings.Cut(strings.TrimSpace(stderr), "\n")
	if rest != "" || !strings.HasPrefix(first, "d/d/d/d/") || !strings.HasSuffix(first, "/d:1:1: file name too long") {
		t.Errorf("errors are %d bytes, %.20q to %q, and %q; want the folder with a name that is too long", len(stderr), first, last(first), rest)
	}
}

// makeDeep makes folders called d in each other, down to a depth, and returns the last
// one.
func makeDeep(t *testing.T, dir string, depth int) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(dir)
	for i := 0; i < depth && err == nil; i++ {
		if err = root.Mkdir("d", 0o777); err != nil {
			break
		}
		part := root
		root, err = part.OpenRoot("d")
		if i%200 != 0 {
			part.Close()
			continue
		}
		t.Cleanup(func() { // in parts: what removes a folder has a file open for each level
			if err := part.RemoveAll("d"); err != nil {
				t.Error(err)
			}
			part.Close()
		})
	}
	if err != nil {
		t.Skip("there are no folders of that depth here: ", err)
	}
	t.Cleanup(func() { root.Close() })
	return root
}

// escape is what a terminal would obey, and what reorders text.
const escape = "\x1b]0;title\x07\x1b[2J\u009b31m\u202e"

// TestTerminalEscapes runs all commands on files whose names and sources hold
// escapes, and with such arguments. What is written elsewhere, as by --output, is
// what the formats write here; a diff that is not for a terminal has to apply, so
// that of --diff is tested in a script.
func TestTerminalEscapes(t *testing.T) {
	dir := t.TempDir()
	hostile := func(name string) string { // in a file name
		if runtime.GOOS == "windows" {
			return filepath.Join(dir, name)
		}
		return filepath.Join(dir, "\x1b[31m"+name)
	}
	racy, broken, none := hostile("a.py"), hostile("b.py"), hostile("c.py")
	src := worker + "    def loop(self):\n        for k in self.jobs:  # " + escape + "\n            self.state.pop('" + escape + "', k)\n            self.jobs['" + escape + "'].clear()\n" +
		"    def add(self, k):\n        self.jobs[k] = 1\n"
	pinned := pinnedProgram(t)
	files := map[string]string{
		racy: src, broken: "def f(" + escape + ":\n    'x" + escape + "\n", filepath.Join(dir, "bad.toml"): "select = [\"" + `\u001b[2J` + "\"]\n",
		filepath.Join(dir, "worse.toml"): "\"" + `\u001b[2J` + "\" = 1\n" + escape,
	}
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	loop := strings.Count(worker, "\n") + 2 // where the container is iterated
	tests := [][]string{
		{"check", "--isolated", "-v", "--statistics", racy, broken, none},
		{"check", "--isolated", "--why", fmt.Sprintf("%s:%d", racy, loop)},
		{"check", "--isolated", "--why", fmt.Sprintf("%s:%d", racy, loop+1)},
		{"check", "--isolated", "--why", none + ":1"},
		{"check", "--isolated", "--since", escape, dir},
		{"check", "--isolated", "--baseline", none, dir},
		{"check", "--isolated", "--select", escape, dir},
		{"check", "--isolated", "--exclude", "[" + escape, dir},
		{"check", "--isolated", "--output", filepath.Join(none, "x"), racy},
		{"check", "--config", none, dir},
		{"check", "--config", filepath.Join(dir, "bad.toml"), dir},
		{"check", "--config", filepath.Join(dir, "worse.toml"), dir},
		{"check", "--" + escape},
		{"audit", "--isolated", "--format", escape, racy},
		{"config", "--isolated", escape},
		{"config", "--config", filepath.Join(dir, "bad.toml")},
		{"explain", escape},
		{"help", escape},
		{"map", "--isolated", "--container", escape, racy},
		{"parse", racy, broken, none},
		{"replay-programs", escape},
		{"repro", "--isolated", escape, racy},
		{"repro", "--isolated", "--root", pinned, "--all", hostile("made"), pinned},
		{"repro", "--isolated", "--root", pinned, theFingerprint(t, pinned), pinned},
		{"rules", escape},
		{"version", escape},
		{"completion", escape},
		{escape},
	}
	for _, format := range report.Formats {
		tests = append(tests, []string{"check", "--isolated", "--color", "never", "--format", format.Name, racy, broken, none})
	}
	for _, format := range report.AuditFormats {
		tests = append(tests, []string{"audit", "--isolated", "--format", format.Name, racy, broken, none})
	}
	for _, format := range report.MapFormats {
		tests = append(tests, []string{"map", "--isolated", "--format", format.Name, racy, broken, none})
	}
	tried := map[string]bool{}
	for _, args := range tests {
		tried[args[0]] = true
		var out bytes.Buffer
		env := &environment{stdin: strings.NewReader(""), stdout: &out, stderr: &out, backend: production()}
		root := newRoot(env)
		root.SetArgs(args)
		if err := root.Execute(); err != nil && !errors.Is(err, errFindings) && !errors.Is(err, errReported) {
			printError(&out, err)
		}
		if len(args) > 5 && args[0] == "check" && args[4] == "--format" && args[5] != "json" && !strings.Contains(out.String(), "KV202") {
			t.Errorf("%q: the finding is not there: %s", args, out.Bytes())
		}
		if out.Len() == 0 && args[0] != "replay-programs" {
			t.Errorf("%q prints nothing", args)
		}
		for _, r := range out.String() {
			if r < ' ' && r != '\n' && r != '\t' && r != '\r' || 0x7f <= r && r < 0xa0 || r == '\u202e' {
				t.Errorf("%q prints %q", args, r)
				break
			}
		}
	}
	for _, cmd := range newRoot(&environment{backend: production()}).Commands() {
		if !tried[cmd.Name()] {
			t.Errorf("%s is not tried", cmd.Name())
		}
	}
}

// pinnedProgram writes the program of testdata/silentpin with escapes in it, and
// returns the folder.
func pinnedProgram(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../testdata")); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "silentpin", "rail", "conn.py")
	src, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	made := strings.NewReplacer(`"ABORT"`, `"AB`+escape+`ORT"`, `"aborted`, `"`+escape+`aborted`, "\n\n", "  # "+escape+"\n\n").Replace(string(src))
	if err := os.WriteFile(name, []byte(made), 0o666); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "silentpin")
}

// theFingerprint returns that of a finding of the program that can be replayed.
func theFingerprint(t *testing.T, dir string) string {
	t.Helper()
	out := realRun(t, "check", "--isolated", "--root", dir, "--format", "json", "--confidence", "confirmed", dir)
	m := regexp.MustCompile(`"fingerprint": "(\w+)"`).FindSubmatch(out)
	if m == nil {
		t.Fatalf("nothing is confirmed: %s", out)
	}
	return string(m[1])
}

func TestSameForAnyOrder(t *testing.T) {
	dir := t.TempDir()
	fixtures, err := filepath.Glob("../../rules/*/testdata/*.py")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for i, fixture := range fixtures {
		if i%9 != 0 && os.Getenv(largeVar) == "" {
			continue
		}
		src, err := os.ReadFile(fixture)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(dir, fmt.Sprintf("f%d_%s", i, filepath.Base(fixture)))
		if err := os.WriteFile(name, src, 0o666); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	args := func(more ...string) []string {
		return append([]string{"check", "--isolated", "--root", dir, "--format", "json", "--confidence", "possible"}, more...)
	}
	want := withoutTime(realRun(t, args("-j1", dir)...))
	if bytes.Count(want, []byte(`"rule"`)) < 10 {
		t.Fatalf("too few findings: %s", want)
	}
	rotated := append(append([]string{}, names[len(names)/3:]...), names[:len(names)/3]...)
	for i, j := 0, len(rotated)-1; i < j; i, j = i+2, j-2 {
		rotated[i], rotated[j] = rotated[j], rotated[i]
	}
	for _, list := range [][]string{{"-j2", dir}, {"-j8", dir}, append([]string{"-j1"}, rotated...), append([]string{"-j8"}, rotated...)} {
		if got := withoutTime(realRun(t, args(list...)...)); !bytes.Equal(got, want) {
			t.Errorf("check %.60v gives another report", list)
		}
	}
}

// withoutTime cuts the elapsed time from a report in JSON.
func withoutTime(report []byte) []byte {
	before, _, _ := bytes.Cut(report, []byte(`"wall_ms"`))
	return before
}
