package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/kvrace/kvrace/parser/facts/directives"
	"github.com/kvrace/kvrace/parser/source"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/suppress"
)

// settle turns what the analysis found into what is reported. Each step is
// one function; the order matters: suppressions see the findings of rules that
// run, and nothing else.
func (s *session) settle(ctx context.Context, run *report.Run, overlay map[string][]byte) error {
	run.Findings = s.dropDisabled(run.Findings)
	findings, err := s.suppress(ctx, run, overlay)
	if err != nil {
		return err
	}
	run.Findings = s.setSeverity(s.dropUnsure(run, findings))
	sortFindings(run.Findings)
	sortErrors(run.Errors)
	return nil
}

// dropDisabled drops findings of rules that are not selected, in general or
// for the file.
func (s *session) dropDisabled(findings []report.Finding) []report.Finding {
	return slices.DeleteFunc(findings, func(f report.Finding) bool {
		return !s.config.Enabled(f.Rule) || s.leftOut(f.Rule, f.File)
	})
}

// leftOut reports whether a rule is left out in a file.
func (s *session) leftOut(id, file string) bool {
	return s.config.IgnoredIn(id, func(pattern string) bool { return source.Match(pattern, file) })
}

// dropUnsure drops findings below the wanted confidence, and counts those that no
// schedule shows. It comes after the suppressions, so that one of an unsure finding is not
// unused.
func (s *session) dropUnsure(run *report.Run, findings []report.Finding) []report.Finding {
	s.refuted = map[string]bool{}
	return slices.DeleteFunc(findings, func(f report.Finding) bool {
		if f.Confidence >= s.config.Confidence {
			return false
		}
		if f.Confidence == report.Possible {
			s.refuted[f.Fingerprint] = true
			run.Stats.Excluded++
		}
		return true
	})
}

// setSeverity applies the configured severities.
func (s *session) setSeverity(findings []report.Finding) []report.Finding {
	for i := range findings {
		if severity, ok := s.config.Severity[findings[i].Rule]; ok {
			findings[i].Severity = severity
		}
	}
	return findings
}

// suppress applies the comments of the files that are reported on.
func (s *session) suppress(ctx context.Context, run *report.Run, overlay map[string][]byte) ([]report.Finding, error) {
	files, err := s.commented(ctx, run, overlay)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, r := range run.Rules {
		ids = append(ids, r.ID)
	}
	ran := func(id, file string) bool { return s.config.Enabled(id) && !s.leftOut(id, file) }
	kept, held, about := suppress.Apply(files, run.Findings, suppress.Options{IDs: ids, Enabled: ran})
	s.hold(run, held...)
	for _, f := range about {
		i := slices.IndexFunc(files, func(file suppress.File) bool { return file.Name == f.File })
		run.Sources[f.File] = files[i].Source
	}
	return append(kept, s.dropDisabled(about)...), nil
}

// hold notes findings that are known and not reported. Unsure ones would not
// have been reported anyway.
func (s *session) hold(run *report.Run, held ...report.Suppressed) {
	for _, h := range held {
		if h.Confidence >= s.config.Confidence {
			run.Suppressed = append(run.Suppressed, h)
		}
	}
	slices.SortStableFunc(run.Suppressed, func(a, b report.Suppressed) int { return compareFindings(&a.Finding, &b.Finding) })
}

// commented returns the targets, and the files with a finding, that have a
// kvrace comment.
func (s *session) commented(ctx context.Context, run *report.Run, overlay map[string][]byte) ([]suppress.File, error) {
	wanted := maps.Clone(s.program.Targets)
	for _, f := range run.Findings {
		wanted[f.File] = true
	}
	part := make(map[string]bool)
	for _, e := range run.Errors {
		part[e.File] = true
	}
	tree := isTree(s.program)
	s.comments.look(ctx, s.program, wanted, s.flags.workers)
	var files []suppress.File
	for i := range s.program.Files {
		name := s.program.Files[i].Name
		if !wanted[name] {
			continue
		}
		src, ok := overlay[name]
		if !ok {
			src = s.comments.sources[name]
		}
		if directives.Mentioned(src) {
			files = append(files, suppress.File{Name: name, Source: src, Whole: !part[name] && !(tree && source.IsTest(name))})
		}
	}
	return files, ctx.Err()
}

// sortFindings puts findings into the order of reports.
func sortFindings(findings []report.Finding) {
	slices.SortStableFunc(findings, func(a, b report.Finding) int { return compareFindings(&a, &b) })
}

func compareFindings(a, b *report.Finding) int {
	return cmp.Or(
		cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
		cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Message, b.Message), cmp.Compare(a.Fingerprint, b.Fingerprint),
	)
}

// sortErrors puts errors into the order of reports.
func sortErrors(errs []report.Error) {
	slices.SortStableFunc(errs, func(a, b report.Error) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Column, b.Column), cmp.Compare(a.Message, b.Message))
	})
}

// fingerprints returns the set of the findings' fingerprints.
func fingerprints(run *report.Run) map[string]bool {
	set := make(map[string]bool, len(run.Findings))
	for _, f := range run.Findings {
		set[f.Fingerprint] = true
	}
	return set
}

// conflict returns the error for two flags that cannot stand together.
func conflict(a, b string) error { return fmt.Errorf("%s and %s cannot be given together", a, b) }
