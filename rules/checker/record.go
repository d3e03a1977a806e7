package checker

import (
	"slices"
	"sort"
	"time"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"

	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/rule"
)

func location(p rule.Place) report.Location {
	l := report.Location{File: p.Mod.File}
	l.Line, l.Column = p.Mod.AST.Position(p.From)
	l.EndLine, l.EndColumn = p.Mod.AST.Position(p.To)
	return l
}

// record returns the plain form of a finding, without its patches.
func (p *program) record(f ruleFinding) report.Finding {
	out := report.Finding{
		Rule: f.rule.ID, Name: f.rule.Name, Severity: f.rule.Severity, Confidence: report.Likely,
		Message: f.Message, Location: location(f.Place),
		Function: f.Function, Containers: f.Containers, Key: f.Key,
		Fingerprint: f.fingerprint, Consequence: f.Consequence,
		Related: []report.Related{}, Patches: []report.Patch{},
	}
	if out.Containers == nil {
		out.Containers = []string{}
	}
	if f.Entry != nil {
		out.Entrypoint = f.Entry.Name()
	}
	if f.Component != nil {
		out.Component = f.Component.Qual
	}
	if len(f.components) > 1 {
		out.Components = f.components
	}
	for _, r := range f.Related {
		rel := report.Related{Location: location(r.Place), Role: r.Role, Message: r.Message}
		if r.Entry != nil {
			rel.Entrypoint = r.Entry.Name()
		}
		out.Related = append(out.Related, rel)
	}
	return out
}

func ruleRecords(rules []*rule.Rule) []report.Rule {
	var out []report.Rule
	for _, r := range rules {
		out = append(out, report.Rule{ID: r.ID, Name: r.Name, Severity: r.Severity, Summary: r.Summary(), Doc: r.Page()})
	}
	sort.Slice(out, func(i, j int) bool { return out[i].ID < out[j].ID })
	return out
}

// errors returns the files, or parts of files, that were not analyzed.
func (p *program) errors() []report.Error {
	out := append([]report.Error{}, p.culprits...)
	for _, u := range p.syntax.Unread {
		out = append(out, report.Error{File: u.Name, Message: u.Err.Error()})
	}
	out = append(out, p.excess.errors(p.opt.Rules)...)
	out = append(out, p.spared...)
	for _, e := range p.syntax.Errors {
		out = append(out, report.Error{File: e.Name, Line: e.Line, Column: e.Column, Message: e.Msg})
	}
	sort.SliceStable(out, func(i, j int) bool {
		a, b := out[i], out[j]
		if a.File != b.File {
			return a.File < b.File
		}
		return a.Line < b.Line
	})
	return out
}

// addSources keeps the source of the files that the run mentions.
func (p *program) addSources(run *report.Run) {
	need := map[string]bool{}
	for _, f := range run.Findings {
		need[f.File] = true
		for _, r := range f.Related {
			need[r.File] = true
		}
	}
	for _, e := range run.Errors {
		need[e.File] = true
	}
	for _, m := range p.syntax.Modules {
		if need[m.Name] {
			run.Sources[m.Name] = m.Source
		}
	}
}

func (p *program) stats(start time.Time) report.Stats {
	s := report.Stats{Files: len(p.names), Parsed: len(p.syntax.Modules), Stages: p.stages, Unended: p.unended}
	for _, m := range p.syntax.Modules {
		s.Bytes += int64(len(m.Source))
	}
	if graphs, ok := p.results[flow.Analyzer].(*flow.Program); ok {
		for _, e := range graphs.Entries {
			if e.Graph.Truncated {
				s.Cut = append(s.Cut, e.Name())
			}
		}
		slices.Sort(s.Cut)
		s.Cut = slices.Compact(s.Cut)
	}
	s.WallMS = time.Since(start).Milliseconds()
	return s
}

func locationOf(m *ast.Module, from, to int) report.Location {
	l := report.Location{File: m.Name}
	l.Line, l.Column = m.Position(ast.Pos(from))
	l.EndLine, l.EndColumn = m.Position(ast.Pos(to))
	return l
}
