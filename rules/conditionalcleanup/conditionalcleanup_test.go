package conditionalcleanup_test

import (
	"testing"

	"github.com/kvrace/kvrace/rules/conditionalcleanup"
	"github.com/kvrace/kvrace/rules/ruletest"
)

func Test(t *testing.T) { ruletest.Run(t, conditionalcleanup.Rule) }
