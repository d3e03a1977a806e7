// Package checker runs rules over a Python program.
//
// It fills an [analysis.Pass] for the whole program, runs the graph of
// analyzers behind the rules, and turns their findings into the record that
// reports print: merged where they have one cause, sorted, fingerprinted and
// with checked patches.
package checker

import (
	"context"
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"golang.org/x/tools/go/analysis"

	"github.com/kvrace/kvrace/parser"
	"github.com/kvrace/kvrace/parser/facts/directives"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/syntax"
	"github.com/kvrace/kvrace/parser/source"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/rule"
	"github.com/kvrace/kvrace/rules/witness/replay"
)

// A File is one file of the program.
type File struct {
	Name string // relative to the root of the program, with slashes
	Path string // where to read it
	// Module is the dotted name by which the packages around it import it; "" where that
	// is not known.
	Module string
}

// Options tell what to check and how.
type Options struct {
	Rules []*rule.Rule
	Files []File // the whole program
	// Targets are the names of the files to report on; nil means all. A finding
	// is reported when any of its places is in one of them.
	Targets map[string]bool
	// Core are the names of the files with code that findings can be about, if
	// there are no targets; nil means all. See source.Selection.
	Core map[string]bool
	// Around returns the files that findings in some others depend on, by name. It
	// makes the check of a patch cheap; nil stands for all files.
	Around func(ctx context.Context, names []string) []string
	// Python is the version whose grammar the files are read with; the zero value
	// stands for the newest.
	Python parser.Version
	// Taught is what the configuration tells about the program; nil for nothing.
	Taught *directives.Table
	// Overlay holds the content of files that differ from what is on disk, by
	// name.
	Overlay map[string][]byte
	// MinConfidence drops the findings below it: those that no schedule shows are
	// [report.Possible].
	MinConfidence report.Confidence
	// NoPatches leaves out suggested patches, which cost an analysis each.
	NoPatches bool
	// Thorough makes the check of a patch find everything anew, which takes longer and
	// must give the same. It is there for tests.
	Thorough bool
	// Workers bounds what is done at a time; 0 means one per processor.
	Workers int
	// MaxWork bounds the steps that searches visit in one access program; 0 means
	// [DefaultMaxWork]. What is not decided is an error of the run.
	MaxWork int64
	// MaxExamined bounds the steps of access programs that are read, once for each
	// finding, to look for schedules and patches; 0 means a default.
	MaxExamined int64
	// NoWitness leaves out the search for schedules.
	NoWitness bool
	// Replay executes reproducers; see [replay.Execute]. Nil leaves out replays.
	Replay func(ctx context.Context, programs []string) ([]replay.Outcome, error)

	// Maps asks for Run.Maps, the key groups that the targets touch.
	Maps bool
	Tool report.Tool
}

// Run checks a program. The error is not nil when the analysis itself went
// wrong; files that cannot be read or parsed are in Run.Errors instead.
func Run(ctx context.Context, opt Options) (*report.Run, error) {
	start := time.Now()
	p, err := newProgram(ctx, opt)
	if err != nil {
		return nil, err
	}
	p, findings, err := p.withoutCulprits(ctx)
	if err != nil {
		return nil, err
	}
	p.spare(findings)
	run := &report.Run{
		Version: report.SchemaVersion, Tool: opt.Tool, Findings: []report.Finding{}, Errors: p.errors(),
		Rules: ruleRecords(opt.Rules), Sources: map[string][]byte{},
	}
	reported := targeted(findings, opt.Targets)
	var excerpts *excerpts
	if !opt.NoPatches {
		excerpts = newExcerpts(p, findings)
	}
	p.addFindings(ctx, run, excerpts, reported)
	p.addPatches(ctx, run, excerpts, reported)
	if err := p.replay(ctx, run); err != nil {
		return nil, err
	}
	run.Findings = slices.DeleteFunc(run.Findings, func(f report.Finding) bool { return f.Confidence < opt.MinConfidence })
	p.addSources(run)
	if err := p.addMaps(ctx, run); err != nil {
		return nil, err
	}
	run.Errors = append(run.Errors, p.failures.errs...)
	run.Stats = p.stats(start)
	return run, nil
}

