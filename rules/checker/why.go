package checker

import (
	"context"

	"github.com/kvrace/kvrace/parser/facts/flow"
	facts "github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/parser/facts/status"
	"github.com/kvrace/kvrace/rules/why"
)

// Why returns what there is to say about a line of a file: the facts, and how far
// each of the rules comes there.
func Why(ctx context.Context, opt Options, file string, line int) (*why.Account, error) {
	p, err := newProgram(ctx, opt)
	if err != nil {
		return nil, err
	}
	findings, err := p.findings(ctx)
	if err != nil {
		return nil, err
	}
	s := why.Subject{Rules: opt.Rules}
	for _, f := range findings {
		s.Findings = append(s.Findings, p.record(f))
	}
	index, err := p.run(ctx, facts.Analyzer)
	if err != nil {
		return nil, err
	}
	graphs, err := p.run(ctx, flow.Analyzer)
	if err != nil {
		return nil, err
	}
	statuses, err := p.run(ctx, status.Analyzer)
	if err != nil {
		return nil, err
	}
	s.Index, s.Flow, s.Status = index.(*facts.Program), graphs.(*flow.Program), statuses.([]*status.Facts)
	return why.Explain(s, file, line)
}
