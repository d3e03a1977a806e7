package statusresurrection_test

import (
	"testing"

	"github.com/kvrace/kvrace/rules/ruletest"
	"github.com/kvrace/kvrace/rules/statusresurrection"
)

func Test(t *testing.T) { ruletest.Run(t, statusresurrection.Rule) }