// addFindings adds the records of findings, each with the schedule that shows it. At the
// same time it analyzes the excerpts for the checks of their patches, which several of
// them would wait for later.
func (p *program) addFindings(ctx context.Context, run *report.Run, excerpts *excerpts, findings []ruleFinding) {
	defer p.stage("witness")()
	for _, f := range findings {
		run.Findings = append(run.Findings, p.record(f))
	}
	p.found = make([]*replayable, len(findings))
	var views []view
	if !p.opt.NoPatches {
		views = excerpts.views(findings)
	}
	searches := len(findings)
	if p.opt.NoWitness {
		searches = 0
	}
	p.each(len(views)+searches, func(i int) {
		if i < len(views) {
			p.failures.guard(views[i].file, "analyzing an excerpt", func() { excerpts.of(ctx, views[i]) })
			return
		}
		i -= len(views)
		f := &run.Findings[i]
		p.failures.guard(f.File, "looking for a schedule", func() { f.Witness, p.found[i] = p.witnessOf(findings[i].threats) })
		if f.Witness != nil && f.Witness.Verdict == report.VerdictExcluded {
			f.Confidence = report.Possible
		}
	})
}

// program is one analysis of one state of the files.
type program struct {
	opt     Options
	paths   map[string]string
	results map[*analysis.Analyzer]any
	fset    *token.FileSet
	syntax  *syntax.Result
	names   []string
	stages  []report.Stage
	timing  sync.Mutex    // of stages
	quiet   bool          // no times are taken
	alone   bool          // it is one of several that are analyzed at a time
	answers *flow.Answers // what is known of its graphs, and of other forms of them
	about   *question     // what is asked of it; nil stands for all that is found
	// culprits are the files that were left out since the analysis panics with
	// them.
	culprits []report.Error
	failures failures
	found    []*replayable // by finding of the record
	excess   excess
	work     map[*flow.Entry]int64 // what rules have cost
	spared   []report.Error        // by spare
	unended  int                   // replays that were stopped
}

func newProgram(ctx context.Context, opt Options) (*program, error) {
	p := &program{
		opt: opt, paths: make(map[string]string, len(opt.Files)),
		results: map[*analysis.Analyzer]any{}, fset: token.NewFileSet(),
	}
	for _, f := range opt.Files {
		if _, dup := p.paths[f.Name]; !dup {
			p.names = append(p.names, f.Name)
		}
		p.paths[f.Name] = f.Path
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	parsed := p.stage(syntax.Analyzer.Name)
	p.syntax = syntax.Parse(p.names, p.read, p.fset, opt.Python)
	parsed()
	p.syntax.Imported = make(map[string]string, len(opt.Files))
	for _, f := range opt.Files {
		p.syntax.Imported[f.Name] = f.Module
	}
	p.results[syntax.Analyzer] = p.syntax
	p.syntax.Focus, p.syntax.Taught = opt.Targets, opt.Taught
	if opt.Targets == nil {
		p.syntax.Focus = opt.Core
	}
	if !opt.NoPatches { // whose checks ask the same again, of excerpts
		p.answers = &flow.Answers{Anew: opt.Thorough}
	}
	return p, nil
}

func (p *program) read(name string) ([]byte, error) {
	if src, ok := p.opt.Overlay[name]; ok {
		return src, nil
	}
	path, ok := p.paths[name]
	if !ok {
		return nil, fmt.Errorf("read %s: %w", name, os.ErrNotExist)
	}
	return source.ReadFile(filepath.FromSlash(path), source.DefaultMaxSize)
}

// run returns the result of an analyzer, running it and what it requires once.
func (p *program) run(ctx context.Context, a *analysis.Analyzer) (any, error) {
	if res, ok := p.results[a]; ok {
		return res, nil
	}
	inputs, err := p.inputs(ctx, a)
	if err != nil {
		return nil, err
	}
	res, err := p.execute(ctx, a, inputs)
	if err == nil {
		p.results[a] = res
	}
	if a == flow.Analyzer && err == nil {
		res.(*flow.Program).Limit(p.workOfOne(), nil) // for the facts that follow
		if p.answers != nil {
			res.(*flow.Program).Share(p.answers)
		}
	}
	return res, err
}

// inputs returns the results of what an analyzer requires.
func (p *program) inputs(ctx context.Context, a *analysis.Analyzer) (map[*analysis.Analyzer]any, error) {
	inputs := make(map[*analysis.Analyzer]any, len(a.Requires))
	for _, req := range a.Requires {
		res, err := p.run(ctx, req)
		if err != nil {
			return nil, err
		}
		inputs[req] = res
	}
	return inputs, nil
}

// execute runs an analyzer. It is safe for concurrent use.
func (p *program) execute(ctx context.Context, a *analysis.Analyzer, inputs map[*analysis.Analyzer]any) (res any, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	pass := &analysis.Pass{
		Analyzer: a, Fset: p.fset, OtherFiles: p.names, ReadFile: p.read, ResultOf: inputs,
		Pkg:    types.NewPackage("program", "program"),
		Report: func(analysis.Diagnostic) {},
	}
	defer caught(a, &err)
	defer p.stage(a.Name)()
	res, err = a.Run(pass)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.Name, err)
	}
	return res, nil
}

