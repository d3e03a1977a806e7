package main

import (
	"cmp"
	"context"
	"errors"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/kvrace/kvrace/parser"
	"github.com/kvrace/kvrace/parser/source"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules"
	"github.com/kvrace/kvrace/rules/checker"
	"github.com/kvrace/kvrace/rules/config"
	"github.com/kvrace/kvrace/rules/why"
)

// A request is what the commands ask of the analysis.
type request struct {
	Program *source.Program
	// Targets are the names of the files to report on; nil means all.
	Targets map[string]bool
	// Overlay holds, by name, content that takes the place of a file's.
	Overlay map[string][]byte
	Config  *config.Config
	Workers int // 0 means one per processor
	// Observe, if not nil, is called, also concurrently, with the content of each file
	// of the program that could be read, by its number.
	Observe func(i int, src []byte)
	// CacheDir is the folder that keeps runs; "" for none.
	CacheDir string
	// NoCache, if not nil, is called with the reason why CacheDir cannot be used.
	NoCache func(error)
	// Maps asks for Run.Maps, if the backend has them.
	Maps bool
	// NoFindings leaves out the rules.
	NoFindings bool
	// NoPatches leaves out patches, which cost an analysis each.
	NoPatches bool
	// NoWitness leaves out the search for schedules.
	NoWitness bool
	// Replay asks for the execution of the schedules that are found, before and
	// after the patch.
	Replay bool
}

// workers returns how many files are read at a time.
func (r *request) workers() int { return cmp.Or(r.Workers, runtime.GOMAXPROCS(0)) }

// sizeOf returns how many bytes a file of the program has.
func (r *request) sizeOf(f *source.File) int64 {
	if content, ok := r.Overlay[f.Name]; ok {
		return int64(len(content))
	}
	return f.Size
}

// size returns how many bytes the files of the program have together.
func (r *request) size() (n int64) {
	for i := range r.Program.Files {
		n += r.sizeOf(&r.Program.Files[i])
	}
	return n
}

// A backend is the analysis as the commands see it. The functions that may be
// nil belong to commands and flags that then do not exist.
type backend struct {
	// rules lists the rules of the analysis, sorted by ID.
	rules []report.Rule
	// analyze returns the findings in the targets, sorted, with the sources
	// that they mention.
	analyze func(context.Context, request) (*report.Run, error)
	// explain tells what the facts say about a line, and how far each rule comes
	// there.
	explain func(ctx context.Context, req request, file string, line int) (*why.Account, error)
	// maps reports whether analyze can describe key groups.
	maps bool
	// reproduces reports whether analyze writes reproducers.
	reproduces bool
}

// production returns the backend of the released program.
func production() backend {
	b := backend{analyze: check, explain: explain, maps: true, reproduces: true}
	for _, r := range rules.All {
		b.rules = append(b.rules, report.Rule{ID: r.ID, Name: r.Name, Severity: r.Severity, Summary: r.Summary(), Doc: r.Page()})
	}
	return b
}

// explain asks all rules, selected or not.
func explain(ctx context.Context, req request, file string, line int) (*why.Account, error) {
	opt := options(req)
	opt.Rules = rules.All
	if _, err := selectFiles(ctx, req, &opt); err != nil {
		return nil, err
	}
	if i, ok := req.Program.Lookup(file); ok && !slices.ContainsFunc(opt.Files, func(f checker.File) bool { return f.Name == file }) {
		opt.Files = append(opt.Files, checkerFile(&req.Program.Files[i])) // asked about, though it does not matter
	}
	return checker.Why(ctx, opt, file, line)
}

// options returns what the checker is asked, without rules and files.
func options(req request) checker.Options {
	return checker.Options{
		Targets:       req.Targets,
		Overlay:       req.Overlay,
		MinConfidence: req.Config.Confidence,
		NoPatches:     req.NoPatches,
		NoWitness:     req.NoWitness,
		Workers:       req.Workers,
		Maps:          req.Maps,
		Python:        req.Config.PythonVersion.Version,
		Taught:        req.Config.Table(),
	}
}

func checkerFile(f *source.File) checker.File {
	return checker.File{Name: f.Name, Path: f.Path, Module: f.Module}
}

