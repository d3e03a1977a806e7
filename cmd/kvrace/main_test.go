package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/patch"
	"github.com/kvrace/kvrace/rules/why"
)

func TestMain(m *testing.M) {
	// The program runs itself to execute reproducers; under test that is this
	// binary, which must not run the tests again.
	if len(os.Args) > 1 && os.Args[1] == replayCommand {
		os.Exit(run(os.Args[1:], fakeBackend()))
	}
	testscript.Main(m, map[string]func(){
		"kvrace": func() {
			b := fakeBackend()
			switch os.Getenv("KVRACE_TEST_BACKEND") {
			case "production":
				b = production()
			case "caching": // whatever is analyzed
				b = production()
				b.analyze = (&runCache{analyze: b.analyze}).run
			}
			os.Exit(run(os.Args[1:], b))
		},
	})
}

// TestLive runs the scripts that are about the real analysis.
func TestLive(t *testing.T) {
	runScripts(t, "testdata/live", "KVRACE_TEST_BACKEND=production")
}

func TestScripts(t *testing.T) { runScripts(t, "testdata/script") }

func runScripts(t *testing.T, dir string, vars ...string) {
	testscript.Run(t, testscript.Params{
		Dir:                 dir,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Vars = append(env.Vars, vars...)
			examples, err := filepath.Abs(filepath.FromSlash("../../testdata"))
			if err != nil {
				return err
			}
			env.Setenv("EXAMPLES", examples)
			if home := os.Getenv("PYENV_ROOT"); home != "" { // for its python3
				env.Setenv("PYENV_ROOT", home)
			}
			env.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
			env.Setenv("GIT_CONFIG_SYSTEM", os.DevNull)
			for _, who := range []string{"AUTHOR", "COMMITTER"} {
				env.Setenv("GIT_"+who+"_NAME", "t")
				env.Setenv("GIT_"+who+"_EMAIL", "t@example.com")
			}
			return nil
		},
		Condition: func(cond string) (bool, error) {
			if cond == "root" {
				return os.Geteuid() == 0, nil
			}
			return false, fmt.Errorf("unknown condition %s", cond)
		},
	})
}

// fakeBackend is an analysis whose findings stand in the program: a line
//
//	fault(KV101, k)            is a finding whose patch makes it fixed(k)
//	fault(KV101, k, review)    likewise, with a patch that needs review
//	fault(KV101, k, broken)    likewise, with a patch that makes a new fault
//	fault(KV101, k, x.py:3)    rests on line 3 of x.py too
//	fault(KV101, k, possible)  is not sure
//	fault(KV101, k, named)     has a fingerprint that depends on the file
//	syntax error               is an error
//	hang()                     stops the analysis for ever, deaf to interrupts
//	flood()                    stands for so many findings that a report takes long
//	append(a.py), remove(b.py) changes a file on disk, once
func fakeBackend() backend {
	return backend{
		rules: []report.Rule{
			{ID: "KV101", Name: "conditional-cleanup", Summary: "a request is left behind", Doc: "The page of KV101.\n"},
			{ID: "KV201", Name: "check-then-act", Severity: report.SeverityWarning, Summary: "two steps", Doc: "The page of KV201.\n"},
		},
		analyze:    fakeAnalyze,
		maps:       true,
		reproduces: true,
		explain: func(_ context.Context, _ request, file string, line int) (*why.Account, error) {
			return &why.Account{File: file, Line: line}, nil
		},
	}
}

var fault = regexp.MustCompile(`fault\((KV\d+), (\w+)(?:, ([\w.:]+))?\)`)

// message returns an error of the file system without operation and path.
func message(err error) string {
	if pe, ok := errors.AsType[*os.PathError](err); ok {
		return pe.Err.Error()
	}
	return err.Error()
}

var mischief = regexp.MustCompile(`^(append|remove)\(([\w.]+)\)`)

// makeMischief changes a file behind the program's back.
func makeMischief(what, name string) {
	if what == "remove" {
		os.Remove(name)
		return
	}
	if src, err := os.ReadFile(name); err == nil && !bytes.Contains(src, []byte("someone else")) {
		os.WriteFile(name, append(src, "# by someone else\n"...), 0o666)
	}
}

func fakeAnalyze(ctx context.Context, req request) (*report.Run, error) {
	run := &report.Run{Version: report.SchemaVersion, Sources: map[string][]byte{}, Findings: []report.Finding{}}
	for i := range req.Program.Files {
		name := req.Program.Files[i].Name
		src, ok := req.Overlay[name]
		if !ok {
			var err error
			if src, err = req.Program.Read(i); err != nil {
				if req.Targets == nil || req.Targets[name] {
					run.Errors = append(run.Errors, report.Error{File: name, Line: 1, Column: 1, Message: message(err)})
				}
				continue
			}
		}
		if req.Observe != nil {
			req.Observe(i, src)
		}
		run.Stats.Files++
		run.Stats.Bytes += int64(len(src))
		fakeFile(run, req, name, src)
	}
	if req.Maps {
		run.Maps = fakeMaps()
	}
	return run, ctx.Err()
}

