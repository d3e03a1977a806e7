package main

import (
	"bytes"
	"context"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kvrace/kvrace/parser/source"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/config"
)

// A counted analysis says how often it ran, and can do something meanwhile.
type counted struct {
	runs      int
	meanwhile func()
	change    func(*report.Run)
}

func (c *counted) analyze(ctx context.Context, req request) (*report.Run, error) {
	c.runs++
	run, err := fakeAnalyze(ctx, req)
	if c.meanwhile != nil {
		c.meanwhile()
	}
	if c.change != nil {
		c.change(run)
	}
	return run, err
}

// write writes files of a folder.
func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// askingAbout returns what a check of a folder asks, with a cache in another one.
func askingAbout(t *testing.T, dir, cacheDir string) request {
	t.Helper()
	p, problems := source.Load(t.Context(), []string{dir}, source.Options{Root: dir})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return request{Program: p, Config: config.Default(), CacheDir: cacheDir}
}

var twoFaults = map[string]string{
	"a.py": "fault(KV101, k)\nsyntax error\n",
	"b.py": "fault(KV201, k, a.py:1)\nfault(KV101, j, broken)\n",
}

// TestCacheRecalls holds what is recalled against what was found.
func TestCacheRecalls(t *testing.T) {
	dir, kept := t.TempDir(), t.TempDir()
	write(t, dir, twoFaults)
	var an counted
	c := &runCache{analyze: an.analyze}
	ask := func() request {
		req := askingAbout(t, dir, kept)
		req.Maps = true
		return req
	}
	first, err := c.run(t.Context(), ask())
	if err != nil {
		t.Fatal(err)
	}
	if len(first.Findings) == 0 || len(first.Errors) == 0 || len(first.Maps) == 0 || len(first.Sources) == 0 {
		t.Fatalf("too little to compare: %+v", first)
	}
	again, err := c.run(t.Context(), ask())
	if err != nil {
		t.Fatal(err)
	}
	if an.runs != 1 || !again.Stats.Recalled {
		t.Fatalf("%d analyses, want 1", an.runs)
	}
	again.Stats.Recalled = false
	if diff := cmp.Diff(first, again); diff != "" {
		t.Errorf("recalled (-found +recalled):\n%s", diff)
	}
}

// TestCacheEncodings recalls a run about a file that is not in UTF-8: what is shown and
// edited is its text, not its bytes.
func TestCacheEncodings(t *testing.T) {
	dir, kept := t.TempDir(), t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../testdata/silentpin")); err != nil {
		t.Fatal(err)
	}
	const name = "rail/conn.py"
	src, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, map[string]string{name: "# -*- coding: latin-1 -*-\n# caf\xe9\n" + string(src)})
	c := &runCache{analyze: production().analyze}
	var runs []*report.Run
	for range 2 {
		run, err := c.run(t.Context(), askingAbout(t, dir, kept))
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, run)
	}
	if !runs[1].Stats.Recalled || len(runs[0].Sources[name]) == 0 {
		t.Fatalf("nothing to compare: %d findings, recalled %v", len(runs[0].Findings), runs[1].Stats.Recalled)
	}
	if diff := cmp.Diff(runs[0].Sources, runs[1].Sources); diff != "" {
		t.Errorf("sources (-found +recalled):\n%s", diff)
	}
}

// TestCacheNames holds that no run is kept about files whose names JSON cannot tell apart.
func TestCacheNames(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, twoFaults)
	req := askingAbout(t, dir, t.TempDir())
	req.Program.Files[0].Name = "a\xff.py"
	if id, err := questionID([32]byte{}, req); err == nil {
		t.Errorf("the ID is %x", id)
	}
}