// check runs the selected rules.
func check(ctx context.Context, req request) (*report.Run, error) {
	opt := options(req)
	if req.Replay {
		opt.Replay = executor()
	}
	for _, r := range rules.All {
		if !req.NoFindings && req.Config.Enabled(r.ID) {
			opt.Rules = append(opt.Rules, r)
		}
	}
	start := time.Now()
	chosen, err := selectFiles(ctx, req, &opt)
	if err != nil {
		return nil, err
	}
	stage := report.Stage{Name: "survey", Took: time.Since(start)}
	run, err := checker.Run(ctx, opt)
	if err != nil {
		return nil, err
	}
	run.Errors = append(run.Errors, syntaxErrors(ctx, req, chosen.named)...)
	for _, p := range chosen.unread {
		run.Errors = append(run.Errors, report.Error{File: p.Name, Line: p.Line, Column: p.Column, Message: p.Err.Error()})
	}
	run.Stats.Files, run.Stats.Bytes, run.Stats.Read = 0, 0, chosen.survey.Bytes
	run.Stats.Stages = slices.Insert(run.Stats.Stages, 0, stage)
	for i := range req.Program.Files {
		run.Stats.Files++
		run.Stats.Bytes += req.Program.Files[i].Size
	}
	return run, nil
}

// A choice is what selectFiles has found out beside the files that matter.
type choice struct {
	survey *source.Survey // what the bytes of all files tell
	// unread could not be read: nobody knows whether they matter.
	unread []source.Problem
	// named are the files that are named themselves and do not matter. One wants
	// to hear of errors in them.
	named []int
}

// selectFiles gives the checker the files that the findings in the targets depend
// on.
func selectFiles(ctx context.Context, req request, opt *checker.Options) (*choice, error) {
	p := *req.Program
	p.Overlay, p.Observe = req.Overlay, req.Observe
	survey, unread := p.Survey(ctx, req.Workers, req.Config.Table().Words()...)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	chosen := &choice{survey: survey, unread: unread}
	var seeds []int
	if req.Targets != nil {
		seeds = []int{}
	}
	for i := range p.Files {
		if req.Targets[p.Files[i].Name] {
			seeds = append(seeds, i)
		}
	}
	selection := survey.Relevant(ctx, req.Workers, seeds)
	opt.Around = func(ctx context.Context, names []string) []string {
		around := []int{} // nil would stand for all files
		for _, name := range names {
			if i, ok := p.Lookup(name); ok {
				around = append(around, i)
			}
		}
		var out []string
		for _, i := range survey.Relevant(ctx, 1, around).Files {
			out = append(out, p.Files[i].Name)
		}
		return out
	}
	skip := make(map[string]bool, len(unread))
	for _, problem := range unread {
		skip[problem.Name] = true
	}
	for i := range p.Files {
		f := &p.Files[i]
		if skip[f.Name] {
			continue
		}
		if _, ok := slices.BinarySearch(selection.Files, i); ok {
			opt.Files = append(opt.Files, checkerFile(f))
		} else if p.Named[f.Name] {
			chosen.named = append(chosen.named, i)
		}
	}
	if req.Targets == nil {
		opt.Core = make(map[string]bool, len(selection.Core))
		for _, i := range selection.Core {
			opt.Core[p.Files[i].Name] = true
		}
	}
	return chosen, ctx.Err()
}

// syntaxErrors returns the errors in some files of the program.
func syntaxErrors(ctx context.Context, req request, files []int) []report.Error {
	p := *req.Program
	p.Overlay = req.Overlay
	var mu sync.Mutex
	var out []report.Error
	p.ReadAll(ctx, files, req.workers(), func(i int, src []byte) { // the survey has read them
		_, err := parser.ParseFile(p.Files[i].Name, src, parser.Options{Version: req.Config.PythonVersion.Version})
		list, _ := errors.AsType[parser.ErrorList](err)
		mu.Lock()
		defer mu.Unlock()
		for _, e := range list {
			out = append(out, report.Error{File: e.Name, Line: e.Line, Column: e.Column, Message: e.Msg})
		}
	})
	return out
}

// workingDir returns the working directory, or "." if it is gone.
func workingDir() string {
	wd, err := os.Getwd()
	if err != nil {
		return "."
	}
	return wd
}
