package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/kvrace/kvrace/parser"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/patch"
)

// fixFlags ask for patches to be applied.
type fixFlags struct {
	mode string // "", "safe" or "review"
	diff bool
}

func (f *fixFlags) register(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&f.mode, "fix", "", "apply verified patches that are `safe`; --fix=review also those that need review")
	fs.Lookup("fix").NoOptDefVal = "safe"
	fs.BoolVar(&f.diff, "diff", false, "print what --fix would change as one diff, and write nothing")
	completeWords(cmd, "fix", "safe", "review")
}

func (f *fixFlags) validate(news *newsFlags) error {
	switch {
	case f.mode != "" && f.mode != "safe" && f.mode != "review":
		return fmt.Errorf("--fix: %q is neither safe nor review", f.mode)
	case f.wanted() && news.writeBaseline:
		return conflict("--fix", "--write-baseline")
	}
	return nil
}

// wanted reports whether patches are to be applied at all.
func (f *fixFlags) wanted() bool { return f.mode != "" || f.diff }

// writes reports whether files are to be changed.
func (f *fixFlags) writes() bool { return f.mode != "" && !f.diff }

// allows reports whether a patch may be applied.
func (f *fixFlags) allows(p *report.Patch) bool {
	return p.Verified && len(p.Edits) > 0 && (p.Safety == report.SafetySafe || f.mode == "review")
}

// fix applies the patches of the findings to be reported, then writes the
// files or prints the diff, and reports what remains.
func (s *session) fix(ctx context.Context, run *report.Run) error {
	f := &fixer{s: s, before: make(map[string][]byte), now: maps.Clone(s.stdin), refused: make(map[string]bool)}
	if f.now == nil {
		f.now = make(map[string][]byte)
	}
	rest, err := f.repair(ctx, run)
	if err != nil {
		return err
	}
	if s.flags.fix.diff {
		return s.printDiff(f, rest)
	}
	if err := f.write(); err != nil {
		return err
	}
	if n := len(f.fixed); n > 0 {
		fmt.Fprintf(s.env.stderr, "kvrace: fixed %s in %s\n", count(n, "finding"), count(len(f.before), "file"))
	}
	return s.finish(ctx, rest)
}

// printDiff prints all changes as one diff. The exit status tells whether
// there are any.
func (s *session) printDiff(f *fixer, rest *report.Run) error {
	s.printErrors(rest)
	changed := make(map[string][]byte)
	for name := range f.before {
		changed[name] = f.now[name]
	}
	diff := patch.Diff(f.before, changed)
	if isTerminal(s.env.stdout) {
		diff = printable(diff) // elsewhere it has to apply
	}
	if _, err := io.WriteString(s.env.stdout, diff); err != nil {
		return writeError("standard output", err)
	}
	switch {
	case len(rest.Errors) > 0:
		return errReported
	case len(changed) > 0 && !s.flags.exitZero:
		return errFindings
	}
	return nil
}

// A fixer applies patches in memory until none is left.
type fixer struct {
	s       *session
	before  map[string][]byte // files that changed, as they were read
	now     map[string][]byte // overlay: those files as they are to be
	fixed   []string          // fingerprints
	refused map[string]bool   // fingerprints whose patch brought new findings
}

// maxRounds bounds the analyses of one fix. Each round repairs or refuses at
// least one finding, so this many are only reached by that many findings that
// are in each other's way.
const maxRounds = 200

// repair applies patches round by round, with an analysis after each, and
// returns the last analysis. A round takes the first allowed patch of each
// finding that does not overlap one taken before it. If a round brings a
// finding that was not there, it is undone and its first patch tried alone;
// if that does too, the patch is refused, until others have changed the program.
func (f *fixer) repair(ctx context.Context, run *report.Run) (*report.Run, error) {
	alone, repaired := false, false // something was since the refused ones were tried
	for range maxRounds {
		candidates, err := f.candidates(ctx, run)
		if err != nil {
			return nil, err
		}
		batch := f.batch(candidates, alone)
		if len(batch.taken) == 0 {
			if !repaired || len(f.refused) == 0 {
				return candidates, nil
			}
			clear(f.refused)
			repaired = false
			continue
		}
		saved := maps.Clone(f.now)
		if err := f.apply(run, toEdits(batch.edits)); err != nil {
			return nil, err
		}
		next, err := f.s.analyze(ctx, f.now)
		if err != nil {
			return nil, err
		}
		switch {
		case !bringsNew(run, next):
			f.fixed = append(f.fixed, batch.taken...)
			run, alone, repaired = next, false, true
			continue
		case len(batch.taken) == 1:
			f.refused[batch.taken[0]] = true
			alone = false
		default:
			alone = true
		}
		f.undo(saved)
	}
	return f.candidates(ctx, run)
}

// candidates returns the part of a run that is to be reported, and so
// repaired.
func (f *fixer) candidates(ctx context.Context, run *report.Run) (*report.Run, error) {
	shown := *run
	shown.Findings = slices.Clone(run.Findings)
	return &shown, f.s.onlyNews(ctx, &shown)
}