// TestCacheForgets holds that whatever changes is analyzed anew.
func TestCacheForgets(t *testing.T) {
	tests := []struct {
		name   string
		change func(t *testing.T, dir string, req *request)
	}{
		{"a byte", func(t *testing.T, dir string, _ *request) {
			write(t, dir, map[string]string{"a.py": "fault(KV101, j)\nsyntax error\n"})
		}},
		{"a size", func(t *testing.T, dir string, _ *request) { write(t, dir, map[string]string{"a.py": "pass\n"}) }},
		{"a new file", func(t *testing.T, dir string, _ *request) { write(t, dir, map[string]string{"c.py": ""}) }},
		{"a lost file", func(t *testing.T, dir string, _ *request) { os.Remove(filepath.Join(dir, "b.py")) }},
		{"content that is not saved", func(_ *testing.T, _ string, req *request) {
			req.Overlay = map[string][]byte{"a.py": []byte("fault(KV101, j)\nsyntax error\n")}
		}},
		{"unsaved content of another file", func(_ *testing.T, _ string, req *request) {
			req.Overlay = map[string][]byte{"b.py": []byte(twoFaults["b.py"])}
			req.Overlay["b.py"][0] = 'F'
		}},
		{"a target", func(_ *testing.T, _ string, req *request) { req.Targets = map[string]bool{"a.py": true} }},
		{"a rule", func(_ *testing.T, _ string, req *request) { req.Config.Ignore = []config.Selector{"KV201"} }},
		{"a thread", func(_ *testing.T, _ string, req *request) { req.Config.Threads = map[string]string{"f": "worker"} }},
		{"a lock", func(_ *testing.T, _ string, req *request) { req.Config.Locks = []string{"gate"} }},
		{"a Python", func(_ *testing.T, _ string, req *request) {
			if err := req.Config.PythonVersion.UnmarshalText([]byte("3.8")); err != nil {
				panic(err)
			}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir, kept := t.TempDir(), t.TempDir()
			write(t, dir, twoFaults)
			var an counted
			c := &runCache{analyze: an.analyze}
			if _, err := c.run(t.Context(), askingAbout(t, dir, kept)); err != nil {
				t.Fatal(err)
			}
			req := askingAbout(t, dir, kept)
			tt.change(t, dir, &req)
			if len(req.Overlay) == 0 {
				fresh := askingAbout(t, dir, kept)
				req.Program = fresh.Program
			}
			got, err := c.run(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			if an.runs != 2 {
				t.Fatalf("%d analyses, want 2", an.runs)
			}
			want, _ := fakeAnalyze(t.Context(), req)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestCacheAsks holds that each field of a request makes another question, but for
// those that change no answer.
func TestCacheAsks(t *testing.T) {
	same := map[string]bool{"Observe": true, "CacheDir": true, "NoCache": true, "Workers": true}
	dir := t.TempDir()
	write(t, dir, twoFaults)
	idOf := func(req request) string {
		id, err := questionID([32]byte{}, req)
		if err != nil {
			t.Fatal(err)
		}
		return string(id[:])
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[request]()) {
		req := askingAbout(t, dir, "")
		base := idOf(req)
		v := reflect.ValueOf(&req).Elem().FieldByIndex(f.Index)
		switch {
		case same[f.Name]:
			continue
		case f.Name == "Program":
			req.Program.Files[0].Size++
		case f.Name == "Config":
			req.Config.Select = []config.Selector{"KV1"}
		case f.Name == "Targets":
			req.Targets = map[string]bool{}
		case f.Name == "Overlay":
			req.Overlay = map[string][]byte{"a.py": []byte(twoFaults["a.py"])}
		case f.Type.Kind() == reflect.Bool:
			v.SetBool(!v.Bool())
		default:
			t.Errorf("request.%s is not tried", f.Name)
			continue
		}
		if idOf(req) == base {
			t.Errorf("request.%s makes no difference", f.Name)
		}
	}
}

// TestCacheKeepsNot is about runs that must not be kept.
func TestCacheKeepsNot(t *testing.T) {
	tests := []struct {
		name  string
		least runCache // without the analysis
		after func(t *testing.T, dir string) *counted
	}{
		{"a short one", runCache{least: time.Hour}, func(*testing.T, string) *counted { return &counted{} }},
		{"one of a small program", runCache{leastSize: 1000}, func(*testing.T, string) *counted { return &counted{} }},
		{"one whose files change meanwhile", runCache{}, func(t *testing.T, dir string) *counted {
			return &counted{meanwhile: func() { write(t, dir, map[string]string{"a.py": "fault(KV101, i)\nsyntax error\n"}) }}
		}},
		{"one that a clock has stopped", runCache{}, func(*testing.T, string) *counted {
			return &counted{change: func(run *report.Run) { run.Stats.Unended = 1 }}
		}},
		{"one with a file that was not read", runCache{}, func(t *testing.T, dir string) *counted {
			if err := os.Symlink("nowhere.py", filepath.Join(dir, "c.py")); err != nil {
				t.Skip(err)
			}
			return &counted{}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir, kept := t.TempDir(), t.TempDir()
			write(t, dir, twoFaults)
			an := tt.after(t, dir)
			c := tt.least
			c.analyze = an.analyze
			for range 2 {
				req := askingAbout(t, dir, kept)
				if tt.name == "one with a file that was not read" {
					req.Program.Files = append(req.Program.Files, source.File{Name: "c.py", Path: filepath.ToSlash(filepath.Join(dir, "c.py"))})
				}
				if _, err := c.run(t.Context(), req); err != nil {
					t.Fatal(err)
				}
				write(t, dir, twoFaults)
			}
			if an.runs != 2 {
				t.Errorf("%d analyses, want 2", an.runs)
			}
		})
	}
}

// TestCacheBroken damages each file of the cache, as a crash would.
func TestCacheBroken(t *testing.T) {
	damage := map[string]func([]byte) []byte{
		"cut":     func(b []byte) []byte { return b[:len(b)/2] },
		"emptied": func([]byte) []byte { return nil },
		"changed": func(b []byte) []byte { c := bytes.Clone(b); c[len(c)-1] ^= 1; return c },
		"longer":  func(b []byte) []byte { return append(bytes.Clone(b), 'x') },
	}
	for name, harm := range damage {
		t.Run(name, func(t *testing.T) {
			dir, kept := t.TempDir(), t.TempDir()
			write(t, dir, twoFaults)
			var an counted
			c := &runCache{analyze: an.analyze}
			want, err := c.run(t.Context(), askingAbout(t, dir, kept))
			if err != nil {
				t.Fatal(err)
			}
			harmed := 0
			err = filepath.WalkDir(filepath.Join(kept, storeName), func(path string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() || strings.HasSuffix(path, ".txt") {
					return err
				}
				b, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				harmed++
				return os.WriteFile(path, harm(b), 0o666)
			})
			if err != nil || harmed == 0 {
				t.Fatalf("%d files harmed: %v", harmed, err)
			}
			for range 2 { // the second finds what the first has repaired
				got, err := c.run(t.Context(), askingAbout(t, dir, kept))
				if err != nil {
					t.Fatal(err)
				}
				got.Stats.Recalled = false
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			}
			if an.runs != 2 {
				t.Errorf("%d analyses, want 2", an.runs)
			}
		})
	}
}

// TestCacheFolder holds that the folder is made when something is kept, for its owner
// alone, and says whose it is.
func TestCacheFolder(t *testing.T) {
	dir, kept := t.TempDir(), filepath.Join(t.TempDir(), "a", "kept")
	write(t, dir, twoFaults)
	ask := func(least time.Duration) {
		c := &runCache{analyze: fakeAnalyze, least: least}
		req := askingAbout(t, dir, kept)
		req.NoCache = func(err error) { t.Error(err) }
		if _, err := c.run(t.Context(), req); err != nil {
			t.Fatal(err)
		}
	}
	ask(time.Hour)
	if _, err := os.Stat(filepath.Dir(kept)); err == nil {
		t.Error("a folder was made to keep nothing")
	}
	if err := os.MkdirAll(kept, 0o755); err != nil {
		t.Fatal(err)
	}
	ask(time.Hour)
	if inside, err := os.ReadDir(kept); err != nil || len(inside) > 0 {
		t.Errorf("made to keep nothing: %v, %v", inside, err)
	}
	ask(0)
	readme, err := os.ReadFile(filepath.Join(kept, "README"))
	if err != nil || string(readme) != about {
		t.Errorf("README says %q: %v", readme, err)
	}
	inside, err := os.ReadDir(kept)
	if err != nil || len(inside) != 2 {
		t.Errorf("made: %v, %v", inside, err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	for _, e := range inside {
		if info, err := e.Info(); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: others may use it: %v, %v", e.Name(), info.Mode(), err)
		}
	}
}

// TestCacheShared runs several at a time with one folder, and one where it cannot be made.
func TestCacheShared(t *testing.T) {
	dir, kept := t.TempDir(), t.TempDir()
	write(t, dir, twoFaults)
	want, err := fakeAnalyze(t.Context(), askingAbout(t, dir, ""))
	if err != nil {
		t.Fatal(err)
	}
	req := askingAbout(t, dir, kept)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			got, err := (&runCache{analyze: fakeAnalyze}).run(t.Context(), req)
			if err != nil {
				t.Error(err)
				return
			}
			got.Stats.Recalled = false
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	wg.Wait()
	req.CacheDir = filepath.Join(dir, "a.py", "cache")
	if got, err := (&runCache{analyze: fakeAnalyze}).run(t.Context(), req); err != nil || !cmp.Equal(want, got) {
		t.Errorf("without a folder: %v", err)
	}
}

// TestCacheRandomEdits edits a real program at random, and goes back, and holds the
// reports with a cache against those without.
func TestCacheRandomEdits(t *testing.T) {
	dir, kept := t.TempDir(), t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../testdata/silentpin")); err != nil {
		t.Fatal(err)
	}
	var names []string
	var contents [][]byte
	files := askingAbout(t, dir, "").Program.Files
	for i := range files {
		src, err := os.ReadFile(files[i].Path)
		if err != nil {
			t.Fatal(err)
		}
		if len(src) > 0 {
			names, contents = append(names, files[i].Path), append(contents, src)
		}
	}
	found := func(analyze func(context.Context, request) (*report.Run, error)) (run *report.Run, recalled bool) {
		req := askingAbout(t, dir, kept)
		req.Config.Confidence = report.Possible
		var err error
		if run, err = analyze(t.Context(), req); err != nil {
			t.Fatal(err)
		}
		recalled = run.Stats.Recalled
		run.Rules = nil // the session says which there are
		run.Stats.WallMS, run.Stats.Stages, run.Stats.Recalled = 0, nil, false
		return run, recalled
	}
	r := rand.New(rand.NewPCG(1, 2))
	c := &runCache{analyze: production().analyze}
	recalled := 0
	for range 24 {
		i := r.IntN(len(names))
		src := bytes.Clone(contents[i])
		switch r.IntN(3) {
		case 0: // as it was
		case 1: // another byte
			src[r.IntN(len(src))] = "\n #x("[r.IntN(5)]
		case 2: // a line less
			lines := bytes.SplitAfter(src, []byte("\n"))
			n := r.IntN(len(lines))
			src = bytes.Join(append(lines[:n:n], lines[n+1:]...), nil)
		}
		if err := os.WriteFile(names[i], src, 0o666); err != nil {
			t.Fatal(err)
		}
		want, _ := found(production().analyze)
		got, again := found(c.run)
		if again {
			recalled++
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("with a cache (-without +with):\n%s", diff)
		}
	}
	if recalled == 0 {
		t.Error("nothing was recalled")
	}
	t.Logf("%d of 24 recalled", recalled)
}