// stage starts the clock of a stage and returns the function that stops it.
func (p *program) stage(name string) func() {
	if p.quiet {
		return func() {}
	}
	start := time.Now()
	return func() {
		took := time.Since(start)
		p.timing.Lock()
		defer p.timing.Unlock()
		p.stages = append(p.stages, report.Stage{Name: name, Took: took})
	}
}

// A ruleFinding is a finding with its rule.
type ruleFinding struct {
	rule.Finding
	rule        *rule.Rule
	components  []string
	threats     []*rule.Threat // one for each component, the first of them
	fingerprint string
}

// ruled is what came of one rule.
type ruled struct {
	findings []rule.Finding
	err      error
}

// runRules runs the facts one after the other, since each rests on those before,
// and then all rules, which only read them.
func (p *program) runRules(ctx context.Context) []ruled {
	out := make([]ruled, len(p.opt.Rules))
	inputs := make([]map[*analysis.Analyzer]any, len(out))
	for i, r := range p.opt.Rules {
		inputs[i], out[i].err = p.inputs(ctx, r.Analyzer)
		p.about.narrow(r, inputs[i])
	}
	run := func(i int) {
		if out[i].err != nil {
			return
		}
		var res any
		if res, out[i].err = p.execute(ctx, p.opt.Rules[i].Analyzer, inputs[i]); out[i].err == nil {
			out[i].findings = res.([]rule.Finding)
		}
	}
	p.bounded(out, run)
	return out
}

// findings runs the rules and returns what they find: merged, sorted and
// fingerprinted.
func (p *program) findings(ctx context.Context) ([]ruleFinding, error) {
	var all []ruleFinding
	var errs []error
	for i, res := range p.runRules(ctx) {
		if res.err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if c := (*crash)(nil); errors.As(res.err, &c) {
				return nil, res.err
			}
			errs = append(errs, res.err)
			continue
		}
		all = append(all, ofRule(p.opt.Rules[i], res.findings)...)
	}
	return identified(all), errors.Join(errs...)
}

func ofRule(r *rule.Rule, found []rule.Finding) []ruleFinding {
	out := make([]ruleFinding, len(found))
	for i, f := range found {
		out[i] = ruleFinding{Finding: f, rule: r}
	}
	return out
}

// identified merges, sorts and fingerprints findings. Those of one rule do not depend
// on those of others.
func identified(all []ruleFinding) []ruleFinding {
	all = merge(all)
	sortFindings(all)
	fingerprint(all)
	return all
}
