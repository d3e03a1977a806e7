package counterimbalance_test

import (
	"testing"

	"github.com/kvrace/kvrace/rules/counterimbalance"
	"github.com/kvrace/kvrace/rules/ruletest"
)

func Test(t *testing.T) { ruletest.Run(t, counterimbalance.Rule) }