// fakeMaps returns two key groups, of which the second has two containers.
func fakeMaps() []report.KeyGroup {
	access := func(line int, kind report.AccessKind, key, by string) report.Access {
		return report.Access{Location: report.Location{File: "a.py", Line: line, Column: 5}, Kind: kind, Key: key, Function: by, Entrypoints: []string{by}}
	}
	return []report.KeyGroup{
		{Component: "Manager", Key: "peer", Containers: []report.Container{
			{Name: "links", Owner: "Manager", Type: "dict", Inserts: []report.Access{access(3, report.Insert, "peer", "Manager.connect")}},
		}, Entrypoints: []report.Entrypoint{{Name: "Manager.connect", Role: "hook"}}},
		{Component: "Manager", Key: "room", Containers: []report.Container{
			{Name: "jobs", Owner: "Manager", Type: "dict", Inserts: []report.Access{access(5, report.Insert, "room", "Manager.send")},
				Removals: []report.Access{access(7, report.RemoveStrict, "msg.room", "Manager.listen")}},
			{Name: "jobs[]", Owner: "Manager", Type: "list", Inserts: []report.Access{access(6, report.Insert, "", "Manager.send")}},
			{Name: "state", Owner: "Manager", Type: "dict", Reads: []report.Access{access(9, report.ReadTolerant, "room", "Sender.poll")}},
		}, Entrypoints: []report.Entrypoint{
			{Name: "Manager.send", Role: "hook"}, {Name: "Manager.listen", Role: "thread"}, {Name: "Sender.poll", Role: "hook"},
		}},
	}
}

func fakeFile(run *report.Run, req request, name string, src []byte) {
	offset := 0
	function := ""
	for i, line := range strings.SplitAfter(string(src), "\n") {
		if f, ok := strings.CutPrefix(line, "def "); ok {
			function, _, _ = strings.Cut(f, "(")
		}
		if strings.HasPrefix(line, "syntax error") {
			run.Errors = append(run.Errors, report.Error{File: name, Line: i + 1, Column: 8, Message: "invalid syntax"})
		}
		if strings.HasPrefix(line, "hang()") {
			os.Stdout.WriteString("hanging\n")
			select {}
		}
		if strings.HasPrefix(line, "flood()") {
			for n := range 200_000 {
				run.Findings = append(run.Findings, report.Finding{
					Rule: "KV101", Name: "fake", Confidence: report.Confirmed, Message: strings.Repeat("flood ", 100),
					Location: report.Location{File: name, Line: i + 1, Column: 1}, Fingerprint: fmt.Sprintf("%016x", n),
				})
			}
		}
		if m := mischief.FindStringSubmatch(line); m != nil {
			makeMischief(m[1], m[2])
		}
		if m := fault.FindStringSubmatchIndex(line); m != nil {
			f := fakeFinding(name, i+1, offset, line, m, src)
			f.Function = function
			for _, r := range f.Related {
				fakeRelated(run, req, r.File)
			}
			if fakeWanted(req, &f) {
				run.Findings = append(run.Findings, f)
				run.Sources[name] = src
			}
		}
		offset += len(line)
	}
}

// fakeRelated adds the source of a file that a finding mentions.
func fakeRelated(run *report.Run, req request, name string) {
	src, ok := req.Overlay[name]
	if i, found := req.Program.Lookup(name); !ok && found {
		src, _ = req.Program.Read(i)
	}
	run.Sources[name] = src
}

func fakeWanted(req request, f *report.Finding) bool {
	if f.Confidence < req.Config.Confidence {
		return false
	}
	return req.Targets == nil || req.Targets[f.File] ||
		slices.ContainsFunc(f.Related, func(r report.Related) bool { return req.Targets[r.File] })
}

func fakeFinding(name string, line, offset int, text string, m []int, src []byte) report.Finding {
	rule, key, arg := text[m[2]:m[3]], text[m[4]:m[5]], ""
	if m[6] >= 0 {
		arg = text[m[6]:m[7]]
	}
	if arg == "named" {
		key += name
	}
	sum := sha256.Sum256([]byte(rule + key))
	key = strings.TrimSuffix(key, name)
	loc := report.Location{File: name, Line: line, Column: m[0] + 1, EndLine: line, EndColumn: m[1] + 1}
	f := report.Finding{
		Rule: rule, Name: "fake", Confidence: report.Confirmed, Message: "fault of " + key, Location: loc, Key: key,
		Fingerprint: hex.EncodeToString(sum[:8]), Containers: []string{}, Related: []report.Related{}, Patches: []report.Patch{},
	}
	if rule == "KV201" {
		f.Severity = report.SeverityWarning
	}
	safety, text := report.SafetySafe, "fixed("+key+")"
	if key != "unreplayed" {
		f.Reproducer = "print('" + key + "')\n"
	}
	switch {
	case arg == "named":
	case arg == "possible":
		f.Confidence = report.Possible
	case arg == "review":
		safety = report.SafetyReview
	case arg == "broken":
		text = "fault(KV201, new)"
	case arg != "":
		file, at, _ := strings.Cut(arg, ":")
		n := 0
		fmt.Sscan(at, &n)
		f.Related = append(f.Related, report.Related{Location: report.Location{File: file, Line: n, EndLine: n}, Message: "rests on"})
	}
	start, end := offset+m[0], offset+m[1]
	after := slices.Concat(src[:start], []byte(text), src[end:])
	f.Patches = append(f.Patches, report.Patch{
		Description: "repair", Safety: safety, Verified: true, Diff: patch.Unified(name, name, src, after),
		Edits: []report.Edit{{Location: loc, Start: start, End: end, NewText: text}},
	})
	return f
}

