package replay_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kvrace/kvrace/parser"
	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/rules/witness"
	"github.com/kvrace/kvrace/rules/witness/replay"
)

// serve makes the test binary the child process.
const serve = "serve-programs"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == serve {
		if err := replay.Serve(os.Stdin, os.Stdout); err != nil {
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// stage is what the interpreter looks for in a program.
const stage = `
class Stage:
    pass
STAGE = Stage()
STAGE.log = ["step"]
STAGE.skipped = []
STAGE.done = 3
`

// A program that never ends, or takes the process down, costs its own answer and
// no other; none gets hold of a file or a module.
func TestChild(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, program, wrong, err string }{
		{"fails", stage + "def replay():\n    return 'it is wrong'\n", "it is wrong", ""},
		{"endless", stage + "def replay():\n    while True:\n        pass\n", "", "did not end"},
		{"passes", stage + "def replay():\n    return ''\n", "", ""},
		{"recursion", stage + "def f(n):\n    return f(n + 1)\ndef replay():\n    return f(0)\n", "", "did not end"},
		{"syntax", "def\n", "", "does not compile"},
		{"raises", stage + "def replay():\n    raise KeyError(7)\n", "", "fails"},
		{"import", "import os\n" + stage + "def replay():\n    return ''\n", "", "does not load"},
		{"open", stage + "def replay():\n    open('x', 'w')\n", "", "fails"},
		{"no answer", stage + "def replay():\n    return 7\n", "", "gives no answer"},
		{"bound", stage + "def replay():\n    return 'bound reached'\n", "", "bound on steps"},
		{"last", stage + "def replay():\n    return 'last'\n", "last", ""},
	}
	var programs []string
	for _, tt := range tests {
		programs = append(programs, tt.program)
	}
	child := replay.Child{Path: self, Args: []string{serve}, Limit: 4 * time.Second}
	outcomes, err := child.Run(context.Background(), programs)
	if err != nil {
		t.Fatal(err)
	}
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := outcomes[i]
			if o.Wrong != tt.wrong || tt.err == "" && o.Err != "" || !strings.Contains(o.Err, tt.err) {
				t.Errorf("got %+v, want wrong %q and error %q", o, tt.wrong, tt.err)
			}
			if o.Err == "" && (len(o.Log) != 1 || o.Done != 3) {
				t.Errorf("log %q, %d steps", o.Log, o.Done)
			}
		})
	}
}

func TestChildThatIsNone(t *testing.T) {
	child := replay.Child{Path: "/bin/false"}
	if _, err := os.Stat(child.Path); err != nil {
		t.Skip(err)
	}
	if _, err := child.Run(context.Background(), []string{"x"}); err == nil {
		t.Error("no error from a command that executes nothing")
	}
}

// The containers of a reproducer behave as those of Python do, exceptions
// included.
func TestContainers(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		if os.Getenv("KVRACE_TOOLS") == "required" {
			t.Fatalf("KVRACE_TOOLS=required: %v", err)
		}
		t.Skip(err)
	}
	var source []byte
	for _, name := range []string{"prelude.py", "runtime.py"} {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		source = append(source, b...)
	}
	cmd := exec.Command("python3", filepath.FromSlash("testdata/containers.py"))
	cmd.Stdin = bytes.NewReader(source)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// problems returns questions about a module that have many answers: whether a
// thread dies, and whether a key stays in a container.
func problems(p *flow.Program) []witness.Problem {
	var locs []*flow.Location
	for _, l := range p.Locations {
		if l.Outer == nil && len(locs) < 6 {
			locs = append(locs, l)
		}
	}
	kind := func(e *flow.Entry) witness.Hook {
		switch e.Func.Name {
		case "poll":
			return witness.PollHook
		case "abort":
			return witness.AbortHook
		case "clear":
			return witness.ClearHook
		}
		return witness.PlainHook
	}
	actors := witness.Actors(p, locs, kind)
	return []witness.Problem{
		{Property: witness.NoThreadDeath, Actors: actors, Track: locs},
		{Property: witness.NoRemains, Actors: actors, Track: locs, Watch: locs},
		{Property: witness.NoPin, Actors: actors, Track: locs},
	}
}

// FuzzWrite writes the schedules of arbitrary modules: that never panics, and a
// program that is written compiles, ends, and does not fail for a reason of its
// own.
func FuzzWrite(f *testing.F) {
	files, err := filepath.Glob("../../*/testdata/*_racy.py")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		m, err := parser.ParseFile("m.py", src, parser.Options{})
		if err != nil || len(src) > 20_000 {
			return
		}
		prog := flow.Build(program.New([]*ast.Module{m}))
		for _, p := range problems(prog) {
			r := witness.Search(p, witness.Bound{States: 300})
			if r.Verdict != witness.Found {
				continue
			}
			s, err := replay.NewScript(p, r)
			var out *replay.Program
			if err == nil {
				out, err = s.Original(prog)
			}
			if err != nil {
				if strings.Contains(err.Error(), "internal error") {
					t.Errorf("%v\n%s", err, src)
				}
				continue
			}
			done := make(chan replay.Outcome, 1)
			go func() { done <- replay.Execute(out.Source) }()
			select {
			case o := <-done:
				if strings.Contains(o.Err, "compile") || strings.Contains(o.Err, "load") || strings.Contains(o.Err, "gave up") {
					t.Errorf("%s\n%s", o.Err, src)
				}
			case <-time.After(20 * time.Second):
				t.Fatalf("the program does not end\n%s", src)
			}
		}
	})
}

// Whatever a file is called, and whatever its strings hold, it puts no statement
// of its own into a program.
func TestHostileNames(t *testing.T) {
	files, err := filepath.Glob("../../*/testdata/*_racy.py")
	if err != nil {
		t.Fatal(err)
	}
	name := "a\nraise SystemExit(7)\n#\u2028.py"
	written := 0
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		m, err := parser.ParseFile(name, src, parser.Options{})
		if err != nil {
			t.Fatal(err)
		}
		prog := flow.Build(program.New([]*ast.Module{m}))
		for _, p := range problems(prog) {
			r := witness.Search(p, witness.Bound{States: 300})
			s, err := replay.NewScript(p, r)
			if err != nil {
				continue
			}
			out, err := s.Original(prog)
			if err != nil {
				continue
			}
			written++
			text := out.With(replay.Header{Finding: name, Message: name, ID: name, Patch: name, Trust: []string{name}})
			for line := range strings.Lines(text) {
				if strings.HasPrefix(line, "raise") || strings.ContainsFunc(line, func(r rune) bool { return r > '~' }) {
					t.Errorf("a line of the program is %q", line)
				}
			}
		}
	}
	if written < 50 {
		t.Errorf("%d programs were written", written)
	}
}
