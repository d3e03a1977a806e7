package checker

import (
	"context"
	"fmt"

	"golang.org/x/tools/go/analysis"

	"github.com/kvrace/kvrace/parser"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
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
	defer p.stage("patches")()
	byID := map[string]*ruleFinding{}
	before := map[string]bool{}
	p.before = map[string][]*ruleFinding{}
	for i := range all {
		f := &all[i]
		byID[f.fingerprint] = f
		before[f.fingerprint] = true
		p.before[f.cause()] = append(p.before[f.cause()], f)
	}
	p.each(len(run.Findings), func(i int) {
		f := &run.Findings[i]
		p.failures.guard(f.File, "checking a patch", func() { f.Patches = p.patches(ctx, byID[f.Fingerprint], f.Fingerprint, before) })
	})
}

// patches checks the suggested fixes of a finding, in order, up to the first one
// that holds; the others are not worth an analysis each.
func (p *program) patches(ctx context.Context, f *ruleFinding, id string, before map[string]bool) []report.Patch {
	out := []report.Patch{}
	for _, fix := range f.Fixes {
		pt, ok := p.check(ctx, f, fix, id, before)
		if ok {
			out = append(out, pt)
		}
		if pt.Verified {
			break
		}
	}
	return best(out)
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
func (p *program) check(ctx context.Context, f *ruleFinding, fix rule.Fix, fingerprint string, before map[string]bool) (report.Patch, bool) {
	files := map[string][]byte{}
	for _, m := range p.syntax.Modules {
		for _, e := range fix.Edits {
			if e.File == m.Name {
				files[m.Name] = m.Source
			}
		}
	}
	var after *flow.Program
	res := patch.Check(files, fix.Edits, p.reparse, func(overlay map[string][]byte) ([]string, error) {
		ids, prog, err := p.again(ctx, overlay, p.affected(f, fix.Edits))
		after = prog
		return ids, err
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
	if out.Verified && p.opt.Replay != nil {
		p.patched.Store(fingerprint, after)
	}
	return out, out.Diff != ""
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

func (p *program) reparse(name string, src []byte) error {
	encoded, err := p.encode(map[string][]byte{name: src})
	if err != nil {
		return err
	}
	src = encoded[name]
	_, err = parser.ParseFile(name, src, parser.Options{Mode: parser.Check, Version: p.opt.Python})
	return err
}

// again analyzes the components that run changed code and returns the
// fingerprints of their findings, and their access programs. Only the changed
// files are parsed.
func (p *program) again(ctx context.Context, overlay map[string][]byte, affected []*component.Component) ([]string, *flow.Program, error) {
	classes, comps := map[string]bool{}, map[string]bool{}
	for _, c := range affected {
		comps[syntax.ClassName(c.Class.Module.File, c.Class.Qual)] = true
		for _, e := range c.Entries {
			if e.Class != nil {
				classes[syntax.ClassName(e.Class.Module.File, e.Class.Qual)] = true
			}
		}
	}
	q := &program{opt: p.opt, paths: p.paths, names: p.names, fset: p.fset, results: map[*analysis.Analyzer]any{}, alone: true}
	encoded, err := p.encode(overlay)
	if err != nil {
		return nil, nil, err
	}
	q.syntax = p.syntax.With(encoded, classes)
	q.results[syntax.Analyzer] = q.syntax
	found, err := q.findings(ctx)
	if err != nil {
		return nil, nil, err
	}
	var ids []string
	for i := range found {
		f := &found[i]
		was := same(f, p.before)
		if c := f.Component; c != nil {
			name := syntax.ClassName(c.Module.File, c.Qual)
			if !comps[name] && (was == nil || !classes[name]) {
				continue // components of other classes are not whole here
			}
		}
		if was != nil {
			f = was
		}
		ids = append(ids, f.fingerprint)
	}
	prog, _ := q.results[flow.Analyzer].(*flow.Program)
	return ids, prog, nil
}

// affected returns the components that run one of the functions which edits
// change. Where that of the finding is among them, it stands for its siblings,
// which run the same code on state of the same form.
func (p *program) affected(f *ruleFinding, edits []patch.Edit) []*component.Component {
	comps, _ := p.results[component.Analyzer].([]*component.Component)
	var out []*component.Component
	for _, c := range comps {
		if !runsAny(c, edits) {
			continue
		}
		if c.Class == f.Component {
			return []*component.Component{c}
		}
		out = append(out, c)
	}
	return out
}

// runsAny reports whether a component runs a function that an edit changes.
func runsAny(c *component.Component, edits []patch.Edit) bool {
	for _, e := range c.Entries {
		for i := range e.Graph.Nodes {
			n := &e.Graph.Nodes[i]
			if n.Fn == nil || n.Mod == nil {
				continue
			}
			for _, ed := range edits {
				if n.Mod.File == ed.File && int(n.Fn.Node.Pos()) <= ed.Start && ed.End <= int(n.Fn.Node.End())+1 {
					return true
				}
			}
		}
	}
	return false
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