func TestUseColor(t *testing.T) {
	tests := []struct {
		flag, no, force, term string
		terminal, want        bool
	}{
		{"auto", "", "", "xterm", true, true},
		{"auto", "", "", "xterm", false, false},
		{"auto", "1", "", "xterm", true, false},
		{"auto", "", "1", "xterm", false, true},
		{"auto", "1", "1", "xterm", true, false},
		{"auto", "", "", "dumb", true, false},
		{"always", "1", "", "dumb", false, true},
		{"never", "", "1", "xterm", true, false},
	}
	for _, tt := range tests {
		t.Setenv("NO_COLOR", tt.no)
		t.Setenv("FORCE_COLOR", tt.force)
		t.Setenv("TERM", tt.term)
		if got := useColor(tt.flag, tt.terminal); got != tt.want {
			t.Errorf("%+v: colour = %v", tt, got)
		}
	}
}

func TestPrintErrorNeutralizesEscapes(t *testing.T) {
	var buf bytes.Buffer
	printError(&buf, fmt.Errorf("no file \x1b[31m\u202ered\x07"))
	if got, want := buf.String(), "kvrace: no file \\x1b[31m\\u202ered\\a\n"; got != want {
		t.Errorf("printed %q, want %q", got, want)
	}
}

func TestShowProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, tt := range []struct {
			work time.Duration
			want string
		}{
			{time.Second, ""},
			{3500 * time.Millisecond, "\rworking, 2 s\x1b[K\rworking, 3 s\x1b[K\r\x1b[K"},
		} {
			var out bytes.Buffer
			stop := showProgress(&out, "working", 2*time.Second, time.Second)
			time.Sleep(tt.work)
			stop()
			if got := out.String(); got != tt.want {
				t.Errorf("progress of %v of work: %q, want %q", tt.work, got, tt.want)
			}
		}
	})
}

// The arguments of a command line are those that another command needs to see the
// same findings, as a shell reads them.
func TestArguments(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want string
	}{
		{nil, ""},
		{[]string{"."}, ""},
		{[]string{"-j2", "--fail-on", "error", "a.py"}, "a.py"},
		{[]string{"--isolated", "--exclude", "a,b c", "it's"}, `--exclude=a '--exclude=b c' --isolated 'it'\''s'`},
		{[]string{"--confidence=possible", "--", "-x", "$y"}, `--confidence=possible ./-x '$y'`},
		{[]string{"1", "2", "3", "4", "5", "6"}, ""},
		{[]string{"-", "--stdin-filename", "a.py"}, ""},
	} {
		cmd := newCheck(&environment{backend: fakeBackend()})
		if err := cmd.ParseFlags(tt.args); err != nil {
			t.Fatal(err)
		}
		paths := cmd.Flags().Args()
		if len(paths) == 0 {
			paths = []string{"."}
		}
		if got := arguments(cmd.Flags(), paths); got != tt.want {
			t.Errorf("%q: %s, want %s", tt.args, got, tt.want)
		}
	}
}

// An interrupt while a report is written does not wait for the rest of it: what
// is begun is known, so that it can be removed, until it takes its place.
func TestBegunFiles(t *testing.T) {
	env := &environment{}
	name := filepath.Join(t.TempDir(), "r.json")
	err := env.writeFile(name, func(w io.Writer) error {
		if !env.writing.TryLock() {
			t.Fatal("an interrupt would wait for the report")
		}
		defer env.writing.Unlock()
		if len(env.begun) != 1 || filepath.Dir(env.begun[0]) != filepath.Dir(name) {
			t.Errorf("begun is %q", env.begun)
		}
		if _, err := os.Stat(env.begun[0]); err != nil {
			t.Error(err)
		}
		_, err := io.WriteString(w, "{}")
		return err
	})
	if err != nil || len(env.begun) > 0 {
		t.Errorf("error %v, begun %q", err, env.begun)
	}
	if text, err := os.ReadFile(name); err != nil || string(text) != "{}" {
		t.Errorf("%q, %v", text, err)
	}
}
