package checker

import (
	"context"

	"golang.org/x/tools/go/analysis"

	"github.com/kvrace/kvrace/parser"
	"github.com/kvrace/kvrace/parser/facts/syntax"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/patch"
	"github.com/kvrace/kvrace/rules/rule"
)

// addPatches checks the suggested fixes of the reported findings and adds them
// as patches, verified ones first.
func (p *program) addPatches(ctx context.Context, run *report.Run, all []ruleFinding) {
	if p.opt.NoPatches {
		return
	}
	byID := map[string]*ruleFinding{}
	before := map[string]bool{}
	for i := range all {
		byID[all[i].fingerprint] = &all[i]
		before[all[i].fingerprint] = true
	}
	for i := range run.Findings {
		f := &run.Findings[i]
		for _, fix := range byID[f.Fingerprint].Fixes {
			pt, ok := p.check(ctx, fix, f.Fingerprint, before)
			if ok {
				f.Patches = append(f.Patches, pt)
			}
			if pt.Verified {
				break // the best one that holds; the others are not worth an analysis each
			}
		}
		f.Patches = best(f.Patches)
	}
}

// best returns the verified patches or, when there is none, the first one.
func best(ps []report.Patch) []report.Patch {
	verified := []report.Patch{}
	for _, p := range ps {
		if p.Verified {
			verified = append(verified, p)
		}
	}
	if len(verified) == 0 {
		return ps[:min(1, len(ps))]
	}
	return verified
}

// check applies a fix in memory and analyzes the program again. It reports
// false for a fix that does not even give a program that parses.
func (p *program) check(ctx context.Context, fix rule.Fix, fingerprint string, before map[string]bool) (report.Patch, bool) {
	files := map[string][]byte{}
	for _, m := range p.syntax.Modules {
		for _, e := range fix.Edits {
			if e.File == m.Name {
				files[m.Name] = m.Source
			}
		}
	}
	res := patch.Check(files, fix.Edits, reparse, func(overlay map[string][]byte) ([]string, error) {
		return p.again(ctx, overlay)
	}, fingerprint, before)
	if len(res.Files) == 0 || res.Err != nil {
		return report.Patch{}, false
	}
	out := report.Patch{
		Description: fix.Description, Safety: fix.Safety, Verified: res.Verified,
		Diff: patch.Diff(files, res.Files),
	}
	for _, e := range fix.Edits {
		out.Edits = append(out.Edits, p.edit(e))
	}
	return out, out.Diff != ""
}

func reparse(name string, src []byte) error {
	_, err := parser.ParseFile(name, src, parser.Options{Mode: parser.Check})
	return err
}

// again analyzes the program with some files changed and returns the
// fingerprints of the findings around them. Only the changed files are parsed,
// and only what matters to them is looked at.
func (p *program) again(ctx context.Context, overlay map[string][]byte) ([]string, error) {
	focus := map[string]bool{}
	for name := range overlay {
		focus[name] = true
	}
	q := &program{opt: p.opt, paths: p.paths, names: p.names, fset: p.fset, results: map[*analysis.Analyzer]any{}}
	q.syntax = p.syntax.With(overlay, focus)
	q.results[syntax.Analyzer] = q.syntax
	found, err := q.findings(ctx)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(found))
	for i, f := range found {
		ids[i] = f.fingerprint
	}
	return ids, nil
}

func (p *program) edit(e patch.Edit) report.Edit {
	out := report.Edit{Start: e.Start, End: e.End, NewText: e.New}
	for _, m := range p.syntax.Modules {
		if m.Name == e.File {
			out.Location = locationOf(m, e.Start, e.End)
		}
	}
	return out
}
