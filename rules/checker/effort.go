package checker

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	facts "github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/rule"
)

// The work of searches on one access program is bounded, so that hostile or
// generated code cannot keep the analysis busy for ever. Of the entrypoints of
// large real programs, none comes near.
//
// All rules together have one bound, which they share since they run at the same
// time. When an access program reaches it, what they have found so far depends on
// chance. It is thrown away, and the rules run again one after the other, each
// with a bound of its own: what a rule could not decide is then the same in every
// run. It is an error of the report.

// DefaultMaxWork is more than ten times what the costliest access program of large
// real programs takes.
const DefaultMaxWork = 80_000_000

// workOfAll returns the bound of all rules together.
func (p *program) workOfAll() int64 { return cmp.Or(p.opt.MaxWork, DefaultMaxWork) }

// workOfOne returns the bound of one rule alone, and that of the facts. Few rules
// take most of the work.
func (p *program) workOfOne() int64 { return p.workOfAll() / 8 }

// maxExamined bounds the searches for schedules and the checks of patches. Each of them
// reads the access programs of a component, so it is these that count, in steps, for
// each finding. No finding counts for less than minExamined: a search goes through states,
// too. To check a patch, rules are asked again; what they have cost counts with it.
const (
	maxExamined = 10_000_000
	minExamined = 3000
	workPerStep = 200 // steps that searches of rules visit in the time that one takes to be read
)

// An excess tells which rules could not decide about an entrypoint.
type excess map[*flow.Entry][]*rule.Rule

// graphs returns the access programs, or nil while there are none.
func (p *program) graphs() *flow.Program {
	g, _ := p.results[flow.Analyzer].(*flow.Program)
	return g
}

// bounded runs all rules by their number, within the bounds.
func (p *program) bounded(out []ruled, run func(i int)) {
	graphs := p.graphs()
	if graphs == nil {
		p.each(len(out), run)
		return
	}
	p.excess = excess{}
	unsure := graphs.Exhausted() // the facts about them are not whole
	for _, e := range unsure {
		p.excess[e] = p.opt.Rules
	}
	graphs.Limit(p.workOfAll(), unsure)
	p.untilRefuted(out, run)
	if !graphs.Over() {
		p.addWork(graphs)
	} else {
		for i := range out {
			graphs.Limit(p.workOfOne(), unsure)
			run(i)
			p.addWork(graphs)
			p.drop(&out[i], graphs.Exhausted())
			p.excess.add(p.opt.Rules[i], graphs.Exhausted())
		}
	}
	for i := range out {
		p.drop(&out[i], unsure)
	}
}

// addWork notes what the rules have cost.
func (p *program) addWork(graphs *flow.Program) {
	if p.work == nil {
		p.work = map[*flow.Entry]int64{}
	}
	for _, e := range graphs.Entries {
		p.work[e] += e.Graph.Work()
	}
}

// untilRefuted runs all rules, or, where a question is asked that has an answer sooner,
// those up to the first with a finding that refutes a patch: the rule of the finding
// that the patch is for comes first.
func (p *program) untilRefuted(out []ruled, run func(i int)) {
	if p.about == nil {
		p.each(len(out), run)
		return
	}
	own := slices.Index(p.opt.Rules, p.about.of)
	refuted := func(i int) bool {
		run(i)
		return p.about.refutes(identified(ofRule(p.opt.Rules[i], out[i].findings)))
	}
	if own >= 0 && refuted(own) {
		return
	}
	for i := range out {
		if i != own && refuted(i) {
			return
		}
	}
}

// add notes that a rule could not decide about entrypoints.
func (x excess) add(r *rule.Rule, entries []*flow.Entry) {
	for _, e := range entries {
		if !slices.Contains(x[e], r) {
			x[e] = append(x[e], r)
		}
	}
}

// drop removes the findings about entrypoints, and about components that they
// are part of: each may rest on something that was not found.
func (p *program) drop(res *ruled, entries []*flow.Entry) {
	if len(entries) == 0 {
		return
	}
	classes := map[*facts.Class]bool{}
	comps, _ := p.results[component.Analyzer].([]*component.Component)
	for _, c := range comps {
		if slices.ContainsFunc(c.Entries, func(e *flow.Entry) bool { return slices.Contains(entries, e) }) {
			classes[c.Class] = true
		}
	}
	for _, e := range entries {
		if e.Class != nil {
			classes[e.Class] = true
		}
	}
	res.findings = slices.DeleteFunc(res.findings, func(f rule.Finding) bool {
		return classes[f.Component] || slices.Contains(entries, f.Entry)
	})
}

// errors tells what could not be decided, once for each function.
func (x excess) errors(rules []*rule.Rule) []report.Error {
	type place struct {
		file      string
		line, col int
	}
	rulesAt := map[place]map[*rule.Rule]bool{}
	names := map[place]string{}
	for e, which := range x {
		m, node := e.Func.Module, e.Func.Node
		var at place
		at.file = m.File
		at.line, at.col = m.AST.Position(node.Pos())
		if rulesAt[at] == nil {
			rulesAt[at], names[at] = map[*rule.Rule]bool{}, e.Func.Qual
		}
		for _, r := range which {
			rulesAt[at][r] = true
		}
	}
	var out []report.Error
	for at, which := range rulesAt {
		var ids []string
		for _, r := range rules {
			if which[r] {
				ids = append(ids, r.ID)
			}
		}
		undecided := strings.Join(ids, ", ") + " did not decide"
		if len(ids) == len(rules) {
			undecided = "no rule decided"
		}
		out = append(out, report.Error{File: at.file, Line: at.line, Column: at.col, Message: fmt.Sprintf(
			"%s has too many branches and accesses: %s about it and what shares its state; split it into smaller functions",
			names[at], undecided)})
	}
	slices.SortFunc(out, func(a, b report.Error) int {
		return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line, a.Column-b.Column)
	})
	return out
}

// spare takes their fixes and threats from the findings that come after those for
// which there is work left.
func (p *program) spare(findings []ruleFinding) {
	if p.opt.NoPatches && p.opt.NoWitness {
		return
	}
	steps, work := map[*facts.Class]int64{}, map[*facts.Class]int64{}
	comps, _ := p.results[component.Analyzer].([]*component.Component)
	for _, c := range comps {
		for _, e := range c.Entries {
			steps[c.Class] += int64(len(e.Graph.Nodes))
			work[c.Class] += p.work[e]
		}
	}
	left := cmp.Or(p.opt.MaxExamined, maxExamined)
	var first *ruleFinding
	n := 0
	for i := range findings {
		f := &findings[i]
		if len(targeted(findings[i:i+1], p.opt.Targets)) == 0 {
			continue
		}
		left -= max(steps[f.Component], minExamined)
		if len(f.Fixes) > 0 && !p.opt.NoPatches {
			left -= work[f.Component] / workPerStep
		}
		if left >= 0 {
			continue
		}
		if f.Fixes, f.threats = nil, nil; first == nil {
			first = f
		}
		n++
	}
	if first == nil {
		return
	}
	at := locationOf(first.Mod.AST, int(first.From), int(first.To))
	p.spared = []report.Error{{File: at.File, Line: at.Line, Column: at.Column, Message: fmt.Sprintf(
		"too many findings: for %d, this one and those after it, no schedule and no patch was looked for; check fewer files, or fewer rules, at a time", n)}}
}
