package threaddeath_test

import (
	"testing"

	"github.com/kvrace/kvrace/rules/ruletest"
	"github.com/kvrace/kvrace/rules/threaddeath"
)

func Test(t *testing.T) { ruletest.Run(t, threaddeath.Rule) }
