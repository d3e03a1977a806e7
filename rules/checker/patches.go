package checker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/kvrace/kvrace/parser"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/patch"
	"github.com/kvrace/kvrace/rules/rule"
)

// errHeld says that a patch jumps past the release of a lock.
var errHeld = errors.New("a lock would stay held")

// addPatches checks the suggested fixes of the reported findings and adds them
// as patches, verified ones first.
func (p *program) addPatches(ctx context.Context, run *report.Run, excerpts *excerpts, reported []ruleFinding) {
	if p.opt.NoPatches {
		return
	}
	defer p.stage("patches")()
	p.each(len(reported), func(i int) {
		f := &run.Findings[i]
		p.failures.guard(f.File, "checking a patch", func() {
			var after *flow.Program
			f.Patches, after = p.patches(ctx, excerpts, &reported[i])
			if w := p.found[i]; w != nil && after != nil && p.opt.Replay != nil {
				w.patch(p.graphs(), after)
			}
		})
	})
}

// patches checks the suggested fixes of a finding, in order, up to the first one
// that holds; the others are not worth an analysis each. It returns the access
// programs of the code after that one, too.
func (p *program) patches(ctx context.Context, excerpts *excerpts, f *ruleFinding) ([]report.Patch, *flow.Program) {
	out := []report.Patch{}
	for _, fix := range f.Fixes {
		pt, after, ok := p.check(ctx, excerpts, f, fix)
		if ok {
			out = append(out, pt)
		}
		if pt.Verified {
			return best(out), after
		}
	}
	return best(out), nil
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

// check applies a fix in memory and analyzes an excerpt of the program again. It reports
// false for a fix that does not even give a program that parses, or keeps a lock.
func (p *program) check(ctx context.Context, excerpts *excerpts, f *ruleFinding, fix rule.Fix) (report.Patch, *flow.Program, bool) {
	files := map[string][]byte{}
	for _, m := range p.syntax.Modules {
		for _, e := range fix.Edits {
			if e.File == m.Name {
				files[m.Name] = m.Source
			}
		}
	}
	ex := excerpts.around(ctx, f, fix.Edits)
	var after *flow.Program
	res := patch.Check(files, fix.Edits, p.reparse, func(overlay map[string][]byte) ([]string, error) {
		encoded, err := p.encode(overlay)
		if err != nil {
			return nil, err
		}
		about := &question{ex.names, f.rule, func(found []ruleFinding) bool {
			return slices.ContainsFunc(ex.after(found), func(id string) bool { return id == ex.ids[siteOf(f)] || !ex.before[id] })
		}}
		if p.opt.Thorough {
			about = nil
		}
		found, prog, err := ex.analyze(ctx, p, encoded, about)
		after = prog
		return ex.after(found), err
	}, ex.ids[siteOf(f)], ex.before)
	if len(res.Files) == 0 || res.Err != nil {
		return report.Patch{}, nil, false
	}
	out := report.Patch{
		Description: fix.Description, Safety: fix.Safety, Verified: res.Verified,
		Diff: patch.Diff(files, res.Files),
	}
	for _, e := range fix.Edits {
		out.Edits = append(out.Edits, p.edit(e))
	}
	return out, after, out.Diff != ""
}

// encode returns changed files as they would be on disk, where those that declare
// an encoding are not in UTF-8.
func (p *program) encode(overlay map[string][]byte) (map[string][]byte, error) {
	out := make(map[string][]byte, len(overlay))
	for name, src := range overlay {
		out[name] = src
		for _, m := range p.syntax.Modules {
			if m.Name != name {
				continue
			}
			var err error
			if out[name], err = parser.Encode(m.Encoding, src); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return out, nil
}

// reparse returns an error for a file that is not valid any more, or leaves a lock held
// where it did not.
func (p *program) reparse(name string, src []byte) error {
	encoded, err := p.encode(map[string][]byte{name: src})
	if err != nil {
		return err
	}
	m, err := parser.ParseFile(name, encoded[name], parser.Options{Mode: parser.Check, Version: p.opt.Python})
	if err != nil || !bytes.Contains(src, []byte(".acquire(")) {
		return err
	}
	for _, old := range p.syntax.Modules {
		if old.Name == name && patch.LeftHeld(m) > patch.LeftHeld(old) {
			return errHeld
		}
	}
	return nil
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
