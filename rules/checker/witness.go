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

// witnessOf searches for a schedule that shows a finding. Without one it tells
// which bound the search has met, or returns nil when there was nothing left to
// look at: the model has assumptions of its own, so that says nothing against the
// finding.
//
// With a schedule comes the question it answers, for a replay.
func witnessOf(t *rule.Threat) (*report.Witness, *replayable) {
	if t == nil {
		return nil, nil
	}
	var bounded *report.Witness
	for _, p := range threat.Problems(t) {
		r := witness.Search(p, searchBound)
		if r.Verdict == witness.Bounded && bounded == nil {
			bounded = &report.Witness{Property: properties[t.Property], Verdict: report.VerdictBound, Reason: r.Reason}
		}
		if r.Verdict != witness.Found {
			continue
		}
		out := &report.Witness{Property: properties[t.Property], Verdict: report.VerdictFound, Assumptions: r.Assumptions}
		if p.Property == witness.NoPassage && t.Property != rule.LosesNone {
			out.Property = properties[rule.Avoids] // it happens, though a deadline may save the request
		}
		for _, s := range r.Schedule {
			out.Steps = append(out.Steps, report.Step{
				Entrypoint: s.Entry.Name(), File: s.File, Line: s.Line, Action: s.Action, State: s.State,
			})
		}
		return out, &replayable{problem: p, result: r}
	}
	return bounded, nil
}
