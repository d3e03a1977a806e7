package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/kvrace/kvrace/cmd/internal/peak"
	"github.com/kvrace/kvrace/parser/source"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/config"
)

// A session is one run of check: the settings, the program, and what was said
// about it.
type session struct {
	env     *environment
	flags   *checkFlags
	paths   []string
	config  *config.Config
	outputs []output

	program  *source.Program
	problems []source.Problem
	stdin    map[string][]byte // overlay that holds the standard input
	times    []stageTime
	news     news
	refuted  map[string]bool // fingerprints of findings that no schedule shows
	comments commentIndex
	asked    string // the arguments that ask another command about the same code
	replays  bool   // the command shows reproducers
	noCache  bool   // it was told that the cache cannot be used
}

// A stageTime is how long a stage took.
type stageTime struct {
	stage string
	took  time.Duration
}

// analyzeStage is the stage that has parts of its own.
const analyzeStage = "analyze"

// newSession checks the flags and reads the configuration.
func newSession(cmd *cobra.Command, env *environment, flags *checkFlags, paths []string) (*session, error) {
	if err := flags.validate(paths); err != nil {
		return nil, err
	}
	outputs, err := flags.output.parse(env)
	if err != nil {
		return nil, err
	}
	c, err := flags.config.load(cmd.Flags(), paths, env.backend.rules)
	if err != nil {
		return nil, err
	}
	s := &session{env: env, flags: flags, paths: paths, config: c, outputs: outputs, asked: arguments(cmd.Flags(), paths)}
	return s, s.replayable()
}

// replayable refuses a threshold that no finding can reach, since it takes a
// replay and the command makes none.
func (s *session) replayable() error {
	if s.config.Confidence != report.Confirmed || !s.flags.noReplay {
		return nil
	}
	return errors.New("no finding can be confirmed: --no-replay was given; use the confidence \"likely\"")
}

// check goes the way from paths to reports, one stage after the other.
func (s *session) check(ctx context.Context) error {
	if err := s.load(ctx); err != nil {
		return err
	}
	if s.flags.why.place != "" {
		return s.why(ctx)
	}
	run, err := s.analyze(ctx, s.stdin)
	if err != nil {
		return err
	}
	if s.flags.fix.wanted() {
		return s.fix(ctx, run)
	}
	if s.flags.news.writeBaseline {
		if err := s.writeBaseline(run); err != nil {
			return err
		}
	}
	if err := s.onlyNews(ctx, run); err != nil {
		return err
	}
	return s.finish(ctx, run)
}

// finish writes the reports and returns the exit status as an error.
func (s *session) finish(ctx context.Context, run *report.Run) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.printErrors(run)
	if err := s.write(run); err != nil {
		return err
	}
	if err := s.tellStale(); err != nil {
		return err
	}
	for _, name := range run.Stats.Cut {
		s.logf("%s is too large, or calls itself: it was followed only in part", name)
	}
	if s.flags.statistics {
		printStatistics(s.env.stderr, run, s.times)
	}
	return s.flags.status(run, s.config.FailOn)
}

// printErrors tells what could not be analyzed.
func (s *session) printErrors(run *report.Run) {
	for _, e := range run.Errors {
		fmt.Fprintln(s.env.stderr, printable(e.Error()))
	}
}

// load finds the program.
func (s *session) load(ctx context.Context) error {
	defer s.stage("discover")()
	opt := source.Options{
		Root:    s.flags.root,
		Include: s.config.Include,
		Exclude: s.config.Exclude,
		Workers: s.flags.workers,
	}
	paths := slices.Clone(s.paths)
	var content []byte
	if i := slices.Index(paths, stdinArg); i >= 0 {
		var err error
		if content, err = io.ReadAll(io.LimitReader(s.env.stdin, source.DefaultMaxSize+1)); err != nil {
			return fmt.Errorf("read standard input: %w", err)
		}
		if len(content) > source.DefaultMaxSize {
			return fmt.Errorf("read standard input: %w", source.ErrTooLarge)
		}
		paths[i] = s.flags.stdinFilename
		opt.Unsaved = []string{s.flags.stdinFilename}
	}
	s.program, s.problems = source.Load(ctx, paths, opt)
	if err := ctx.Err(); err != nil {
		return err
	}
	if opt.Unsaved != nil {
		name, err := s.program.NameOf(s.flags.stdinFilename)
		if err != nil {
			return err
		}
		s.stdin = map[string][]byte{name: content}
	}
	s.logf("%s, %d of them named, root %s", count(len(s.program.Files), "file"), len(s.program.Targets), s.program.Root)
	return nil
}