// A batch is the patches of one round.
type batch struct {
	edits []report.Edit
	taken []string // fingerprints
}

// batch collects patches that do not overlap, or only the first one.
func (f *fixer) batch(run *report.Run, alone bool) batch {
	var b batch
	for i := range run.Findings {
		finding := &run.Findings[i]
		if f.refused[finding.Fingerprint] {
			continue
		}
		for j := range finding.Patches {
			p := &finding.Patches[j]
			if !f.s.flags.fix.allows(p) {
				continue
			}
			if meet(b.edits, p.Edits) {
				break // a later round sees the new text
			}
			b.edits = append(b.edits, p.Edits...)
			b.taken = append(b.taken, finding.Fingerprint)
			break
		}
		if alone && len(b.taken) > 0 {
			break
		}
	}
	return b
}

func toEdits(edits []report.Edit) []patch.Edit {
	var out []patch.Edit
	for _, e := range edits {
		out = append(out, patch.Edit{File: e.File, Start: e.Start, End: e.End, New: e.NewText})
	}
	return out
}

// meet reports whether edits of two patches are on the same or on adjoining lines
// of a file. Each may be right alone and both wrong: one indents a line, the other
// one puts a block in its place.
func meet(a, b []report.Edit) bool {
	for _, x := range a {
		for _, y := range b {
			if x.File == y.File && x.Line <= y.EndLine+1 && y.Line <= x.EndLine+1 {
				return true
			}
		}
	}
	return false
}

// bringsNew reports whether a run has a finding, or an error, that the one before
// it has not.
func bringsNew(before, after *report.Run) bool {
	if len(after.Errors) > len(before.Errors) {
		return true
	}
	known := fingerprints(before)
	return slices.ContainsFunc(after.Findings, func(f report.Finding) bool { return !known[f.Fingerprint] })
}

// apply makes the edits in memory.
func (f *fixer) apply(run *report.Run, edits []patch.Edit) error {
	texts := make(map[string][]byte)
	for _, e := range edits {
		if _, ok := texts[e.File]; ok {
			continue
		}
		text, err := f.content(run, e.File)
		if err != nil {
			return err
		}
		texts[e.File] = text
	}
	changed, err := patch.ApplyAll(texts, edits)
	if err != nil {
		return fmt.Errorf("apply patches: %w", err)
	}
	for name, text := range changed {
		// The edits are those of UTF-8, whatever the file is in.
		encoding := parser.DeclaredEncoding(texts[name])
		was, err1 := parser.Encode(encoding, texts[name])
		src, err2 := parser.Encode(encoding, text)
		if err := errors.Join(err1, err2); err != nil {
			return fmt.Errorf("apply patches: %s: %w", name, err)
		}
		if _, ok := f.before[name]; !ok {
			f.before[name] = was
		}
		f.now[name] = src
	}
	return nil
}

// content returns a file as the analysis saw it, in UTF-8.
func (f *fixer) content(run *report.Run, name string) ([]byte, error) {
	if src, ok := run.Sources[name]; ok {
		return src, nil
	}
	src, err := f.read(name)
	if err != nil {
		return nil, err
	}
	m, _ := parser.ParseFile(name, src, parser.Options{}) // a file with errors has a source, too
	return m.Source, nil
}

// read returns the bytes of a file, as changed so far.
func (f *fixer) read(name string) ([]byte, error) {
	if src, ok := f.now[name]; ok {
		return src, nil
	}
	i, ok := f.s.program.Lookup(name)
	if !ok {
		return nil, fmt.Errorf("apply patches: %s is not in the program", name)
	}
	return f.s.program.Read(i)
}

// undo goes back to a former overlay.
func (f *fixer) undo(saved map[string][]byte) {
	f.now = saved
	maps.DeleteFunc(f.before, func(name string, src []byte) bool {
		now, ok := saved[name]
		return !ok || bytes.Equal(now, src)
	})
}

// write replaces the changed files, each only if it is still what was read.
// A file that cannot be replaced does not keep the others from being.
func (f *fixer) write() error {
	f.s.env.writing.Lock() // all or, when interrupted before, none
	defer f.s.env.writing.Unlock()
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(f.before)) {
		file := f.s.path(name)
		err := f.s.insideTree(name, file)
		if err == nil {
			err = patch.WriteFile(file, f.before[name], f.now[name])
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// insideTree returns an error for a file of the tree that is a symbolic link
// out of it: whoever made the tree must not choose what else is changed.
func (s *session) insideTree(name, file string) error {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return nil // named from outside in the first place
	}
	root, err := filepath.EvalSymlinks(filepath.FromSlash(s.program.Root))
	if err != nil {
		return err
	}
	target, err := filepath.EvalSymlinks(file)
	if err != nil {
		return err
	}
	rel, err := filepath.Rel(root, target)
	if err != nil || !filepath.IsLocal(rel) {
		return fmt.Errorf("write %s: is a symbolic link out of the tree", name)
	}
	return nil
}
