package missedowner_test

import (
	"testing"

	"github.com/kvrace/kvrace/rules/missedowner"
	"github.com/kvrace/kvrace/rules/ruletest"
)

func Test(t *testing.T) { ruletest.Run(t, missedowner.Rule) }