// analyze runs the analysis on the program with an overlay, and applies
// everything that the configuration and comments say about findings.
func (s *session) analyze(ctx context.Context, overlay map[string][]byte) (*report.Run, error) {
	defer s.stage(analyzeStage)()
	defer s.progress("analyzing " + count(len(s.program.Files), "file"))()
	start := time.Now()
	run, err := s.env.backend.analyze(ctx, s.request(s.program, overlay))
	if err != nil {
		return nil, fmt.Errorf("analyze: %w", err)
	}
	if run.Stats.Recalled {
		s.logf("nothing has changed since this was analyzed before")
	}
	run.Tool = report.Tool{Name: "kvrace", Version: toolVersion()}
	run.Rules = s.env.backend.rules
	run.Asked = s.asked
	for _, p := range s.problems {
		run.Errors = append(run.Errors, report.Error{File: p.Name, Line: p.Line, Column: p.Column, Message: p.Err.Error()})
	}
	if run.Errors == nil {
		run.Errors = []report.Error{}
	}
	if err := s.settle(ctx, run, overlay); err != nil {
		return nil, err
	}
	run.Stats.WallMS = time.Since(start).Milliseconds()
	return run, nil
}

// isTree reports whether a program is reported on as a whole, and so without its tests:
// one that names a test wants to hear of it.
func isTree(p *source.Program) bool {
	for name := range p.Named {
		if source.IsTest(name) {
			return false
		}
	}
	return len(p.Targets) == len(p.Files)
}

// request returns what the analysis is asked about a program. All confidences
// are wanted; settle drops those below the configured one.
func (s *session) request(p *source.Program, overlay map[string][]byte) request {
	c := *s.config
	c.Confidence = report.Possible
	req := request{Program: p, Overlay: overlay, Config: &c, Workers: s.flags.workers, Maps: s.flags.maps, NoFindings: s.flags.mapsOnly}
	shown := slices.ContainsFunc(s.outputs, func(o output) bool { return o.format.ShowsPatches() })
	sure := s.config.Confidence == report.Confirmed // this threshold needs replays, and these the patches
	req.NoPatches = s.flags.why.place != "" || !s.flags.fix.wanted() && !shown && !sure && !s.replays
	req.Replay = s.replays || !s.flags.noReplay && !req.NoPatches // --fix wants to know which patches fail
	// What no schedule shows is left out by every format but a quick one, and by whatever
	// is compared with another run.
	quick := !slices.ContainsFunc(s.outputs, func(o output) bool { return !o.format.IsQuick() })
	req.NoWitness = req.NoPatches && !s.flags.news.compares() && (quick || s.config.Confidence == report.Possible && !shown)
	if !isTree(p) {
		req.Targets = p.Targets
	}
	if !s.flags.statistics { // which are about an analysis
		req.CacheDir = s.flags.cache.folder()
		if s.flags.cache.named() {
			req.NoCache = s.tellNoCache
		}
	}
	return req
}

// tellNoCache tells, once, why the folder that was named keeps nothing.
func (s *session) tellNoCache(err error) {
	if !s.noCache {
		s.noCache = true
		fmt.Fprintf(s.env.stderr, "kvrace: nothing is kept in --cache-dir: %s\n", printable(err.Error()))
	}
}

// stage starts the clock of a stage and returns the function that stops it.
func (s *session) stage(name string) func() {
	start := time.Now()
	return func() {
		took := time.Since(start)
		s.times = append(s.times, stageTime{name, took})
		s.logf("%s took %v", name, took.Round(time.Microsecond))
	}
}

// logf tells what is done if that is wanted.
func (s *session) logf(format string, args ...any) {
	if s.flags.verbose {
		fmt.Fprintf(s.env.stderr, "kvrace: %s\n", printable(fmt.Sprintf(format, args...)))
	}
}

// path returns where a file of the program is on disk.
func (s *session) path(name string) string {
	if i, ok := s.program.Lookup(name); ok {
		return filepath.FromSlash(s.program.Files[i].Path)
	}
	return filepath.Join(filepath.FromSlash(s.program.Root), filepath.FromSlash(name))
}

// printStatistics writes counts and times.
func printStatistics(w io.Writer, run *report.Run, times []stageTime) {
	fmt.Fprintf(w, "files %d, bytes %d, parsed %d, searched %d bytes\n", run.Stats.Files, run.Stats.Bytes, run.Stats.Parsed, run.Stats.Read)
	for _, t := range times {
		fmt.Fprintf(w, "%-10s %v\n", t.stage, t.took.Round(time.Microsecond))
		if t.stage == analyzeStage {
			for _, part := range run.Stats.Stages {
				fmt.Fprintf(w, "  %-24s %v\n", part.Name, part.Took.Round(time.Microsecond))
			}
		}
	}
	perRule := make(map[string]int)
	for _, f := range run.Findings {
		perRule[f.Rule+" "+f.Name]++
	}
	for _, rule := range slices.Sorted(maps.Keys(perRule)) {
		fmt.Fprintf(w, "%5d %s\n", perRule[rule], rule)
	}
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	fmt.Fprintf(w, "memory %d MB", mem.Sys>>20)
	if peak := peak.Self(); peak > 0 {
		fmt.Fprintf(w, ", peak %d MB", peak>>20)
	}
	fmt.Fprintln(w)
}
