package checker

import (
	"context"
	"slices"

	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/status"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/keymap"
)

// addMaps describes the key groups, if they are wanted.
func (p *program) addMaps(ctx context.Context, run *report.Run) error {
	if !p.opt.Maps {
		return nil
	}
	facts, err := p.run(ctx, status.Analyzer)
	if err != nil {
		return err
	}
	all := slices.Clone(facts.([]*status.Facts))
	for _, c := range component.OfModules(p.graphs()) {
		all = append(all, status.InferWith(c, status.DefaultWords, p.graphs().Taught))
	}
	run.Maps = keymap.Groups(all)
	if p.opt.Targets != nil {
		run.Maps = keymap.Limit(run.Maps, p.opt.Targets)
	}
	return nil
}
