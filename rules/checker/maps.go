package checker

import (
	"context"

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
	run.Maps = keymap.Groups(facts.([]*status.Facts))
	if p.opt.Targets != nil {
		run.Maps = keymap.Limit(run.Maps, p.opt.Targets)
	}
	return nil
}
