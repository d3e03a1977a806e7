package checker

import (
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/rule"
	"github.com/kvrace/kvrace/rules/witness"
	"github.com/kvrace/kvrace/rules/witness/threat"
)

// searchBound keeps one search below a tenth of a second.
var searchBound = witness.Bound{States: 3000}

// properties are the names of the properties in reports.
var properties = map[rule.Property]string{
	rule.Concludes: "P1", rule.StaysGone: "P2", rule.Survives: "P3",
	rule.StaysEnded: "P4", rule.LeavesNone: "P5", rule.FreesOnce: "P6",
	rule.LosesNone: "P7", rule.Avoids: "P8",
}

// refutable are the properties that are violated by whatever does what is wrong. Of the others
// a finding names one way to it, and that this one is barred says nothing about the rest.
var refutable = map[rule.Property]bool{
	rule.Concludes: true, rule.StaysGone: true, rule.Survives: true, rule.StaysEnded: true,
}

// witnessOf searches for a schedule that shows a finding. Without one it tells which bound
// the search has met, or that the finding is excluded: everything that the program can do
// was looked at, and nothing goes wrong. Otherwise it returns nil, since the model has
// assumptions of its own.
//
// With a schedule comes the question it answers, for a replay. Of several questions the
// first counts whose schedule can be replayed, as far as that is asked for.
func (p *program) witnessOf(threats []*rule.Threat) (*report.Witness, *replayable) {
	var bounded, first *report.Witness
	var found *replayable
	var asked []witness.Problem
	excluded := len(threats) > 0
	for _, t := range threats {
		excluded = excluded && refutable[t.Property]
		for _, q := range threat.Problems(t) {
			r := witness.Search(q, searchBound)
			asked = append(asked, q)
			excluded = excluded && r.Verdict == witness.Excluded
			if r.Verdict == witness.Bounded && bounded == nil {
				bounded = &report.Witness{Property: properties[t.Property], Verdict: report.VerdictBound, Reason: r.Reason}
			}
			if r.Verdict != witness.Found {
				continue
			}
			w := &replayable{problem: q, result: r}
			if p.opt.Replay != nil {
				w.write(p.graphs())
			}
			if found == nil || w.err == nil {
				first, found = witnessRecord(t, q, r), w
			}
			if w.err == nil {
				return first, found
			}
		}
	}
	switch {
	case found != nil:
		return first, found
	case excluded && len(asked) > 0:
		out := &report.Witness{Property: properties[threats[0].Property], Verdict: report.VerdictExcluded}
		for _, q := range asked {
			if out.Reason = witness.Doubt(q, searchBound, p.graphs().Entries); out.Reason != "" {
				out.Verdict = report.VerdictBound
				break
			}
		}
		return out, nil
	}
	return bounded, nil
}

// witnessRecord returns the record of a schedule.
func witnessRecord(t *rule.Threat, q witness.Problem, r witness.Result) *report.Witness {
	out := &report.Witness{Property: properties[t.Property], Verdict: report.VerdictFound, Assumptions: r.Assumptions}
	if q.Property == witness.NoPassage && t.Property != rule.LosesNone {
		out.Property = properties[rule.Avoids] // it happens, though a deadline may save the request
	}
	for _, s := range r.Schedule {
		out.Steps = append(out.Steps, report.Step{
			Entrypoint: s.Entry.Name(), File: s.File, Line: s.Line, Action: s.Action, State: s.State,
		})
	}
	return out
}
